import Foundation
import Persisting
import Testing

@Suite("Fetching", .onBothEngines)
struct FetchTests {
    @Test("An object is found by its key, nil without a row, nil for nil")
    func find() throws {
        // F68
        let manager = try people()
        #expect(try manager.find(Person.self, 1)?.firstName == "Michael")
        #expect(try manager.find(Person.self, 99) == nil)
        #expect(try manager.find(Person.self, nil) == nil)
        #expect(try manager.find(Person.self, Int64?.none) == nil)
        #expect(try manager.find(Person.self, SQLiteValue.null) == nil)
    }

    @Test("A key of another type is taken when nothing is lost")
    func otherKeyTypes() throws {
        // F68
        let manager = try people()
        #expect(try manager.find(Person.self, UInt8(2))?.firstName == "Lucille")
        #expect(try manager.find(Person.self, 2.0)?.firstName == "Lucille")
        #expect(try manager.find(Person.self, Int32?(2))?.firstName == "Lucille")
        #expect(try manager.find(Person.self, SQLiteValue.integer(2))?.firstName == "Lucille")
    }

    @Test("A key of a type that is none throws, with both types")
    func wrongKeyType() throws {
        // F68, Settled 9
        let manager = try people()
        let error = failure { try manager.find(Person.self, "2") }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Person")
        #expect(error?.key == "id")
        #expect(error?.expected == "Int64?")
        #expect(error?.found == "String")
        #expect(failure { try manager.find(Person.self, 2.5) }?.code == .typeMismatch)
    }

    @Test("A UUID key is found by its text in either case")
    func uuidAsText() throws {
        // F68
        let manager = try memoryManager(Document.self)
        let document = Document()
        try manager.save(document)
        #expect(try manager.find(Document.self, document.id.uuidString.lowercased()) != nil)
        #expect(failure { try manager.find(Document.self, "no uuid") }?.code == .typeMismatch)
    }

