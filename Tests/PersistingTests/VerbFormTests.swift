import Foundation
import Persisting
import Testing

/// Four users by age: Ada 30, Bo without, Cy 40 and Dan 20; Bo and Dan are active.
func fourUsers() throws -> PersistenceManager {
    let manager = try memoryManager(User.self)
    for (name, age, isActive) in [("Ada", 30, false), ("Bo", nil, true), ("Cy", 40, false), ("Dan", 20, true)] {
        let user = User(name: name, age: age)
        user.isActive = isActive
        try manager.insert(user)
    }
    return manager
}

// F15, F68, F75, F77
@Suite("Verbs that take a class, a condition and an order") struct VerbFormTests {
    let manager: PersistenceManager

    init() throws { manager = try fourUsers() }

    @Test("of a manager take each by itself, and all at once")
    func ofManager() throws {
        #expect(try manager.fetchAll(User.self, where: \.isActive == true).map(\.name) == ["Bo", "Dan"])
        #expect(
            try manager.fetchAll(User.self, sortedBy: .ascending(\.age)).map(\.name) == ["Bo", "Dan", "Ada", "Cy"])
        #expect(
            try manager.fetchAll(User.self, where: \.age > 20, sortedBy: .descending(\.age)).map(\.name)
                == ["Cy", "Ada"])
        #expect(
            try manager.fetchAll(User.self, where: ["isActive": true], sortedBy: "age", limit: 1, offset: 1)
                .map(\.name) == ["Dan"])
        #expect(try manager.fetchOne(User.self, where: \.age != nil, sortedBy: .ascending(\.age))?.name == "Dan")
        #expect(try manager.fetchOne(User.self, where: \.isActive == true, sortedBy: "name desc")?.name == "Dan")
        #expect(try manager.count(User.self, where: \.isActive == true) == 2)
        #expect(try manager.exists(User.self, where: \.isActive == true))
        #expect(try manager.delete(User.self, where: \.isActive == true) == 2)
        #expect(try !manager.exists(User.self, where: \.isActive == true))
    }

    @Test("of a manager do so while a task is suspended")
    func ofManagerSuspended() async throws {
        #expect(try await manager.fetchAll(User.self, where: \.isActive == true).map(\.name) == ["Bo", "Dan"])
        #expect(
            try await manager.fetchAll(User.self, where: \.age > 20, sortedBy: .descending(\.age), limit: 1)
                .map(\.name) == ["Cy"])
        #expect(
            try await manager.fetchOne(User.self, where: \.age != nil, sortedBy: .ascending(\.age))?.name == "Dan")
        #expect(try await manager.count(User.self, where: \.isActive == true) == 2)
        #expect(try await manager.exists(User.self, where: \.isActive == true))
        #expect(try await manager.delete(User.self, where: \.isActive == true) == 2)
        #expect(try await !manager.exists(User.self, where: \.isActive == true))
    }

    @Test("of a class do so")
    func ofClass() throws {
        try manager.asCurrent { () throws in
            #expect(try User.all(where: \.isActive == true).map(\.name) == ["Bo", "Dan"])
            #expect(try User.all(sortedBy: .ascending(\.age)).map(\.name) == ["Bo", "Dan", "Ada", "Cy"])
            #expect(
                try User.all(where: \.age > 20, sortedBy: .descending(\.age), limit: 1, offset: 1).map(\.name)
                    == ["Ada"])
            #expect(try User.findOne(where: \.age != nil, sortedBy: .ascending(\.age))?.name == "Dan")
            #expect(try User.count(where: \.isActive == true) == 2)
            #expect(try User.where(\.isActive == true).exists())
            #expect(try User.where(\.isActive == true).delete() == 2)
            #expect(try !User.where(\.isActive == true).exists())
        }
    }

    @Test("of a class do so while a task is suspended")
    func ofClassSuspended() async throws {
        try await manager.asCurrent { () async throws in
            #expect(try await User.all(where: \.isActive == true).map(\.name) == ["Bo", "Dan"])
            #expect(
                try await User.all(where: \.age > 20, sortedBy: .descending(\.age), limit: 1).map(\.name) == ["Cy"])
            #expect(try await User.findOne(where: \.age != nil, sortedBy: .ascending(\.age))?.name == "Dan")
            #expect(try await User.count(where: \.isActive == true) == 2)
            #expect(try await User.where(\.isActive == true).exists())
            #expect(try await User.where(\.isActive == true).delete() == 2)
            #expect(try await !User.where(\.isActive == true).exists())
        }
    }

    @Test("find an object by id")
    func byID() async throws {
        let manager = manager
        #expect(try { try manager.find(User.self, 3)?.name }() == "Cy")
        #expect(try { try manager.find(User.self, nil) }() == nil)
        #expect(try await manager.find(User.self, 3)?.name == "Cy")
        #expect(try manager.asCurrent { try User.find(3)?.name } == "Cy")
        #expect(try await manager.asCurrent { () async throws in try await User.find(3)?.name } == "Cy")
    }

    @Test("update the changes of an object, or the properties that are named")
    func updateForms() throws {
        let user = try #require(try manager.find(User.self, 1))
        user.age = 31
        user.name = "Eve"
        try manager.update(user, keys: ["age"])
        #expect(try manager.find(User.self, 1)?.name == "Ada")
        try manager.update(user)
        #expect(try manager.find(User.self, 1)?.name == "Eve")
    }
}
