import Foundation
import Persisting
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
        let counts = try manager.count(User.self, by: \.age)
        #expect(counts.map(\.group) == [nil, 30, 40])
        #expect(counts.map(\.count) == [1, 2, 1])
    }

    @Test("a condition narrows it")
    func condition() throws {
        #expect(try manager.count(User.self, by: \.age, where: \.age > 30).map(\.count) == [1])
    }

    @Test("counts different values")
    func distinct() throws {
        #expect(try manager.count(User.self, distinct: \.age) == 2)
    }

    @Test("sums of a property that is Optional and of one that is not are of one type")
    func sums() throws {
        let ages: Int? = try manager.sum(User.self, \.age)
        let scores: Double? = try manager.sum(User.self, \.score)
        #expect(ages == 100)
        #expect(scores == 0)
    }

    @Test("the least and the greatest by groups")
    func extremes() throws {
        #expect(try manager.max(User.self, \.name, by: \.age).map(\.value) == ["Bo", "Dan", "Cy"])
        #expect(try manager.min(User.self, \.name, by: \.age).map(\.value) == ["Bo", "Ada", "Cy"])
    }

    @Test("sums and averages by groups")
    func figures() throws {
        #expect(try manager.sum(User.self, \.age, by: \.isActive).map(\.value) == [100])
        #expect(try manager.average(User.self, \.age, by: \.isActive, where: \.age == 30).map(\.value) == [30])
    }

    @Test("values of a property in an order")
    func values() throws {
        #expect(
            try manager.values(User.self, \.name, where: \.age != nil, sortedBy: "name desc") == ["Dan", "Cy", "Ada"])
    }

    @Test("some properties of each row")
    func select() throws {
        let rows = try manager.select(User.self, \.name, \.age, sortedBy: "name")
        #expect(rows.map(\.0) == ["Ada", "Bo", "Cy", "Dan"])
        #expect(rows.map(\.1) == [30, nil, 40, 30])
    }

    @Test("dictionaries of some keys")
    func dictionaries() throws {
        let names = try manager.dictionaries(User.self, keys: ["name"], sortedBy: "name").map { $0["name"] as? String }
        #expect(names == ["Ada", "Bo", "Cy", "Dan"])
    }

    @Test("pages follow each other")
    func pages() throws {
        let first = try manager.fetchPage(User.self, sortedBy: "name", limit: 3)
        let second = try manager.fetchPage(User.self, sortedBy: "name", after: first.last, limit: 3)
        #expect(first.map(\.name) == ["Ada", "Bo", "Cy"])
        #expect(second.map(\.name) == ["Dan"])
    }

    @Test("sections of all rows")
    func sections() throws {
        let sections = try manager.sections(User.self, by: \.age, sortedBy: "age, name")
        #expect(sections.map(\.name) == [nil, 30, 40])
    }

    @Test("sections need an order that begins with the property")
    func sectionsWithoutOrder() throws {
        let error = #expect(throws: PersistenceError.self) {
            try manager.sections(User.self, by: \.age, sortedBy: "name")
        }
        #expect(error?.code == .invalidOrdering)
    }

    @Test("goes through all objects, one or some at a time")
    func streams() throws {
        var names: [String] = []
        try manager.forEach(User.self, sortedBy: "name") { names.append($0.name) }
        #expect(names == ["Ada", "Bo", "Cy", "Dan"])
        var sizes: [Int] = []
        try manager.forEachBatch(User.self, of: 3) { sizes.append($0.count) }
        #expect(sizes == [3, 1])
    }

    @Test("the asynchronous forms do the same")
    func suspended() async throws {
        #expect(try await manager.count(User.self, by: \.age).map(\.count) == [1, 2, 1])
        #expect(try await manager.values(User.self, \.name, sortedBy: "name") == ["Ada", "Bo", "Cy", "Dan"])
        #expect(try await manager.fetchPage(User.self, sortedBy: "name", limit: 1).map(\.name) == ["Ada"])
        #expect(try await manager.sections(User.self, by: \.age, sortedBy: "age").count == 3)
        #expect(try await manager.max(User.self, \.name, by: \.isActive).map(\.value) == ["Dan"])
        var names: [String] = []
        for try await user in manager.objects(User.self, sortedBy: "name") { names.append(user.name) }
        try await manager.forEach(User.self, where: \.age == nil) { names.append($0.name) }
        #expect(names == ["Ada", "Bo", "Cy", "Dan", "Bo"])
    }

    @Test("watches all objects of a class")
    func observes() async throws {
        var names = manager.observe(User.self, where: \.age == 30, sortedBy: "name").makeAsyncIterator()
        #expect(try await names.next()?.map(\.name) == ["Ada", "Dan"])
    }

    @Test("exports rows of a class, to a file and as bytes")
    func exports() throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "users.csv")
        #expect(try manager.exportCSV(User.self, where: \.age == 30, sortedBy: "name", to: url, keys: .properties) == 2)
        #expect(try String(contentsOf: url, encoding: .utf8).contains("Dan"))
        let json = directory.url.appending(path: "users.json")
        #expect(try manager.exportJSON(User.self, where: \.name == "Cy", to: json, .lines) == 1)
    }

    @Test("exports rows of a class as bytes, while the task is suspended")
    func exportedBytes() async throws {
        var text = Data()
        for try await bytes in manager.json(User.self, where: \.name == "Cy") { text.append(contentsOf: bytes) }
        #expect(String(decoding: text, as: UTF8.self).contains("Cy"))
        text = Data()
        for try await bytes in manager.csv(User.self, sortedBy: "name") { text.append(contentsOf: bytes) }
        #expect(String(decoding: text, as: UTF8.self).contains("Ada"))
    }

    @Test("sets properties of the rows of a class that match a condition")
    func updates() throws {
        #expect(try manager.update(User.self, where: \.age == 30, set: ["score": 2.5]) == 2)
        #expect(try manager.sum(User.self, \.score) == 5)
    }

    @Test("sets properties of the rows of a class, while the task is suspended")
    func updatesSuspended() async throws {
        #expect(try await manager.update(User.self, where: \.name == "Cy", set: ["score": 1]) == 1)
        #expect(try await manager.sum(User.self, \.score) == 1)
    }

    @Test("judges the fetch of a class")
    func lint() throws {
        #expect(try manager.lint(User.self, sortedBy: "score", minimumRows: 1).isEmpty == false)
        #expect(try manager.lint(User.self, sortedBy: "id", minimumRows: 1).isEmpty)
    }

}
