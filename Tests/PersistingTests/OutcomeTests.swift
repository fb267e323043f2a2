import Faults
import Foundation
import Persisting
import Testing

/// What the verbs say of a commit that the disk failed, and what follows a commit that did not fail.
@Suite("The outcome of a write")
struct OutcomeTests {
    private let directory: TemporaryDirectory
    private let vfs: FaultyVFS
    private let configuration: DatabaseConfiguration

    init() throws {
        directory = try TemporaryDirectory()
        vfs = try FaultyVFS()
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        self.configuration = configuration
    }

    private func manager() throws -> PersistenceManager {
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.createTableIfNecessary(for: User.self)
        return manager
    }

    /// The error of `body`, in whose commit the disk fails.
    private func failureOfCommit<T>(_ body: () throws -> T) -> PersistenceError? {
        vfs.fail(.syncs, at: 1)
        defer { vfs.failNone() }
        return failure(body)
    }

    // Settled 23
    @Test("a manager's file is opened by the VFS that is named")
    func namedVFS() throws {
        vfs.fail(.opens, at: 0)
        _ = try manager()
        #expect(vfs.callCount > 0)
    }

    // Settled 23
    @Test("a save whose commit the disk failed may have been applied, and the object is as before")
    func save() throws {
        let manager = try manager()
        let user = User(name: "a")
        let error = failureOfCommit { try manager.save(user) }
        #expect(error?.outcome == .unknown)
        #expect(error?.description.contains("may have been applied") == true)
        #expect(!user.isPersisted)
        #expect(user.id == nil)
    }

    // Settled 23
    @Test("so may a save of changes, which stay to be saved")
    func update() throws {
        let manager = try manager()
        let user = User(name: "a")
        try manager.save(user)
        user.name = "b"
        #expect(failureOfCommit { try manager.save(user) }?.outcome == .unknown)
        #expect(user.changedKeys == ["name"])
        try manager.save(user)
        #expect(try manager.find(User.self, user.id)?.name == "b")
    }

    // Settled 23
    @Test("so may a deletion, and the object counts as persisted")
    func delete() throws {
        let manager = try manager()
        let user = User(name: "a")
        try manager.save(user)
        #expect(failureOfCommit { try manager.delete(user) }?.outcome == .unknown)
        #expect(user.isPersisted)
    }

    // Settled 23
    @Test("so may a batch, of which no object is persisted then")
    func batch() throws {
        let manager = try manager()
        let users = [User(name: "a"), User(name: "b")]
        #expect(sqliteFailure { try failing { try manager.insert(users) } }?.outcome == .unknown)
        #expect(users.allSatisfy { !$0.isPersisted && $0.id == nil })
    }

    // Settled 23
    @Test("so may SQL of the caller's own, and a transaction")
    func executeAndTransaction() throws {
        let manager = try manager()
        #expect(
            sqliteFailure { try failing { try manager.execute("INSERT INTO USER (NAME) VALUES ('a')") } }?.outcome
                == .unknown)
        let user = User(name: "a")
        #expect(
            sqliteFailure { try failing { try manager.transaction { try manager.save(user) } } }?.outcome == .unknown)
        #expect(!user.isPersisted)
    }

    private func failing<T>(_ body: () throws -> T) throws -> T {
        vfs.fail(.syncs, at: 1)
        defer { vfs.failNone() }
        return try body()
    }

    // Settled 23
    @Test("execute does not throw what fails after its commit")
    func executeAfterCommit() throws {
        var configuration = configuration
        let vfs = vfs
        // The manager looks at the schema after the statement.
        configuration.trace = Trace { event in
            if event.sql.hasPrefix("CREATE TABLE OTHER") { vfs.fail(.all, at: 1, isPersistent: true) }
        }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.execute("CREATE TABLE OTHER (A)")
        vfs.failNone()
        #expect(try manager.tableExists("OTHER"))
    }

    // Settled 23
    @Test("a schema that could not be looked at counts as changed")
    func schemaIsForgotten() throws {
        var configuration = configuration
        let vfs = vfs
        configuration.trace = Trace { event in
            if event.sql.hasPrefix("DROP TABLE USER") { vfs.fail(.all, at: 1, isPersistent: true) }
        }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.createTableIfNecessary(for: User.self)
        try manager.save(User(name: "a"))
        try manager.execute("DROP TABLE USER")
        vfs.failNone()
        #expect(failure { try manager.save(User(name: "b")) }?.code == .noTable)
    }

    // Settled 23
    @Test("an asynchronous batch of one is not called off after its commit")
    func progressAfterCommit() async throws {
        let progress = Progress(totalUnitCount: 1)
        var configuration = configuration
        configuration.trace = Trace { event in if event.sql.hasPrefix("INSERT") { progress.cancel() } }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try await manager.createTableIfNecessary(for: User.self)
        let user = User(name: "a")
        try await manager.insert([user], progress: progress)
        #expect(user.isPersisted)
    }
}
