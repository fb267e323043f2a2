import Foundation
import SQLiteKit
import Testing

/// What the asynchronous forms run is run by the task that calls them.
@Suite("Closures of tasks")
struct TaskAccessTests {
    private enum Trail {
        @TaskLocal static var name = "none"
    }

    /// The asynchronous forms, each with what it has beneath.
    enum Form: CaseIterable, Sendable {
        case read, write, withoutTransaction

        func run<T: Sendable>(
            _ database: some DatabaseAccess, _ body: @escaping @Sendable (Database) throws -> T
        ) async throws -> T {
            switch self {
            case .read: try await database.read { try body($0) }
            case .write: try await database.write { try body($0) }
            case .withoutTransaction: try await database.withoutTransaction { try body($0) }
            }
        }
    }

    // K11
    @Test("a closure has the task's local values", arguments: Form.allCases)
    func taskLocal(_ form: Form) async throws {
        let queue = try DatabaseQueue(.memory)
        let name = try await Trail.$name.withValue("request 7") { try await form.run(queue) { _ in Trail.name } }
        #expect(name == "request 7")
    }

    // K11
    @Test("a function of SQL has the local values of the task that runs it")
    func taskLocalInFunction() async throws {
        let queue = try DatabaseQueue(.memory)
        let name = try await Trail.$name.withValue("request 7") {
            try await queue.read { db in
                try db.addFunction("trail", argumentCount: 0) { _ in Trail.name }
                return try db.scalar("SELECT trail()", as: String.self)
            }
        }
        #expect(name == "request 7")
    }

    // K11
    @Test("a closure sees that its task has been cancelled", arguments: Form.allCases)
    func cancelled(_ form: Form) async throws {
        let queue = try DatabaseQueue(.memory)
        let (begun, sawIt) = (Signal(), Shared(false))
        let task = Task {
            try await form.run(queue) { _ in
                begun.send()
                while !Task.isCancelled { Thread.sleep(forTimeInterval: 0.001) }
                sawIt.update { $0 = true }
            }
        }
        await begun.wait()
        task.cancel()
        _ = await task.result
        #expect(sawIt.value)
    }

    // K11
    @Test("a closure of a task that goes on is not told that it was cancelled", arguments: Form.allCases)
    func notCancelled(_ form: Form) async throws {
        let queue = try DatabaseQueue(.memory)
        #expect(try await form.run(queue) { _ in Task.isCancelled } == false)
    }

    // K11
    @Test("a function in a closure's place does not block the caller's thread")
    func functions() async throws {
        let queue = try DatabaseQueue(.memory)
        #expect(try await queue.read(runningThread) != runningThread())
        #expect(try await queue.write(runningThread) != runningThread())
        #expect(try await queue.withoutTransaction(runningThread) != runningThread())
    }

    // K11
    @Test("a function whose result is not Sendable does not block the caller's thread either")
    func functionsOfReferences() async throws {
        let queue = try DatabaseQueue(.memory)
        #expect(try await queue.read(reference).thread != runningThread())
        #expect(try await queue.write(reference).thread != runningThread())
        #expect(try await queue.withoutTransaction(reference).thread != runningThread())
    }

    // K11
    @Test("a closure in a variable does not block the caller's thread either")
    func variables() async throws {
        let queue = try DatabaseQueue(.memory)
        let body: (Database) throws -> ObjectIdentifier = { _ in runningThread() }
        #expect(try await queue.read(body) != runningThread())
    }

    // K11
    @Test("a function in a closure's place is called at once where nothing can wait")
    func functionsWithoutTask() throws {
        let queue = try DatabaseQueue(.memory)
        #expect(try queue.read(runningThread) == runningThread())
        #expect(try queue.write(runningThread) == runningThread())
        #expect(try queue.withoutTransaction(runningThread) == runningThread())
    }

    // K11
    @Test("a task goes on where it was when its closure has ended") @MainActor
    func isolation() async throws {
        let queue = try DatabaseQueue(.memory)
        _ = try await queue.read { db in try db.scalar("SELECT 1", as: Int.self) }
        MainActor.assertIsolated()
    }

    // K11
    @Test("a closure's access has ended when its task goes on")
    func accessHasEnded() async throws {
        let queue = try DatabaseQueue(.memory)
        for _ in 0..<100 {
            _ = try await queue.write { _ in 1 }
            #expect(!queue.isMine)
        }
    }
}

private final class Reference {
    let thread = runningThread()
}

private func runningThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

private func runningThread(_ db: Database) throws -> ObjectIdentifier { runningThread() }

private func reference(_ db: Database) throws -> Reference { Reference() }
