import Foundation
import Persisting
import Testing

@Suite("Observed values")
struct ObserveTests {
    // F120

    enum Kind: CaseIterable {
        case queue, pool, memory

        /// Those that other connections can use.
        static let files: [Kind] = [.queue, .pool]
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func manager(_ kind: Kind) throws -> PersistenceManager {
        var configuration = DatabaseConfiguration()
        if kind == .queue { configuration.journalMode = .delete }
        let location = kind == .memory ? DatabaseLocation.memory : .file(directory.path())
        let manager = try PersistenceManager(location, configuration: configuration)
        try manager.createTableIfNecessary(for: Person.self)
        try manager.createTableIfNecessary(for: User.self)
        return manager
    }

    @Test("the first value comes at once, the next after a commit", arguments: Kind.allCases)
    func values(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var counts = manager.observe { try $0.count(Person.self) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await manager.save(Person("A", nil, nil))
        #expect(try await counts.next() == 1)
        try await manager.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('B')")
        #expect(try await counts.next() == 2)
    }

    @Test("objects come afresh after each commit that changes one", arguments: Kind.allCases)
    func objects(_ kind: Kind) async throws {
        let manager = try manager(kind)
        try await manager.save(Person("A", nil, 1))
        var people = manager.observe(Person.where(\.luckyNumber > 0).sorted(by: \.firstName)).makeAsyncIterator()
        #expect(try await people.next()?.map(\.firstName) == ["A"])
        try await manager.transaction {
            try manager.save(Person("B", nil, 2))
            try manager.save(Person("C", nil, 3))
        }
        #expect(try await people.next()?.map(\.firstName) == ["A", "B", "C"])
    }

    @Test("the main actor is free while the value of its loop is read", arguments: Kind.allCases)
    @MainActor func mainActor(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var answers = manager.observe(repeatsEqual: true) { manager in
            _ = try manager.count(Person.self)
            let answered = DispatchSemaphore(value: 0)
            Task { @MainActor in answered.signal() }
            return answered.wait(timeout: .now() + 60) == .success
        }.makeAsyncIterator()
        #expect(try await answers.next() == true)
        try await manager.save(Person("A", nil, nil))
        #expect(try await answers.next() == true)
    }

    @Test("several commits while the loop is busy give one value", arguments: Kind.allCases)
    func coalesced(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var counts = manager.observe { try $0.count(Person.self) }.makeAsyncIterator()
        _ = try await counts.next()
        for _ in 1...5 { try await manager.save(Person("A", nil, nil)) }
        #expect(try await counts.next() == 5)
        try await manager.save(Person("A", nil, nil))
        #expect(try await counts.next() == 6)
    }

    @Test("commits to other tables and columns read nothing again", arguments: Kind.allCases)
    func unrelated(_ kind: Kind) async throws {
        let manager = try manager(kind)
        try await manager.save(Person("A", nil, 1))
        let readings = Counter()
        var names = manager.observe { manager in
            readings.increment()
            return try manager.values(Person.rows, \.firstName)
        }.makeAsyncIterator()
        _ = try await names.next()
        try await manager.save(User(name: "a"))
        try await manager.execute("UPDATE PERSON SET LUCKY_NUMBER = 7")
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'B'")
        #expect(try await names.next() == ["B"])
        #expect(readings.value == 2)
    }

    @Test("an equal value is not repeated", arguments: Kind.allCases)
    func equal(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let readings = Counter()
        let values = Task {
            var values: [Int] = []
            let counts = manager.observe { manager in
                readings.increment()
                return try manager.count(Person.self, where: ["luckyNumber": 1])
            }
            for try await count in counts {
                values.append(count)
                if count == 1 { break }
            }
            return values
        }
        while readings.value < 1 { await Task.yield() }
        try await manager.save(Person("A", nil, 2))
        while readings.value < 2 { await Task.yield() }
        try await manager.save(Person("A", nil, 1))
        #expect(try await values.value == [0, 1])
    }

    @Test("what is rolled back gives no value", arguments: Kind.allCases)
    func rolledBack(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let readings = Counter()
        var counts = manager.observe { manager in
            readings.increment()
            return try manager.count(Person.self)
        }.makeAsyncIterator()
        _ = try await counts.next()
        #expect(throws: TestError.self) {
            try manager.transaction {
                try manager.save(Person("A", nil, nil))
                throw TestError()
            }
        }
        try await manager.save(Person("B", nil, nil))
        #expect(try await counts.next() == 1)
        #expect(readings.value == 2)
    }

