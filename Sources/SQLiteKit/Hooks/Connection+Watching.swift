/// What is read, for those who watch the database.
extension Database {
    /// Runs `body`, and says what its statements have read of which tables, by their keys.
    package func notingReads<T>(_ body: () throws -> T) throws -> (T, reads: [String: TableReads]) {
        let around = connection.reading
        connection.reading = nil
        connection.reading = NotedReads(schema: connection.schemaNumbers)
        defer { connection.reading = around }
        let result = try body()
        return (result, connection.reading?.reads ?? [:])
    }

    /// Whether someone wants to know what is read.
    @inline(__always)
    package var isNotingReads: Bool { connection.reading != nil }

    /// Runs `body`, whose statements look for rows by their keys.
    ///
    /// - Parameters:
    ///   - table: The key of the table, of ``tableKey(_:in:)``.
    ///   - columns: The columns of the primary key.
    ///   - keys: Says the keys of what was found, as they are stored; nil when a row was not found.
    package func notingRead<T>(
        of table: String, by columns: [String], _ keys: (T) throws -> Set<[SQLiteValue]>?, _ body: () throws -> T
    ) throws -> T {
        let around = connection.reading
        guard let around else { return try body() }
        connection.reading = NotedReads(schema: around.schema)
        defer {
            let found = connection.reading?.reads ?? [:]
            connection.reading = around
            connection.reading?.merge(found)
        }
        let result = try body()
        guard let keys = try keys(result), let read = connection.reading?.reads[table]?.columns else { return result }
        connection.reading?.reads[table] = TableReads(
            rows: .init(key: columns.map(asciiLowercased), keys: keys, columns: read))
        return result
    }
}
