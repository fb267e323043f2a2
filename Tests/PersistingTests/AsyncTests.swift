import Foundation
import Persisting
import Testing

@Suite("Asynchronous verbs")
struct AsyncTests {
    @Test("Fetching and counting suspend the task and answer the same")
    func fetching() async throws {
        // F15
        let manager = try people()
        let bluths = try await manager.fetchAll(Person.self, where: \.lastName == "Bluth", sortedBy: "id", limit: 5)
        #expect(bluths.firstNames == ["Michael", "Lucille"])
        #expect(try await manager.fetchOne(Person.self, where: ["firstName": "Tobias"])?.id == 4)
        #expect(try await manager.find(Person.self, 3)?.firstName == "Buster")
        #expect(try await manager.find(Person.self, nil as Int?) == nil)
        #expect(try await manager.count(Person.self) == 5)
        #expect(try await manager.exists(Person.self, where: \.luckyNumber == 4))
    }

    @Test("Tables are created, looked for and dropped")
    func tables() async throws {
        // F46, F47, F48
        let manager = try PersistenceManager(.memory)
        #expect(try await manager.createTableIfNecessary(for: User.self))
        #expect(try await !manager.createTableIfNecessary(for: User.self))
        #expect(try await manager.tableExists("user"))
        #expect(try await manager.tableExists(for: User.self))
        #expect(try await manager.columnExists("name", in: "user"))
        #expect(try await manager.dropTable(for: User.self))
        #expect(try await !manager.dropTable(for: User.self))
    }

    @Test("SQL, values and conditions have asynchronous forms")
    func writing() async throws {
        // F15
        let manager = try memoryManager(User.self)
        let user = try await manager.insert(User.self, values: ["name": "a"])
        #expect(user.id == 1)
        #expect(try await manager.execute("UPDATE USER SET AGE = :age", ["age": 3]) == 1)
        #expect(try await manager.delete(User.self, where: \.age == 3) == 1)
        try await manager.insert([User(name: "b"), User(name: "c")])
        #expect(try await manager.deleteAll(User.self) == 2)
    }

    @Test("A transaction runs on the database's side and returns what its closure returns")
    func transaction() async throws {
        // F14, F15
        let manager = try memoryManager(User.self)
        let user = try await manager.transaction {
            let user = User(name: "a")
            try manager.save(user)
            return user
        }
        #expect(user.id == 1)
        user.name = "b"
        try await manager.save(user)
        #expect(try await manager.count(User.self, where: \.name == "b") == 1)
    }

    @Test("An asynchronous transaction that throws is rolled back")
    func rollback() async throws {
        // F14
        let manager = try memoryManager(User.self)
        await #expect(throws: TestError()) {
            try await manager.transaction {
                try User.create(["name": "a"])
                throw TestError()
            }
        }
        #expect(try await manager.count(User.self) == 0)
    }

    @Test("read and write give the connection", .local(.connection))
    func connection() async throws {
        // F12
        let manager = try memoryManager(User.self)
        try await manager.write { db in try db.execute("INSERT INTO USER (NAME) VALUES ('a')") }
        #expect(try await manager.read { db in try db.column("SELECT NAME FROM USER", as: String.self) } == ["a"])
    }

    @Test("The verbs work from an actor, which keeps its objects")
    func actor() async throws {
        // F15
        let library = Library(try memoryManager(User.self))
        try await library.add("a")
        try await library.add("b")
        try await library.rename(to: "c")
        #expect(try await library.storedNames() == ["c", "c"])
    }

    @MainActor
    @Test("The verbs work from the main actor")
    func mainActor() async throws {
        // F15
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try await manager.save(user)
        user.name = "b"
        try await manager.save(user)
        try await user.update(\.age, to: 3)
        try await user.update(key: "score", to: 1.5)
        let found = try await manager.find(User.self, user.primaryKeyValue)
        #expect(found?.name == "b")
        #expect(found?.age == 3)
        #expect(found?.score == 1.5)
        #expect(try await manager.delete(user))
        #expect(!user.isPersisted)
    }

    @Test("Objects fetched in one task are the task's own")
    func parallel() async throws {
        // F15
        let manager = try memoryManager(User.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let user = User(name: "\(number)")
                    try await manager.save(user)
                    user.age = number
                    try await manager.save(user)
                }
            }
            try await group.waitForAll()
        }
        let users = try await manager.fetchAll(User.self)
        #expect(users.count == 20)
        #expect(users.allSatisfy { $0.name == $0.age.map { "\($0)" } })
    }

    @Test("A task that is cancelled throws, and its object is as it was")
    func cancelled() async throws {
        // F15
        let manager = try memoryManager(User.self)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let user = User(name: "a")
            await #expect(throws: CancellationError.self) { try await manager.save(user) }
            return !user.isPersisted && user.id == nil
        }
        #expect(await task.value)
        #expect(try await manager.count(User.self) == 0)
    }
}

private actor Library {
    private let manager: PersistenceManager
    private var users: [User] = []

    init(_ manager: PersistenceManager) { self.manager = manager }

    func add(_ name: String) async throws {
        let user = User(name: name)
        try await manager.save(user)
        users.append(user)
    }

    func rename(to name: String) async throws {
        for user in users {
            user.name = name
            try await manager.save(user)
        }
    }

    func storedNames() async throws -> [String] {
        try await manager.fetchAll(User.self).map(\.name)
    }
}
