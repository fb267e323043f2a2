import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("Many threads and tasks", .timeLimit(.minutes(20)))
struct ConcurrencyTests {
    private static func increment(_ db: Database) throws {
        let number = try db.scalar("SELECT n FROM counter", as: Int.self) ?? 0
        try db.execute("UPDATE counter SET n = ?", [number + 1])
    }

    private static let counter = "CREATE TABLE counter (n); INSERT INTO counter VALUES (0)"

    private func number(_ queue: DatabaseQueue) async throws -> Int? {
        try await queue.read { db in try db.scalar("SELECT n FROM counter", as: Int.self) }
    }

    // K9
    @Test("increments by many tasks lose none")
    func tasks() async throws {
        let queue = try DatabaseQueue(.memory)
        try await queue.write { db in try db.executeScript(SQL(Self.counter)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<25 { try await queue.write { db in try Self.increment(db) } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await number(queue) == 500)
    }

    // K9
    @Test("increments by threads and tasks at once lose none")
    func threadsAndTasks() async throws {
        let queue = try DatabaseQueue(.memory)
        try await queue.write { db in try db.executeScript(SQL(Self.counter)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<12 {
                if index.isMultiple(of: 2) {
                    group.addTask {
                        try await onThread { for _ in 0..<25 { try queue.write { try Self.increment($0) } } }
                    }
                } else {
                    group.addTask { for _ in 0..<25 { try await queue.write { try Self.increment($0) } } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await number(queue) == 300)
    }

    // K9
    @Test("increments through two queues on one file lose none")
    func twoQueues() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(60)
        configuration.synchronous = .off
        let queues = [
            try DatabaseQueue(directory.file(), configuration: configuration),
            try DatabaseQueue(directory.file(), configuration: configuration),
        ]
        try await queues[0].write { db in try db.executeScript(SQL(Self.counter)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                let queue = queues[index % 2]
                group.addTask { for _ in 0..<25 { try await queue.write { try Self.increment($0) } } }
            }
            try await group.waitForAll()
        }
        #expect(try await number(queues[0]) == 200)
        #expect(try await number(queues[1]) == 200)
    }

    // K9
    @Test("reads and writes at once see whole transactions alone")
    func wholeTransactions() async throws {
        let queue = try DatabaseQueue(.memory)
        try await queue.write { db in try db.executeScript("CREATE TABLE t (a, b); INSERT INTO t VALUES (0, 0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try await queue.write { db in
                            try db.execute("UPDATE t SET a = a + 1")
                            try db.execute("UPDATE t SET b = b + 1")
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<25 {
                        let isWhole = try await queue.read { db in
                            let a = try db.scalar("SELECT a FROM t", as: Int.self)
                            return try db.scalar("SELECT b FROM t", as: Int.self) == a
                        }
                        #expect(isWhole)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // K9
    @Test("64 tasks that wait for a writer keep no other task from running")
    func manyWaiters() async throws {
        let queue = try DatabaseQueue(.memory)
        let isHeld = Signal()
        let gate = DispatchSemaphore(value: 0)
        let done = Shared(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await queue.write { _ in
                    isHeld.send()
                    gate.wait()
                }
            }
            await isHeld.wait()
            for _ in 0..<64 {
                group.addTask { try await queue.read { _ in done.update { $0 += 1 } } }
            }
            // As many unrelated tasks, each with several accesses; they end only if the waiters hold no thread.
            await withTaskGroup(of: Void.self) { unrelated in
                for _ in 0..<64 {
                    unrelated.addTask { for _ in 0..<4 { await Task.yield() } }
                }
            }
            #expect(done.value == 0)
            gate.signal()
            try await group.waitForAll()
        }
        #expect(done.value == 64)
    }

    // K9
    @Test("an actor may use a queue")
    func actor() async throws {
        actor Library {
            let queue: DatabaseQueue
            init() throws { queue = try DatabaseQueue(.memory) }
            func prepare() async throws {
                try await queue.write { db in try db.executeScript(SQL(ConcurrencyTests.counter)) }
            }
            func next() async throws -> Int? {
                try await queue.write { db in
                    try ConcurrencyTests.increment(db)
                    return try db.scalar("SELECT n FROM counter", as: Int.self)
                }
            }
        }
        let library = try Library()
        try await library.prepare()
        #expect(try await library.next() == 1)
        #expect(try await library.next() == 2)
    }

    // K10
    @Test("the async forms return what their closures return, and throw what they throw")
    func asyncForms() async throws {
        let queue = try DatabaseQueue(.memory)
        let written = try await queue.write { db in
            try db.execute("CREATE TABLE t (a)")
            return try db.execute("INSERT INTO t VALUES (1), (2)")
        }
        #expect(written == 2)
        let read = try await queue.read { db in try db.rows("SELECT a FROM t ORDER BY a") }
        #expect(try read.map { try $0["a"] as Int } == [1, 2])
        try await queue.withoutTransaction { db in try db.execute("VACUUM") }
        await #expect(throws: TestError.self) {
            try await queue.write { db in
                try db.execute("DELETE FROM t")
                throw TestError()
            }
        }
        #expect(try await queue.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 2)
    }

    // K10
    @Test("a write inside a read throws in a task too")
    func asyncWriteInRead() async throws {
        let queue = try DatabaseQueue(.memory)
        let error = try await queue.read { _ in failure { try queue.write { _ in } } }
        #expect(error?.extendedCode == .notAllowedHere)
    }

    // K10
    @Test("a transaction that an async closure left open is rolled back and reported")
    func asyncLeftOpen() async throws {
        let queue = try DatabaseQueue(.memory)
        let error = await failure { try await queue.withoutTransaction { db in try db.execute("BEGIN") } }
        #expect(error?.extendedCode == .notAllowedHere)
        #expect(await failure { try await queue.write { _ in } } == nil)
    }
}
