import CBenchmarkSQLite

extension FloorConnection {
    /// The checksum of a query's values.
    func checksum(_ sql: String) throws -> Checksum {
        let statement = try prepare(sql)
        defer { statement.finalize() }
        var sum = Checksum()
        while try statement.step() {
            for column in 0..<sqlite3_column_count(statement.handle) {
                switch sqlite3_column_type(statement.handle, column) {
                case SQLITE_INTEGER: sum.add(statement.int64(column))
                case SQLITE_FLOAT: sum.add(statement.double(column))
                case SQLITE_TEXT: sum.add(try statement.text(column))
                case SQLITE_BLOB: sum.add(statement.data(column))
                default: sum.add(nil as Int64?)
                }
            }
        }
        return sum
    }
}

extension FloorConnection {
    /// A table's rows as INSERT statements.
    func script(of table: String) throws -> String {
        let columns = try prepare("SELECT name FROM pragma_table_info('\(table)')")
        defer { columns.finalize() }
        var quoted: [String] = []
        while try columns.step() { quoted.append("quote(\(try columns.text(0) ?? ""))") }
        let rows = try prepare("SELECT \(quoted.joined(separator: " || ', ' || ")) FROM \(table)")
        defer { rows.finalize() }
        var script = ""
        while try rows.step() { script += "INSERT INTO \(table) VALUES (\(try rows.text(0) ?? ""));\n" }
        return script
    }
}
