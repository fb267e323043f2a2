import Foundation
import SQLiteKit
import Synchronization
import Testing

private typealias Prepare =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?)
    -> Int32
private typealias Execute =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
private typealias SetHook = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
private typealias End = @convention(c) (OpaquePointer?) -> Int32

/// A function of SQLite, as a program has it that imports sqlite3.h.
private func function<T>(_ name: String, _ type: T.Type) throws -> T {
    unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), name)), to: type)
}

// K48
@Suite("The handle of a connection") struct UnsafeHandleTests {
    private let db: Database

    init() throws {
        db = try Database(.memory)
        try db.execute("CREATE TABLE t (a)")
    }

    @Test("is one that C calls take") func use() throws {
        let (prepare, end) = (
            try function("sqlite3_prepare_v2", Prepare.self), try function("sqlite3_finalize", End.self)
        )
        let code = try db.withUnsafeHandle { handle in
            var statement: OpaquePointer?
            guard prepare(handle, "SELECT * FROM t", -1, &statement, nil) == 0 else { return Int32(1) }
            return end(statement)
        }
        #expect(code == 0)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    @Test("must leave no statement on a row") func statements() throws {
        let prepare = try function("sqlite3_prepare_v2", Prepare.self)
        let (step, end) = (try function("sqlite3_step", End.self), try function("sqlite3_finalize", End.self))
        try db.execute("INSERT INTO t VALUES (1)")
        var statement: OpaquePointer?
        let error = #expect(throws: SQLiteError.self) {
            try db.withUnsafeHandle { handle in
                _ = prepare(handle, "SELECT a FROM t", -1, &statement, nil)
                _ = step(statement)
            }
        }
        #expect(error?.code == .misuse && error?.message.contains("SELECT a FROM t") == true)
        // It is the closure's to end.
        _ = try db.withUnsafeHandle { _ in end(statement) }
        try db.close()
    }

    @Test("must leave the transaction as it was") func transactions() throws {
        let execute = try function("sqlite3_exec", Execute.self)
        func run(_ sql: String) throws { _ = try db.withUnsafeHandle { execute($0, sql, nil, nil, nil) } }
        let error = #expect(throws: SQLiteError.self) { try run("BEGIN; INSERT INTO t VALUES (1)") }
        #expect(error?.message.contains("an open transaction") == true)
        #expect(!db.isInTransaction)
        try run("BEGIN; INSERT INTO t VALUES (2); COMMIT")
        #expect(try db.scalar("SELECT sum(a) FROM t", as: Int.self) == 2)
    }

    @Test("must leave the library's hooks, which are set again") func hooks() throws {
        let count = Mutex(0)
        try db.setCommitHook { count.withLock { $0 += 1 } }
        let setHook = try function("sqlite3_commit_hook", SetHook.self)
        let error = #expect(throws: SQLiteError.self) { try db.withUnsafeHandle { _ = setHook($0, nil, nil) } }
        #expect(error?.message.contains("hooks") == true)
        try db.execute("INSERT INTO t VALUES (1)")
        #expect(count.withLock { $0 } == 1)
    }

    @Test("passes on what the closure throws") func errors() throws {
        #expect(throws: CancellationError.self) { try db.withUnsafeHandle { _ in throw CancellationError() } }
        try db.close()
        #expect(throws: SQLiteError.self) { try db.withUnsafeHandle { _ in } }
    }
}
