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

// F68, F75, F77, F78
@Suite("Short forms of conditions and orders") struct VerbFormTests {
    let manager: PersistenceManager

    init() throws { manager = try fourUsers() }

    @Test("a Bool property is a condition of every verb that takes one")
    func boolProperty() throws {
        #expect(try manager.fetchAll(User.self, where: \.isActive).map(\.name) == ["Bo", "Dan"])
        #expect(try manager.fetchOne(User.self, where: \.isActive, sortedBy: "name desc")?.name == "Dan")
        #expect(try manager.count(User.self, where: \.isActive) == 2)
        #expect(try manager.exists(User.self, where: \.isActive))
        #expect(try manager.delete(User.self, where: \.isActive) == 2)
        #expect(try !manager.exists(User.self, where: \.isActive))
    }

    @Test("a predicate is a condition of every verb that takes one")
    func predicate() throws {
        let name = "Cy"
        #expect(try manager.fetchAll(User.self, where: #Predicate { $0.name == name }).map(\.age) == [40])
        #expect(try manager.fetchOne(User.self, where: #Predicate { $0.name == name })?.age == 40)
        #expect(try manager.count(User.self, where: #Predicate { $0.name > name }) == 1)
        #expect(try manager.exists(User.self, where: #Predicate { $0.name == name }))
        #expect(try manager.delete(User.self, where: #Predicate { $0.name == name }) == 1)
    }

    @Test("a property is an order, with any condition")
    func order() throws {
        #expect(try manager.fetchAll(User.self, sortedBy: \.age).map(\.name) == ["Bo", "Dan", "Ada", "Cy"])
        #expect(try manager.fetchAll(User.self, where: \.age > 20, sortedBy: \.age).map(\.name) == ["Ada", "Cy"])
        #expect(
            try manager.fetchAll(User.self, where: ["isActive": true], sortedBy: \.age, limit: 1).map(\.name) == ["Bo"])
        #expect(try manager.fetchOne(User.self, where: \.age != nil, sortedBy: \.age)?.name == "Dan")
    }

    @Test("a property is an order, with a Bool property or a predicate as the condition")
    func shortConditionAndOrder() throws {
        #expect(try manager.fetchAll(User.self, where: \.isActive, sortedBy: \.age, offset: 1).map(\.name) == ["Dan"])
        #expect(try manager.fetchOne(User.self, where: \.isActive, sortedBy: \.age)?.name == "Bo")
        let adults = #Predicate<User> { $0.name != "Ada" }
        #expect(try manager.fetchAll(User.self, where: adults, sortedBy: \.age).map(\.name) == ["Bo", "Dan", "Cy"])
        #expect(try manager.fetchOne(User.self, where: #Predicate { $0.name > "Bo" }, sortedBy: \.age)?.name == "Dan")
    }

    @Test("an update takes the changes, or the properties that are named")
    func updateForms() throws {
        let user = try #require(try manager.find(User.self, 1))
        user.age = 31
        user.name = "Eve"
        try manager.update(user, keys: ["age"])
        #expect(try manager.find(User.self, 1)?.name == "Ada")
        try manager.update(user)
        #expect(try manager.find(User.self, 1)?.name == "Eve")
    }

    @Test("a query takes both")
    func query() throws {
        let active = User.where(\.isActive).sorted(by: \.age)
        #expect(try manager.fetchAll(active).map(\.name) == ["Bo", "Dan"])
        #expect(try manager.fetchAll(active.where(#Predicate { $0.name == "Dan" })).map(\.name) == ["Dan"])
        #expect(try manager.count(User.where(#Predicate { $0.name == "Dan" }).where(\.isActive)) == 1)
    }

    @Test("an object is found by id")
    func byID() throws {
        #expect(try manager.find(User.self, id: 3)?.name == "Cy")
        #expect(try manager.find(User.self, id: nil) == nil)
    }

    @Test("the classes have the same forms")
    func classes() throws {
        try manager.asCurrent { () throws in
            #expect(try User.all(where: \.isActive).map(\.name) == ["Bo", "Dan"])
            #expect(try User.all(where: #Predicate { $0.name == "Cy" }).map(\.name) == ["Cy"])
            #expect(try User.all(sortedBy: \.age).map(\.name) == ["Bo", "Dan", "Ada", "Cy"])
            #expect(try User.all(where: \.isActive, sortedBy: \.age, limit: 1).map(\.name) == ["Bo"])
            #expect(try User.all(where: #Predicate { $0.name > "Bo" }, sortedBy: \.age).map(\.name) == ["Dan", "Cy"])
            #expect(try User.findOne(where: \.isActive, sortedBy: \.age)?.name == "Bo")
            #expect(try User.findOne(where: #Predicate { $0.name > "Bo" }, sortedBy: \.age)?.name == "Dan")
            #expect(try User.findOne(where: \.isActive, sortedBy: "name desc")?.name == "Dan")
            #expect(try User.findOne(where: #Predicate { $0.name == "Cy" })?.age == 40)
            #expect(try User.findOne(where: \.age != nil, sortedBy: \.age)?.name == "Dan")
            #expect(try User.count(where: \.isActive) == 2)
            #expect(try User.count(where: #Predicate { $0.name > "Bo" }) == 2)
            #expect(try User.exists(where: \.isActive))
            #expect(try User.exists(where: #Predicate { $0.name == "Cy" }))
            #expect(try User.find(id: 3)?.name == "Cy")
            #expect(try User.delete(where: #Predicate { $0.name == "Cy" }) == 1)
            #expect(try User.delete(where: \.isActive) == 2)
        }
    }
}

