/// What SQLite doesn't say of a foreign key that refuses a change: which it is.
///
/// It is looked for when a statement has failed, in the schema and, for one that is checked by COMMIT, in the rows,
/// which are still there. What has been written by a trigger or a cascade of a statement stays unnamed.
extension Connection {
    /// The error with the table and the columns of the foreign key that has refused the change of a statement, as far as
    /// they can be told.
    func namingForeignKey(_ error: SQLiteError, _ statement: Statement) -> SQLiteError {
        do throws(SQLiteError) {
            // COMMIT and RELEASE write nothing by themselves.
            let failure = statement.isReadOnly ? try deferredFailure() : try failure(of: statement)
            guard let failure else { return error }
            return SQLiteError(
                error.extendedCode, "\(error.message): \(failure)", sql: error.sql, path: error.path,
                outcome: error.outcome)
        } catch {
            // The error that led here is the one to throw.
            return error
        }
    }

    /// The first row without its parent.
    private func deferredFailure() throws(SQLiteError) -> String? {
        let check = try Statement("PRAGMA foreign_key_check", self, isPersistent: false)
        guard try check.step() else { return nil }
        let (table, row, number) = (try check.text(at: 0), try check.value(at: 1), Int(check.int64(at: 3)))
        check.reset()
        let key = try foreignKeys(of: table, "main").first { $0.number == number }
        let place = row.isNull ? "" : ", in the row with the identifier \(row)"
        return key.map { "\($0.place)\(ForeignKeyFailure.isMissing)\($0.parent)\(place)" }
    }

    /// The foreign keys that a statement may have broken: those of a table it writes to, and those that refer to it.
    private func failure(of statement: Statement) throws(SQLiteError) -> String? {
        guard let write = try write(of: statement) else { return nil }
        let all = try foreignKeys(of: nil, write.database)
        let own = all.filter { write.mayBreak(own: $0) }
        var others: [ForeignKeyFailure.Key] = []
        for key in all where write.mayBreak(referring: key) {
            if try refers(key, write.database) { others.append(key) }
        }
        switch (own.count, others.count) {
        case (1, 0): return "\(own[0].place)\(ForeignKeyFailure.isMissing)\(own[0].parent)"
        case (0, 1): return "\(others[0].place)\(ForeignKeyFailure.isNeeded)\(write.table)"
        case (0, 0): return nil
        default:
            let places = (own + others).map { "\($0.place) (to \($0.parent))" }
            return "one of \(places.joined(separator: ", "))"
        }
    }

    /// Whether any row has the foreign key.
    private func refers(_ key: ForeignKeyFailure.Key, _ database: String) throws(SQLiteError) -> Bool {
        let columns = key.columns.map { "\(SQLText.identifier($0)) IS NOT NULL" }.joined(separator: " AND ")
        let table = "\(SQLText.identifier(database)).\(SQLText.identifier(key.table))"
        return try Statement("SELECT 1 FROM \(table) WHERE \(columns) LIMIT 1", self, isPersistent: false).step()
    }

    /// The foreign keys of one table, or of all.
    private func foreignKeys(of table: String?, _ database: String) throws(SQLiteError) -> [ForeignKeyFailure.Key] {
        let list = try Statement(
            """
            SELECT t.name, f.id, f."table", f."from", f."to", f.on_update, f.on_delete
            FROM \(SQLText.identifier(database)).sqlite_schema AS t, pragma_foreign_key_list(t.name, ?1) AS f
            WHERE t.type = 'table' AND (?2 IS NULL OR t.name = ?2 COLLATE NOCASE) ORDER BY t.rowid, f.id DESC, f.seq
            """, self, isPersistent: false)
        try list.bind(database, at: 1)
        try list.bind(table, at: 2)
        var keys: [ForeignKeyFailure.Key] = []
        while try list.step() {
            let (table, number) = (try list.text(at: 0), Int(list.int64(at: 1)))
            if keys.last?.table != table || keys.last?.number != number {
                keys.append(
                    ForeignKeyFailure.Key(
                        table: table, number: number, parent: try list.text(at: 2), onUpdate: try list.text(at: 5),
                        onDelete: try list.text(at: 6)))
            }
            keys[keys.count - 1].columns.append(try list.text(at: 3))
            if case .text(let name) = try list.value(at: 4) { keys[keys.count - 1].parentColumns.append(name) }
        }
        return keys
    }

    /// What a statement writes to, by itself. It is asked for once: SQLite tells of it by the authorizer's way.
    private func write(of statement: Statement) throws(SQLiteError) -> ForeignKeyFailure.Write? {
        if let known = statement.knownWrite { return known }
        hooks.requests = []
        defer { hooks.requests = nil }
        try installAuthorizer()
        let result = Result { () throws(SQLiteError) in try Statement(statement.sql, self, isPersistent: false) }
        let requests = hooks.requests ?? []
        hooks.requests = nil
        try installAuthorizer()
        _ = try result.get()
        let own = requests.filter { $0.source == nil && [.insert, .update, .delete].contains($0.action) }
        guard let first = own.first, let table = first.first else { return nil }
        let columns = own.filter { $0.action == .update && $0.first == table }.compactMap(\.second)
        let write = ForeignKeyFailure.Write(
            action: first.action, database: first.database ?? "main", table: table,
            columns: columns.map(asciiLowercased))
        statement.knownWrite = write
        return write
    }
}

/// What is looked at to tell which foreign key has refused a change.
enum ForeignKeyFailure {
    /// What stands between the columns of a foreign key and its parent in the message of an error.
    static let isMissing = " refers to no row of "
    static let isNeeded = " still refers to the row of "

    struct Key {
        let table: String
        /// SQLite's number of it in its table.
        let number: Int
        let parent: String
        let onUpdate: String
        let onDelete: String
        var columns: [String] = []
        /// Empty for the parent's primary key.
        var parentColumns: [String] = []

        var place: String { columns.map { "\(table).\($0)" }.joined(separator: ", ") }
    }

    /// What a statement does to a table.
    struct Write {
        let action: AuthorizerRequest.Action
        let database: String
        let table: String
        /// Those that an UPDATE sets, in lower case.
        let columns: [String]

        /// Whether a row of the table may be without its parent now.
        func mayBreak(own key: Key) -> Bool {
            guard asciiLowercased(key.table) == asciiLowercased(table) else { return false }
            return action == .insert || action == .update && sets(key.columns)
        }

        /// Whether another row may be without its parent now.
        func mayBreak(referring key: Key) -> Bool {
            guard asciiLowercased(key.parent) == asciiLowercased(table) else { return false }
            let isChecked = { (action: String) in !["CASCADE", "SET NULL"].contains(action) }
            switch action {
            case .delete: return isChecked(key.onDelete)
            case .update: return isChecked(key.onUpdate) && (key.parentColumns.isEmpty || sets(key.parentColumns))
            default: return false
            }
        }

        private func sets(_ names: [String]) -> Bool { names.contains { columns.contains(asciiLowercased($0)) } }
    }
}
