import Dispatch
import SQLiteKit
import Testing

@Suite("Waiting for access", .timeLimit(.minutes(20)))
struct DeadlockTests {
    private func queue(_ accessTimeout: Duration? = nil) throws -> DatabaseQueue {
        var configuration = DatabaseConfiguration()
        configuration.accessTimeout = accessTimeout
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        return queue
    }

    // K10, FMDB: reentrancy
    @Test("one queue inside another inside the first joins the first")
    func nestedQueues() throws {
        let a = try queue()
        let b = try queue()
        try a.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            try b.write { _ in
                try a.write { db in try db.execute("INSERT INTO t VALUES (2)") }
                let seen = try a.read { db in try db.column("SELECT a FROM t ORDER BY a", as: Int.self) }
                #expect(seen == [1, 2])
            }
        }
    }

    // K10, FMDB: reentrancy
    @Test("the closure of a task joins the queue it runs on")
    func nestedInTask() async throws {
        let a = try queue()
        let seen = try await a.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            try a.write { db in _ = try db.execute("INSERT INTO t VALUES (2)") }
            return try a.read { db in try db.column("SELECT a FROM t ORDER BY a", as: Int.self) }
        }
        #expect(seen == [1, 2])
    }

    // K10, FMDB: reentrancy
    @Test("a circle of two threads throws in one of them, and the other goes on")
    func circle() async throws {
        let a = try queue()
        let b = try queue()
        let hasA = DispatchSemaphore(value: 0)
        let hasB = DispatchSemaphore(value: 0)
        async let first = onThread {
            try a.write { _ in
                hasA.signal()
                hasB.wait()
                return failure { try b.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
            }
        }
        async let second = onThread {
            try b.write { _ in
                hasB.signal()
                hasA.wait()
                return failure { try a.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
            }
        }
        let errors = try await [first, second].compactMap(\.self)
        #expect(errors.map(\.extendedCode) == [.deadlock])
        #expect(failure { try a.write { _ in } } == nil)
        #expect(failure { try b.write { _ in } } == nil)
    }

    // K10, FMDB: reentrancy
    @Test("a circle of three threads throws in one of them")
    func circleOfThree() async throws {
        let queues = try (0..<3).map { _ in try queue() }
        let ready = (0..<3).map { _ in DispatchSemaphore(value: 0) }
        let errors = try await withThrowingTaskGroup(of: SQLiteError?.self) { group in
            for index in 0..<3 {
                let (own, next) = (queues[index], queues[(index + 1) % 3])
                group.addTask {
                    try await onThread {
                        try own.write { _ in
                            ready[index].signal()
                            ready[(index + 1) % 3].wait()
                            return failure { try next.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
                        }
                    }
                }
            }
            return try await group.reduce(into: [SQLiteError?]()) { $0.append($1) }
        }
        #expect(errors.compactMap(\.self).map(\.extendedCode) == [.deadlock])
    }

    // K10, FMDB: reentrancy
    @Test("a circle of closures that tasks run throws in one of them")
    func circleOfTasks() async throws {
        let a = try queue()
        let b = try queue()
        let hasA = DispatchSemaphore(value: 0)
        let hasB = DispatchSemaphore(value: 0)
        async let first = a.write { _ in
            hasA.signal()
            hasB.wait()
            return failure { try b.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
        }
        async let second = b.write { _ in
            hasB.signal()
            hasA.wait()
            return failure { try a.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
        }
        let errors = try await [first, second].compactMap(\.self)
        #expect(errors.map(\.extendedCode) == [.deadlock])
    }

    // K10, FMDB: max pool reached
    @Test("a thread that isn't granted access in time throws, and the queue stays usable")
    func threadTimeout() async throws {
        let queue = try queue(.milliseconds(20))
        let isHeld = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let holder: Void = onThread {
            try queue.write { _ in
                isHeld.send()
                gate.wait()
            }
        }
        await isHeld.wait()
        let error = try await onThread { failure { try queue.read { _ in } } }
        gate.signal()
        try await holder
        #expect(error?.extendedCode == .accessTimeout)
        #expect(error?.code == .busy)
        #expect(try await onThread { failure { try queue.read { _ in } } } == nil)
    }

    // K10, FMDB: max pool reached
    @Test("a task that isn't granted access in time throws, and the queue stays usable")
    func taskTimeout() async throws {
        let queue = try queue(.milliseconds(20))
        let isHeld = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let holder: Void = queue.write { _ in
            isHeld.send()
            gate.wait()
        }
        await isHeld.wait()
        let error = await failure { try await queue.read { _ in } }
        gate.signal()
        try await holder
        #expect(error?.extendedCode == .accessTimeout)
        #expect(await failure { try await queue.read { _ in } } == nil)
    }

    // K10, FMDB: max pool reached
    @Test("a timeout of zero does not wait, but takes a connection that is free")
    func zeroTimeout() async throws {
        let queue = try queue(.zero)
        let isHeld = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let holder: Void = queue.write { _ in
            isHeld.send()
            gate.wait()
        }
        await isHeld.wait()
        #expect(await failure { try await queue.read { _ in } }?.extendedCode == .accessTimeout)
        #expect(try await onThread { failure { try queue.close() } }?.extendedCode == .accessTimeout)
        gate.signal()
        try await holder
        #expect(await failure { try await queue.read { _ in } } == nil)
    }

    // K10, FMDB: max pool reached
    @Test("the longest of all timeouts waits")
    func longTimeout() async throws {
        let queue = try queue(.seconds(Int64.max))
        async let first: Void = queue.write { _ in }
        async let second: Void = onThread { try queue.write { _ in } }
        try await first
        try await second
    }
}
