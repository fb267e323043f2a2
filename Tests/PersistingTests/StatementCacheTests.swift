import Foundation
import Persisting
import Testing

@Suite("What a verb costs")
struct StatementCacheTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self)
        try manager.insert((0..<10).map { (number: Int) in User(name: "\(number)") })
    }

    /// How many statements were found in the cache and how many prepared while `body` ran, but for those that asking
    /// costs.
    private func cost(_ body: () throws -> Void) throws -> (found: Int, prepared: Int) {
        let before = try manager.statistics
        try body()
        let after = try manager.statistics
        return (after.hits - before.hits, after.misses - before.misses)
    }

    @Test("A second fetch by key prepares nothing, and runs one statement: no transaction", .local(.connection))
    func find() throws {
        // F11
        _ = try manager.find(User.self, 1)
        #expect(try cost { _ = try manager.find(User.self, 2) } == (1, 0))
    }

    @Test("A second fetch by the same condition prepares nothing, though its values differ", .local(.connection))
    func criteria() throws {
        // F11
        _ = try manager.fetchAll(User.self, where: \.name == "1", sortedBy: "id", limit: 3)
        let cost = try cost { _ = try manager.fetchAll(User.self, where: \.name == "2", sortedBy: "id", limit: 4) }
        #expect(cost == (1, 0))
    }

    @Test("A second insert, update and delete prepare nothing, and each is one statement", .local(.connection))
    func writes() throws {
        // F11, F14
        func all(_ name: String) throws {
            let user = User(name: name)
            try manager.save(user)
            user.age = 1
            try manager.save(user)
            try manager.delete(user)
        }
        try all("a")
        #expect(try cost { try all("b") } == (3, 0))
    }

    @Test("A second count prepares nothing", .local(.connection))
    func count() throws {
        // F11
        _ = try manager.count(User.self, where: ["name": "1"])
        #expect(try cost { _ = try manager.count(User.self, where: ["name": "2"]) } == (1, 0))
    }

    @Test("A batch takes its inserts from the cache once, in one transaction", .local(.connection))
    func batch() throws {
        // F11, F14
        // The first transaction asks whether the database has a history.
        try manager.transaction {}
        let cost = try cost { try manager.insert((0..<100).map { (number: Int) in User(name: "\(number)") }) }
        // Those of the transaction are kept next to the cache: the INSERTs of one row, of 64 and of 32, and the greatest
        // key.
        #expect(cost.found + cost.prepared == 4)
    }

    @Test("Equal dictionaries make one statement, whatever the order of their keys", .local(.connection))
    func dictionaries() throws {
        // F11, F71
        _ = try manager.fetchAll(User.self, where: Criteria(["name": "1", "age": 2, "score": 3.0]))
        let cost = try cost {
            _ = try manager.fetchAll(User.self, where: Criteria(["score": 1.0, "age": 1, "name": "2"]))
        }
        #expect(cost == (1, 0))
    }
}
