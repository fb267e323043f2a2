import Foundation
import Persisting
import Testing

@Suite("Database files")
struct FileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("A file is created, with the directories on its way")
    func created() throws {
        // F1
        let path = directory.path("a/b/test.sqlite")
        let manager = try PersistenceManager(path: path)
        try manager.createTableIfNecessary(for: User.self)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("What is stored is there when the file is opened again")
    func persistent() throws {
        // F1
        do {
            let manager = try PersistenceManager(path: directory.path())
            try manager.createTableIfNecessary(for: User.self)
            try manager.save(User(name: "a"))
            try manager.close()
        }
        let manager = try PersistenceManager(.file(directory.path()))
        #expect(try manager.fetchAll(User.self).map(\.name) == ["a"])
    }

    @Test("A file that cannot be opened throws SQLite's code, with the path")
    func cannotOpen() throws {
        // F1, F16
        let path = directory.url.path(percentEncoded: false)
        let error = #expect(throws: SQLiteError.self) { try PersistenceManager(path: path) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.path == path)
    }

    @Test("A file that isn't a database throws, and stays as it is")
    func noDatabase() throws {
        // F1
        let data = Data(repeating: 65, count: 4096)
        try data.write(to: directory.url.appending(path: "test.sqlite"))
        #expect(sqliteFailure { try PersistenceManager(path: directory.path()) }?.code == .notADatabase)
        #expect(try Data(contentsOf: directory.url.appending(path: "test.sqlite")) == data)
    }

    private func journalMode(of manager: PersistenceManager) throws -> String? {
        try manager.database.withoutTransaction { db in try db.scalar("PRAGMA journal_mode", as: String.self) }
    }

    @Test("A file that the manager creates has a write-ahead log; one that was there keeps its journal")
    func journal() throws {
        // F10, Settled 15
        let new = try PersistenceManager(path: directory.path("new.sqlite"))
        #expect(try journalMode(of: new) == "wal")
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        let old = try PersistenceManager(path: directory.path("old.sqlite"), configuration: configuration)
        try old.createTableIfNecessary(for: User.self)
        try old.close()
        let again = try PersistenceManager(path: directory.path("old.sqlite"))
        #expect(try journalMode(of: again) == "delete")
    }

    @Test("A read-only manager reads, and throws for a write, with the model's name")
    func readOnly() throws {
        // Settled 15, F16
        do {
            let manager = try PersistenceManager(path: directory.path())
            try manager.createTableIfNecessary(for: User.self)
            try manager.save(User(name: "a"))
            try manager.close()
        }
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        #expect(try manager.fetchAll(User.self).map(\.name) == ["a"])
        let error = failure { try manager.save(User(name: "b")) }
        #expect(error?.model == "User")
        #expect(error?.sqliteError?.code == .readOnly)
    }

    @Test("A path with the characters of a URL is a path")
    func oddPath() throws {
        // F1
        let path = directory.path("a b%20ü?#'\".sqlite")
        let manager = try PersistenceManager(path: path)
        try manager.createTableIfNecessary(for: User.self)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("Two managers in memory are two databases")
    func memory() throws {
        // F2
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        try one.save(User(name: "a"))
        #expect(try two.count(User.self) == 0)
        #expect(try PersistenceManager(path: ":memory:").database.location == .memory)
    }

    @Test("A temporary database works like any other")
    func temporary() throws {
        // F2
        let manager = try PersistenceManager(.temporary)
        try manager.createTableIfNecessary(for: User.self)
        try manager.save(User(name: "a"))
        #expect(try manager.count(User.self) == 1)
    }

    @Test("A closed manager rejects every verb as closed")
    func closed() throws {
        // F3
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.close()
        user.name = "b"
        for error in [
            sqliteFailure { try manager.save(user) }, sqliteFailure { try manager.fetchAll(User.self) },
            sqliteFailure { try manager.find(User.self, 1) }, sqliteFailure { try manager.count(User.self) },
            sqliteFailure { try manager.delete(user) }, sqliteFailure { try manager.refresh(user) },
            sqliteFailure { try manager.insert(User.self, values: [:]) },
            sqliteFailure { try manager.insert([User()]) },
            sqliteFailure { try user.update(\.age, to: 1) },
            sqliteFailure { try manager.deleteAll(User.self) },
            sqliteFailure { try manager.tableExists("USER") }, sqliteFailure { try manager.execute("SELECT 1") },
            sqliteFailure { try manager.transaction {} }, sqliteFailure { try manager.read { _ in } },
            sqliteFailure { try manager.createTableIfNecessary(for: User.self) },
        ] {
            #expect(error?.extendedCode == .closed)
        }
        #expect(user.changedKeys == ["name"])
    }

    @Test("A manager is closed twice, and opened again")
    func reopened() throws {
        // F3
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.close()
        try manager.close()
        try manager.reopen()
        user.name = "b"
        try manager.save(user)
        #expect(try manager.fetchAll(User.self).map(\.name) == ["b"])
    }

    @Test("A manager cannot be closed inside its own closure")
    func closedInside() throws {
        // F3
        let manager = try memoryManager(User.self)
        #expect(sqliteFailure { try manager.transaction { try manager.close() } }?.extendedCode == .notAllowedHere)
        #expect(try manager.count(User.self) == 0)
    }

    @Test("Another connection's lock is busy, with the model's name")
    func busy() throws {
        // F17
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let one = try PersistenceManager(path: directory.path(), configuration: configuration)
        let two = try PersistenceManager(path: directory.path(), configuration: configuration)
        try one.createTableIfNecessary(for: User.self)
        let user = User(name: "a")
        let error = try one.transaction {
            try one.save(User(name: "b"))
            return failure { try two.save(user) }
        }
        #expect(error?.code == .busy)
        #expect(error?.model == "User")
        #expect(!user.isPersisted)
        try two.save(user)
        #expect(user.id == 2)
    }
}
