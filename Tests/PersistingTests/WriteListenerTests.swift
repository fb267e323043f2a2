import Foundation
import Persisting
import Testing

/// What is reported after each commit.
@Suite("What was written")
struct WriteListenerTests {
    private let manager: PersistenceManager
    private let heard = Heard()

    init() throws {
        manager = try memoryManager(User.self)
        _ = manager.listeners.add { [heard] changes in heard.append(changes) }
    }

    /// The reports so far, each change as a text.
    private final class Heard: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var known: [[String]] = []

        var reports: [[String]] { lock.withLock { known } }

        func append(_ changes: [RowChange]) {
            let texts = changes.map { change in
                let key = change.key.map { $0.map { "\($0)" }.joined(separator: ", ") } ?? "rows"
                let keys = change.keys.sorted().joined(separator: ", ")
                return "\(change.kind) \(change.tableName) \(key)" + (change.kind == .update ? ": \(keys)" : "")
            }
            lock.withLock { known.append(texts) }
        }
    }

    @Test("of single writes outside a transaction")
    func singles() throws {
        let user = User(name: "a")
        try manager.insert(user)
        user.age = 3
        try manager.save(user)
        try manager.upsert(user)
        try manager.delete(user)
        #expect(heard.reports == [["insert USER 1"], ["update USER 1: age"], ["upsert USER 1"], ["delete USER 1"]])
    }

    @Test("of a batch, in one report")
    func batch() throws {
        try manager.insert([User(name: "a"), User(name: "b")])
        #expect(heard.reports == [["insert USER 1", "insert USER 2"]])
    }

    @Test("of an asynchronous batch")
    func asynchronousBatch() async throws {
        try await manager.insert([User(name: "a"), User(name: "b")])
        #expect(heard.reports == [["insert USER 1", "insert USER 2"]])
    }

    @Test("of asynchronous single writes")
    func asynchronousSingles() async throws {
        let user = User(name: "a")
        try await manager.save(user)
        try await manager.update(user, \.name, to: "b")
        try await manager.delete(user)
        #expect(heard.reports == [["insert USER 1"], ["update USER 1: name"], ["delete USER 1"]])
    }

    @Test("of a transaction, in one report in the order of the writes")
    func transaction() throws {
        try manager.transaction {
            let user = User(name: "a")
            try manager.insert(user)
            try manager.transaction { try manager.insert(User(name: "b")) }
            try manager.update(user, \.name, to: "c")
        }
        #expect(heard.reports == [["insert USER 1", "insert USER 2", "update USER 1: name"]])
    }

    @Test("is nothing after a rollback")
    func rollback() throws {
        try refusing {
            try manager.transaction {
                try manager.insert(User(name: "a"))
                throw Refusal()
            }
        }
        #expect(heard.reports == [])
    }

    @Test("leaves out a savepoint that was rolled back")
    func savepoint() throws {
        try manager.transaction {
            try manager.insert(User(name: "a"))
            try refusing {
                try manager.transaction {
                    try manager.insert(User(name: "b"))
                    throw Refusal()
                }
            }
            try manager.deleteAll(User.self)
        }
        #expect(heard.reports == [["insert USER 1", "delete USER rows"]])
    }

    @Test("is nothing for a write that throws")
    func failure() throws {
        let user = User(name: "a")
        try manager.insert(user)
        let other = User(name: "b")
        other.id = 1
        try #require(throws: PersistenceError.self) { try manager.insert(other) }
        #expect(heard.reports == [["insert USER 1"]])
    }

    @Test("of the rows of a query, without their keys")
    func query() throws {
        try manager.insert([User(name: "a"), User(name: "b")])
        try manager.update(User.where(\.name == "a"), set: ["age": 3])
        try manager.delete(User.where(\.age == 3))
        #expect(heard.reports.dropFirst() == [["update USER rows: age"], ["delete USER rows"]])
    }

    @Test("is told to every listener, until it is removed")
    func several() throws {
        let other = Heard()
        let number = manager.listeners.add { other.append($0) }
        try manager.insert(User(name: "a"))
        manager.listeners.remove(number)
        try manager.insert(User(name: "b"))
        #expect(heard.reports.count == 2 && other.reports.count == 1)
    }
}
