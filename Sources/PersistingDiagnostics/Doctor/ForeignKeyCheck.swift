internal import SQLiteKit

/// Foreign keys that can't work, and rows without a parent.
enum ForeignKeyCheck {
    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        try database.tables.flatMap { table in
            try table.foreignKeys.flatMap { key -> [FileFinding] in
                if let wrong = try wrongDeclaration(key, table, database) { return [wrong] }
                return try orphans(key, table, database)
            }
        }
    }

    private static func wrongDeclaration(
        _ key: DatabaseSchema.ForeignKey, _ table: DatabaseSchema.Table, _ database: ExaminedDatabase
    ) throws -> FileFinding? {
        let columns = key.columns.joined(separator: ", ")
        func wrong(_ message: String, remedy: [String] = []) -> FileFinding {
            FileFinding(.foreignKey, table.name, key.columns, message, remedy: remedy, .changes)
        }
        guard let parent = database.schema.table(key.parent), parent.kind == .table else {
            return wrong(
                "\(table.name).\(columns) refers to \(key.parent), and there is no such table: while foreign keys are "
                    + "enforced, SQLite rejects each write; create the table, or rebuild \(table.name) without the key")
        }
        let names = key.parentColumns
        guard !names.isEmpty, names.count == key.columns.count,
            names.allSatisfy({ parent.column($0) != nil })
        else {
            return wrong(
                "\(table.name).\(columns) refers to columns that \(parent.name) doesn't have: \(named(names)); rebuild "
                    + "\(table.name) with the right key")
        }
        let wanted = Set(names.map(asciiLowercased))
        let uniques = parent.indexes.filter { $0.isUnique && !$0.isPartial }.map { $0.columns.compactMap(\.name) }
        guard (uniques + [parent.primaryKey]).contains(where: { Set($0.map(asciiLowercased)) == wanted }) else {
            let list = names.map(quoted).joined(separator: ", ")
            let set = names.map { "\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
            let duplicates = set + " GROUP BY \(list) HAVING count(*) > 1 LIMIT 1"
            let hasDuplicates = try database.count(parent.name, where: SQL(duplicates)) > 0
            let name = database.freeName(([parent.name] + names).joined(separator: "_"))
            return wrong(
                "\(table.name).\(columns) refers to \(parent.name).\(names.joined(separator: ", ")), which isn't "
                    + "unique: while foreign keys are enforced, SQLite rejects each write"
                    + (hasDuplicates ? "; change or delete the rows that have the same, and make it unique" : ""),
                remedy: hasDuplicates ? [] : ["CREATE UNIQUE INDEX \(quoted(name)) ON \(quoted(parent.name)) (\(list))"]
            )
        }
        return nil
    }

    private static func named(_ columns: [String]) -> String {
        columns.isEmpty ? "it has no primary key" : columns.joined(separator: ", ")
    }

    /// Rows whose foreign key has a value that no parent has.
    private static func orphans(
        _ key: DatabaseSchema.ForeignKey, _ table: DatabaseSchema.Table, _ database: ExaminedDatabase
    ) throws -> [FileFinding] {
        // As SQLite does, by the parent's affinity and collation: a sign takes the child's away.
        let parent = isSameName(table.name, "parent") ? "parents" : "parent"
        let pairs = zip(key.columns, key.parentColumns)
        let set = key.columns.map { "\(quoted(table.name)).\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
        let match = pairs.map { "\(parent).\(quoted($1)) = +\(quoted(table.name)).\(quoted($0))" }
            .joined(separator: " AND ")
        let condition =
            "\(set) AND NOT EXISTS (SELECT 1 FROM \(quoted(key.parent)) AS \(parent) WHERE \(match))"
        let count = try database.count(table.name, where: SQL(condition))
        guard count > 0 else { return [] }
        // One NULL is enough, best in a column that is in no other key.
        let nullable = key.columns.filter { name in
            table.column(name).map { !$0.isNotNull && $0.primaryKeyPosition == nil && !$0.isComputed } ?? false
        }
        let own = nullable.filter { name in
            !table.foreignKeys.contains { $0 != key && $0.columns.contains { isSameName($0, name) } }
        }
        let cleared = own.isEmpty ? nullable : own
        let remedy =
            cleared.isEmpty
            ? "DELETE FROM \(quoted(table.name)) WHERE \(condition)"
            : "UPDATE \(quoted(table.name)) SET "
                + cleared.map { "\(quoted($0)) = NULL" }.joined(separator: ", ") + " WHERE \(condition)"
        return [
            FileFinding(
                .orphan, table.name, key.columns,
                "\(count.rows(of: table.name)) \(count == 1 ? "has" : "have") a value in "
                    + "\(key.columns.joined(separator: ", ")) that no row of \(key.parent) has",
                remedy: [remedy], .changes)
        ]
    }
}

extension DatabaseSchema.Column {
    /// Whether SQLite computes it.
    var isComputed: Bool { kind == .generatedStored || kind == .generatedVirtual }
}
