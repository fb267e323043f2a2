internal import SQLiteKit

/// Statistics by which SQLite chooses indexes: missing, or of a table that has grown or shrunk tenfold since.
enum StatisticsCheck {
    /// Without statistics, SQLite guesses. In a small table that costs nothing.
    private static let least = 10_000

    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        let known = try known(database)
        var missing: [String] = []
        var findings: [FileFinding] = []
        for table in database.tables where !table.indexes.isEmpty {
            let count = try database.count(table.name, where: "1")
            guard let noted = known[asciiLowercased(table.name)] else {
                if count >= least { missing.append(table.name) }
                continue
            }
            guard max(count, noted) >= 1_000, count > noted * 10 || noted > count * 10 else { continue }
            findings.append(
                FileFinding(
                    .statistics, table.name, [],
                    "the statistics of \(table.name) are of \(noted) rows, and it has \(count)",
                    remedy: ["ANALYZE \(quoted(table.name))"]))
        }
        return findings
            + missing.map { table in
                FileFinding(
                    .statistics, table, [],
                    "\(table) has at least \(least) rows and no statistics, so that SQLite guesses which index to use",
                    remedy: ["ANALYZE \(quoted(table))"])
            }
    }

    /// The numbers of rows in the statistics, by the tables' names.
    private static func known(_ database: ExaminedDatabase) throws -> [String: Int] {
        guard database.schema.table("sqlite_stat1") != nil else { return [:] }
        let rows = try database.db.query("SELECT tbl, stat FROM sqlite_stat1")
        var known: [String: Int] = [:]
        while let row = try rows.next() {
            guard let table = try row.value(at: 0, as: String?.self), let stat = try row.value(at: 1, as: String?.self),
                let count = stat.split(separator: " ").first.flatMap({ Int($0) })
            else { continue }
            // A partial index has fewer.
            known[asciiLowercased(table)] = max(count, known[asciiLowercased(table)] ?? 0)
        }
        return known
    }
}
