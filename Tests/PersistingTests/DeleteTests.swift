import Foundation
import Persisting
import Testing

@Suite("Deleting", .onBothEngines)
struct DeleteTests {
    @Test("A deleted object keeps its values, and is not persisted")
    func object() throws {
        // F63, F54
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        #expect(try manager.delete(user))
        #expect(!user.isPersisted)
        #expect(user.name == "a")
        #expect(user.id == 1)
    }

    @Test("Deleting a new object throws")
    func new() throws {
        // F63
        let manager = try memoryManager(User.self)
        let error = failure { try manager.delete(User(name: "a")) }
        #expect(error?.code == .notPersisted)
        #expect(error?.model == "User")
    }

    @Test("Deleting all objects but those of an empty list, which are all, throws")
    func allButNone() throws {
        // F63
        let manager = try memoryManager(User.self)
        let none: [Int64] = []
        #expect(failure { try manager.delete(User.self, where: !.in(\.id, none)) }?.code == .missingCondition)
    }

    @Test("Deleting an object twice throws")
    func twice() throws {
        // F63
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.delete(user)
        #expect(failure { try manager.delete(user) }?.code == .notPersisted)
    }

    @Test("Deleting an object whose row is gone answers false")
    func vanished() throws {
        // F63
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.execute("DELETE FROM USER")
        #expect(try !manager.delete(user))
        #expect(!user.isPersisted)
    }

    @Test("A delete that a foreign key rejects leaves the object persisted")
    func foreignKey() throws {
        // F63, F16
        let manager = try memoryManager(User.self)
        try manager.run("CREATE TABLE PET (OWNER INTEGER REFERENCES USER)")
        let user = User(name: "a")
        try manager.save(user)
        try manager.execute("INSERT INTO PET VALUES (1)")
        let error = failure { try manager.delete(user) }
        #expect(error?.code == .constraint)
        #expect(error?.sqliteError?.isConstraint(.foreignKey) == true)
        #expect(user.isPersisted)
    }

    @Test("Rows are deleted by a condition, and counted")
    func condition() throws {
        // F64
        let manager = try people()
        #expect(try manager.delete(Person.self, where: \.lastName == "Bluth") == 2)
        #expect(try manager.delete(Person.self, where: ["luckyNumber": 99]) == 0)
        #expect(try manager.delete(Person.self, where: .sql("LUCKY_NUMBER IS NULL")) == 1)
        #expect(try manager.count(Person.self) == 2)
    }

    @Test("deleteAll deletes all rows, and counts them")
    func all() throws {
        // F64, Settled 2
        let manager = try people()
        #expect(try manager.deleteAll(Person.self) == 5)
        #expect(try manager.deleteAll(Person.self) == 0)
    }

    /// Each way of saying nothing.
    private static let empty: [(name: String, criteria: @Sendable () -> Criteria<Person>)] = [
        ("[:]", { [:] }), (".all", { .all }), (".sql(\"\")", { .sql("") }), (".sql(\" \\n\")", { .sql(" \n") }),
        ("Criteria([:])", { Criteria([:]) }), (".all && .all", { .all && .all }),
        ("[:] && .sql(\"\")", { [:] && .sql("") }),
        (".all || .all", { .all || .all }), (".all || one", { .all || \.id == 1 }), ("!(!.all)", { !(!.all) }),
        ("[:] || one", { [:] || \.id == 1 }), (".sql(SQL(\"\"))", { .sql(SQL("")) }),
    ]

    @Test("A delete without a condition throws, in each spelling", arguments: empty.indices)
    func withoutCondition(_ index: Int) throws {
        // F64, Settled 2
        let manager = try people()
        let spelling = Self.empty[index]
        let error = failure { try manager.delete(Person.self, where: spelling.criteria()) }
        #expect(error?.code == .missingCondition, "\(spelling.name)")
        #expect(try manager.count(Person.self) == 5, "\(spelling.name)")
    }

    @Test("A comment isn't a condition, and deletes nothing")
    func commentAlone() throws {
        // F64, Settled 2
        let manager = try people()
        #expect(failure { try manager.delete(Person.self, where: .sql("-- nothing")) }?.code == .database)
        #expect(try manager.count(Person.self) == 5)
    }

    @Test("The error for a delete without a condition says how to delete all")
    func withoutConditionSays() throws {
        // Settled 2
        let error = failure { try people().delete(Person.self, where: [:]) }
        #expect(error?.code == .missingCondition)
        #expect(error?.model == "Person")
        #expect(error?.message.contains("deleteAll") == true)
    }

    @Test("A delete with a mistake in its condition deletes nothing")
    func mistake() throws {
        // Settled 4
        let manager = try people()
        #expect(failure { try manager.delete(Person.self, where: ["name": "a"]) }?.code == .unknownKey)
        #expect(failure { try manager.delete(Person.self, where: .sql("NO_SUCH = 1")) }?.code == .missingColumn)
        #expect(try manager.count(Person.self) == 5)
    }
}
