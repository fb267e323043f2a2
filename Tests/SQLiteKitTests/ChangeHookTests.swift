import Foundation
import SQLiteKit
import Testing

@Suite("Hooks on changes, commits and rollbacks")
struct ChangeHookTests {
    private let db: Database
    private let seen = Shared<[String]>([])

    init() throws {
        db = try memory("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    }

    private var note: @Sendable (String) -> Void {
        { [seen] text in seen.update { $0.append(text) } }
    }

    private func noteChanges() throws {
        try db.setUpdateHook { [note] in note("\($0.kind) \($0.database).\($0.table) \($0.rowID)") }
    }

    // K17
    @Test("each row that changes is reported, with kind, database, table and row")
    func changes() throws {
        try noteChanges()
        try db.execute("INSERT INTO t VALUES (7, 1), (8, 1)")
        try db.execute("UPDATE t SET a = 2 WHERE id = 7")
        try db.execute("UPDATE t SET id = 9 WHERE id = 7")
        try db.execute("DELETE FROM t WHERE id = 8")
        try db.executeScript(#"CREATE TEMP TABLE "tä ble" (a); INSERT INTO "tä ble" VALUES (1)"#)
        #expect(
            seen.value.filter { !$0.contains("schema") } == [
                "insert main.t 7", "insert main.t 8", "update main.t 7", "update main.t 9", "delete main.t 8",
                "insert temp.tä ble 1",
            ])
    }

    // K17
    @Test("changes by triggers and foreign keys are reported; what SQLite leaves out is left out")
    func indirect() throws {
        try db.executeScript(
            """
            CREATE TABLE child (p REFERENCES t ON DELETE CASCADE);
            CREATE TABLE w (k PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE plain (a); INSERT INTO plain VALUES (1), (2);
            INSERT INTO t VALUES (1, 1), (2, 2); INSERT INTO child VALUES (1);
            CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET a = 5 WHERE id = 2; END;
            """)
        try noteChanges()
        try db.execute("DELETE FROM t WHERE id = 1")
        try db.execute("INSERT INTO t VALUES (3, 3)")
        try db.execute("INSERT INTO w VALUES (1)")
        try db.execute("REPLACE INTO child (rowid, p) VALUES (1, 2)")
        try db.execute("REPLACE INTO child (rowid, p) VALUES (1, 3)")
        try db.execute("DELETE FROM plain")
        #expect(
            seen.value == [
                "delete main.t 1", "delete main.child 1", "insert main.t 3", "update main.t 2", "insert main.child 1",
                "insert main.child 1",
            ])
    }

    // K17
    @Test("a hook takes the place of the last; nil removes it, and it is let go of")
    func replacement() throws {
        let count = Shared(0)
        func set() throws {
            let tracked = Tracked(count)
            try db.setUpdateHook { _ in withExtendedLifetime(tracked) {} }
            try db.setCommitHook { withExtendedLifetime(tracked) {} }
            try db.setRollbackHook { withExtendedLifetime(tracked) {} }
            try db.setWALHook { _ in withExtendedLifetime(tracked) {} }
            try db.setPreUpdateHook { _ in withExtendedLifetime(tracked) {} }
            try db.setProgressHandler { withExtendedLifetime(tracked) { true } }
            try db.setBusyHandler { _ in withExtendedLifetime(tracked) { false } }
            try db.setAuthorizer { _ in withExtendedLifetime(tracked) { .allow } }
        }
        try set()
        try set()
        #expect(count.value == 1)
        try noteChanges()
        try db.setCommitHook(nil)
        try db.setRollbackHook(nil)
        try db.setWALHook(nil)
        try db.setPreUpdateHook(nil)
        try db.setProgressHandler(nil)
        try db.setBusyHandler(nil)
        try db.setAuthorizer(nil)
        #expect(count.value == 0)
        try db.execute("INSERT INTO t VALUES (1, 1)")
        #expect(seen.value == ["insert main.t 1"])
        try db.setUpdateHook(nil)
        try db.execute("INSERT INTO t VALUES (2, 1)")
        #expect(seen.value.count == 1)
    }

    // K17
    @Test("hooks are let go of with the connection")
    func release() throws {
        let count = Shared(0)
        do {
            let db = try memory("CREATE TABLE t (a)")
            let tracked = Tracked(count)
            try db.setUpdateHook { _ in withExtendedLifetime(tracked) {} }
            try db.setAuthorizer { _ in withExtendedLifetime(tracked) { .allow } }
            try db.execute("INSERT INTO t VALUES (1)")
        }
        #expect(count.value == 0)
    }

    // K17
    @Test("the library above has its own hook besides the user's")
    func library() throws {
        try noteChanges()
        try db.setUpdateHook({ [note] _ in note("library") }, for: .library)
        try db.setCommitHook({ [note] in note("library commits") }, for: .library)
        try db.setRollbackHook({ [note] in note("library rolls back") }, for: .library)
        try db.execute("INSERT INTO t VALUES (1, 1)")
        try db.setUpdateHook(nil)
        try db.execute("INSERT INTO t VALUES (2, 1)")
        #expect(seen.value == ["insert main.t 1", "library", "library commits", "library", "library commits"])
        try catchingTestError {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (3, 1)")
                throw TestError()
            }
        }
        #expect(seen.value.last == "library rolls back")
    }

