import Foundation
import Persisting
import Testing

/// What the manager's asynchronous forms run is run by the task that calls them.
@Suite("Closures of tasks")
struct TaskClosureTests {
    private enum Trail {
        @TaskLocal static var name = "none"
    }

    /// The asynchronous forms that take a closure.
    enum Form: CaseIterable, Sendable {
        case transaction, read, write

        func run<T: Sendable>(
            _ manager: PersistenceManager, _ body: @escaping @Sendable () throws -> T
        ) async throws -> T {
            switch self {
            case .transaction: try await manager.transaction { try body() }
            case .read: try await manager.read { _ in try body() }
            case .write: try await manager.write { _ in try body() }
            }
        }
    }

    // F15
    @Test("a closure has the task's local values", arguments: Form.allCases)
    func taskLocal(_ form: Form) async throws {
        let manager = try PersistenceManager(.memory)
        let name = try await Trail.$name.withValue("request 7") { try await form.run(manager) { Trail.name } }
        #expect(name == "request 7")
    }

    // F15
    @Test("a closure sees that its task has been cancelled", arguments: Form.allCases)
    func cancelled(_ form: Form) async throws {
        let manager = try PersistenceManager(.memory)
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await form.run(manager) {
                continuation.yield()
                while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
                throw Seen()
            }
        }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: Seen.self) { try await task.value }
    }

    // F15
    @Test("a function in a closure's place does not block the caller's thread")
    func functions() async throws {
        let manager = try PersistenceManager(.memory)
        #expect(try await manager.transaction(runningThread) != runningThread())
        #expect(try await manager.read(runningThread) != runningThread())
        #expect(try await manager.write(runningThread) != runningThread())
    }

    // F15
    @Test("a function may return objects to the caller's actor") @MainActor
    func objects() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Album.self)
        #expect(try await manager.write(albums).count == 0)
        #expect(try await manager.transaction(noAlbums).count == 0)
        #expect(try await manager.read(albums).count == 0)
    }
}

private struct Seen: Error {}

private func runningThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
private func runningThread(_ db: Database) throws -> ObjectIdentifier { runningThread() }
private func noAlbums() throws -> [Album] { [] }
private func albums(_ db: Database) throws -> [Album] { [] }
