import Faults
import Foundation
import Persisting
import Testing

private final class Before: PersistingModel {
    var id: Int64?
    var name = ""
    var score: String?
    override class var tableName: String { "THING" }
}

private final class Child: PersistingModel {
    var id: Int64?
    var thing: Int64?
    override class var columns: Columns { ["ID": .int, "THING": .int.references(Before.self, onDelete: .cascade)] }
}

private final class After: PersistingModel {
    var id: Int64?
    var title = ""
    var score: Int?
    var note: String?
    override class var tableName: String { "THING" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.formerly("NAME")
        columns["NOTE"] = .string.unique
        return columns
    }
}

/// Whether all of a plan has run, or nothing, and whether all rows are there.
private func check(_ manager: PersistenceManager, count: Int) throws {
    let (isBefore, isAfter) = (
        try manager.schemaPlan(for: [Before.self]).isEmpty && manager.columnExists("NAME", in: "THING"),
        try manager.schemaPlan(for: [After.self]).isEmpty
    )
    #expect(isBefore != isAfter)
    if try manager.schemaVersion == 1 { #expect(isAfter) }
    #expect(try manager.rowCount("THING") == count)
    #expect(try manager.rowCount("CHILD") == count)
    #expect(try manager.stored("PRAGMA foreign_keys") == 1)
    #expect(try manager.stored("PRAGMA integrity_check") == "ok")
}

private func fill(_ path: String, _ configuration: DatabaseConfiguration, count: Int) throws {
    let manager = try PersistenceManager(path: path, configuration: configuration)
    try manager.updateSchema(for: [Before.self, Child.self])
    try manager.transaction {
        for number in 1...count {
            try manager.execute("INSERT INTO THING (NAME, SCORE) VALUES (\("name \(number)"), \("\(number)"))")
            try manager.execute("INSERT INTO CHILD (THING) VALUES (\(number))")
        }
    }
    try manager.close()
}

private let migration = Migration(1) { manager in
    try manager.apply(manager.schemaPlan(for: [After.self]), allowing: .rewrites)
}

// F50, F116
@Suite("Faults while a plan is applied") struct PlanFaultTests {
    @Test(
        "whatever call of the disk fails, all of it has run or nothing, and a second try ends well", .oneAtATime,
        arguments: [false, true], [JournalMode.wal, .delete])
    func disk(isMigration: Bool, mode: JournalMode) throws {
        let directory = try TemporaryDirectory()
        let vfs = try FaultyVFS()
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        configuration.journalMode = mode
        configuration.busyTimeout = .zero
        try fill(directory.path("seed"), configuration, count: 40)
        // Every call with the whole effort, and otherwise some, from a random one of the first on.
        let stride = Swift.max(1, 10 / Effort.times(1))
        for nth in Swift.stride(from: Int.random(in: 1...stride), through: 2000, by: stride) {
            let path = directory.path("copy\(nth)")
            try FileManager.default.copyItem(atPath: directory.path("seed"), toPath: path)
            let manager = try PersistenceManager(path: path, configuration: configuration)
            vfs.fail(.all, at: nth)
            if isMigration {
                _ = try? manager.migrate([migration])
            } else {
                _ = try? manager.updateSchema(for: [After.self], allowing: .rewrites)
            }
            let isOver = vfs.failNone() == 0
            try? manager.close()
            let again = try PersistenceManager(path: path, configuration: configuration)
            try check(again, count: 40)
            try again.migrate([migration])
            try again.updateSchema(for: [After.self], allowing: .rewrites)
            try check(again, count: 40)
            try again.close()
            try FileManager.default.removeItem(atPath: path)
            if isOver { return }
        }
        Issue.record("there were faults to the end")
    }

    @Test("a file copied at any statement, as kill -9 leaves it, has all of it or nothing")
    func crashes() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path()
        try fill(path, DatabaseConfiguration(), count: 400)
        let copies = Shared(0)
        var configuration = DatabaseConfiguration()
        // Pages go to the log before the commit, as those of a large table do.
        configuration.prepare = { db in try db.execute("PRAGMA cache_size = 1") }
        configuration.trace = Trace { _ in
            copies.change { count in
                for end in ["", "-wal"] where FileManager.default.fileExists(atPath: path + end) {
                    try? FileManager.default.copyItem(atPath: path + end, toPath: directory.path("copy\(count)") + end)
                }
                count += 1
            }
        }
        let manager = try PersistenceManager(path: path, configuration: configuration, migrations: [migration])
        try manager.close()
        #expect(copies.value > 20)
        for count in 0..<copies.value {
            let manager = try PersistenceManager(path: directory.path("copy\(count)"))
            try check(manager, count: 400)
            try manager.close()
        }
    }
}
