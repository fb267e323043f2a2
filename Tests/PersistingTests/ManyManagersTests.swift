import Foundation
import Persisting
import Testing

@Suite("Many managers")
struct ManyManagersTests {
    // F15
    @Test("transactions of any number of managers may wait for another manager", .timeLimit(.minutes(20)))
    func waitForOne() async throws {
        let count = 600
        let hub = try PersistenceManager(.memory)
        try await hub.execute("CREATE TABLE visit (name INTEGER)")
        let managers = try (0..<count).map { _ in try PersistenceManager(.memory) }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await hub.transaction {
                    // Until then each of the others holds its own database.
                    while hub.database.waiterCount < count { Thread.sleep(forTimeInterval: 0.001) }
                }
            }
            for (name, manager) in managers.enumerated() {
                group.addTask {
                    try await manager.transaction { _ = try hub.execute("INSERT INTO visit VALUES (\(name))") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await hub.read { try $0.scalar("SELECT count(*) FROM visit", as: Int.self) } == count)
    }

    // F15
    @Test("a task's closure begins while any number of threads wait for its database", .timeLimit(.minutes(20)))
    func waitForTask() async throws {
        let count = 600
        let hub = try PersistenceManager(.memory)
        try await hub.execute("CREATE TABLE visit (name INTEGER)")
        let managers = try (0..<count).map { _ in try PersistenceManager(.memory) }
        try await withThrowingTaskGroup { group in
            for (name, manager) in managers.enumerated() {
                group.addTask {
                    try await manager.transaction { _ = try hub.execute("INSERT INTO visit VALUES (\(name))") }
                }
                group.addTask { _ = try await hub.execute("INSERT INTO visit VALUES (\(name))") }
            }
            try await group.waitForAll()
        }
        #expect(try await hub.read { try $0.scalar("SELECT count(*) FROM visit", as: Int.self) } == 2 * count)
    }
}
