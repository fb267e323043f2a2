import Foundation
import SQLiteKit
import Testing

private typealias Execute =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32

private func execute(_ handle: OpaquePointer, _ sql: String) throws {
    let function = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "sqlite3_exec")), to: Execute.self)
    #expect(function(handle, sql, nil, nil, nil) == 0)
}

/// What calls back, is let go or goes on, while the library isn't asked.
@Suite("Code that the library doesn't run") struct ForeignCodeTests {
    // K48
    @Test("a search index that C writes to is used afterwards") func searchIndex() throws {
        let db = try memory("CREATE VIRTUAL TABLE f USING fts5(a)")
        try db.withUnsafeHandle { try execute($0, "INSERT INTO f VALUES ('x')") }
        try db.execute("INSERT INTO f VALUES ('x y')")
        #expect(try db.scalar("SELECT count(*) FROM f WHERE f MATCH 'x'", as: Int.self) == 2)
    }

    // K48
    @Test("the library's own calls beside the handle may be repeated") func ownCalls() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        for _ in 0..<3 {
            #expect(try db.withUnsafeHandle { _ in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 2)
        }
    }

    @Test("what C commits is heard, DDL too", arguments: ["INSERT INTO t VALUES (1)", "CREATE TABLE u (a)"])
    func heard(_ sql: String) async throws {
        let queue = try DatabaseQueue(.memory)
        // Without a task, so that no asynchronous form is meant.
        func run(_ body: (Database) throws -> Void) throws { try queue.withoutTransaction { try body($0) } }
        try run { try $0.executeScript("CREATE TABLE t (a)") }
        var changes = queue.changes().makeAsyncIterator()
        try run { db in try db.withUnsafeHandle { try execute($0, sql) } }
        #expect(await changes.next() != nil)
    }

    @Test("a function's own savepoint that can't be undone leaves the statement around alone") func function() throws {
        let queue = try DatabaseQueue(.sharedMemory(UUID().uuidString))
        try queue.write { db in
            let interrupter = db.interrupter
            try db.addFunction("f", argumentCount: 1) { [weak queue] _ in
                interrupter.interrupt()
                try? queue?.write { _ = try $0.rows("SELECT 1") }
                return 1
            }
            try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        }
        let error = failure { try queue.write { try $0.rows("SELECT sum(f(a)) FROM t") } }
        #expect(error?.code == .interrupt)
        #expect(try queue.write { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
    }

    @Test("a queue that is let go lets its connection go") func letGo() throws {
        let location = DatabaseLocation.sharedMemory(UUID().uuidString)
        do {
            let queue = try DatabaseQueue(location)
            try queue.write { db in
                try db.execute("CREATE TABLE t (a)")
                _ = try db.rows("SELECT * FROM t")
            }
        }
        let db = try Database(location)
        #expect(try db.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
    }

    @Test("an authorizer that denies pragmas isn't asked about the library's own") func pragmas() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.setAuthorizer { $0.action == .pragma ? .deny : .allow }
        try db.attach(.memory, as: "other")
        #expect(try db.rows("SELECT * FROM t").isEmpty)
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.setAuthorizer { $0.action == .pragma ? .deny : .allow } }
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        #expect(try pool.read { try $0.scalar("SELECT 1", as: Int.self) } == 1)
    }

    @Test("an interruption that finds nothing running doesn't stop a checkpoint") func checkpoint() throws {
        let directory = try TemporaryDirectory()
        let db = try Database(directory.file())
        try db.execute("CREATE TABLE t (a)")
        db.interrupter.interrupt()
        #expect(try db.checkpoint(.truncate)?.isBusy == false)
    }

    @Test("a virtual table's own rows aren't counted") func virtualTable() throws {
        let db = try memory()
        #expect(try db.execute("CREATE VIRTUAL TABLE f USING fts5(a)") == 0)
        #expect(try db.execute("INSERT INTO f VALUES ('x')") == 1)
    }

    @Test("a write whose rows can't be read is undone") func unreadable() throws {
        let db = try memory("CREATE TABLE t (a)")
        let error = failure { try db.rows("INSERT INTO t VALUES (CAST(x'ff' AS TEXT)) RETURNING a") }
        #expect(error?.extendedCode == .invalidText)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    @Test("a column that a copied row hasn't is an error") func noColumn() {
        #expect(throws: SQLiteError.self) { try RowSnapshot([:]).decode(Date.self, dates: .iso8601) }
    }

    @Test("the average of a very small decimal number is one") func smallAverage() throws {
        #expect(try memory().scalar("SELECT sqlitekit_average('1e-127')", as: Double.self) == 1e-127)
    }

    @Test("a database whose backup has ended with its access can be replaced") func replaced() throws {
        let bytes = try memory("CREATE TABLE t (a)").serialize()
        let copy = try Database(.memory)
        let queue = try DatabaseQueue(.memory)
        let backup = try queue.withoutTransaction { db in
            try db.execute("CREATE TABLE u (a)")
            return try Backup(from: db, to: copy)
        }
        try copy.deserialize(bytes)
        #expect(try copy.scalar("SELECT name FROM sqlite_schema", as: String.self) == "t")
        withExtendedLifetime(backup) {}
    }
}
