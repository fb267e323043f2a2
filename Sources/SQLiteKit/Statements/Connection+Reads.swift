internal import CSystemSQLite

/// What statements read.
extension Connection {
    func columnsRead(by sql: String) throws(SQLiteError) -> Set<ColumnRead> {
        hooks.columnsRead = []
        try installAuthorizer()
        let result = Result { () throws(SQLiteError) in try Statement(sql, self, isPersistent: false) }
        let columns = hooks.columnsRead ?? []
        hooks.columnsRead = nil
        try installAuthorizer()
        _ = try result.get()
        return columns
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
            for read in try columnsRead(by: statement.sql) {
                let database = read.database ?? place(ofTable: read.table, noted?.schema)
                found[tableKey(read.table, in: database), default: []].insert(asciiLowercased(read.column))
            }
            reads = found
            statement.knownReads = noted?.schema.map { (reads, $0) }
        }
        reading?.add(reads)
    }

    /// The database of a table that a statement names without one; nil for `main`.
    ///
    /// - Parameter databases: The databases, with the numbers of their schemas.
    private func place(ofTable name: String, _ databases: [String: Int64]?) -> String? {
        guard databases?.count != 1, let databases = databaseList?.map(\.name) else { return nil }
        // SQLite looks in this order.
        let order = databases.filter { $0 == "temp" } + databases.filter { $0 != "temp" }
        return order.first {
            sqlite3_table_column_metadata(handle, $0, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
        }
    }
}
