import Foundation
import Persisting
import PersistingDiagnostics
import Testing

// F80, F82, F84
@Suite("A class where a query is wanted") struct ClassAsQueryTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self)
        for (name, age) in [("Ada", 30), ("Bo", nil), ("Cy", 40), ("Dan", 30)] {
            try manager.insert(User(name: name, age: age))
        }
    }

    @Test("counts rows for each value of a property")
    func counts() throws {
        let counts = try manager.groups(User.rows, by: .key(\.age), computing: .count)
        #expect(counts.map { $0.0 } == [nil, 30, 40])
        #expect(counts.map { $0.1 } == [1, 2, 1])
    }

    @Test("a condition narrows it")
    func condition() throws {
        #expect(groupValues(try manager.groups(User.where(\.age > 30), by: .key(\.age), computing: .count)) == [1])
    }

    @Test("counts different values")
    func distinct() throws {
        #expect(try manager.compute(User.rows, .count(distinct: \.age)) == 2)
    }

    @Test("sums of a property that is Optional and of one that is not are of one type")
    func sums() throws {
        let ages: Int? = try manager.sum(User.rows, \.age)
        let scores: Double? = try manager.sum(User.rows, \.score)
        #expect(ages == 100)
        #expect(scores == 0)
    }

    @Test("the least and the greatest by groups")
    func extremes() throws {
        #expect(
            groupValues(try manager.groups(User.rows, by: .key(\.age), computing: .max(\.name))) == ["Bo", "Dan", "Cy"])
        #expect(
            groupValues(try manager.groups(User.rows, by: .key(\.age), computing: .min(\.name))) == ["Bo", "Ada", "Cy"])
    }

    @Test("sums and averages by groups")
    func figures() throws {
        #expect(groupValues(try manager.groups(User.rows, by: .key(\.isActive), computing: .sum(\.age))) == [100])
        #expect(
            groupValues(try manager.groups(User.where(\.age == 30), by: .key(\.isActive), computing: .average(\.age)))
                == [30])
    }

    @Test("values of a property in an order")
    func values() throws {
        #expect(
            try manager.values(User.where(\.age != nil).sorted(by: "name desc"), \.name) == ["Dan", "Cy", "Ada"])
    }

    @Test("some properties of each row")
    func select() throws {
        let rows = try manager.select(User.sorted(by: "name"), \.name, \.age)
        #expect(rows.map { $0.0 } == ["Ada", "Bo", "Cy", "Dan"])
        #expect(rows.map { $0.1 } == [30, nil, 40, 30])
    }

    @Test("dictionaries of some keys")
    func dictionaries() throws {
        let names = try manager.dictionaries(User.sorted(by: "name"), keys: ["name"]).map { $0["name"] as? String }
        #expect(names == ["Ada", "Bo", "Cy", "Dan"])
    }

    @Test("pages follow each other")
    func pages() throws {
        let first = try manager.fetchPage(User.sorted(by: "name"), limit: 3)
        let second = try manager.fetchPage(User.sorted(by: "name"), after: first.last, limit: 3)
        #expect(first.map(\.name) == ["Ada", "Bo", "Cy"])
        #expect(second.map(\.name) == ["Dan"])
    }

    @Test("sections of all rows")
    func sections() throws {
        let sections = try manager.sections(User.sorted(by: "age, name"), by: \.age)
        #expect(sections.map(\.name) == [nil, 30, 40])
    }

    @Test("sections need an order that begins with the property")
    func sectionsWithoutOrder() throws {
        let error = #expect(throws: PersistenceError.self) {
            try manager.sections(User.sorted(by: "name"), by: \.age)
        }
        #expect(error?.code == .invalidOrdering)
    }

    @Test("goes through all objects, one or some at a time")
    func streams() throws {
        var names: [String] = []
        try manager.forEach(User.sorted(by: "name")) { names.append($0.name) }
        #expect(names == ["Ada", "Bo", "Cy", "Dan"])
        var sizes: [Int] = []
        try manager.forEachBatch(User.rows, of: 3) { sizes.append($0.count) }
        #expect(sizes == [3, 1])
    }

    @Test("the asynchronous forms do the same")
    func suspended() async throws {
        #expect(groupValues(try await manager.groups(User.rows, by: .key(\.age), computing: .count)) == [1, 2, 1])
        #expect(try await manager.values(User.sorted(by: "name"), \.name) == ["Ada", "Bo", "Cy", "Dan"])
        #expect(try await manager.fetchPage(User.sorted(by: "name"), limit: 1).map(\.name) == ["Ada"])
        #expect(try await manager.sections(User.sorted(by: "age"), by: \.age).count == 3)
        #expect(
            groupValues(try await manager.groups(User.rows, by: .key(\.isActive), computing: .max(\.name))) == ["Dan"])
        var names: [String] = []
        for try await user in manager.objects(User.sorted(by: "name")) { names.append(user.name) }
        try await manager.forEach(User.where(\.age == nil)) { names.append($0.name) }
        #expect(names == ["Ada", "Bo", "Cy", "Dan", "Bo"])
    }

    @Test("watches all objects of a class", .local(.connection))
    func observes() async throws {
        var names = manager.observe(User.where(\.age == 30).sorted(by: "name")).makeAsyncIterator()
        #expect(try await names.next()?.map(\.name) == ["Ada", "Dan"])
    }

    @Test("exports rows of a class, to a file and as bytes")
    func exports() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "users.csv")
        #expect(try manager.exportCSV(User.where(\.age == 30).sorted(by: "name"), to: url, keys: .properties) == 2)
        #expect(try String(contentsOf: url, encoding: .utf8).contains("Dan"))
        let json = directory.url.appending(path: "users.json")
        #expect(try manager.exportJSON(User.where(\.name == "Cy"), to: json, .lines) == 1)
    }

    @Test("exports rows of a class as bytes, while the task is suspended")
    func exportedBytes() async throws {
        var text = Data()
        for try await bytes in manager.json(User.where(\.name == "Cy")) { text.append(contentsOf: bytes) }
        #expect(String(decoding: text, as: UTF8.self).contains("Cy"))
        text = Data()
        for try await bytes in manager.csv(User.sorted(by: "name")) { text.append(contentsOf: bytes) }
        #expect(String(decoding: text, as: UTF8.self).contains("Ada"))
    }

    @Test("sets properties of the rows of a class that match a condition")
    func updates() throws {
        #expect(try manager.update(User.where(\.age == 30), set: ["score": 2.5]) == 2)
        #expect(try manager.sum(User.rows, \.score) == 5)
    }

    @Test("sets properties of the rows of a class, while the task is suspended")
    func updatesSuspended() async throws {
        #expect(try await manager.update(User.where(\.name == "Cy"), set: ["score": 1]) == 1)
        #expect(try await manager.sum(User.rows, \.score) == 1)
    }

    @Test("judges the fetch of a class", .local(.connection))
    func lint() throws {
        #expect(try manager.lint(User.sorted(by: "score"), minimumRows: 1).isEmpty == false)
        #expect(try manager.lint(User.sorted(by: "id"), minimumRows: 1).isEmpty)
    }

}
