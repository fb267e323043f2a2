import Foundation
import Persisting
import Testing

/// A task that a function of SQL can cancel.
private final class TaskBox: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var task: Task<Void, any Error>?  // guarded by `lock`

    func set(_ task: Task<Void, any Error>) { lock.withLock { self.task = task } }
    func cancel() { lock.withLock { task }?.cancel() }
}

@Suite("Batches, asynchronously")
struct AsyncBatchTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self, Account.self)
    }

    @Test("New and changed objects of several classes are saved, and told") func mixed() async throws {
        // F14, F55
        let (user, account) = (User(name: "a"), Account(email: "a"))
        try await manager.save(user)
        user.name = "b"
        try await manager.save([account, user, User(name: "c"), user])
        #expect(try manager.storedColumn("SELECT NAME FROM USER") == ["b", "c"])
        #expect(account.id == 1)
        #expect(!user.hasChanges)
        #expect(!account.hasChanges)
    }

    @Test("A batch that fails leaves all objects as they were") func failed() async throws {
        // F14
        let accounts = [Account(email: "a"), Account(email: "b")]
        try await manager.insert(accounts)
        accounts[0].email = "c"
        accounts[1].email = "c"
        let new = Account(email: "d")
        #expect(await asyncFailure { try await manager.save([new] + accounts) }?.code == .constraint)
        #expect(accounts.map(\.changedKeys) == [["email"], ["email"]])
        #expect(new.id == nil)
        #expect(await asyncFailure { try await manager.upsert([new] + accounts) }?.code == .constraint)
        #expect(!new.isPersisted)
        #expect(await asyncFailure { try await manager.delete(accounts + [new]) }?.code == .notPersisted)
        #expect(accounts.allSatisfy { $0.isPersisted })
        #expect(try manager.storedColumn("SELECT EMAIL FROM ACCOUNT") == ["a", "b"])
    }

    @Test("Upserted objects hold what their rows hold") func upsert() async throws {
        // F56
        try await manager.insert(Account(email: "b", balance: 7))
        let accounts = [
            Account(email: "a", balance: 1), Account(email: "b", balance: 2), Account(email: "c", balance: 3),
        ]
        try await manager.upsert(accounts + accounts, by: ["email"], updating: [])
        #expect(accounts.map(\.id) == [2, 1, 3])
        #expect(accounts.map(\.balance) == [1, 7, 3])
        #expect(accounts.allSatisfy { !$0.hasChanges })
    }

    @Test("Rows in the way are skipped or replaced") func onConflict() async throws {
        // F57
        try await manager.insert(Account(email: "a"))
        let accounts = [Account(email: "a", balance: 1), Account(email: "b", balance: 2)]
        #expect(try await manager.insert(accounts, onConflict: .ignore) == 1)
        #expect(accounts.map(\.isPersisted) == [false, true])
        #expect(try await manager.insert(accounts[0], onConflict: .replace))
        #expect(try await !manager.insert(Account(email: "a"), onConflict: .ignore))
        #expect(try manager.storedColumn("SELECT BALANCE FROM ACCOUNT ORDER BY EMAIL") == [1, 2])
    }

    @Test("Deleting answers how many rows were there") func delete() async throws {
        // F63
        let accounts = [Account(email: "a"), Account(email: "b")]
        try await manager.insert(accounts)
        try await manager.execute("DELETE FROM ACCOUNT WHERE ID = 1")
        #expect(try await manager.delete(accounts) == 1)
        #expect(accounts.allSatisfy { !$0.isPersisted })
    }

    @Test("An object twice is saved once, and not inserted or deleted twice") func twice() async throws {
        // F14, F55
        let user = User(name: "a")
        #expect(await asyncFailure { try await manager.insert([user, user]) }?.code == .alreadyPersisted)
        #expect(!user.isPersisted)
        try await manager.save([user, user])
        #expect(await asyncFailure { try await manager.delete([user, user]) }?.code == .notPersisted)
        #expect(try await manager.count(User.self) == 1)
    }

    @Test("Of no objects and of unchanged ones nothing is done", .local(.connection)) func nothing() async throws {
        // F58
        let user = User(name: "a")
        try await manager.save(user)
        let before = try manager.statistics
        try await manager.save([User]())
        try await manager.upsert([User]())
        try await manager.save([user])
        #expect(try await manager.delete([User]()) == 0)
        #expect(try manager.statistics == before)
    }

    @Test("Progress is reported, and stops the batch when it is cancelled") func progress() async throws {
        // F14
        let users = (0..<250).map { (number: Int) in User(name: "\(number)") }
        let progress = Progress(totalUnitCount: 1)
        progress.cancel()
        var error: (any Error)?
        do { try await manager.insert(users, progress: progress) } catch let thrown { error = thrown }
        #expect(error is CancellationError)
        #expect(users.allSatisfy { !$0.isPersisted })
        let other = Progress(totalUnitCount: 1)
        try await manager.insert(users, progress: other)
        #expect(other.totalUnitCount == 250)
        #expect(other.completedUnitCount == 250)
    }

    @Test("A progress of no objects is done", arguments: [0, 1, 2]) func progressOfNothing(verb: Int) async throws {
        // F14
        let progress = Progress(totalUnitCount: 1)
        switch verb {
        case 0: try await manager.insert([User](), progress: progress)
        case 1: try await manager.save([User](), progress: progress)
        default: try await manager.delete([User](), progress: progress)
        }
        #expect(progress.isFinished)
    }

    @Test(
        "A task that is cancelled while a batch is written throws CancellationError, and nothing is written",
        .local(.connection))
    func cancelledTask() async throws {
        // F15
        let (box, isSet) = (TaskBox(), Gate())
        try await manager.write { db in
            try db.addFunction("cancel", argumentCount: 0) { _ in
                isSet.wait()
                box.cancel()
                return nil
            }
            try db.execute("CREATE TRIGGER T AFTER INSERT ON USER BEGIN SELECT cancel(); END")
        }
        let task = Task { [manager] in _ = try await manager.insert([User(name: "a"), User(name: "b")]) }
        box.set(task)
        isSet.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await manager.count(User.self) == 0)
    }

    @Test("Objects of a batch whose commit fails were not inserted last") func failedCommit() async throws {
        // F66
        let manager = try memoryManager(
            script: """
                CREATE TABLE COUNTRY (CODE TEXT PRIMARY KEY, NAME TEXT NOT NULL,
                    FOREIGN KEY (NAME) REFERENCES COUNTRY DEFERRABLE INITIALLY DEFERRED)
                """)
        try await manager.insert(Country("a", "a"))
        let error = await asyncFailure {
            try await manager.insert([Country("b", "none"), Country("c", "none")])
        }
        #expect(error?.code == .constraint)
        #expect(error?.sqliteError?.isConstraint(.foreignKey) == true)
        try await manager.execute("INSERT INTO COUNTRY VALUES ('c', 'c')")
        #expect(try await manager.lastInserted(Country.self)?.code == "a")
    }

    @MainActor
    @Test("Two tasks that save the same new objects insert each once") func sameObjects() async throws {
        // F15, F55
        let users = (0..<20).map { (number: Int) in User(name: "\(number)") }
        let tasks = (0..<6).map { (number: Int) in
            Task { @MainActor in try await manager.save(number.isMultiple(of: 2) ? users : users.reversed()) }
        }
        for task in tasks { try await task.value }
        #expect(try await manager.count(User.self) == 20)
    }
}