    // K17
    @Test("a commit is reported, and can be rejected: all is rolled back, and the error has the reason")
    func commit() throws {
        try db.setCommitHook { [note] in
            note("commit")
            throw SQLiteError(.error, "not todäy")
        }
        try db.setRollbackHook { [note] in note("rollback") }
        let error = failure {
            try db.transaction { try db.execute("INSERT INTO t VALUES (1, 1)") }
        }
        #expect(error?.extendedCode == .constraintCommitHook)
        #expect(error?.message == "the commit hook prevented the commit: not todäy")
        #expect(!db.isInTransaction)
        #expect(seen.value == ["commit", "rollback"])
        #expect(failure { try db.execute("INSERT INTO t VALUES (1, 1)") }?.extendedCode == .constraintCommitHook)
        try db.setCommitHook(nil)
        try db.execute("INSERT INTO t VALUES (1, 1)")
        #expect(try db.column("SELECT id FROM t", as: Int.self) == [1])
    }

    // K17
    @Test("a commit that is let through is one; a read is none")
    func commitGoes() throws {
        try db.setCommitHook { [note] in note("commit") }
        try db.transaction { try db.execute("INSERT INTO t VALUES (1, 1)") }
        try db.transaction(.deferred) { _ = try db.scalar("SELECT a FROM t", as: Int.self) }
        #expect(seen.value == ["commit"])
        #expect(try db.column("SELECT id FROM t", as: Int.self) == [1])
    }

