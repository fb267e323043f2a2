import Foundation
import Persisting
import Testing

// F81
@Suite("Queries") struct QueryTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try people()
    }

    private func names(_ query: Query<Person>) throws -> [String] { try manager.fetchAll(query).firstNames }

    @Test("a query has a condition, an order, a limit and an offset, each of which may be missing") func parts() throws
    {
        #expect(try names(Query(Person.self)).count == 5)
        #expect(try names(Person.where(\.luckyNumber > 4).sorted(by: \.firstName)) == ["Buster", "Lucille", "Michael"])
        #expect(try names(Person.sorted(by: "firstName desc").limit(2)) == ["Tobias", "Michael"])
        #expect(try names(Person.sorted(by: \.id).limit(2).offset(1)) == ["Lucille", "Buster"])
        #expect(try names(Person.sorted(by: \.id).offset(3)) == ["Tobias", "Maeby"])
        #expect(try names(Person.limit(0)) == [])
    }

    @Test("a query reads values, sums and pages by the current manager") func values() async throws {
        let lucky = Person.where(\.luckyNumber > 4).sorted(by: \.firstName)
        try manager.asCurrent {
            #expect(try lucky.fetchValues(\.firstName) == ["Buster", "Lucille", "Michael"])
            #expect(try lucky.fetchValues(\.luckyNumber, distinct: true) == [13, 7])
            let pairs = try lucky.select(\.firstName, \.luckyNumber)
            #expect(pairs.map { $0.0 } == ["Buster", "Lucille", "Michael"])
            #expect(pairs.map { $0.1 } == [13, 13, 7])
            #expect(try lucky.sum(\.luckyNumber) == 33)
            #expect(try lucky.average(\.luckyNumber) == 11)
            #expect(try lucky.min(\.luckyNumber) == 7)
            #expect(try lucky.max(\.luckyNumber) == 13)
            let first = try lucky.page(limit: 2)
            #expect(try lucky.page(after: first.last, limit: 2).firstNames == ["Michael"])
        }
        try await manager.asCurrent {
            #expect(try await lucky.fetchValues(\.firstName) == ["Buster", "Lucille", "Michael"])
            let rows = try await lucky.select(\.firstName, \.luckyNumber)
            #expect(rows.map { $0.1 } == [13, 13, 7])
            #expect(try await lucky.sum(\.luckyNumber) == 33)
            #expect(try await lucky.average(\.luckyNumber) == 11)
            #expect(try await lucky.min(\.luckyNumber) == 7)
            #expect(try await lucky.max(\.luckyNumber) == 13)
            #expect(try await lucky.page(limit: 2).firstNames == ["Buster", "Lucille"])
        }
    }

    @Test("conditions add up, whatever their spelling") func conditions() throws {
        let query = Person.where(\.lastName == "Bluth").where(["luckyNumber": 13]).where(.sql("ID > \(1)"))
        #expect(try names(query) == ["Lucille"])
        #expect(try names(Person.where(\.id == 1 || \.id == 2).where(\.luckyNumber == 13)) == ["Lucille"])
    }

    @Test("a later order takes the place of an earlier one, and so do limit and offset") func replaced() throws {
        let query = Person.sorted(by: \.firstName).limit(1).offset(1)
        #expect(try names(query.sorted(by: \.id, .descending).limit(2).offset(nil)) == ["Maeby", "Tobias"])
        #expect(try names(query) == ["Lucille"])
    }

    @Test("every form of an order stands in a query") func orders() throws {
        let expected = ["Maeby", "Tobias", "Lucille", "Michael", "Buster"]
        for query in [
            Person.sorted(by: "lastName desc, firstName"),
            Person.sorted(by: [.descending(\.lastName), .ascending("firstName")]),
            Person.sorted(by: ["lastName": .descending, "firstName": .ascending]),
            Person.sorted(by: .sql("LAST_NAME DESC, FIRST_NAME")),
            Person.sorted(by: "lastName DESC,firstName asc"),
        ] {
            #expect(try names(query) == expected)
        }
    }

    @Test("the first object, or nil") func one() throws {
        // F77
        #expect(try manager.fetchOne(Person.sorted(by: \.firstName))?.firstName == "Buster")
        #expect(try manager.fetchOne(Person.sorted(by: \.firstName).limit(3).offset(1))?.firstName == "Lucille")
        #expect(try manager.fetchOne(Person.where(\.id == 99)) == nil)
        #expect(try manager.fetchOne(Person.limit(0)) == nil)
    }

    @Test("a limited query counts, adds and averages no more than its rows") func limited() throws {
        // F80
        let query = Person.sorted(by: \.id)
        #expect(try manager.count(query) == 5)
        #expect(try manager.count(query.limit(3)) == 3)
        #expect(try manager.count(query.limit(30)) == 5)
        #expect(try manager.count(query.offset(4)) == 1)
        #expect(try manager.sum(query.limit(2), \.luckyNumber) == 20)
        #expect(try manager.average(query.limit(2), \.luckyNumber) == 10)
        #expect(try manager.min(query.limit(2), \.luckyNumber) == 7)
        #expect(try manager.max(query.limit(1), \.luckyNumber) == 7)
        #expect(try manager.exists(query.offset(4)))
        #expect(try !manager.exists(query.offset(5)))
        #expect(try !manager.exists(query.limit(0)))
    }

    @Test("different values are counted, NULL is none") func distinct() throws {
        #expect(try manager.compute(Query(Person.self), .count(distinct: \.luckyNumber)) == 3)
        #expect(try manager.compute(Person.sorted(by: \.id).limit(2), .count(distinct: \.lastName)) == 1)
    }

    @Test("a negative limit or offset throws from every verb") func negative() throws {
        // Settled 11
        for query in [Person.limit(-1), Person.where(\.id > 0).offset(-1)] {
            #expect(failure { try manager.fetchAll(query) }?.code == .invalidRange)
            #expect(failure { try manager.fetchOne(query) }?.code == .invalidRange)
            #expect(failure { try manager.count(query) }?.code == .invalidRange)
            #expect(failure { try manager.exists(query) }?.code == .invalidRange)
            #expect(failure { try manager.sum(query, \.luckyNumber) }?.code == .invalidRange)
            #expect(failure { try manager.values(query, \.firstName) }?.code == .invalidRange)
            #expect(failure { try manager.forEach(query) { _ in } }?.code == .invalidRange)
            #expect(failure { try manager.delete(query.where(\.id > 0)) }?.code == .invalidRange)
        }
    }

    @Test("a mistake is thrown when the query is used") func mistakes() throws {
        let query = Person.where(["frstName": "x"])
        #expect(failure { try manager.fetchAll(query) }?.code == .unknownKey)
        #expect(failure { try manager.fetchAll(Person.sorted(by: "frstName")) }?.code == .unknownKey)
    }

    @Test("a query crosses to another task, and each verb has an asynchronous form") func asynchronous() async throws {
        let query = Person.where(\.luckyNumber > 4).sorted(by: \.firstName)
        let count = try await Task.detached { [manager] in try await manager.count(query) }.value
        #expect(count == 3)
        #expect(try await manager.fetchAll(query).firstNames == ["Buster", "Lucille", "Michael"])
        #expect(try await manager.fetchOne(query)?.firstName == "Buster")
        #expect(try await manager.exists(query))
        #expect(try await manager.compute(query, .count(distinct: \.luckyNumber)) == 2)
        #expect(try await manager.sum(query, \.luckyNumber) == 33)
        #expect(try await manager.average(query, \.luckyNumber) == 11)
        #expect(try await manager.min(query, \.luckyNumber) == 7)
        #expect(try await manager.max(query, \.luckyNumber) == 13)
    }

    @Test("a class below another is asked for its own rows") func subclass() throws {
        class Animal: PersistingModel {
            var id: Int64?
            var name = ""
        }
        final class Dog: Animal {
            var breed = ""
        }
        let manager = try memoryManager(Animal.self, Dog.self)
        try manager.insert(Dog.self, values: ["name": "Rex", "breed": "Collie"])
        let type: Animal.Type = Dog.self
        let found = try manager.fetchAll(Query(type).where(\.name == "Rex"))
        #expect((found.first as? Dog)?.breed == "Collie")
        #expect(try manager.count(type.where(\.name == "Rex")) == 1)
        #expect(try manager.count(Animal.where(\.name == "Rex")) == 0)
    }

    @Test("a query's own verbs use the current manager") func verbs() async throws {
        // F81
        try current { () throws -> Void in
            let query = Person.where(\.luckyNumber == 13).sorted(by: \.firstName)
            #expect(try query.all().firstNames == ["Buster", "Lucille"])
            #expect(try query.first()?.firstName == "Buster")
            #expect(try query.count() == 2)
            #expect(try query.exists())
            var names: [String?] = []
            try query.forEach { names.append($0.firstName) }
            #expect(names == ["Buster", "Lucille"])
            #expect(try query.update(set: ["luckyNumber": 14]) == 2)
            #expect(try Person.where(\.luckyNumber == 14).delete() == 2)
            #expect(try manager.find(Person.self, keys: [4, 1]).firstNames == ["Tobias", "Michael"])
            #expect(try Person.find(["id": 1])?.firstName == "Michael")
        }
        try await manager.asCurrent { () async throws -> Void in
            #expect(try await Person.where(\.id > 1).count() == 2)
            #expect(try await Person.limit(1).all().count == 1)
            #expect(try await manager.find(Person.self, keys: [5, 4]).firstNames == ["Maeby", "Tobias"])
        }
    }

    /// The synchronous form, where the asynchronous one would be taken.
    private func current(_ body: () throws -> Void) throws { try manager.asCurrent(body) }

    @Test("the same query with other values prepares nothing again", .local(.connection)) func prepared() throws {
        func fetch(_ number: Int) throws {
            _ = try manager.fetchAll(
                Person.where(\.luckyNumber > number && \.lastName != "x").sorted(by: \.id).limit(3))
        }
        try fetch(1)
        let before = try manager.statistics.misses
        for number in 2..<20 { try fetch(number) }
        #expect(try manager.statistics.misses == before)
    }
}
