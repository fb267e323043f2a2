internal import CSystemSQLite

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

    /// Adds what a statement reads to what is noted.
    func noteReads(of statement: Statement) throws(SQLiteError) {
        let reads: [String: Set<String>]
        if let known = statement.knownReads, known.schema == reading?.schema {
            reads = known.reads
        } else {
            // Preparing runs nothing that would be noted.
            let noted = reading
            reading = nil
            defer { reading = noted }
            var found: [String: Set<String>] = [:]
            for read in try columnsRead(by: statement.sql) where read.database ?? "main" == "main" {
                found[asciiLowercased(read.table), default: []].insert(asciiLowercased(read.column))
            }
            reads = found
            statement.knownReads = (reads, noted?.schema)
        }
        for (table, columns) in reads { reading?.reads[table, default: []].formUnion(columns) }
    }
}

extension Database {
    /// Runs `body`, and says which columns of which tables its statements have read, in lower case.
    package func notingReads<T>(_ body: () throws -> T) throws -> (T, reads: [String: Set<String>]) {
        let around = connection.reading
        connection.reading = nil
        connection.reading = NotedReads(schema: connection.schemaVersion)
        defer { connection.reading = around }
        let result = try body()
        return (result, connection.reading?.reads ?? [:])
    }
}

/// What has been read.
struct NotedReads {
    /// The number of the schema.
    let schema: Int64?
    /// The columns of each table.
    var reads: [String: Set<String>] = [:]
}
