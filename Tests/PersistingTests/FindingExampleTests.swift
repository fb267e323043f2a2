import Foundation
import Persisting
import Testing

// The examples of the surface, each with what it gives. F71...F82
@Suite("Finding: every example") struct FindingExampleTests {
    final class User: PersistingModel {
        var id: Int64?
        var firstName: String?
        var lastName: String?
        var luckyNumber: Int?

        convenience init(_ firstName: String, _ lastName: String, _ luckyNumber: Int?) {
            self.init()
            self.firstName = firstName
            self.lastName = lastName
            self.luckyNumber = luckyNumber
        }
    }

    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self)
        try manager.insert([
            User("Michael", "Bluth", 7), User("Lucille", "Bluth", 13), User("Buster", "bluth", 13),
            User("Tobias", "Fünke", nil), User("Maeby", "Fünke", 4), User("George", "Blûth", 20),
        ])
    }

    private func names(_ users: [User]) -> [String] { users.compactMap(\.firstName) }

    @Test("five spellings of conditions, and SQL", .local(.textComparisons)) func spellings() throws {
        let (name, ids, n) = ("Bluth", [Int64(1), 3, 6], 12)
        try manager.asCurrent { () throws -> Void in
            #expect(try names(User.all(where: ["lastName": "Bluth", "<NOT>luckyNumber": 13])) == ["Michael"])
            #expect(try names(User.all(where: \.lastName == "Bluth" && \.luckyNumber > 7)) == ["Lucille"])
            #expect(
                try names(User.all(where: .format("lastName ==[cd] %@ AND luckyNumber == %@", "bluth", 13)))
                    == ["Lucille", "Buster"])
            #expect(
                try names(User.all(where: .hasPrefix(\.lastName, "Bl") && .in(\.id, ids))) == ["Michael", "George"])
            #expect(try names(User.all(where: .sql("LUCKY_NUMBER > :n", ["n": 7]))) == ["Lucille", "Buster", "George"])
            #expect(try names(User.all(where: .sql("LUCKY_NUMBER > \(n)"))) == ["Lucille", "Buster", "George"])
            #expect(
                try names(User.all(where: .predicate(#Predicate { $0.lastName == name }))) == ["Michael", "Lucille"])
        }
    }

    @Test("orders, limits and offsets") func orders() throws {
        let expected = ["Buster", "Tobias", "Maeby", "George", "Michael", "Lucille"]
        try manager.asCurrent { () throws -> Void in
            #expect(
                try names(User.all(where: .all, sortedBy: "lastName desc, luckyNumber", limit: 3, offset: 1))
                    == ["Tobias", "Maeby", "George"])
            #expect(
                try names(User.all(sortedBy: [.descending(\.lastName), .ascending("luckyNumber")])) == expected)
            #expect(try names(User.all(sortedBy: ["lastName": .descending, "luckyNumber": .ascending])) == expected)
            #expect(try names(User.sorted(by: SortDescriptor(\.id, order: .reverse)).all()).first == "George")
            let descriptors = [SortDescriptor(\User.luckyNumber), SortDescriptor(\User.id, order: .reverse)]
            #expect(
                try names(User.all(sortedBy: .init(descriptors))) == [
                    "Tobias", "Maeby", "Michael", "Buster", "Lucille", "George",
                ])
            #expect(try names(User.sorted(by: SortDescriptor(\.id)).all()).first == "Michael")
            #expect(
                try names(User.all(where: \.luckyNumber != nil, sortedBy: "luckyNumber, id"))
                    == ["Maeby", "Michael", "Lucille", "Buster", "George"])
        }
    }

    @Test("a query is a Sendable value, and every verb takes it") func query() throws {
        let query = User.where(\.luckyNumber > 7).sorted(by: \.lastName).limit(20)
        func needsSendable(_ value: some Sendable) {}
        needsSendable(query)
        #expect(try names(manager.fetchAll(query)) == ["Lucille", "George", "Buster"])
        #expect(try manager.fetchOne(query)?.firstName == "Lucille")
        #expect(try manager.count(query) == 3)
        #expect(try manager.exists(query))
        #expect(try manager.sum(query, \.luckyNumber) == 46)
        let sections = try manager.sections(query, by: \.lastName)
        #expect(sections.map(\.name) == ["Bluth", "Blûth", "bluth"])
        #expect(sections.map(\.count) == [1, 1, 1])
        var streamed: [User] = []
        try manager.forEach(query) { user in streamed.append(user) }
        #expect(names(streamed) == ["Lucille", "George", "Buster"])
        #expect(try manager.update(query, set: ["luckyNumber": 0]) == 3)
        #expect(try manager.delete(User.where(\.luckyNumber == 0)) == 3)
    }

    @Test("each literal form has a form for a value made at run time") func runTime() throws {
        let phrase = ["lastName", "desc"].joined(separator: " ")
        let dictionary: [String: (any Sendable)?] = ["lastName": "Bluth", "luckyNumber": [7, 13]]
        let array: [(any SQLiteValueConvertible)?] = [7]
        #expect(try manager.fetchAll(User.self, sortedBy: Ordering(phrase)).count == 6)
        #expect(try names(manager.fetchAll(User.self, where: Criteria(dictionary))) == ["Michael", "Lucille"])
        #expect(
            try names(manager.fetchAll(User.self, where: .sql("LUCKY_NUMBER = ?", Arguments(array)))) == ["Michael"])
    }
}
