import Foundation
import Persisting
import Testing

@Suite("Verbs on the classes")
struct ActiveRecordTests {
    @Test("A user is saved, changed, saved again and deleted by its own verbs")
    func objectVerbs() throws {
        // F55, F63
        let manager = try memoryManager(User.self)
        try manager.asCurrent {
            let user = User()
            user.name = "Kohki Makimoto"
            user.age = 34
            try user.save()
            user.age = 44
            try user.save()
            #expect(try manager.stored("SELECT AGE FROM USER") == .integer(44))
            #expect(try user.delete())
            #expect(try User.count() == 0)
        }
    }

    @Test("find, all, findOne, count and create stand on the class")
    func classVerbs() throws {
        // F68, F70, F77, F80, F52
        try memoryManager(User.self).asCurrent {
            let created = try User.create(["name": "x"])
            try User.create(["name": "y"])
            #expect(try User.find(1)?.isSameRow(as: created) == true)
            #expect(try User.all().map(\.name) == ["x", "y"])
            #expect(try User.findOne(where: ["name": "x"])?.id == 1)
            #expect(try User.count() == 2)
            #expect(try User.count(where: \.name == "y") == 1)
            #expect(try User.all(where: \.id > 0, sortedBy: "name desc", limit: 1, offset: 1).map(\.name) == ["x"])
        }
    }

    @Test("refresh reads the row again")
    func refresh() throws {
        // F12
        try memoryManager(User.self).asCurrent {
            let user = try User.create(["name": "x"])
            let other = try #require(try User.find(1))
            other.name = "y"
            try other.save()
            try user.refresh()
            #expect(user.name == "y")
            #expect(!user.hasChanges)
        }
    }

    @Test("An object's verbs use the manager it came from")
    func ownManager() throws {
        // F6
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        let user = try one.insert(User.self, values: ["name": "x"])
        try two.asCurrent {
            user.name = "y"
            try user.save()
        }
        #expect(try one.stored("SELECT NAME FROM USER") == .text("y"))
        #expect(try two.rowCount("USER") == 0)
    }

    @Test(
        "Inside a manager's transaction the class verbs use that manager, whatever the task's is", .local(.connection))
    func insideTransaction() throws {
        // F13
        let (task, inner) = (try memoryManager(User.self), try memoryManager(User.self))
        try task.asCurrent {
            try inner.transaction { _ = try User.create(["name": "x"]) }
            try inner.write { _ in _ = try User.create(["name": "y"]) }
            #expect(try inner.read { _ in try User.count() } == 2)
        }
        #expect(try task.rowCount("USER") == 0)
    }

    @Test("Class verbs inside a transaction are rolled back with it")
    func joinTransaction() throws {
        // F13, F14
        let manager = try memoryManager(User.self)
        try catchingTestError {
            try manager.transaction {
                try User.create(["name": "x"])
                throw TestError()
            }
        }
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("After the transaction the task's manager is used again")
    func afterTransaction() throws {
        // F13
        let (task, inner) = (try memoryManager(User.self), try memoryManager(User.self))
        try task.asCurrent {
            try inner.transaction {}
            try User.create(["name": "x"])
        }
        #expect(try task.rowCount("USER") == 1)
    }

    @Test("asCurrent within asCurrent: the inner one counts")
    func nestedCurrent() throws {
        // F4
        let (outer, inner) = (try memoryManager(User.self), try memoryManager(User.self))
        try outer.asCurrent {
            try inner.asCurrent { _ = try User.create(["name": "x"]) }
        }
        #expect(try inner.rowCount("USER") == 1)
    }

    @Test("A subclass's verbs return the subclass")
    func selfType() throws {
        // F24
        try memoryManager(User.self).asCurrent {
            let user: User = try User.create(["name": "x"])
            #expect(type(of: user) == User.self)
        }
    }

    @Test("Tasks that a task starts inherit its manager")
    func childTasks() async throws {
        // F4
        let manager = try memoryManager(User.self)
        try await manager.asCurrent {
            async let name = User.create(["name": "x"]).name
            #expect(try await name == "x")
            try await Task { _ = try await User.create(["name": "y"]) }.value
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<3 { group.addTask { _ = try await User.create(["name": "\(number)"]) } }
                try await group.waitForAll()
            }
            #expect(try await User.count() == 5)
        }
    }

    @Test("A task started inside a synchronous transaction uses the task's manager once the closure is over")
    func escapedSynchronously() async throws {
        // F13
        let (task, inner) = (try memoryManager(User.self), try memoryManager(User.self))
        func start() throws -> Task<String, any Error> {
            try inner.transaction { Task { try await User.create(["name": "x"]).name } }
        }
        try await task.asCurrent { _ = try await start().value }
        #expect(try await task.count(User.self) == 1)
    }

    @Test("A task started inside an asynchronous transaction does not use its manager once the closure is over")
    func escapedTask() async throws {
        // F13
        let (task, inner) = (try memoryManager(User.self), try memoryManager(User.self))
        try await task.asCurrent {
            let started = try await inner.transaction { Task { try await User.create(["name": "x"]).name } }
            _ = try await started.value
        }
        #expect(try await task.count(User.self) == 1)
    }

    @Test("The class verbs have asynchronous forms")
    func asynchronous() async throws {
        // F15
        try await memoryManager(User.self).asCurrent {
            let user = try await User.create(["name": "x"])
            user.age = 3
            try await user.save()
            #expect(try await User.find(1)?.age == 3)
            #expect(try await User.all(where: \.age == 3).count == 1)
            #expect(try await User.findOne(where: ["name": "x"]) != nil)
            try await user.refresh()
            #expect(try await user.delete())
            #expect(try await User.count() == 0)
        }
    }
}

/// The one suite that uses the manager that all tasks share.
@Suite("The shared manager", .serialized)
struct SharedManagerTests {
    private func sharing(_ manager: PersistenceManager?, _ body: () throws -> Void) rethrows {
        let before = PersistenceManager.shared
        PersistenceManager.shared = manager
        defer { PersistenceManager.shared = before }
        try body()
    }

    @Test("Without any manager a class verb throws, and names the model")
    func none() {
        // F4, F17
        sharing(nil) {
            let error = failure { try User.count() }
            #expect(error?.code == .noManager)
            #expect(error?.model == "User")
            #expect(error?.message.contains("PersistenceManager.shared") == true)
            #expect(failure { try User(name: "a").save() }?.code == .noManager)
            #expect(failure { try User(name: "a").delete() }?.code == .noManager)
        }
    }

    @Test("The shared manager is used where nothing nearer is set")
    func shared() throws {
        // F4
        let manager = try memoryManager(User.self)
        try sharing(manager) {
            try User(name: "a").save()
            #expect(try User.count() == 1)
            #expect(PersistenceManager.shared === manager)
        }
        #expect(try manager.rowCount("USER") == 1)
    }

    @Test("The task's manager comes before the shared one")
    func taskFirst() throws {
        // F4
        let (shared, task) = (try memoryManager(User.self), try memoryManager(User.self))
        try sharing(shared) {
            try task.asCurrent { try User(name: "a").save() }
        }
        #expect(try shared.rowCount("USER") == 0)
        #expect(try task.rowCount("USER") == 1)
    }

    @Test("Inside a transaction its manager comes before the shared one")
    func transactionFirst() throws {
        // F13
        let (shared, other) = (try memoryManager(User.self), try memoryManager(User.self))
        try sharing(shared) {
            try other.transaction { try User(name: "a").save() }
        }
        #expect(try other.rowCount("USER") == 1)
    }
}
