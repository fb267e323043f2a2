import Foundation
import Persisting
import Testing

/// A model with a time that is set by each write, and a version.
private final class Visit: PersistingModel {
    var id: Int64?
    var count = 0
    var time = Date()
    var version = 0

    override class var versionKey: String? { "version" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TIME"] = .date.updated
        return columns
    }
}

@Suite("Saving asynchronously")
struct AsyncSaveTests {
    @MainActor
    @Test("Two tasks that save one new object insert it once")
    func savedTwice() async throws {
        // F15, F55
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        let tasks = (0..<8).map { _ in Task { @MainActor in try await manager.save(user) } }
        for task in tasks { try await task.value }
        #expect(try await manager.count(User.self) == 1)
        #expect(user.id == 1)
        #expect(!user.hasChanges)
    }

    @MainActor
    @Test("An update of an object that is being inserted waits for that")
    func updatedWhileInserted() async throws {
        // F15, F55
        let manager = try memoryManager(User.self)
        try await manager.asCurrent {
            for name in ["key path", "key", "several"] {
                let user = User(name: name)
                let insertion = Task { @MainActor in try await manager.insert(user) }
                let update = Task { @MainActor in
                    switch name {
                    case "key path": try await user.update(\.age, to: 4)
                    case "key": try await user.update(key: "age", to: 4)
                    default:
                        user.age = 4
                        try await user.update([\.age])
                    }
                }
                _ = try await insertion.value
                try await update.value
                #expect(try await manager.find(User.self, user.id)?.age == 4)
            }
        }
    }

    @MainActor
    @Test("A value that changes while its object is being saved stays a change", .local(.heldConnection))
    func changedMeanwhile() async throws {
        // F58
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        let held = Gate()
        // The database is busy until the property has been changed.
        let busy = await hold(manager, until: held)
        let save = Task { @MainActor in try await manager.save(user) }
        let change = Task { @MainActor in
            user.name = "b"
            held.open()
        }
        await change.value
        try await busy.value
        try await save.value
        #expect(user.isPersisted)
        let stored = try await manager.find(User.self, 1)?.name
        #expect(stored == "b" ? !user.hasChanges : user.changedKeys == ["name"])
        try await manager.save(user)
        #expect(try await manager.find(User.self, 1)?.name == "b")
    }

    @MainActor
    @Test(
        "A value that cannot be stored, set while its object is being saved, keeps nothing from being known of the row",
        .local(.heldConnection))
    func unfitMeanwhile() async throws {
        // F55
        let manager = try memoryManager(Visit.self)
        let visit = Visit()
        for _ in 0..<2 {
            visit.count += 1
            visit.time = Date(timeIntervalSince1970: 0)
            let held = Gate()
            let busy = await hold(manager, until: held)
            let save = Task { @MainActor in try await manager.save(visit) }
            let change = Task { @MainActor in
                visit.time = Date(timeIntervalSince1970: .nan)
                held.open()
            }
            await change.value
            try await busy.value
            try await save.value
            #expect(visit.id == 1)
            #expect(visit.version == visit.count)
            #expect(visit.changedKeys == ["time"])
        }
    }

    @MainActor
    @Test("A synchronous save of an object that is being saved is rejected", .local(.heldConnection))
    func synchronousMeanwhile() async throws {
        // F15
        let manager = try memoryManager(User.self)
        let other = try memoryManager(User.self)
        let user = User(name: "a")
        let held = Gate()
        let busy = await hold(manager, until: held)
        let save = Task { @MainActor in try await manager.save(user) }
        var thrown: PersistenceError?
        // The save has begun as soon as it has run on this actor.
        let attempt = Task { @MainActor in
            thrown = failure { try other.save(user) }
            held.open()
        }
        await attempt.value
        try await busy.value
        try await save.value
        #expect(thrown?.code == .beingSaved)
        #expect(thrown?.model == "User")
        #expect(user.isPersisted)
    }

    @Test("A save that fails leaves the object new")
    func failedInsert() async throws {
        // F55
        let manager = try memoryManager(Account.self)
        try await manager.save(Account(email: "a"))
        let account = Account(email: "a")
        let error = await asyncFailure { try await manager.save(account) }
        #expect(error?.code == .constraint)
        #expect(error?.model == "Account")
        #expect(!account.isPersisted)
        #expect(account.id == nil)
        account.email = "b"
        try await manager.save(account)
        #expect(account.isPersisted)
    }

