/// The rows of raw SQL as values: of any `Decodable` type, or dictionaries. Nothing is tracked, and nothing asked of a
/// class.
extension PersistenceManager {
    /// The rows of a query as values of a `Decodable` type.
    ///
    /// ```swift
    /// struct Sales: Decodable {
    ///     var artistName: String; var albums: Int; var last: Date?
    /// }
    /// let sales = try manager.fetchAll(
    ///     decoding: Sales.self, keys: .snakeCase,
    ///     sql: """
    ///         SELECT ARTIST_NAME, count(*) AS albums, max(SOLD_AT) AS last
    ///         FROM ALBUM GROUP BY ARTIST_NAME
    ///         """)
    /// ```
    ///
    /// `RowReading.decode(_:keys:dates:)` says how a row becomes a value. Dates are in the manager's form.
    ///
    /// - Parameters:
    ///   - type: The type; a single value, such as `Int`, is read from the first column.
    ///   - keys: How the properties' names become the columns', which are found without regard to the case of ASCII
    ///     letters: `.asWritten`, `.snakeCase`, under which `lastName` finds `LAST_NAME`, or `.custom`, which may be a
    ///     class's: `.custom(Album.naming.column)`.
    ///   - sql: One statement that writes nothing; interpolated values are bound.
    ///   - arguments: Values for its parameters, by position or by name.
    ///   - more: More of them.
    /// - Throws: ``/SQLiteKit/SQLiteError``, which names the column that is missing or does not fit; or what the type's
    ///   own `init(from:)` throws.
    public func fetchAll<Value: Decodable>(
        decoding type: Value.Type, keys: CodingKeyStrategy = .asWritten, sql: SQL, _ arguments: Arguments = [],
        _ more: Arguments = []
    ) throws -> [Value] {
        func values(_ next: () throws -> (some RowReading)?) throws -> [Value] {
            var values: [Value] = []
            while let row = try next() { values.append(try row.decode(type, keys: keys, dates: dates)) }
            return values
        }
        return try reading(sql, arguments + more) { statement in
            switch statement {
            case .local(let statement): try values(statement.rows.next)
            case .other(let statement): try values { try statement.step() ? statement.snapshot() : nil }
            }
        }
    }

    /// The same, while the task is suspended.
    public func fetchAll<Value: Decodable & SendableMetatype>(
        decoding type: Value.Type, keys: CodingKeyStrategy = .asWritten, sql: SQL, _ arguments: Arguments = [],
        _ more: Arguments = []
    ) async throws -> sending [Value] {
        try await onReadingSide { manager in
            try manager.fetchAll(decoding: type, keys: keys, sql: sql, arguments, more)
        }
    }

    /// The first row of a query as a value of a `Decodable` type; nil when there is none. See
    /// `fetchAll(decoding:keys:sql:_:_:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keys: The properties' names.
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Value: Decodable>(
        decoding type: Value.Type, keys: CodingKeyStrategy = .asWritten, sql: SQL, _ arguments: Arguments = [],
        _ more: Arguments = []
    ) throws -> Value? {
        try reading(sql, arguments + more) { statement in
            switch statement {
            case .local(let statement): try statement.rows.next()?.decode(type, keys: keys, dates: dates)
            case .other(let statement):
                try statement.step() ? statement.snapshot().decode(type, keys: keys, dates: dates) : nil
            }
        }
    }

    /// The same, while the task is suspended.
    public func fetchOne<Value: Decodable & SendableMetatype>(
        decoding type: Value.Type, keys: CodingKeyStrategy = .asWritten, sql: SQL, _ arguments: Arguments = [],
        _ more: Arguments = []
    ) async throws -> sending Value? {
        try await onReadingSide { manager in
            try manager.fetchOne(decoding: type, keys: keys, sql: sql, arguments, more)
        }
    }

    /// The rows of a query as dictionaries by the columns' names, which the SQL may choose by AS.
    ///
    /// ```swift
    /// try manager.dictionaries("SELECT name AS name1, avg AS avg1 FROM batter")
    /// // [["name1": 'Kao', "avg1": 0.35]]
    /// ```
    ///
    /// `dictionaries(_:keys:distinct:)` of a query has a class's properties, by their names and of their types.
    ///
    /// - Parameters:
    ///   - sql: One statement that writes nothing; interpolated values are bound.
    ///   - arguments: Values for its parameters, by position or by name.
    ///   - more: More of them.
    ///   - qualified: Whether a key is `table.column` where SQLite knows the table, so that columns of one name from
    ///     two tables are both there. Otherwise, the first of several columns of one name counts.
    ///   - omittingNull: Whether to leave out what is NULL.
    /// - Throws: ``/SQLiteKit/SQLiteError``.
    public func dictionaries(
        _ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], qualified: Bool = false,
        omittingNull: Bool = false
    ) throws -> [[String: SQLiteValue]] {
        func dictionaries(_ statement: some EngineStatement) throws -> [[String: SQLiteValue]] {
            var dictionaries: [[String: SQLiteValue]] = []
            while try statement.step() {
                let keys = qualified ? statement.columns.qualifiedNames : statement.columns.names
                let cells = zip(keys, try statement.values()).filter { !omittingNull || !$1.isNull }
                dictionaries.append(Dictionary(cells) { first, _ in first })
            }
            return dictionaries
        }
        return try reading(sql, arguments + more) { statement in
            switch statement {
            case .local(let statement): try dictionaries(statement)
            case .other(let statement): try dictionaries(statement)
            }
        }
    }

    /// The same, while the task is suspended.
    public func dictionaries(
        _ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], qualified: Bool = false,
        omittingNull: Bool = false
    ) async throws -> [[String: SQLiteValue]] {
        try await onReadingSide { manager in
            try manager.dictionaries(sql, arguments, more, qualified: qualified, omittingNull: omittingNull)
        }
    }
}
