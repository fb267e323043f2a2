internal import SQLiteKit

/// Foreign keys without an index, and indexes that another one makes superfluous.
enum IndexCheck {
    static func findings(_ database: ExaminedDatabase) -> [FileFinding] {
        database.tables.flatMap { unindexed($0, database) + duplicates($0) }
    }

    private static func unindexed(_ table: DatabaseSchema.Table, _ database: ExaminedDatabase) -> [FileFinding] {
        let sorted = table.indexes.filter { !$0.isPartial }.map { $0.columns.map { $0.name.map(asciiLowercased) } }
        var covered = sorted + [table.primaryKey.map { asciiLowercased($0) }]
        return table.foreignKeys.compactMap { key in
            let wanted = Set(key.columns.map(asciiLowercased))
            let isCovered = covered.contains { names in
                names.count >= wanted.count && Set(names.prefix(wanted.count)) == Set(wanted.map { Optional($0) })
            }
            guard !isCovered else { return nil }
            covered.append(key.columns.map { asciiLowercased($0) })
            let name = database.freeName(([table.name] + key.columns).joined(separator: "_"))
            let list = key.columns.map(quoted).joined(separator: ", ")
            return FileFinding(
                .unindexedForeignKey, table.name, key.columns,
                "\(table.name).\(key.columns.joined(separator: ", ")) refers to \(key.parent) without an index: "
                    + "each deletion of a parent reads all rows of \(table.name)",
                remedy: ["CREATE INDEX \(quoted(name)) ON \(quoted(table.name)) (\(list))"])
        }
    }

    /// An index is superfluous if another has the same columns in the same order, and enforces no less.
    private static func duplicates(_ table: DatabaseSchema.Table) -> [FileFinding] {
        // What an expression or a condition says is only in the text.
        let plain = table.indexes.filter { !$0.isPartial && $0.columns.allSatisfy { $0.name != nil } }
        var (known, findings) = ([DatabaseSchema.Index](), [FileFinding]())
        // Those of constraints and the unique ones stay.
        for index in plain.sorted(by: { rank($0) < rank($1) }) {
            guard let first = known.first(where: { $0.columns == index.columns && ($0.isUnique || !index.isUnique) })
            else {
                known.append(index)
                continue
            }
            guard index.origin == .created else { continue }
            findings.append(
                FileFinding(
                    .duplicateIndex, table.name, index.columns.compactMap(\.name),
                    "the index \(index.name) of \(table.name) is the same as \(first.name)",
                    remedy: ["DROP INDEX \(quoted(index.name))"], .changes))
        }
        return findings
    }

    private static func rank(_ index: DatabaseSchema.Index) -> (Int, Int, String) {
        (index.origin == .created ? 1 : 0, index.isUnique ? 0 : 1, index.name)
    }
}
