import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("Waiting for a pool", .timeLimit(.minutes(20)))
struct PoolWaitingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func pool(
        _ name: String = "test.sqlite", readers: Int = 2, accessTimeout: Duration? = nil
    ) throws -> DatabasePool {
        var configuration = DatabaseConfiguration()
        configuration.maximumReaders = readers
        configuration.accessTimeout = accessTimeout
        configuration.synchronous = .off
        let pool = try DatabasePool(directory.file(name), configuration: configuration)
        try pool.write { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        return pool
    }

    /// Readers that stay inside until they are let go.
    private struct Held {
        let gate = DispatchSemaphore(value: 0)
        let count: Int
        let tasks: [Task<Void, any Error>]

        init(_ pool: DatabasePool, _ count: Int) async {
            self.count = count
            let isInside = Signal()
            let gate = gate
            var tasks: [Task<Void, any Error>] = []
            for _ in 0..<count {
                tasks.append(
                    Task {
                        try await pool.read { _ in
                            isInside.send()
                            gate.wait()
                        }
                    })
                await isInside.wait()
            }
            self.tasks = tasks
        }

        func letGo() async throws {
            for _ in 0..<count { gate.signal() }
            for task in tasks { try await task.value }
        }
    }

    // K11
    @Test("no more readers than the configuration allows are inside at once")
    func bound() async throws {
        let pool = try pool(readers: 3)
        let inside = Shared((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    try await pool.read { _ in
                        inside.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        Thread.sleep(forTimeInterval: 0.0005)
                        inside.update { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(inside.value.most))
    }

    // K11
    @Test("readers that wait get access in the order they came, threads and tasks alike")
    func order() async throws {
        let pool = try pool(readers: 1)
        let held = await Held(pool, 1)
        let order = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    if index.isMultiple(of: 2) {
                        try await pool.read { _ in order.update { $0.append(index) } }
                    } else {
                        try await onThread { try pool.read { _ in order.update { $0.append(index) } } }
                    }
                }
                while pool.waiterCount <= index { await Task.yield() }
            }
            try await held.letGo()
            try await group.waitForAll()
        }
        #expect(order.value == Array(0..<8))
    }

    // K11
    @Test("a reader that isn't granted access in time throws, and the pool stays usable")
    func timeout() async throws {
        let pool = try pool(accessTimeout: .milliseconds(20))
        let held = await Held(pool, 2)
        let errors = [
            await failure { try await pool.read { _ in } },
            try await onThread { failure { try pool.read { _ in } } },
            try await onThread { failure { try pool.close() } },
        ]
        #expect(errors.map { $0?.extendedCode } == [.accessTimeout, .accessTimeout, .accessTimeout])
        #expect(errors[0]?.message.contains("a reader of \(directory.path())") == true)
        try await pool.write { _ in }
        try await held.letGo()
        #expect(await failure { try await pool.read { _ in } } == nil)
    }

    // K16
    @Test("a task that is cancelled while it waits throws, and the pool stays usable")
    func cancelledWhileWaiting() async throws {
        let pool = try pool()
        let held = await Held(pool, 2)
        let task = Task { try await pool.read { _ in } }
        while pool.waiterCount < 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await held.letGo()
        #expect(await failure { try await pool.read { _ in } } == nil)
    }

    // K16
    @Test(
        "a cancelled task interrupts its own statement alone, of a reader and of the writer", arguments: [true, false])
    func cancelledWhileRunning(_ onReader: Bool) async throws {
        let pool = try pool(readers: 1)
        let hasBegun = Signal()
        let body: @Sendable (Database) throws -> Int? = { db in
            hasBegun.send()
            return try db.scalar(endlessQuery, as: Int.self)
        }
        let task = Task {
            if onReader { return try await pool.read { db in try body(db) } }
            return try await pool.write { db in try body(db) }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await pool.write { db in _ = try db.execute("INSERT INTO t VALUES (2)") }
        #expect(try await pool.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 2)
    }

    // K9
    @Test("64 tasks that wait for the writer keep neither readers nor other tasks from running")
    func manyWaiters() async throws {
        let pool = try pool()
        let isHeld = Signal()
        let gate = DispatchSemaphore(value: 0)
        let done = Shared(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await pool.write { _ in
                    isHeld.send()
                    gate.wait()
                }
            }
            await isHeld.wait()
            for _ in 0..<64 {
                group.addTask { try await pool.write { _ in done.update { $0 += 1 } } }
            }
            while pool.waiterCount < 64 { await Task.yield() }
            let seen = try await Task {
                try await pool.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) }
            }.value
            #expect(seen == 1)
            #expect(done.value == 0)
            gate.signal()
            try await group.waitForAll()
        }
        #expect(done.value == 64)
    }

    // K10, FMDB: reentrancy
    @Test("a pool inside a queue inside the pool joins the pool")
    func nested() throws {
        let pool = try pool()
        let queue = try DatabaseQueue(.memory)
        try pool.write { db in
            try db.execute("INSERT INTO t VALUES (2)")
            let seen = try queue.write { _ in
                try pool.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) }
            }
            #expect(seen == 2)
        }
    }

    // K10, FMDB: reentrancy
    @Test("a circle of two writers throws in one of them and names both ends")
    func circle() async throws {
        let (a, b) = (try pool("a.sqlite"), try pool("b.sqlite"))
        let (hasA, hasB) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first = onThread {
            try a.write { _ in
                hasA.signal()
                hasB.wait()
                return failure { try b.write { _ in } }
            }
        }
        async let second = onThread {
            try b.write { _ in
                hasB.signal()
                hasA.wait()
                return failure { try a.write { _ in } }
            }
        }
        let errors = try await [first, second].compactMap(\.self)
        #expect(errors.map(\.extendedCode) == [.deadlock])
        #expect(errors.first?.message.contains("the writer of \(directory.path("a.sqlite"))") == true)
        #expect(errors.first?.message.contains("the writer of \(directory.path("b.sqlite"))") == true)
    }

    // K10, FMDB: reentrancy
    @Test("no circle is seen while one of the readers that are waited for can go on")
    func oneReaderRuns() async throws {
        let pool = try pool()
        let queue = try DatabaseQueue(.memory)
        let hasQueue = DispatchSemaphore(value: 0)
        let readersOut = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        // Of two readers one waits for the queue, the other runs; the queue's holder waits for a reader.
        async let running: Void = onThread {
            try pool.read { _ in
                readersOut.signal()
                gate.wait()
            }
        }
        async let stuck = onThread {
            try pool.read { _ in
                readersOut.signal()
                hasQueue.wait()
                return failure { try queue.read { _ in } }
            }
        }
        async let holder = onThread {
            readersOut.wait()
            readersOut.wait()
            return try queue.write { _ in
                hasQueue.signal()
                while queue.waiterCount < 1 { Thread.sleep(forTimeInterval: 0.001) }
                return failure { try pool.read { _ in } }
            }
        }
        while pool.waiterCount < 1 { await Task.yield() }
        gate.signal()
        try await running
        #expect(try await holder == nil)
        #expect(try await stuck == nil)
    }

    // K10, FMDB: reentrancy
    @Test("a circle through all the readers throws in one thread")
    func allReadersStuck() async throws {
        let pool = try pool()
        let queue = try DatabaseQueue(.memory)
        let hasQueue = DispatchSemaphore(value: 0)
        let readersOut = DispatchSemaphore(value: 0)
        let read: @Sendable () throws -> SQLiteError? = {
            try pool.read { _ in
                readersOut.signal()
                hasQueue.wait()
                return failure { try queue.read { _ in } }
            }
        }
        async let first = onThread(read)
        async let second = onThread(read)
        async let holder = onThread {
            readersOut.wait()
            readersOut.wait()
            return try queue.write { _ in
                hasQueue.signal()
                hasQueue.signal()
                while queue.waiterCount < 2 { Thread.sleep(forTimeInterval: 0.001) }
                return failure { try pool.read { _ in } }
            }
        }
        let error = try await holder
        #expect(error?.extendedCode == .deadlock)
        #expect(error?.message.contains("a reader of \(directory.path())") == true)
        #expect(error?.message.contains("the database :memory:") == true)
        #expect(try await [first, second].compactMap(\.self).isEmpty)
    }

    // K10, FMDB: reentrancy
    @Test("closing that would wait for its own thread throws")
    func closingInCircle() async throws {
        let pool = try pool()
        let queue = try DatabaseQueue(.memory)
        let hasQueue = DispatchSemaphore(value: 0)
        let isReading = DispatchSemaphore(value: 0)
        async let reader = onThread {
            try pool.read { _ in
                isReading.signal()
                hasQueue.wait()
                return failure { try queue.read { _ in } }
            }
        }
        let closing = try await onThread {
            try queue.write { _ in
                isReading.wait()
                hasQueue.signal()
                while queue.waiterCount < 1 { Thread.sleep(forTimeInterval: 0.001) }
                return failure { try pool.close() }
            }
        }
        #expect(closing?.extendedCode == .deadlock)
        #expect(try await reader == nil)
        #expect(failure { try pool.close() } == nil)
    }
}
