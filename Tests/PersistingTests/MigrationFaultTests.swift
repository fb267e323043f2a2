import Foundation
import Persisting
import Testing

/// Lets so many calls pass.
private final class Budget: Sendable {
    private let left: Shared<Int>

    init(_ count: Int) { left = Shared(count) }

    var isSpent: Bool { next() < 0 }

    /// True for one call only.
    var isSpentNow: Bool { next() == -1 }

    private func next() -> Int {
        left.change { left in
            left -= 1
            return left
        }
    }
}

private let migrations = [
    Migration(1, sql: "CREATE TABLE A (X); INSERT INTO A VALUES (1)"),
    Migration(2) { manager in
        try manager.execute("ALTER TABLE A ADD COLUMN Y")
        try manager.transaction { try manager.execute("UPDATE A SET Y = 2") }
    },
    Migration(3, sql: "CREATE TABLE B (Z); DROP TABLE A"),
]

/// The tables and columns that a version has.
private let schemas = [0: [], 1: ["A.X"], 2: ["A.X", "A.Y"], 3: ["B.Z"]]

/// Whether version, history and schema agree.
private func check(_ manager: PersistenceManager) throws {
    let version = try manager.schemaVersion
    let columns = try manager.storedColumn(
        """
        SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.name IN ('A', 'B') ORDER BY t.name, c.cid
        """)
    #expect(columns == schemas[version]?.map { .text($0) })
    #expect(try manager.appliedMigrations.map(\.version) == Array(1..<(version + 1)))
}

// F50
@Suite("Faults during migrations") struct MigrationFaultTests {
    @Test("whatever statement is rejected, version and schema agree, and a second try ends well", arguments: 0..<60)
    func statements(count: Int) throws {
        let manager = try PersistenceManager(.memory)
        let budget = Budget(count * 5)
        try manager.database.withoutTransaction { db in
            try db.setAuthorizer { $0.first == "ROLLBACK" || !budget.isSpent ? .allow : .deny }
        }
        _ = try? manager.migrate(migrations)
        try manager.database.withoutTransaction { db in try db.setAuthorizer(nil) }
        try check(manager)
        #expect(try manager.database.withoutTransaction { try $0.pragma("foreign_keys", as: Int.self) } == 1)
        try manager.migrate(migrations)
        #expect(try manager.schemaVersion == 3)
        try check(manager)
    }

    @Test("wherever it is interrupted, version and schema agree, and a second try ends well", arguments: 0..<60)
    func interruptions(count: Int) throws {
        let manager = try PersistenceManager(.memory)
        let budget = Budget(count * 10)
        try manager.database.withoutTransaction { db in try db.setProgressHandler(every: 1) { !budget.isSpentNow } }
        _ = try? manager.migrate(migrations)
        try manager.database.withoutTransaction { db in try db.setProgressHandler(nil) }
        try check(manager)
        try manager.migrate(migrations)
        #expect(try manager.schemaVersion == 3)
        try check(manager)
    }

    @Test("a file copied at any statement of a migration, as a crash leaves it, has a version that its schema fits")
    func crashes() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path()
        let copies = Shared(0)
        var configuration = DatabaseConfiguration()
        // Pages go to the log before the commit, as those of a large migration do.
        configuration.prepare = { db in try db.execute("PRAGMA cache_size = 1") }
        configuration.trace = Trace { _ in
            copies.change { count in
                for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
                    try? FileManager.default.copyItem(atPath: path + end, toPath: directory.path("copy\(count)") + end)
                }
                count += 1
            }
        }
        try PersistenceManager(path: path, configuration: configuration, migrations: migrations).close()
        #expect(copies.value > 10)
        for count in 0..<copies.value {
            let manager = try PersistenceManager(path: directory.path("copy\(count)"))
            try check(manager)
            try manager.migrate(migrations)
            try check(manager)
        }
    }
}