    @Test("All objects in the order asked for")
    func ordered() throws {
        // F70, F78
        let manager = try people()
        #expect(
            try manager.fetchAll(Person.self, sortedBy: "firstName").firstNames == [
                "Buster", "Lucille", "Maeby", "Michael", "Tobias",
            ])
    }

    @Test("The first object of a condition, in order; nil when there is none")
    func fetchOne() throws {
        // F77
        let manager = try people()
        #expect(
            try manager.fetchOne(Person.self, where: \.lastName == "Bluth", sortedBy: "id desc")?.firstName == "Lucille"
        )
        #expect(try manager.fetchOne(Person.self, where: \.lastName == "Fünke") == nil)
        #expect(try manager.fetchOne(Person.self) != nil)
    }

    @Test("A limit alone, an offset alone, both, and neither")
    func range() throws {
        // F79, Settled 11
        let manager = try people()
        func ids(_ limit: Int?, _ offset: Int?) throws -> [Int64?] {
            try manager.fetchAll(Person.self, sortedBy: "id", limit: limit, offset: offset).map(\.id)
        }
        #expect(try ids(2, nil) == [1, 2])
        #expect(try ids(nil, 3) == [4, 5])
        #expect(try ids(2, 2) == [3, 4])
        #expect(try ids(nil, nil) == [1, 2, 3, 4, 5])
        #expect(try ids(99, 99) == [])
        #expect(try ids(nil, 0) == [1, 2, 3, 4, 5])
        #expect(try ids(.max, .max) == [])
    }

    @Test("A limit and an offset need no order")
    func rangeWithoutOrder() throws {
        // F79
        let manager = try people()
        #expect(try manager.fetchAll(Person.self, limit: 2).count == 2)
        #expect(try manager.fetchAll(Person.self, offset: 2).count == 3)
    }

    @Test("A limit of 0 returns no rows")
    func zero() throws {
        // Settled 11
        #expect(try people().fetchAll(Person.self, limit: 0).isEmpty)
    }

    @Test("A negative limit or offset throws, and is named")
    func negative() throws {
        // Settled 11
        let manager = try people()
        let limit = failure { try manager.fetchAll(Person.self, limit: -1) }
        #expect(limit?.code == .invalidRange)
        #expect(limit?.model == "Person")
        #expect(limit?.message.contains("limit -1") == true)
        let offset = failure { try manager.fetchAll(Person.self, offset: -2) }
        #expect(offset?.code == .invalidRange)
        #expect(offset?.message.contains("offset -2") == true)
    }

    @Test("Rows are counted, all or those of a condition")
    func count() throws {
        // F80
        let manager = try people()
        #expect(try manager.count(Person.self) == 5)
        #expect(try manager.count(Person.self, where: \.luckyNumber == 13) == 2)
        #expect(try manager.count(Person.self, where: [:]) == 5)
    }

    @Test("exists answers whether a condition takes any row")
    func exists() throws {
        // F80
        let manager = try people()
        #expect(try manager.exists(Person.self))
        #expect(try manager.exists(Person.self, where: \.luckyNumber == 13))
        #expect(try !manager.exists(Person.self, where: \.luckyNumber == 14))
        try manager.deleteAll(Person.self)
        #expect(try !manager.exists(Person.self))
    }

    @Test("Sum, average, least and greatest skip NULL")
    func aggregates() throws {
        // F80
        let manager = try people()
        #expect(try manager.sum(Person.rows, \.luckyNumber) == 37)
        #expect(try manager.average(Person.rows, \.luckyNumber) == 9.25)
        #expect(try manager.min(Person.rows, \.luckyNumber) == 4)
        #expect(try manager.max(Person.rows, \.luckyNumber) == 13)
        #expect(try manager.min(Person.rows, \.firstName) == "Buster")
        #expect(try manager.sum(Person.where(\.lastName == "Bluth"), \.luckyNumber) == 20)
    }

    @Test("Without rows there is no sum, average, least or greatest")
    func noAggregates() throws {
        // F80
        let manager = try memoryManager(User.self)
        #expect(try manager.sum(User.rows, \.score) == nil)
        #expect(try manager.average(User.rows, \.score) == nil)
        #expect(try manager.min(User.rows, \.score) == nil)
        #expect(try manager.max(User.rows, \.name) == nil)
    }

    @Test("A sum beyond Int64 throws, and one beyond the property's type too")
    func sumBeyond() throws {
        // F80, Settled 9
        let manager = try memoryManager(Everything.self)
        for _ in 0..<2 { try manager.insert(Everything.self, values: ["int64": Int64.max, "int8": Int8.max]) }
        for error in [
            failure { try manager.sum(Everything.rows, \.int64) },
            failure { try manager.sum(Everything.rows, \.int8) },
            failure { try manager.groups(Query(Everything.self), by: .key(\.int16), computing: .sum(\.int64)) },
            failure { try manager.groups(Query(Everything.self), by: .key(\.int16), computing: .sum(\.int8)) },
        ] {
            #expect(error?.code == .overflow)
            #expect(error?.model == "Everything")
            #expect(error?.key?.hasPrefix("int") == true)
        }
        #expect(try manager.sum(Everything.rows, \.int16) == 0)
    }

    @Test("The least and greatest of an enum and of a UUID are read as such")
    func typedExtremes() throws {
        // F80
        let manager = try memoryManager(Everything.self)
        for kind in Kind.allCases { try manager.insert(Everything.self, values: ["kind": kind]) }
        #expect(try manager.min(Everything.rows, \.kind) == .bonus)
        #expect(try manager.max(Everything.rows, \.kind) == .trailer)
        #expect(try manager.max(Everything.rows, \.uuid) != nil)
    }

    @Test("refresh takes over what the row holds, and forgets changes")
    func refresh() throws {
        // F12
        let manager = try memoryManager(User.self)
        let user = User(name: "a", age: 1)
        try manager.save(user)
        try manager.execute("UPDATE USER SET NAME = 'b'")
        user.age = 99
        try manager.refresh(user)
        #expect(user.name == "b")
        #expect(user.age == 1)
        #expect(!user.hasChanges)
    }

    @Test("refresh of a row that is gone throws, and leaves the object as it was")
    func refreshVanished() throws {
        // F17
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        user.name = "b"
        try manager.execute("DELETE FROM USER")
        #expect(failure { try manager.refresh(user) }?.code == .notFound)
        #expect(user.changedKeys == ["name"])
        #expect(failure { try manager.refresh(User()) }?.code == .notPersisted)
    }

    @Test("Fetching the same row twice makes two objects")
    func twoObjects() throws {
        // Settled 12
        let manager = try people()
        let (one, two) = (try manager.find(Person.self, 1), try manager.find(Person.self, 1))
        one?.firstName = "changed"
        #expect(two?.firstName == "Michael")
    }
}
