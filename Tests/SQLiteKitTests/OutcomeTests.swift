import Faults
import Foundation
import SQLiteKit
import Testing

/// `SQLiteError.outcome`.
@Suite("What has become of work that failed")
struct OutcomeTests {
    private let directory: TemporaryDirectory
    private let vfs: FaultyVFS
    private let db: Database

    init() throws {
        directory = try TemporaryDirectory()
        vfs = try FaultyVFS()
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        db = try Database(directory.file(), configuration: configuration)
        try db.executeScript("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'one')")
    }

    /// The error of `body`, in whose commit the disk fails.
    private func failureOfCommit<T>(_ body: () throws -> T) -> SQLiteError? {
        vfs.fail(.syncs, at: 1)
        defer { vfs.failNone() }
        return failure(body)
    }

    // K10, Settled 23
    @Test("a statement whose own commit the disk failed may have been applied")
    func execute() {
        let error = failureOfCommit { try db.execute("INSERT INTO t (a) VALUES (2)") }
        #expect(error?.code == .ioError)
        #expect(error?.outcome == .unknown)
        #expect(error?.description.contains("may have been applied") == true)
    }

    // K10, Settled 23
    @Test("so may one that returns rows, at its end")
    func query() {
        let error = failureOfCommit { try db.query("INSERT INTO t (a) VALUES (2) RETURNING id").forEach { _ in } }
        #expect(error?.outcome == .unknown)
    }

    // K10, Settled 23
    @Test("so may one that is ended before its last row, in a queue")
    func reset() throws {
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        let error = failureOfCommit {
            try queue.withoutTransaction { db in _ = try db.query("INSERT INTO t (a) VALUES (2) RETURNING id").next() }
        }
        #expect(error?.outcome == .unknown)
    }

    // K10, Settled 23
    @Test("so may a transaction")
    func transaction() {
        let error = failureOfCommit { try db.transaction { try db.execute("INSERT INTO t (a) VALUES (2)") } }
        #expect(error?.outcome == .unknown)
    }

    // K10, Settled 23
    @Test("so may a statement of a script")
    func script() {
        #expect(failureOfCommit { try db.executeScript("SELECT 1; INSERT INTO t (a) VALUES (2)") }?.outcome == .unknown)
    }

    // K10, Settled 23
    @Test("so may a blob that is closed")
    func blob() throws {
        let blob = try db.openBlob(table: "t", column: "a", rowID: 1, access: .readWrite)
        try blob.write(Data("two".utf8))
        #expect(failureOfCommit { try blob.close() }?.outcome == .unknown)
    }

    // K10, Settled 23
    @Test("so may work that a commit hook has let pass")
    func commitHook() throws {
        try db.setCommitHook {}
        #expect(failureOfCommit { try db.execute("INSERT INTO t (a) VALUES (2)") }?.outcome == .unknown)
        try db.setCommitHook(nil)
        #expect(failureOfCommit { try db.execute("INSERT INTO t (a) VALUES (2)") }?.outcome == .unknown)
    }

    // K10, Settled 23
    @Test("a statement that fails before its commit was not applied, and neither was what failed to be read")
    func beforeCommit() throws {
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        let db = try Database(directory.file("other.sqlite"), configuration: configuration)
        try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000)); PRAGMA cache_size = 1")
        vfs.fail(.reads, at: 1, isPersistent: true)
        defer { vfs.failNone() }
        let write = failure { try db.execute("UPDATE t SET a = substr(a, 2)") }
        #expect(write?.code == .ioError)
        #expect(write?.outcome == .notApplied)
        let read = failure { try db.scalar("SELECT max(substr(a, 50000, 1)) FROM t", as: String.self) }
        #expect(read?.code == .ioError)
        #expect(read?.outcome == .notApplied)
    }

    // K10, Settled 23
    @Test("a commit that the disk has no room for was not applied")
    func full() {
        vfs.fail(.writes, at: 1, code: ResultCode.full.rawValue)
        defer { vfs.failNone() }
        let error = failure { try db.execute("INSERT INTO t (a) VALUES (2)") }
        #expect(error?.code == .full)
        #expect(error?.outcome == .notApplied)
    }

    // K10, Settled 23
    @Test("unless several files were to be committed, each with a log of its own")
    func fullOfSeveralFiles() throws {
        try db.attach(directory.file("other.sqlite"), as: "other")
        try db.execute("CREATE TABLE other.t (a)")
        let error = failure {
            try db.transaction {
                try db.execute("INSERT INTO main.t (a) VALUES (2)")
                try db.execute("INSERT INTO other.t (a) VALUES (2)")
                vfs.fail(.writes, at: 1, code: ResultCode.full.rawValue)
            }
        }
        vfs.failNone()
        #expect(error?.outcome == .unknown)
    }
}
