/// Exporting rows to files.
///
/// ```swift
/// try manager.exportCSV(User.where(\.age > 18), to: url)
/// try await manager.exportJSON(Query(User.self), to: url, .lines, keys: .columns)
/// ```
///
/// Rows are written as they are read, all of one moment, whatever their number. Dates are ISO 8601 with the fewest
/// digits that are read as the same, nine at most; bytes are Base64; NULL is an empty field or null, where an empty
/// text is `""`. What is exported and imported again, with the same ``FileKeys``, gives equal rows, except for dates
/// finer than a nanosecond.
///
/// Of a property of type ``/SQLiteKit/SQLiteValue``, a text that looks like another value is in quotation marks in CSV,
/// and bytes are `X'0A'`. In JSON bytes are `{"base64":"Cg=="}`, and an infinite number is `{"real":"Infinity"}`.
///
/// An export of a class hierarchy has the columns of all classes and the kind, by which an import makes each row an
/// object of its class. In JSON each object has the properties of its own class. With a
/// ``PersistingModel/remoteMapping``, name the kind there.
extension PersistenceManager {
    /// Writes the rows of a query as CSV.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: How to write. With an absent header its names say which properties are written.
    ///   - keys: What the fields are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    /// - Returns: The number of rows.
    /// - Throws: ``PersistenceError``: a mistake in the query or the format, or a stored value that its property can't
    ///   have; what the destination throws.
    @discardableResult
    public func exportCSV<Model: PersistingModel>(
        _ query: Query<Model>, to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote
    ) throws -> Int {
        try export(query, .csv(format), keys, to: destination.writer)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func exportCSV<Model: PersistingModel>(
        _ query: Query<Model>, to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(),
        keys: FileKeys = .remote
    ) async throws -> Int {
        try await onReadingSide(of: query.modelType) { manager in
            try manager.export(query, .csv(format), keys, to: destination.writer)
        }
    }

    /// Writes the rows of a query as JSON.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    /// - Returns: The number of rows.
    /// - Throws: ``PersistenceError``: a mistake in the query, or a stored value that its property can't have; what the
    ///   destination throws.
    @discardableResult
    public func exportJSON<Model: PersistingModel>(
        _ query: Query<Model>, to destination: some ExportDestination, _ format: JSONFormat = .array,
        keys: FileKeys = .remote
    ) throws -> Int {
        try export(query, .json(format), keys, to: destination.writer)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func exportJSON<Model: PersistingModel>(
        _ query: Query<Model>, to destination: some ExportDestination, _ format: JSONFormat = .array,
        keys: FileKeys = .remote
    ) async throws -> Int {
        try await onReadingSide(of: query.modelType) { manager in
            try manager.export(query, .json(format), keys, to: destination.writer)
        }
    }

    /// - Parameter begin: Starts to write, once the query is known to be right.
    func export<Model: PersistingModel>(
        _ query: Query<Model>, _ format: FileFormat, _ keys: FileKeys, to begin: () throws -> ExportWriter
    ) throws -> Int {
        let table = try table(of: query.modelType)
        let format = try ExportFormat(format, keys, table.mapping)
        return try reading(table) { db in
            try table.withForms(db, query.node) { forms in
                try query.sql(format.select(table.mapping), table.mapping, forms)
            } run: { sql in
                let statement = try db.statement(CachedSQL(sql.text))
                try sql.bind(to: statement.any)
                defer { statement.any.clear() }
                let destination = try begin()
                do {
                    let writer = ByteWriter(destination.write)
                    let count =
                        switch statement {
                        case .local(let statement): try write(statement, format, to: writer)
                        case .other(let statement): try write(statement, format, to: writer)
                        }
                    try destination.finish(true)
                    return count
                } catch {
                    // The first error is the one that counts.
                    try? destination.finish(false)
                    throw error
                }
            }
        }
    }

    private func write(
        _ statement: some EngineStatement, _ format: ExportFormat, to writer: ByteWriter
    ) throws -> Int {
        var count = 0
        format.writeStart(to: writer)
        while try statement.step() {
            try format.writeRow(statement, isFirst: count == 0, to: writer)
            try writer.flushIfFull()
            count += 1
        }
        format.writeEnd(to: writer)
        try writer.flush()
        return count
    }
}

extension ExportFormat {
    /// The SELECT of the columns, up to the table's name.
    func select(_ mapping: Mapping) -> String {
        "SELECT \(selected.list(", ")) FROM \(mapping.sql.table)"
    }
}