    // K17
    @Test("a transaction that only reads is reported, too, when it is rolled back")
    func rolledBackRead() throws {
        try db.setRollbackHook { [note] in note("rollback") }
        #expect(throws: TestError.self) {
            try db.transaction(.deferred) {
                _ = try db.rows("SELECT * FROM t")
                throw TestError()
            }
        }
        #expect(seen.value == ["rollback"])
    }

    // K17
    @Test("a rollback is reported")
    func rollback() throws {
        try db.setRollbackHook { [note] in note("rollback") }
        try catchingTestError {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1, 1)")
                throw TestError()
            }
        }
        #expect(seen.value == ["rollback"])
    }

    // K17
    @Test("a hook cannot use its connection, and the statement is not harmed")
    func useInside() throws {
        let queue = try DatabaseQueue(.memory)
        let codes = Shared<[ResultCode?]>([])
        try queue.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.setUpdateHook { [weak queue] _ in
                let read = failure { try queue?.read { db in try db.scalar("SELECT 1", as: Int.self) } }
                let write = failure { try queue?.write { db in try db.execute("INSERT INTO t VALUES (5)") } }
                codes.update { $0 += [read?.extendedCode, write?.extendedCode] }
            }
            try db.execute("INSERT INTO t VALUES (1)")
        }
        #expect(codes.value == [.notAllowedHere, .notAllowedHere])
        #expect(try queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
    }

    // K17, K26, K14
    @Test("hooks, functions and a trace serve a queue that many tasks use at once", .timeLimit(.minutes(20)))
    func manyTasks() async throws {
        let (changes, calls, events) = (Shared(0), Shared(0), Shared(0))
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            if event.sql.hasPrefix("INSERT") { events.update { $0 += 1 } }
        }
        configuration.prepare = { db in
            try db.addFunction("counted", argumentCount: 1) { arguments in
                calls.update { $0 += 1 }
                return try arguments.value(at: 0, as: SQLiteValue.self)
            }
            try db.setUpdateHook { _ in changes.update { $0 += 1 } }
        }
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        try await queue.write { db in try db.execute("CREATE TABLE t (a)") }
        changes.update { $0 = 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for value in 0..<200 {
                        // The statement is let go of outside the access as often as inside.
                        let left = try await queue.write { db in
                            let statement = try db.prepare("INSERT INTO t VALUES (counted(?))", cached: false)
                            try statement.execute([task * 1000 + value])
                            nonisolated(unsafe) let result = statement
                            return Handed(result)
                        }
                        _ = consume left
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = [changes.value, calls.value, events.value]
        #expect(counts == [1600, 1600, 1600])
    }

    /// Carries a statement out of its access, which no one should do.
    private struct Handed: @unchecked Sendable {
        let statement: Statement
        init(_ statement: Statement) { self.statement = statement }
    }

    // K17
    @Test("hooks cannot be set on a closed connection, nor outside the access")
    func misuse() throws {
        let queue = try DatabaseQueue(.memory)
        let escaped = try queue.escaped()
        func codes(_ db: Database) -> [ResultCode?] {
            [
                failure { try db.setUpdateHook(nil) }, failure { try db.setCommitHook(nil) },
                failure { try db.setRollbackHook(nil) }, failure { try db.setWALHook(nil) },
                failure { try db.setPreUpdateHook(nil) }, failure { try db.setProgressHandler(nil) },
                failure { try db.setBusyHandler(nil) }, failure { try db.setAuthorizer(nil) },
                failure { try db.columnsRead(by: "SELECT 1") }, failure { try db.setLimit(.length, to: 5) },
                failure { try db.setFlag(.defensive, true) },
            ].map { $0?.extendedCode }
        }
        #expect(codes(escaped) == Array(repeating: .expired, count: 11))
        try db.close()
        #expect(codes(db) == Array(repeating: .closed, count: 11))
    }
}

@Suite("The WAL hook")
struct WALHookTests {
    private let directory: TemporaryDirectory
    private let db: Database
    private let seen = Shared<[WALCommit]>([])

    init() throws {
        directory = try TemporaryDirectory()
        db = try Database(directory.file())
        try db.execute("CREATE TABLE t (a)")
    }

    // K17
    @Test("each commit to the log is reported, with the pages in it")
    func commits() throws {
        try db.setWALHook { [seen] commit in seen.update { $0.append(commit) } }
        try db.execute("INSERT INTO t VALUES (1)")
        try db.execute("INSERT INTO t VALUES (2)")
        #expect(seen.value.map(\.database) == ["main", "main"])
        #expect(seen.value[0].pageCount > 0)
        #expect(seen.value[1].pageCount > seen.value[0].pageCount)
    }

    // K17
    @Test("the automatic checkpoint goes on alongside the hook, and after it")
    func checkpoint() throws {
        try db.execute("PRAGMA wal_autocheckpoint = 10")
        try db.setWALHook { [seen] commit in seen.update { $0.append(commit) } }
        // A second time, when SQLite no longer says how many.
        try db.setWALHook { [seen] commit in seen.update { $0.append(commit) } }
        for value in 0..<100 { try db.execute("INSERT INTO t VALUES (?)", [value]) }
        #expect(seen.value.count == 100)
        #expect(seen.value.allSatisfy { $0.pageCount <= 12 })
        try db.setWALHook(nil)
        #expect(try db.scalar("PRAGMA wal_autocheckpoint", as: Int.self) == 10)
    }

    // K17
    @Test("where there is no automatic checkpoint, there is none alongside the hook")
    func noCheckpoint() throws {
        try db.execute("PRAGMA wal_autocheckpoint = 0")
        try db.setWALHook { [seen] commit in seen.update { $0.append(commit) } }
        for value in 0..<1200 { try db.execute("INSERT INTO t VALUES (?)", [value]) }
        #expect((seen.value.last?.pageCount ?? 0) > 1200)
    }
}