    @Test("an object by its key is read again for commits to its row alone", arguments: Kind.allCases)
    func object(_ kind: Kind) async throws {
        let manager = try manager(kind)
        try await manager.insert([Person("A", nil, 1), Person("B", nil, 2)])
        let readings = Counter()
        var people = manager.observe { manager in
            readings.increment()
            return try manager.find(Person.self, 1)?.firstName
        }.makeAsyncIterator()
        #expect(try await people.next() == "A")
        try await manager.save(Person("C", nil, 3))
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'X' WHERE ID = 2")
        try await manager.execute("DELETE FROM PERSON WHERE ID = 2")
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Y' WHERE ID = 1")
        #expect(try await people.next() == "Y")
        #expect(readings.value == 2)
    }

    @Test("updates of other rows don't read an object by its key again", arguments: Kind.allCases)
    func otherRows(_ kind: Kind) async throws {
        let manager = try manager(kind)
        try await manager.insert([Person("A", nil, 1), Person("B", nil, 2)])
        let (readings, begun) = (Counter(), Counter())
        let waiting = Task {
            var people = manager.observe { manager in
                readings.increment()
                return try manager.find(Person.self, 1)?.firstName
            }.makeAsyncIterator()
            _ = try await people.next()
            begun.increment()
            return try await people.next()
        }
        while begun.value == 0 { await Task.yield() }
        // It hears of each commit when this one does.
        var all = manager.observe { try $0.fetchAll(Person.self).map(\.luckyNumber) }.makeAsyncIterator()
        _ = try await all.next()
        for number in 1...20 {
            try await manager.execute("UPDATE PERSON SET LUCKY_NUMBER = \(number), FIRST_NAME = 'X' WHERE ID = 2")
            _ = try await all.next()
        }
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Y' WHERE ID = 1")
        #expect(try await waiting.value == "Y")
        #expect(readings.value == 2)
    }

    @Test("an object by its key goes and comes with its row", arguments: Kind.allCases)
    func objectThatComes(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var people = manager.observe(Person.self, 2).makeAsyncIterator()
        #expect(try await people.next()??.firstName == nil)
        try await manager.execute("INSERT INTO PERSON (ID, FIRST_NAME) VALUES (2, 'A')")
        #expect(try await people.next()??.firstName == "A")
        try await manager.execute("DELETE FROM PERSON")
        #expect(try #require(await people.next()) == nil)
        try await manager.execute("INSERT INTO PERSON (ID, FIRST_NAME) VALUES (1, 'B')")
        try await manager.execute("UPDATE PERSON SET ID = 2")
        #expect(try await people.next()??.firstName == "B")
        try await manager.execute("INSERT OR REPLACE INTO PERSON (ID, FIRST_NAME) VALUES (2, 'C')")
        #expect(try await people.next()??.firstName == "C")
    }

    @Test("a row that gets the key of an observed one is seen", arguments: Kind.allCases)
    func takenKey(_ kind: Kind) async throws {
        let manager = try manager(kind)
        try await manager.insert([Person("A", nil, 1), Person("B", nil, 2)])
        var people = manager.observe(Person.self, 1).makeAsyncIterator()
        _ = try await people.next()
        try await manager.execute("UPDATE OR REPLACE PERSON SET ID = 1 WHERE ID = 2")
        #expect(try await people.next()??.firstName == "B")
    }

    @Test("equal values are repeated on request")
    func repeated() async throws {
        let manager = try manager(.pool)
        var counts = manager.observe(repeatsEqual: true) { try $0.count(Person.self, where: ["luckyNumber": 1]) }
            .makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await manager.save(Person("A", nil, 2))
        #expect(try await counts.next() == 0)
    }

    @Test("other processes are seen on request", arguments: Kind.files)
    func otherProcess(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var counts = manager.observe(otherProcessesEvery: .milliseconds(5)) { try $0.count(Person.self) }
            .makeAsyncIterator()
        #expect(try await counts.next() == 0)
        // Nobody in this process hears of what a connection by itself does.
        let other = try Database(.file(directory.path()))
        try other.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('A')")
        #expect(try await counts.next() == 1)
        try other.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('B')")
        #expect(try await counts.next() == 2)
    }

    @Test("who asks for other processes doesn't wait for the writer, and misses nothing", .timeLimit(.minutes(20)))
    func otherProcessWhileWriterIsInUse() async throws {
        let manager = try manager(.pool)
        let isInUse = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let writer = Thread {
            try? manager.database.withoutTransaction { _ in
                isInUse.continuation.finish()
                mayEnd.wait()
            }
        }
        writer.start()
        for await _ in isInUse.stream {}
        var counts = manager.observe(otherProcessesEvery: .milliseconds(5)) { try $0.count(Person.self) }
            .makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try Database(.file(directory.path())).execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('A')")
        mayEnd.signal()
        #expect(try await counts.next() == 1)
    }

