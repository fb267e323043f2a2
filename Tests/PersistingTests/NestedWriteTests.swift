import Persisting
import SQLiteKit
import Testing

@Suite("A write that a write's trigger calls")
struct NestedWriteTests {
    private let manager: PersistenceManager
    private let users = [User(name: "a"), User(name: "b"), User(name: "c")]

    init() throws {
        manager = try memoryManager(User.self)
        try manager.insert(users)
    }

    /// Has a trigger call `body` for the first user's row.
    private func whenWritten(_ event: String, _ body: @escaping () throws -> Void) throws {
        // One thread runs the test, and the trigger on it.
        nonisolated(unsafe) let body = body
        try manager.database.write { db in
            try db.addFunction("nested", argumentCount: 0) { _ in
                try body()
                return nil
            }
        }
        let row = event == "DELETE" ? "OLD" : "NEW"
        try manager.run("CREATE TRIGGER T AFTER \(event) ON USER WHEN \(row).NAME = 'nest' BEGIN SELECT nested(); END")
    }

    @Test("updates the same column of another object", .local(.connection))
    func update() throws {
        try whenWritten("UPDATE") { try users[1].update(\.name, to: "nested") }
        try manager.transaction {
            try users[2].update(\.name, to: "before")
            try users[0].update(\.name, to: "nest")
            try users[2].update(\.name, to: "after")
        }
        #expect(try manager.storedColumn("SELECT NAME FROM USER") == [.text("nest"), .text("nested"), .text("after")])
        #expect(users.allSatisfy { !$0.hasChanges })
    }

    @Test("deletes another object", .local(.connection))
    func delete() throws {
        try users[0].update(\.name, to: "nest")
        try whenWritten("DELETE") { try manager.delete(users[1]) }
        try manager.transaction { for user in [users[0], users[2]] { try manager.delete(user) } }
        #expect(try manager.rowCount("USER") == 0)
        #expect(users.map(\.isDeleted) == [true, true, true])
    }

    @Test("inserts another object", .local(.connection))
    func insert() throws {
        let (nested, others) = (User(name: "nested"), ["before", "nest", "after"].map { User(name: $0) })
        try whenWritten("INSERT") { try manager.insert(nested) }
        try manager.transaction { for user in others { try manager.insert(user) } }
        #expect(try manager.stored("SELECT count(DISTINCT ID) FROM USER") == .integer(7))
        let names = try (others + [nested]).map { try manager.find(User.self, $0.id)?.name }
        #expect(names == ["before", "nest", "after", "nested"])
    }
}
