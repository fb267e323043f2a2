import Persisting
import Testing

/// The people of Kern's README, and what its finders give for them.
@Suite("Kern's examples")
struct KernExampleTests {
    private let manager: PersistenceManager
    private let bluths = ["George", "Michael", "George Michael", "Buster", "Oscar"]

    init() throws {
        manager = try memoryManager(Person.self)
        try manager.insert([
            Person("Jimmy", "James", 3), Person("Doogie", "Howser", 7), Person("George", "Bluth", 13),
            Person("Michael", "Bluth", 13), Person("George Michael", "Bluth", 9), Person("Buster", "Bluth", nil),
            Person("Oscar", "Bluth", nil), Person("Ron", "Swanson", 11),
        ])
    }

    private func names(
        _ criteria: Criteria<Person>? = nil, sortedBy ordering: Ordering<Person> = "id", limit: Int? = nil
    ) throws -> [String] {
        try manager.fetchAll(Person.self, where: criteria, sortedBy: ordering, limit: limit).firstNames
    }

    @Test("All, and all in an order")
    func sorted() throws {
        // F70, F78
        #expect(try names().count == 8)
        let ascending = ["Buster", "Oscar", "Jimmy", "Doogie", "George Michael", "Ron", "George", "Michael"]
        #expect(try names(sortedBy: "luckyNumber") == ascending)
        #expect(try names(sortedBy: ["luckyNumber": .ascending]) == ascending)
        let byName = ["Ron", "Jimmy", "Doogie", "Buster", "Oscar", "George Michael", "George", "Michael"]
        #expect(try names(sortedBy: "lastName desc,luckyNumber") == byName)
        #expect(try names(sortedBy: [.descending(\.lastName), .ascending(\.luckyNumber)]) == byName)
        #expect(try names(sortedBy: "luckyNumber desc", limit: 3) == ["George", "Michael", "Ron"])
    }

    @Test("All of one family, whatever the case of its name", .local(.textComparisons))
    func family() throws {
        // F74
        #expect(try names(.format("lastName ==[cd] 'bluth'")) == bluths)
        #expect(try names(.format("lastName ==[cd] %@", "bluth")) == bluths)
        #expect(try names(.format("lastName == %@", "bluth")) == [])
    }

    @Test("Those of a family with a lucky number, in three spellings", .local(.textComparisons))
    func lucky() throws {
        // F71, F74
        let expected = ["George", "Michael"]
        #expect(try names(.format("lastName ==[cd] %@ AND luckyNumber == %@", "bluth", 13)) == expected)
        #expect(try names(["lastName": "Bluth", "luckyNumber": 13]) == expected)
        #expect(try names(\.lastName == "Bluth" && \.luckyNumber == 13) == expected)
        #expect(try names(.format("lastName ==[cd] %@ AND luckyNumber == nil", "bluth")) == ["Buster", "Oscar"])
    }

    @Test("The two luckiest of a family", .local(.textComparisons))
    func topTwo() throws {
        // F74, F79
        let found = try names(.format("lastName ==[cd] %@", "bluth"), sortedBy: "luckyNumber desc, id", limit: 2)
        #expect(found == ["George", "Michael"])
    }

    @Test("All but two families")
    func notIn() throws {
        // F74
        let criteria: Criteria<Person> = .format("lastName NOT IN %@", ["Howser", "James"])
        let found = try names(criteria, sortedBy: "lastName, luckyNumber DESC, id")
        #expect(found == ["George", "Michael", "George Michael", "Buster", "Oscar", "Ron"])
    }

    @Test("How many")
    func count() throws {
        // F80
        #expect(try manager.count(Person.self) == 8)
        #expect(try manager.count(Person.self, where: .format("luckyNumber > %d", 7)) == 4)
    }
}
