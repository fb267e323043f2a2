/// Objects from the rows of raw SQL.
///
/// A row's columns are found by name, without regard to the case of ASCII letters, once for all rows of a statement.
/// Columns that the class does not have are skipped, and of several of one name the first counts. A deferred column
/// is read where the SQL gives it.
///
/// The objects are like fetched ones: a save writes to the rows whose keys were read. So the primary key is always
/// needed, and what stands under a column's name should be the column's value.
extension PersistenceManager {
    /// The objects of a query's rows.
    ///
    /// ```swift
    /// try manager.fetchAll(
    ///     Batter.self, sql: "SELECT * FROM batter WHERE hr > ?", [20])
    /// ```
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - sql: One statement that writes nothing; interpolated values are bound. For rows of `RETURNING`, see
    ///     `objects(_:from:partial:tracked:)`.
    ///   - arguments: Values for its parameters, by position or by name.
    ///   - more: More of them.
    ///   - partial: Whether the rows may lack columns. Their properties are then as `init()` made them, and are written
    ///     by a save only when they are changed to something else, but by an upsert as they are; `load` and `refresh`
    ///     read them. Such objects are always tracked.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    /// - Throws: ``PersistenceError/Code/missingColumn`` for a row without one of the columns, which names it and those
    ///   there are; ``PersistenceError/Code/typeMismatch`` for a value that a property cannot hold; any other error of
    ///   SQLite as ``PersistenceError`` too.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false,
        tracked: Bool = true
    ) throws -> [Model] {
        try reading(type, sql, arguments + more) { statement in
            switch statement {
            case .local(let statement): try objects(type, statement, partial, tracked, next: statement.step)
            case .other(let statement): try objects(type, statement, partial, tracked, next: statement.step)
            }
        }
    }

    /// The same, while the task is suspended.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false,
        tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in
            try manager.fetchAll(type, sql: sql, arguments, more, partial: partial, tracked: tracked)
        }
    }

    /// The object of a query's first row; nil when there is none. See `fetchAll(_:sql:_:_:partial:tracked:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) throws -> Model? {
        try reading(type, sql, arguments + more) { statement in
            switch statement {
            case .local(let statement): try statement.step() ? object(type, statement, partial) : nil
            case .other(let statement): try statement.step() ? object(type, statement, partial) : nil
            }
        }
    }

    /// The same, while the task is suspended.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in
            try manager.fetchOne(type, sql: sql, arguments, more, partial: partial)
        }
    }
}

/// The same methods of classes. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// The objects of a query's rows. See `PersistenceManager.fetchAll(_:sql:_:_:partial:tracked:)`.
    ///
    /// - Parameters:
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: What the manager's method throws.
    public static func all(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) throws -> [Self] {
        try PersistenceManager.current(for: self).fetchAll(self, sql: sql, arguments, more, partial: partial)
    }

    /// The same, while the task is suspended.
    public static func all(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self).fetchAll(self, sql: sql, arguments, more, partial: partial)
    }

    /// The object of a query's first row; nil when there is none.
    ///
    /// - Parameters:
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: What the manager's method throws.
    public static func findOne(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) throws -> Self? {
        try PersistenceManager.current(for: self).fetchOne(self, sql: sql, arguments, more, partial: partial)
    }

    /// The same, while the task is suspended.
    public static func findOne(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).fetchOne(self, sql: sql, arguments, more, partial: partial)
    }
}

extension PersistenceManager {
    /// The text that fetches a query's objects.
    package func fetchText<Model: PersistingModel>(of query: Query<Model>) throws -> String {
        let table = try table(of: query.modelType)
        return try reading(table) { db in
            try table.withForms(db, query.node) { forms in
                try query.sql(table.mapping.sql.select, table.mapping, forms)
            } run: { sql in
                sql.text
            }
        }
    }

    /// Runs a user's query, whose rows are made into objects.
    func reading<T>(
        _ type: PersistingModel.Type, _ sql: SQL, _ arguments: Arguments, _ body: (PreparedStatement) throws -> T
    ) throws -> T {
        try table(of: type).mapping.naming { try reading(sql, arguments, body) }
    }

    /// Runs a user's query. The statement has its values.
    ///
    /// - Throws: ``/SQLiteKit/SQLiteError``, of a statement that writes too: fetches run where nothing can be written.
    func reading<T>(_ sql: SQL, _ arguments: Arguments, _ body: (PreparedStatement) throws -> T) throws -> T {
        try engine.query { db in
            let statement = try db.statement(CachedSQL(sql.sql))
            try statement.any.bind(sql.arguments + arguments)
            defer { statement.any.clear() }
            guard statement.any.isReadOnly else {
                throw SQLiteError(
                    .notAllowedHere,
                    "a fetch runs no statement that writes: read its rows on the connection that "
                        + "write { db in … } gives", sql: sql.sql)
            }
            return try body(statement)
        }
    }
}