    @Test("changes() hears of other processes on request", .timeLimit(.minutes(20)), arguments: Kind.files)
    func otherProcessesChanges(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var changes = manager.changes(otherProcessesEvery: .milliseconds(5)).makeAsyncIterator()
        // Nobody in this process hears of what a connection by itself does.
        let path = directory.path()
        let writer = Task.detached {
            let other = try Database(.file(path))
            while !Task.isCancelled {
                try other.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('A')")
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let commit = await changes.next()
        writer.cancel()
        #expect(commit != nil)
        #expect(commit?.tables == nil)
    }

    @Test("a loop that is left lets go of what its closure holds")
    func released() async throws {
        let manager = try manager(.pool)
        weak var counter: Counter?
        do {
            let new = Counter()
            counter = new
            for try await _ in manager.observe({ manager in
                new.increment()
                return try manager.count(Person.self)
            }) { break }
        }
        #expect(counter == nil)
    }

    @Test("another manager on the file is heard")
    func otherManager() async throws {
        let manager = try manager(.pool)
        let other = try PersistenceManager(path: directory.path())
        var counts = manager.observe { try $0.count(Person.self) }.makeAsyncIterator()
        _ = try await counts.next()
        try await other.save(Person("A", nil, nil))
        #expect(try await counts.next() == 1)
    }

    @Test("a write that was under way at the beginning is not missed")
    func underWay() async throws {
        let manager = try manager(.pool)
        let begun = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let write = Thread {
            try? manager.write { db in
                try db.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('A')")
                begun.signal()
                goOn.wait()
            }
        }
        write.start()
        await Task.detached { begun.waitHere() }.value
        var counts = manager.observe { try $0.count(Person.self) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        goOn.signal()
        #expect(try await counts.next() == 1)
    }

    @Test("a commit is heard to a table that is read for the first time meanwhile", .timeLimit(.minutes(20)))
    func laterTable() async throws {
        let manager = try manager(.pool)
        let readings = Counter()
        let begun = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        var counts = manager.observe { manager in
            readings.increment()
            if readings.value == 1 { return try manager.count(Person.self) }
            let count = try manager.count(User.self)
            if readings.value == 2 {
                begun.signal()
                goOn.wait()
            }
            return 100 + count
        }.makeAsyncIterator()
        _ = try await counts.next()
        try await manager.save(Person("A", nil, nil))
        let writer = Task.detached {
            begun.waitHere()
            try await manager.save(User(name: "a"))
            goOn.signal()
        }
        #expect(try await counts.next() == 100)
        #expect(try await counts.next() == 101)
        try await writer.value
    }

    @Test("a table that only a later reading reads is followed from then on", .timeLimit(.minutes(20)))
    func laterReading() async throws {
        let manager = try manager(.pool)
        var counts = manager.observe { manager in
            try manager.count(Person.self) == 0 ? -1 : manager.count(User.self)
        }.makeAsyncIterator()
        _ = try await counts.next()
        try await manager.save(Person("A", nil, nil))
        #expect(try await counts.next() == 0)
        try await manager.save(User(name: "a"))
        #expect(try await counts.next() == 1)
    }

    @Test("an error is thrown once and ends it")
    func error() async throws {
        let manager = try manager(.pool)
        var counts = manager.observe { try $0.count(Person.self) }.makeAsyncIterator()
        _ = try await counts.next()
        try await manager.execute("DROP TABLE PERSON")
        await #expect(throws: (any Error).self) { _ = try await counts.next() }
        #expect(try await counts.next() == nil)
    }

    @Test("closing the database ends it", arguments: Kind.allCases)
    func closed(_ kind: Kind) async throws {
        let manager = try manager(kind)
        var counts = manager.observe { try $0.count(Person.self) }.makeAsyncIterator()
        _ = try await counts.next()
        try await manager.close()
        await #expect(throws: (any Error).self) { _ = try await counts.next() }
    }

    @Test("cancelling the task ends the wait")
    func cancelled() async throws {
        let manager = try manager(.pool)
        let task = Task {
            for try await _ in manager.observe({ try $0.count(Person.self) }) { withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

extension DispatchSemaphore {
    fileprivate func waitHere() { wait() }
}

/// A count that several threads raise.
private final class Counter: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var count = 0
    var value: Int { lock.withLock { count } }
    func increment() { lock.withLock { count += 1 } }
}
