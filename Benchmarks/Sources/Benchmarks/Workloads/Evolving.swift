import Persisting
import SQLiteKit

/// Rows 14 to 16: what it costs that a schema evolves, against the same by hand.
enum Evolving {
    /// Row 14: a program that starts, with fifty classes whose tables are as they should be. By hand, the numbers of
    /// the schema and of the program's own version are read.
    static func starting(_ options: Options) throws -> Workload {
        let times = options.size(200)
        let file = try TemporaryFile()
        try withManager(file) { manager in _ = try manager.updateSchema(for: Fifty.all) }
        let floor = Contender(name: "floor") { stopwatch in
            try stopwatch.measure {
                for _ in 0..<times {
                    let db = try FloorConnection(file.path)
                    for pragma in ["schema_version", "user_version"] {
                        let statement = try db.prepare("PRAGMA \(pragma)")
                        defer { statement.finalize() }
                        guard try statement.step() else { throw BenchmarkFailure("there is no \(pragma)") }
                    }
                }
            }
            return Checksum()
        }
        let ours = Contender(name: "ours") { stopwatch in
            try stopwatch.measure {
                for _ in 0..<times {
                    try withManager(file) { manager in
                        let plan = try manager.updateSchema(for: Fifty.all)
                        guard plan.isEmpty else { throw BenchmarkFailure("the plan isn't empty: \(plan)") }
                    }
                }
            }
            return Checksum()
        }
        return Workload(
            row: "14", name: "start with fifty classes and nothing to do", operations: times,
            contenders: [floor, ours], comparisons: [Comparison(name: "", subject: "ours", limit: .ratio(3))])
    }

    /// Row 15: a plan of fifty tables that are as they should be. By hand, the columns of each are read.
    static func planning(_ options: Options) throws -> Workload {
        try planning("plan of fifty tables", options) { manager in try manager.updateSchema(for: Fifty.all) }
    }

    /// Row 15: a plan of fifty tables that have been altered, so that their texts have to be compared in parts.
    static func planningAltered(_ options: Options) throws -> Workload {
        try planning("plan of fifty altered tables", options) { manager in
            try manager.updateSchema(for: Fifty.wider)
            for type in Fifty.wider {
                try manager.execute("ALTER TABLE \(identifier: type.tableName) DROP COLUMN COLOR")
                try manager.execute("ALTER TABLE \(identifier: type.tableName) ADD COLUMN COLOR TEXT")
            }
        }
    }

    private static func planning(
        _ name: String, _ options: Options, _ prepare: (PersistenceManager) throws -> Void
    ) throws -> Workload {
        let times = options.size(50)
        let file = try TemporaryFile()
        let manager = try PersistenceManager(path: file.path)
        try prepare(manager)
        let names = Fifty.all.map(\.tableName)
        let db = try FloorConnection(file.path)
        let floor = Contender(name: "floor") { stopwatch in
            var sum = Checksum()
            try stopwatch.measure {
                for _ in 0..<times {
                    for name in names {
                        let statement = try db.prepare("PRAGMA table_xinfo(\(name))")
                        defer { statement.finalize() }
                        while try statement.step() {}
                    }
                }
            }
            sum.add(times)
            return sum
        }
        let ours = Contender(name: "ours") { stopwatch in
            var sum = Checksum()
            try stopwatch.measure {
                for _ in 0..<times {
                    let plan = try manager.schemaPlan(for: Fifty.all)
                    guard plan.isEmpty else { throw BenchmarkFailure("the plan isn't empty: \(plan)") }
                }
            }
            sum.add(times)
            withExtendedLifetime(file) {}
            return sum
        }
        return Workload(
            row: "15", name: name, operations: times, contenders: [floor, ours],
            comparisons: [Comparison(name: "", subject: "ours", limit: .ratio(3))])
    }

    /// Row 16: a table of a million rows is copied, since a column gets another default. By hand, the plan's SQL runs
    /// in a transaction, with the checks that SQLite recommends.
    static func rebuilding(_ options: Options) throws -> Workload {
        let count = options.size(1_000_000)
        let file = try TemporaryFile()
        let manager = try PersistenceManager(path: file.path)
        try manager.createTableIfNecessary(for: Part.self)
        try manager.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO PART SELECT i, 'part ' || i, i * 7, i / 3.0 FROM n
            """)
        let plan = try manager.schemaPlan(for: [ChangedPart.self])
        guard plan.steps.map(\.risk) == [.rewrites] else { throw BenchmarkFailure("another plan: \(plan)") }
        func contender(_ name: String, _ run: @escaping (TemporaryFile) throws -> Void) -> Contender {
            Contender(name: name) { stopwatch in
                let copy = try TemporaryFile()
                try manager.database.backup(to: .file(copy.path))
                try stopwatch.measure { try run(copy) }
                return try FloorConnection(copy.path).checksum("SELECT sum(ID), sum(WEIGHT), count(*) FROM PART")
            }
        }
        let floor = contender("floor") { copy in
            let db = try FloorConnection(copy.path)
            try db.execute("PRAGMA synchronous = EXTRA")
            try db.execute("PRAGMA foreign_keys = 0")
            try db.transaction {
                for step in plan.steps { for sql in step.sql { try db.execute(sql) } }
                try db.execute("PRAGMA foreign_key_check")
                try db.execute("PRAGMA integrity_check(PART)")
            }
        }
        let ours = contender("ours") { copy in
            try withManager(copy) { manager in try manager.apply(plan, allowing: .rewrites) }
            withExtendedLifetime(file) {}
        }
        return Workload(
            row: "16", name: "rebuild of a table of \(count) rows", operations: 1, contenders: [floor, ours],
            comparisons: [Comparison(name: "", subject: "ours", limit: .ratio(1.05))])
    }

    private static func withManager(_ file: TemporaryFile, _ body: (PersistenceManager) throws -> Void) throws {
        let manager = try PersistenceManager(path: file.path)
        try body(manager)
        try manager.close()
    }
}

private final class Part: PersistingModel {
    var id: Int64?
    var name = ""
    var number = 0
    var weight: Double?
}

private final class ChangedPart: PersistingModel {
    var id: Int64?
    var name = ""
    var number = 0
    var weight: Double?

    override class var tableName: String { "PART" }
    override class var columns: Columns {
        var columns = super.columns
        columns["NUMBER"] = .int.default(7)
        return columns
    }
}