    @Test("An update by key path that fails restores the property")
    func failedUpdate() async throws {
        // F60
        let manager = try memoryManager(Account.self)
        try await manager.save(Account(email: "a"))
        let account = Account(email: "b")
        try await manager.save(account)
        let error = await asyncFailure { try await account.update(\.email, to: "a") }
        #expect(error?.code == .constraint)
        #expect(account.email == "b")
        #expect(!account.hasChanges)
    }

    @Test("An update by name that fails restores the property")
    func failedUpdateByName() async throws {
        // F60
        let manager = try memoryManager(Account.self)
        let account = Account(email: "b", balance: 5)
        try await manager.save(account)
        #expect(await asyncFailure { try await account.update(key: "balance", to: -1) }?.code == .constraint)
        #expect(account.balance == 5)
        #expect(
            await asyncFailure { try await account.update(key: "balance", to: "x") }?.code == .typeMismatch)
        #expect(await asyncFailure { try await account.update(key: "b", to: 1) }?.code == .unknownKey)
        #expect(account.balance == 5)
    }

    @Test("A batch of which one cannot be inserted leaves all objects as they were")
    func failedBatch() async throws {
        // F14
        let manager = try memoryManager(Account.self)
        let accounts = [Account(email: "a"), Account(email: "a")]
        #expect(await asyncFailure { try await manager.insert(accounts) }?.code == .constraint)
        #expect(try await manager.count(Account.self) == 0)
        #expect(accounts.map(\.id) == [nil, nil])
        #expect(accounts.filter(\.isPersisted).isEmpty)
    }

    @Test("Deleting, refreshing and updating a new object throw")
    func newObject() async throws {
        // F63
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        #expect(await asyncFailure { try await manager.delete(user) }?.code == .notPersisted)
        #expect(await asyncFailure { try await manager.refresh(user) }?.code == .notPersisted)
        #expect(await asyncFailure { try await manager.update(user) }?.code == .notPersisted)
        #expect(await asyncFailure { try await user.update(\.age, to: 3) }?.code == .notPersisted)
        #expect(user.age == nil)
    }

    @Test("Inserting what is in the table throws")
    func insertedTwice() async throws {
        // F57
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try await manager.insert(user)
        #expect(await asyncFailure { try await manager.insert(user) }?.code == .alreadyPersisted)
        #expect(await asyncFailure { try await manager.insert([User(name: "b"), user]) }?.code == .alreadyPersisted)
        #expect(try await manager.count(User.self) == 1)
    }

    @Test("An object whose row is gone throws when it is saved, and is as it was")
    func vanished() async throws {
        // F55
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try await manager.save(user)
        try await manager.deleteAll(User.self)
        user.name = "b"
        #expect(await asyncFailure { try await manager.save(user) }?.code == .notFound)
        #expect(await asyncFailure { try await manager.refresh(user) }?.code == .notFound)
        #expect(user.changedKeys == ["name"])
        #expect(try await !manager.delete(user))
        try await manager.save(user)
        #expect(try await manager.count(User.self) == 1)
    }

    @Test("refresh reads what another has written")
    func refresh() async throws {
        // F12
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try await manager.save(user)
        try await manager.execute("UPDATE USER SET NAME = 'b'")
        try await manager.refresh(user)
        #expect(user.name == "b")
        #expect(!user.hasChanges)
    }

    @Test("What the database put in the place of nil comes back")
    func filled() async throws {
        // F59
        let manager = try memoryManager(
            script:
                "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT, AGE INTEGER DEFAULT 18, SCORE REAL, IS_ACTIVE INTEGER)"
        )
        let user = User(name: "a")
        try await manager.save(user)
        #expect(user.age == 18)
        #expect(!user.hasChanges)
    }
}

/// Something that is waited for on a thread until another opens it.
/// A task that writes until a gate opens; it has begun to.
func hold(_ manager: PersistenceManager, until gate: Gate) async -> Task<Void, any Error> {
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let task = Task {
        try await manager.write { _ in
            beginning.finish()
            gate.wait()
        }
    }
    for await _ in begun {}
    return task
}

final class Gate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var isOpen = false  // guarded by `condition`

    func wait() {
        condition.withLock { while !isOpen { condition.wait() } }
    }

    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }
}
