import Persisting
import Testing

/// How long a manager lives, and its database with it.
@Suite("A manager that nobody has any more")
struct ManagerLifeTests {
    // F5
    @Test("is let go when nothing was done")
    func nothing() async throws {
        #expect(try await isLetGo { _ in })
    }

    // F5, F14
    @Test("is let go after inserts")
    func inserts() async throws {
        #expect(
            try await isLetGo { manager in
                try manager.insert(User(name: "one"))
                try manager.insert([User(name: "two"), User(name: "three")])
                _ = try manager.lastInserted(User.self)
            })
    }

    // F5, F14
    @Test("is let go after a transaction with savepoints, some of them rolled back")
    func savepoints() async throws {
        #expect(
            try await isLetGo { manager in
                try manager.transaction {
                    let user = User(name: "one")
                    try manager.insert(user)
                    try catchingTestError {
                        try manager.transaction {
                            user.name = "two"
                            try manager.save(user)
                            try manager.insert(Country("de", "Germany"))
                            throw TestError()
                        }
                    }
                    try manager.transaction { try manager.insert(Country("fr", "France")) }
                    try user.update(\.name, to: "three")
                    try manager.delete(user)
                }
            })
    }

    // F5, F14, F61
    @Test("is let go after asynchronous inserts")
    func asynchronous() async throws {
        #expect(
            try await isLetGo { manager in
                try await manager.insert(User(name: "one"))
                try await manager.insert([User(name: "two"), User(name: "three")])
                try await manager.transaction { [manager] in try manager.insert(User(name: "four")) }
            })
    }

    // F14
    @Test("knew the object that was inserted last, in the transaction and after it")
    func lastInserted() throws {
        let manager = try memoryManager(User.self)
        func name() throws -> String? { try manager.lastInserted(User.self)?.name }
        try manager.insert(User(name: "one"))
        #expect(try name() == "one")
        try manager.insert([User(name: "two"), User(name: "three")])
        #expect(try name() == "three")
        try manager.transaction {
            try manager.insert(User(name: "four"))
            #expect(try name() == "four")
            try manager.transaction { try manager.insert(User(name: "five")) }
            #expect(try name() == "five")
        }
        #expect(try name() == "five")
    }

    // F14, F61
    @Test("knew the object that a task inserted last")
    func lastInsertedByTask() async throws {
        let manager = try memoryManager(User.self, Country.self)
        try await manager.insert([User(name: "four"), User(name: "five")])
        #expect(try await manager.nameOfLast() == "five")
        try await manager.insert(User(name: "six"))
        #expect(try await manager.nameOfLast() == "six")
        try await manager.insert(Country("de", "Germany"))
        #expect(try await manager.codeOfLast() == "de")
    }

    private func isLetGo(_ use: (PersistenceManager) async throws -> Void) async throws -> Bool {
        weak var known: PersistenceManager?
        do {
            let manager = try memoryManager(User.self, Country.self)
            known = manager
            try await use(manager)
        }
        // The closure of an asynchronous verb may be let go a moment after it has answered.
        for _ in 0..<100 where known != nil { try await Task.sleep(for: .milliseconds(10)) }
        return known == nil
    }
}

extension PersistenceManager {
    fileprivate func nameOfLast() async throws -> String? {
        try await transaction { [self] in try lastInserted(User.self)?.name }
    }

    fileprivate func codeOfLast() async throws -> String? {
        try await transaction { [self] in try lastInserted(Country.self)?.code }
    }
}
