/// What SQLite doesn't say of a foreign key that rejects a change: which it is.
///
/// It is looked for when a statement has failed: in the schema, in the rows that the statement leaves when it runs
/// once more, and for a key that COMMIT checks, in the rows that are still there.
extension Connection {
    /// The error with the table and the columns of the foreign key that has rejected the change of a statement, as far
    /// as they can be told.
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
        let list = try Statement("PRAGMA database_list", self, isPersistent: false)
        var databases: [String] = []
        while try list.step() { databases.append(try list.text(at: 1)) }
        for database in databases {
            let pragma = "PRAGMA \(SQLText.identifier(database)).foreign_key_check"
            let check = try Statement(pragma, self, isPersistent: false)
            guard try check.step() else { continue }
            let (table, row, number) = (try check.text(at: 0), try check.value(at: 1), Int(check.int64(at: 3)))
            check.reset()
            let key = try foreignKeys(of: table, database).first { $0.number == number }
            let place = row.isNull ? "" : ", in the row with the identifier \(row)"
            return key.map { "\($0.place)\(ForeignKeyWords.isMissing)\($0.parent)\(place)" }
        }
        return nil
    }

    /// The foreign keys that a statement has broken: those of a table that it writes to, by itself, by a trigger or by
    /// the action of another foreign key, and those that refer to such a table.
    private func failure(of statement: Statement) throws(SQLiteError) -> String? {
        let writes = try writes(of: statement)
        var suspects: [ForeignKeyFailure.Suspect] = []
        for database in Set(writes.map(\.database)).sorted() {
            let writes = writes.filter { $0.database == database }
            for key in try foreignKeys(of: nil, database) {
                if writes.contains(where: { $0.mayBreak(own: key) }) {
                    suspects.append(ForeignKeyFailure.Suspect(key: key, database: database, isOwn: true))
                } else if writes.contains(where: { $0.mayBreak(referring: key) }) {
                    suspects.append(ForeignKeyFailure.Suspect(key: key, database: database, isOwn: false))
                }
            }
        }
        if suspects.count > 1 {
            let broken = brokenKeys(among: suspects, by: statement)
            if !broken.isEmpty { suspects = broken }
        }
        guard let first = suspects.first else { return nil }
        guard suspects.count > 1 else { return first.description }
        let places = suspects.map { "\($0.key.place) (to \($0.key.parent))" }
        return "one of \(places.joined(separator: ", "))"
    }

    /// The foreign keys of one table, or of all.
    private func foreignKeys(of table: String?, _ database: String) throws(SQLiteError) -> [ForeignKeyFailure.Key] {
        let list = try Statement(
            """
            SELECT t.name, f.id, f."table", f."from",
                ifnull(f."to", (SELECT c.name FROM pragma_table_info(f."table", ?1) AS c WHERE c.pk = f.seq + 1)),
                f."to" IS NULL, f.on_update, f.on_delete
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
                        table: table, number: number, parent: try list.text(at: 2),
                        refersToPrimaryKey: list.int64(at: 5) != 0, onUpdate: try list.text(at: 6),
                        onDelete: try list.text(at: 7)))
            }
            keys[keys.count - 1].columns.append(try list.text(at: 3))
            if case .text(let name) = try list.value(at: 4) { keys[keys.count - 1].parentColumns.append(name) }
        }
        return keys
    }

    /// What a statement writes to, its triggers and the actions of foreign keys included. It is asked for once: SQLite
    /// tells of it by the authorizer's way.
    private func writes(of statement: Statement) throws(SQLiteError) -> [ForeignKeyFailure.Write] {
        if let known = statement.knownWrites { return known }
        hooks.requests = []
        defer { hooks.requests = nil }
        try installAuthorizer()
        let result = Result { () throws(SQLiteError) in try Statement(statement.sql, self, isPersistent: false) }
        let requests = hooks.requests ?? []
        hooks.requests = nil
        try installAuthorizer()
        _ = try result.get()
        var writes: [ForeignKeyFailure.Write] = []
        for request in requests where [.insert, .update, .delete].contains(request.action) {
            guard let table = request.first else { continue }
            let database = request.database ?? "main"
            let column = request.action == .update ? request.second.map(asciiLowercased) : nil
            let known = writes.firstIndex {
                $0.action == request.action && $0.table == table && $0.database == database
            }
            if let known {
                if let column { writes[known].columns.insert(column) }
            } else {
                writes.append(
                    ForeignKeyFailure.Write(
                        action: request.action, database: database, table: table,
                        columns: Set(column.map { [$0] } ?? [])))
            }
        }
        statement.knownWrites = writes
        return writes
    }
}

/// What is looked at to tell which foreign key has rejected a change.
enum ForeignKeyFailure {
    struct Key {
        let table: String
        /// SQLite's number of it in its table.
        let number: Int
        let parent: String
        /// Whether it names no columns of its parent.
        let refersToPrimaryKey: Bool
        let onUpdate: String
        let onDelete: String
        var columns: [String] = []
        var parentColumns: [String] = []

        var place: String { columns.map { "\(table).\($0)" }.joined(separator: ", ") }
    }

    /// A foreign key that a statement may have broken.
    struct Suspect: CustomStringConvertible {
        let key: Key
        let database: String
        /// Whether the row that has the key was written, and not its parent.
        let isOwn: Bool

        var description: String {
            "\(key.place)\(isOwn ? ForeignKeyWords.isMissing : ForeignKeyWords.isNeeded)\(key.parent)"
        }
    }

    /// What a statement does to a table.
    struct Write {
        let action: AuthorizerRequest.Action
        let database: String
        let table: String
        /// Those that an UPDATE sets, in lower case.
        var columns: Set<String>

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
            case .update: return isChecked(key.onUpdate) && (key.refersToPrimaryKey || sets(key.parentColumns))
            default: return false
            }
        }

        private func sets(_ names: [String]) -> Bool { names.contains { columns.contains(asciiLowercased($0)) } }
    }
}
