extension Companion {
    /// How the table of a companion has changed, whose store is to follow: its columns have the names and types of the
    /// table's.
    struct StoreChange {
        /// The store as it is.
        let found: TableDefinition
        /// The table's columns that got other names.
        let renames: [(old: String, new: String)]
        /// What the table's columns were filled with, by their old names in lower case, where it isn't what they had.
        let values: [String: String]
        /// The conditions of values that can't be converted, by the columns' names.
        let unfit: [String: String]
        /// The table's defaults, by its columns' old names in lower case.
        let defaults: [String: String]
        let texts: SchemaTexts
        let database: PlanDatabase

        /// The name that a column of the store has now.
        private func oldName(of column: String) -> String {
            renames.first { isSameName($0.new, column) }?.old ?? column
        }

        /// Whether rows of another store can go by its key.
        func hasKey(of store: TableDefinition) -> Bool {
            store.primaryKey.allSatisfy { found.column(oldName(of: $0)) != nil }
        }

        /// Whether columns are lost.
        func loses(_ store: TableDefinition) -> Bool {
            let kept = Set(store.columns.map { asciiLowercased(oldName(of: $0.name)) })
            return found.columns.contains { !kept.contains(asciiLowercased($0.name)) }
        }

        /// The statements that make another store with the same rows, and their columns as the table's have become.
        func copying(to store: TableDefinition, indexes: [Item]) -> [String] {
            let isSame =
                isSameName(found.name, store.name) && SQLTokens(found.sql).meaning == SQLTokens(store.sql).meaning
            guard !isSame else { return replacing(indexes) }
            var made = store
            made.name += "_new"
            while texts["table \(asciiLowercased(made.name))"] != nil { made.name += "_" }
            let names = store.columns.map { SQLText.identifier($0.name) }.list(", ")
            let old = database.table(found.name)
            return [
                database.creating(made.sql),
                "INSERT INTO \(database.table(made.name)) (\(names)) "
                    + "SELECT \(store.columns.map(value).list(", ")) FROM \(old)",
                "DROP TABLE \(old)", "PRAGMA legacy_alter_table = ON",
                "ALTER TABLE \(database.table(made.name)) RENAME TO \(SQLText.identifier(store.name))",
                "PRAGMA legacy_alter_table = OFF",
            ] + indexes.map { database.creating($0.sql) }
        }

        /// What a column of the store is filled with. A value that can't be converted, which the table itself doesn't
        /// have, stays as it is.
        private func value(of column: ColumnDefinition) -> String {
            let name = oldName(of: column.name)
            let isThere = found.column(name) != nil
            let sql = SQLText.identifier(name)
            guard let value = values[asciiLowercased(name)] else {
                return isThere ? sql : defaults[asciiLowercased(name)] ?? "NULL"
            }
            guard isThere else { return value }
            return unfit[asciiLowercased(name)].map { "CASE WHEN \($0) THEN \(sql) ELSE \(value) END" }
                ?? "coalesce(\(value), \(sql))"
        }

        /// The statements that drop the store's indexes that aren't wanted, and create those that are missing.
        private func replacing(_ indexes: [Item]) -> [String] {
            let prefix = "index \(asciiLowercased(found.name))_"
            let stale = texts.keys.sorted().filter { key in
                key.hasPrefix(prefix) && Int(key.dropFirst(prefix.count)) != nil
                    && !indexes.contains { $0.key == key && $0.isIn(texts) }
            }
            return stale.map { "DROP INDEX \(database.table(String($0.dropFirst("index ".count))))" }
                + indexes.filter { !$0.isIn(texts) }.map { database.creating($0.sql) }
        }
    }
}
