internal import SQLiteKit

/// Statistics by which SQLite chooses indexes: missing, or of a table that has grown or shrunk tenfold since.
enum StatisticsCheck {
    /// What is wrong with the statistics of a table with indexes.
    enum Fault {
        case missing
        case outdated(noted: Int)
    }

    /// Without statistics, SQLite guesses. In a small table that costs nothing.
    private static let least = 10_000
    /// The same of statistics that are there.
    private static let leastOutdated = 1_000

    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        let known = try known(database.db, database.schema)
        var missing: [FileFinding] = []
        var findings: [FileFinding] = []
        for table in database.tables where !table.indexes.isEmpty {
            let count = try database.count(table.name, where: "1")
            switch fault(noted: known[asciiLowercased(table.name)], count: count) {
            case .missing:
                missing.append(
                    finding(
                        table.name,
                        "\(table.name) has at least \(least) rows and no statistics, so that SQLite guesses which "
                            + "index to use"))
            case .outdated(let noted):
                findings.append(
                    finding(
                        table.name, "the statistics of \(table.name) are of \(noted) rows, and it has \(count)"))
            case nil: break
            }
        }
        return findings + missing
    }

    private static func finding(_ table: String, _ message: String) -> FileFinding {
        FileFinding(.statistics, table, [], message, remedy: [remedy(table)])
    }

    /// What makes statistics of a table.
    static func remedy(_ table: String) -> String { "ANALYZE \(quoted(table))" }

    /// What is wrong with the statistics of a table with indexes; nil when nothing is.
    ///
    /// - Parameters:
    ///   - noted: The number of rows in the statistics; nil without any.
    ///   - count: The number of rows, as far as ``rowsToCount(noted:)`` asks for it.
    static func fault(noted: Int?, count: Int) -> Fault? {
        guard let noted else { return count >= least ? .missing : nil }
        let isOutdated = max(count, noted) >= leastOutdated && (count > noted * 10 || noted > count * 10)
        return isOutdated ? .outdated(noted: noted) : nil
    }

    /// How many rows tell whether the statistics of a table are wrong: more needn't be counted.
    static func rowsToCount(noted: Int?) -> Int { noted.map { max(leastOutdated, $0 * 10 + 1) } ?? least }

    /// The numbers of rows in the statistics, by the tables' names in lower case.
    static func known(_ db: Database, _ schema: DatabaseSchema) throws -> [String: Int] {
        guard schema.table("sqlite_stat1") != nil else { return [:] }
        let rows = try db.query("SELECT tbl, stat FROM sqlite_stat1")
        var known: [String: Int] = [:]
        while let row = try rows.next() {
            guard let table = try row.value(at: 0, as: String?.self), let stat = try row.value(at: 1, as: String?.self),
                let count = stat.split(separator: " ").first.flatMap({ Int($0) })
            else { continue }
            // A partial index has fewer. Anybody may write any number there, and ten times as many are computed.
            let rows = min(max(0, count), Int.max >> 8)
            known[asciiLowercased(table)] = max(rows, known[asciiLowercased(table)] ?? 0)
        }
        return known
    }
}
