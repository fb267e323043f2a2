/// What is written and read, for those who watch the database.
extension Connection {
    /// Records changes for listeners, or no longer: at the beginning of an access.
    ///
    /// - Parameter version: What ``ChangeListeners/currentVersion`` was; 0 when nobody listens.
    func follow(_ listeners: ChangeListeners, _ version: Int) {
        guard version != 0 else {
            recorder?.end()
            recorder = nil
            return
        }
        let recorder = recorder ?? ChangeRecorder(self, listeners)
        recorder.follow(version)
        self.recorder = recorder
    }
}

extension Database {
    /// Runs `body`, and says what its statements have read of which tables, in lower case.
    package func notingReads<T>(_ body: () throws -> T) throws -> (T, reads: [String: TableReads]) {
        let around = connection.reading
        connection.reading = nil
        connection.reading = NotedReads(schema: connection.schemaVersion)
        defer { connection.reading = around }
        let result = try body()
        return (result, connection.reading?.reads ?? [:])
    }

    /// Whether someone wants to know what is read.
    @inline(__always)
    package var isNotingReads: Bool { connection.reading != nil }

    /// Runs `body`, whose statement looks for one row by its key.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - columns: The columns of the key.
    ///   - key: Says the key of what was found, as it is stored; nil when no row was found.
    package func notingRead<T>(
        of table: String, by columns: [String], _ key: (T) throws -> [SQLiteValue]?, _ body: () throws -> T
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
        let name = asciiLowercased(table)
        guard let key = try key(result), let read = connection.reading?.reads[name]?.columns else { return result }
        connection.reading?.reads[name] = TableReads(
            rows: .init(key: columns.map(asciiLowercased), keys: [key], columns: read))
        return result
    }
}
