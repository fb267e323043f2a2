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
            for read in try columnsRead(by: statement.sql) where read.database ?? "main" == "main" {
                found[asciiLowercased(read.table), default: []].insert(asciiLowercased(read.column))
            }
            reads = found
            statement.knownReads = (reads, noted?.schema)
        }
        reading?.add(reads)
    }
}
