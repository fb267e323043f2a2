import Foundation
import Persisting
import Testing

/// `NSNull` is nil wherever a value of any type is taken: what JSON and Objective-C's dictionaries hold for it.
@Suite("NSNull")
struct NSNullTests {
    // F29, Settled 20

    private let manager: PersistenceManager
    private let null = NSNull()

    init() throws {
        manager = try memoryManager(Person.self)
        try manager.save(Person("Buster", "Bluth", nil))
        try manager.save(Person("Maeby", nil, 4))
    }

    private func names(_ people: [Person]) -> [String?] { people.map(\.firstName) }

    @Test("is nil among the values of an insert") func insert() throws {
        let person = try manager.insert(Person.self, values: ["firstName": "Ann", "lastName": null])
        #expect(person.lastName == nil)
    }

    @Test("is rejected for a property that is not Optional, as nil is") func notOptional() throws {
        let manager = try memoryManager(User.self)
        #expect(failure { try manager.insert(User.self, values: ["name": null]) }?.code == .typeMismatch)
    }

    @Test("is nil for setValue and setValues") func setValues() throws {
        let person = Person("Ann", "Veal", 2)
        try person.setValue(null, forKey: "luckyNumber")
        try person.setValues(["firstName": null, "lastName": "Bluth"])
        #expect(person.luckyNumber == nil && person.firstName == nil && person.lastName == "Bluth")
    }

    @Test("is IS NULL in a dictionary of conditions") func criteria() throws {
        #expect(try names(manager.fetchAll(Person.self, where: ["lastName": null])) == ["Maeby"])
        #expect(try names(manager.fetchAll(Person.self, where: ["<NOT>lastName": null])) == ["Buster"])
    }

    @Test("is NULL in a list of values") func list() throws {
        let criteria = Criteria<Person>(["lastName": [null, "Bluth"] as [any Sendable]])
        #expect(try manager.count(Person.self, where: criteria) == 2)
    }

    @Test("is nil among the arguments of a format") func format() throws {
        #expect(try names(manager.fetchAll(Person.self, where: .format("lastName == %@", null))) == ["Maeby"])
        #expect(try manager.count(Person.self, where: .format("lastName IN %@", [null] as [any Sendable])) == 1)
    }

    @Test("is nil in memory as well") func inMemory() throws {
        let people = try manager.fetchAll(Person.self)
        let criteria = Criteria<Person>(["lastName": null])
        #expect(try names(people.filter { try criteria.matches($0) }) == ["Maeby"])
    }

    @Test("is nil in an update by query and by key") func update() throws {
        try manager.update(Person.where(["firstName": "Buster"]), set: ["lastName": null])
        let person = try #require(try manager.findOne(["firstName": "Maeby"]))
        try person.update(key: "luckyNumber", to: null)
        #expect(try manager.count(Person.self, where: ["lastName": nil]) == 2)
        #expect(try manager.count(Person.self, where: ["luckyNumber": nil]) == 2)
    }

    @Test("is nil in find by values, and in what findOrCreate makes") func findOrCreate() throws {
        let person = try manager.findOrCreate(Person.self, where: ["firstName": "Ann", "lastName": null])
        #expect(person.lastName == nil && person.firstName == "Ann")
    }
}

extension PersistenceManager {
    fileprivate func findOne(_ criteria: Criteria<Person>) throws -> Person? {
        try fetchOne(Person.self, where: criteria)
    }
}
