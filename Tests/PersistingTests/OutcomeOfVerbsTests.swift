import Faults
import Foundation
import Persisting
import Testing

/// Writes in whose way the disk is, at any of its calls.
@Suite("The outcome of each verb")
struct OutcomeOfVerbsTests {
    enum Verb: CaseIterable {
        case save, update, upsert, updateQuery, deleteQuery, batch, importCSV, sql

        /// Turns the table of one row, 1 and "a", into that of ``after``.
        func run(_ manager: PersistenceManager) throws {
            switch self {
            case .save: try manager.save(User(name: "b"))
            case .update:
                let user = try #require(try manager.find(User.self, 1))
                user.name = "b"
                try manager.save(user)
            case .upsert:
                let user = User(name: "b")
                user.id = 1
                try manager.upsert(user)
            case .updateQuery: try manager.updateAll(User.self, set: ["name": "b"])
            case .deleteQuery: try manager.delete(User.self, where: \.name == "a")
            case .batch: try manager.insert([User(name: "b"), User(name: "c")])
            case .importCSV: _ = try manager.importCSV(User.self, contentsOf: Data("name\nb\nc\n".utf8))
            case .sql: try manager.execute("INSERT INTO USER (NAME) VALUES ('b')")
            }
        }

        func run(_ manager: PersistenceManager) async throws {
            switch self {
            case .save: try await manager.save(User(name: "b"))
            case .update:
                let user = try #require(try await manager.find(User.self, 1))
                user.name = "b"
                try await manager.save(user)
            case .upsert:
                let user = User(name: "b")
                user.id = 1
                try await manager.upsert(user)
            case .updateQuery: try await manager.updateAll(User.self, set: ["name": "b"])
            case .deleteQuery: try await manager.delete(User.self, where: \.name == "a")
            case .batch: try await manager.insert([User(name: "b"), User(name: "c")])
            case .importCSV: _ = try await manager.importCSV(User.self, contentsOf: Data("name\nb\nc\n".utf8))
            case .sql: try await manager.execute("INSERT INTO USER (NAME) VALUES ('b')")
            }
        }

        var after: [SQLiteValue] {
            switch self {
            case .save, .sql: ["a", "b"]
            case .update, .upsert, .updateQuery: ["b"]
            case .deleteQuery: []
            case .batch, .importCSV: ["a", "b", "c"]
            }
        }
    }

    private let directory: TemporaryDirectory
    private let vfs: FaultyVFS

    init() throws {
        directory = try TemporaryDirectory()
        vfs = try FaultyVFS()
    }

    /// A manager on a file of one row.
    private func manager(_ journal: String, _ name: String) throws -> PersistenceManager {
        let path = directory.path(name)
        let db = try Database(.file(path))
        try db.executeScript(
            """
            PRAGMA journal_mode = \(sql: SQL(journal));
            CREATE TABLE USER (
                ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', AGE INTEGER, SCORE REAL NOT NULL DEFAULT 0,
                IS_ACTIVE INTEGER NOT NULL DEFAULT 1);
            INSERT INTO USER (ID, NAME) VALUES (1, 'a');
            """)
        try db.close()
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        let manager = try PersistenceManager(path: path, configuration: configuration)
        // All that is looked at once has been.
        _ = try manager.fetchAll(User.self)
        return manager
    }

    /// What another connection finds in the file.
    private func names(_ name: String) throws -> [SQLiteValue] {
        let db = try Database(.file(directory.path(name)))
        return try db.column("SELECT NAME FROM USER ORDER BY ID", as: SQLiteValue.self)
    }

    private func check(_ outcome: SQLiteError.Outcome?, _ found: [SQLiteValue], _ verb: Verb, _ call: Comment) {
        switch outcome {
        case nil: #expect(found == verb.after, call)
        case SQLiteError.Outcome.notApplied: #expect(found == ["a"], call)
        default: #expect(outcome == .unknown && (found == ["a"] || found == verb.after), call)
        }
    }

    // Settled 23
    @Test(
        "is true, whatever call of the disk fails",
        arguments: ["wal", "delete", "truncate", "persist"], Verb.allCases)
    func everyCall(_ journal: String, _ verb: Verb) throws {
        for nth in 1... {
            let name = "\(nth).sqlite"
            let manager = try manager(journal, name)
            vfs.fail([.writes, .syncs, .truncations, .deletions], at: nth)
            let error = sqliteFailure { try verb.run(manager) }
            let failed = vfs.failNone()
            check(error?.outcome, try names(name), verb, "call \(nth) of \(journal)")
            // The next call works.
            try manager.save(User(name: "z"))
            #expect(try names(name).last == "z")
            if failed == 0 { return }
        }
    }

    // Settled 23
    @Test("is true of asynchronous forms", arguments: ["wal", "delete"], Verb.allCases)
    func everyCallAsync(_ journal: String, _ verb: Verb) async throws {
        for nth in 1... {
            let name = "\(nth).sqlite"
            let manager = try manager(journal, name)
            vfs.fail([.writes, .syncs, .truncations, .deletions], at: nth)
            var outcome: SQLiteError.Outcome?
            do { try await verb.run(manager) } catch {
                outcome = (error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError)?.outcome
                #expect(outcome != nil, "\(error)")
            }
            let failed = vfs.failNone()
            check(outcome, try names(name), verb, "call \(nth) of \(journal)")
            if failed == 0 { return }
        }
    }

    // Settled 23
    @Test("A statement whose task is cancelled after its commit doesn't throw") func cancelledAfterCommit() async throws
    {
        let task = Shared<Task<Int, any Error>?>(nil)
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            if event.sql.hasPrefix("INSERT") { task.change { $0 }?.cancel() }
        }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try await manager.createTableIfNecessary(for: User.self)
        let running = task.change { task in
            let new = Task { try await manager.execute("INSERT INTO USER (NAME) VALUES ('a')") }
            task = new
            return new
        }
        #expect(try await running.value == 1)
        #expect(running.isCancelled)
    }

    // Settled 23
    @Test("A statement after whose commit the file is locked doesn't throw") func lockedAfterCommit() throws {
        let path = directory.path()
        let other = Shared<DatabaseQueue?>(nil)
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        configuration.trace = Trace { event in
            guard event.sql.hasPrefix("INSERT") else { return }
            other.change { queue in
                queue = try? DatabaseQueue(.file(path))
                try? queue?.withoutTransaction { db in try db.executeScript("BEGIN EXCLUSIVE") }
            }
        }
        let setup = try Database(.file(path))
        try setup.executeScript("CREATE TABLE USER (NAME TEXT)")
        try setup.close()
        let manager = try PersistenceManager(path: path, configuration: configuration)
        #expect(try manager.execute("INSERT INTO USER (NAME) VALUES ('a')") == 1)
        try other.change { try $0?.close() }
    }
}