// F15, F68, F75, F77, F78
@Suite("Short forms of conditions and orders while a task is suspended") struct AsyncVerbFormTests {
    let manager: PersistenceManager

    init() throws { manager = try fourUsers() }

    @Test("of a manager")
    func ofManager() async throws {
        #expect(try await manager.fetchAll(User.self, where: \.isActive).map(\.name) == ["Bo", "Dan"])
        #expect(try await manager.fetchAll(User.self, where: #Predicate { $0.name == "Cy" }).map(\.age) == [40])
        #expect(try await manager.fetchAll(User.self, sortedBy: \.age).map(\.name) == ["Bo", "Dan", "Ada", "Cy"])
        #expect(try await manager.fetchOne(User.self, where: \.isActive)?.name == "Bo")
        #expect(try await manager.fetchAll(User.self, where: \.isActive, sortedBy: \.age).map(\.name) == ["Bo", "Dan"])
        #expect(try await manager.fetchOne(User.self, where: \.isActive, sortedBy: \.age)?.name == "Bo")
        let adults = #Predicate<User> { $0.name != "Ada" }
        #expect(
            try await manager.fetchAll(User.self, where: adults, sortedBy: \.age).map(\.name) == ["Bo", "Dan", "Cy"])
        #expect(try await manager.fetchOne(User.self, where: adults, sortedBy: \.age)?.name == "Bo")
        #expect(try await manager.fetchOne(User.self, where: #Predicate { $0.name == "Cy" })?.age == 40)
        #expect(try await manager.fetchOne(User.self, where: \.age != nil, sortedBy: \.age)?.name == "Dan")
        #expect(try await manager.count(User.self, where: \.isActive) == 2)
        #expect(try await manager.count(User.self, where: #Predicate { $0.name == "Cy" }) == 1)
        #expect(try await manager.exists(User.self, where: \.isActive))
        #expect(try await manager.exists(User.self, where: #Predicate { $0.name == "Cy" }))
        #expect(try await manager.find(User.self, id: 3)?.name == "Cy")
        #expect(try await manager.delete(User.self, where: #Predicate { $0.name == "Cy" }) == 1)
        #expect(try await manager.delete(User.self, where: \.isActive) == 2)
    }

    @Test("of the classes")
    func ofClasses() async throws {
        try await manager.asCurrent { () async throws in
            #expect(try await User.all(where: \.isActive).map(\.name) == ["Bo", "Dan"])
            #expect(try await User.all(where: #Predicate { $0.name == "Cy" }).map(\.age) == [40])
            #expect(try await User.all(sortedBy: \.age).map(\.name) == ["Bo", "Dan", "Ada", "Cy"])
            #expect(try await User.findOne(where: \.isActive)?.name == "Bo")
            #expect(try await User.all(where: \.isActive, sortedBy: \.age).map(\.name) == ["Bo", "Dan"])
            #expect(try await User.all(where: #Predicate { $0.name == "Cy" }, sortedBy: \.age).map(\.age) == [40])
            #expect(try await User.findOne(where: \.isActive, sortedBy: \.age)?.name == "Bo")
            #expect(try await User.findOne(where: #Predicate { $0.name > "Bo" }, sortedBy: \.age)?.name == "Dan")
            #expect(try await User.findOne(where: #Predicate { $0.name == "Cy" })?.age == 40)
            #expect(try await User.findOne(where: \.age != nil, sortedBy: \.age)?.name == "Dan")
            #expect(try await User.count(where: \.isActive) == 2)
            #expect(try await User.exists(where: #Predicate { $0.name == "Cy" }))
            #expect(try await User.find(id: 3)?.name == "Cy")
            #expect(try await User.delete(where: \.isActive) == 2)
        }
    }
}
