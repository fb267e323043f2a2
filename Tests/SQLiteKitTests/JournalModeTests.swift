import Foundation
import SQLiteKit
import Testing

@Suite("Journal modes")
struct JournalModeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func mode(_ wanted: JournalMode?) throws -> String? {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = wanted
        let db = try Database(directory.file(), configuration: configuration)
        try db.execute("CREATE TABLE IF NOT EXISTS t (a)")
        return try db.scalar("PRAGMA journal_mode", as: String.self)
    }

    // K36, Settled 15
    @Test("a new file has a write-ahead log")
    func newFile() throws {
        #expect(try mode(nil) == "wal")
    }

    // K36, Settled 15
    @Test("a file that is there keeps its journal mode")
    func existing() throws {
        #expect(try mode(.delete) == "delete")
        #expect(try mode(nil) == "delete")
    }

    // K36, Settled 15
    @Test("a file with a write-ahead log keeps it")
    func existingWAL() throws {
        #expect(try mode(.wal) == "wal")
        #expect(try mode(nil) == "wal")
    }

    // K36, Settled 15
    @Test(
        "a journal mode that is asked for is set",
        arguments: [JournalMode.delete, .truncate, .persist, .memory, .off, .wal])
    func askedFor(_ wanted: JournalMode) throws {
        #expect(try mode(wanted) == wanted.rawValue)
    }

    // K36
    @Test("a file that is attached keeps its journal mode", arguments: [JournalMode.delete, .wal])
    func attached(_ own: JournalMode) throws {
        let path = directory.file("attached.sqlite")
        var configuration = DatabaseConfiguration()
        configuration.journalMode = own
        try Database(path, configuration: configuration).execute("CREATE TABLE t (a)")
        configuration.journalMode = own == .wal ? .delete : .wal
        configuration.prepare = { db in try db.attach(path, as: "other") }
        let db = try Database(directory.file(), configuration: configuration)
        #expect(try db.scalar("PRAGMA other.journal_mode", as: String.self) == own.rawValue)
        #expect(try db.scalar("PRAGMA main.journal_mode", as: String.self) != own.rawValue)
    }

    // K36
    @Test("a lock on an attached file is said to keep a transaction from beginning")
    func attachedLock() throws {
        let path = directory.file("attached.sqlite")
        let other = try Database(path)
        try other.execute("BEGIN IMMEDIATE")
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        configuration.prepare = { db in try db.attach(path, as: "other") }
        let db = try Database(directory.file(), configuration: configuration)
        let error = failure { try db.transaction(.immediate) {} }
        #expect(error?.code == .busy && error?.message.contains("attached databases, too: other") == true)
    }

    // K36
    @Test("a journal mode that does not exist makes opening fail")
    func unknown() {
        #expect(failure { try mode(JournalMode(rawValue: "paper")) }?.code == .error)
    }

    // K36
    @Test("a journal mode that another connection stands in the way of makes opening fail")
    func inTheWay() throws {
        let other = try Database(directory.file())
        try other.execute("CREATE TABLE t (a)")
        let rows = try other.query("SELECT 1 FROM sqlite_schema")
        _ = try rows.next()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        configuration.busyTimeout = .zero
        let error = failure { try Database(directory.file(), configuration: configuration) }
        #expect(error?.code == .busy || error?.code == .error)
        #expect(error?.path == directory.path())
        rows.close()
    }

    // K36
    @Test("in memory a journal mode that is asked for is ignored")
    func memory() throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .wal
        #expect(
            try Database(.memory, configuration: configuration).scalar("PRAGMA journal_mode", as: String.self)
                == "memory")
    }

    // K36
    @Test("the journal mode is read inside a read and a write as well")
    func inside() throws {
        for database: any DatabaseAccess in [try DatabasePool(directory.file()), try DatabaseQueue(directory.file())] {
            #expect(try database.read { try $0.journalMode } == .wal)
            #expect(try database.write { try $0.journalMode } == .wal)
            #expect(try database.withoutTransaction { try $0.journalMode } == .wal)
        }
    }

    // K36
    @Test("a read that has asked for the journal mode still cannot write")
    func insideStillReading() throws {
        let queue = try DatabaseQueue(directory.file())
        let error = failure {
            try queue.read { db in
                _ = try db.journalMode
                try db.execute("CREATE TABLE t (a)")
            }
        }
        #expect(error?.code == .readOnly)
    }
}
