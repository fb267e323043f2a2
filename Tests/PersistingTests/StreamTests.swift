import Foundation
import Persisting
import Testing

/// How many objects there are, and by how many there have been more.
private final class Population: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var now = 0
    nonisolated(unsafe) private var most = 0
    nonisolated(unsafe) private var atReset = 0

    func change(by difference: Int) {
        lock.withLock {
            now += difference
            most = max(most, now)
        }
    }

    /// From here on the objects are counted that are more than there are now.
    func reset() {
        lock.withLock {
            most = now
            atReset = now
        }
    }

    var growth: Int { lock.withLock { most - atReset } }
}

private final class Counted: PersistingModel {
    static let population = Population()

    var id: Int64?
    var number = 0
    var text = ""

    required init() {
        super.init()
        Self.population.change(by: 1)
    }

    deinit { Self.population.change(by: -1) }
}

private final class Event: PersistingModel {
    var id: Int64?
    var number = 0
}

/// In a table without row identifiers.
private final class Word: PersistingModel {
    var text = ""
    var number = 0

    override class var primaryKey: PrimaryKey { .assigned("text") }
    override class var tableOptions: TableOptions { .withoutRowID }
}

/// The synchronous form, where the asynchronous one would be taken.
private func each(_ query: Query<Event>, _ manager: PersistenceManager, _ body: (Event) throws -> Void) throws {
    try manager.forEach(query, body)
}

private func eachBatch(_ size: Int, _ manager: PersistenceManager, _ body: ([Event]) throws -> Void) throws {
    try manager.forEachBatch(Query(Event.self), of: size, body)
}

private func events(_ count: Int, _ manager: PersistenceManager) throws {
    try manager.createTableIfNecessary(for: Event.self)
    try manager.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO EVENT (NUMBER) SELECT i FROM n
        """
    )
}

// F84
@Suite("Streams") struct StreamTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func managers() throws -> [PersistenceManager] {
        let managers = [try PersistenceManager(.memory), try PersistenceManager(path: directory.path())]
        for manager in managers { try events(250, manager) }
        return managers
    }

    @Test("memory stays flat: of 200,000 objects there are never more than a batch", .oneAtATime)
    func flat() async throws {
        let manager = try memoryManager(Counted.self)
        try await manager.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
            INSERT INTO COUNTED (NUMBER, TEXT) SELECT i, 'x' || i FROM n
            """
        )
        let population = Counted.population
        var sum = 0
        population.reset()
        try await manager.forEach(Counted.sorted(by: \.number, .descending)) { sum += $0.number }
        #expect(sum == 20_000_100_000)
        #expect(population.growth <= 210)
        sum = 0
        population.reset()
        for try await object in manager.objects(Query(Counted.self), tracked: false) { sum += object.number }
        #expect(sum == 20_000_100_000)
        #expect(population.growth <= 210)
        population.reset()
        var sizes: Set<Int> = []
        try await manager.forEachBatch(Query(Counted.self), of: 20) { sizes.insert($0.count) }
        #expect(sizes == [20])
        #expect(population.growth <= 50)
    }

    @Test("objects come in order, with the query's limit and offset") func order() async throws {
        for manager in try managers() {
            let query = Event.where(\.number > 10).sorted(by: \.number, .descending).limit(220).offset(5)
            var numbers: [Int] = []
            try each(query, manager) { numbers.append($0.number) }
            #expect(numbers == Array((26...245).reversed()))
            numbers = []
            try await manager.forEach(query) { numbers.append($0.number) }
            #expect(numbers == Array((26...245).reversed()))
            numbers = []
            for try await event in manager.objects(query) { numbers.append(event.number) }
            #expect(numbers == Array((26...245).reversed()))
        }
    }

    @Test("a batch has as many as were asked for, but for the last") func batches() async throws {
        for manager in try managers() {
            var sizes: [Int] = []
            try eachBatch(120, manager) { sizes.append($0.count) }
            #expect(sizes == [120, 120, 10])
            sizes = []
            try await manager.forEachBatch(Query(Event.self), of: 20) { sizes.append($0.count) }
            #expect(sizes == Array(repeating: 20, count: 12) + [10])
            try await manager.forEachBatch(Event.where(\.number > 999), of: 20) { _ in Issue.record("there is no row") }
        }
        let manager = try memoryManager(Event.self)
        #expect(failure { try manager.forEachBatch(Query(Event.self), of: 0) { _ in } }?.code == .invalidRange)
    }

    @Test("the closure saves what the order is by, and no object comes twice") func saving() throws {
        for manager in try managers() {
            var seen: [Int] = []
            try manager.forEach(Event.sorted(by: \.number)) { event in
                seen.append(event.number)
                event.number += 1000
                try event.save()
            }
            #expect(seen == Array(1...250))
            #expect(try manager.min(Event.rows, \.number) == 1001)
        }
    }

    @Test("the closure deletes its object, and objects to come, and inserts others") func deleting() throws {
        for manager in try managers() {
            var seen: [Int] = []
            try manager.forEach(Event.sorted(by: \.number)) { event in
                seen.append(event.number)
                try manager.delete(event)
                if event.number == 1 { try manager.delete(Event.where(\.number >= 150 && \.number < 200)) }
                try manager.insert(Event.self, values: ["number": 5000])
            }
            #expect(seen == Array(1..<150) + Array(200...250))
            #expect(try manager.count(Event.where(\.number == 5000)) == 200)
        }
    }

    @Test("whatever numbers the rows have, they come in the query's order") func numbers() throws {
        let manager = try memoryManager(Event.self)
        let keys: [Int64] = [.max, .min, -1, 0, 5, 6, 7, 300, 299, 1 << 40, -(1 << 40), .max - 1, 1, 2, 4]
        for (number, key) in keys.enumerated() {
            try manager.insert(Event.self, values: ["id": key, "number": number])
        }
        for size in [1, 3, 100] {
            var seen: [Int64?] = []
            try manager.forEachBatch(Event.sorted(by: \.number), of: size) { seen += $0.map(\.id) }
            #expect(seen == keys)
            seen = []
            try manager.forEachBatch(Event.sorted(by: \.id), of: size) { seen += $0.map(\.id) }
            #expect(seen == keys.sorted())
            seen = []
            try manager.forEachBatch(Query(Event.self), of: size) { seen += $0.map(\.id) }
            #expect(seen == keys.sorted())
        }
    }

    @Test("all rows of a table come by their identifiers, in whole batches, up to the greatest at the beginning")
    func everyRow() throws {
        for manager in try managers() {
            try manager.delete(Event.where(\.number > 100 && \.number < 150))
            var seen: [Int] = []
            var sizes: [Int] = []
            try eachBatch(40, manager) { batch in
                sizes.append(batch.count)
                seen += batch.map(\.number)
                guard batch.first?.number == 1 else { return }
                try manager.delete(Event.where(\.number == 60))
                // This one is put between those to come, and that one after them.
                try manager.insert(Event.self, values: ["id": 120, "number": 120])
                try manager.insert(Event.self, values: ["number": 251])
            }
            let left: [Int] = Array(1...59) + Array(61...100) + [120] + Array(150...250)
            #expect(seen == left)
            #expect(sizes == Array(repeating: 40, count: 5) + [1])
            try manager.deleteAll(Event.self)
            try each(Query(Event.self), manager) { _ in Issue.record("there is no row") }
        }
    }

    @Test("a sequence of all rows has them all, and none of an empty table") func everyRowInTurn() async throws {
        for manager in try managers() {
            var seen: [Int] = []
            for try await event in manager.objects(Query(Event.self)) { seen.append(event.number) }
            #expect(seen == Array(1...250))
            try await manager.deleteAll(Event.self)
            for try await _ in manager.objects(Query(Event.self)) { Issue.record("there is no row") }
        }
    }

    @Test("a value that a property cannot hold ends it where it stands, with the row's key") func wrongValue() throws {
        for manager in try managers() {
            try manager.execute("UPDATE EVENT SET NUMBER = 'many' WHERE ID = 130")
            for query in [Query(Event.self), Event.where(\.id > 0)] {
                var count = 0
                let error = failure { try each(query, manager) { _ in count += 1 } }
                #expect(error?.code == .typeMismatch)
                #expect(error?.rowKey == ["id": 130])
                #expect(count == 100)
            }
        }
    }

    @Test("rows between the query's are not among its objects, and rows inserted later neither") func between() throws {
        for manager in try managers() {
            var seen: [Int] = []
            try manager.delete(Event.where(\.number == 60))
            try manager.forEachBatch(Event.where(\.number <= 200 && \.number != 50), of: 10) { batch in
                seen += batch.map(\.number)
                guard batch.first?.number == 1 else { return }
                try manager.insert(Event.self, values: ["id": 60, "number": 60])
                try manager.delete(Event.where(\.number == 80))
            }
            #expect(seen == (1...200).filter { ![50, 60, 80].contains($0) })
        }
    }

    @Test("inside a transaction it takes part in it, and a throw ends it and rolls back") func transaction() throws {
        for manager in try managers() {
            try catchingTestError {
                try manager.transaction {
                    try manager.insert(Event.self, values: ["number": 0])
                    var count = 0
                    try manager.forEach(Event.sorted(by: \.number)) { event in
                        try event.update(\.number, to: -1)
                        count += 1
                        if count == 7 { throw TestError() }
                    }
                }
            }
            #expect(try manager.count(Event.where(\.number < 1)) == 0)
        }
    }

    @Test("the class verbs in the closure use the manager") func current() async throws {
        for manager in try managers() {
            try each(Event.limit(1), manager) { _ throws -> Void in #expect(try Event.count() == 250) }
            try await manager.forEach(Event.limit(1)) { _ async throws -> Void in
                #expect(try await Event.count() == 250)
            }
        }
    }

    @Test("an asynchronous closure saves what it is given") func asynchronousSaves() async throws {
        for manager in try managers() {
            try await manager.forEach(Event.where(\.number <= 120)) { event in
                event.number = 0
                try await event.save()
            }
            #expect(try await manager.count(Event.where(\.number == 0)) == 120)
            for try await event in manager.objects(Event.where(\.number == 0)) { try await manager.delete(event) }
            #expect(try await manager.count(Event.self) == 130)
        }
    }

    @Test("each loop over a sequence runs the query again, and may end early") func again() async throws {
        for manager in try managers() {
            let objects = manager.objects(Event.sorted(by: \.number))
            for try await event in objects where event.number == 3 { break }
            try await manager.delete(Event.where(\.number == 1))
            var iterator = objects.makeAsyncIterator()
            #expect(try await iterator.next()?.number == 2)
        }
    }

    @Test("a cancelled task's loop ends with CancellationError") func cancelled() async throws {
        let manager = try PersistenceManager(.memory)
        try events(10, manager)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in manager.objects(Query(Event.self)) {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("tables without row identifiers go by the key, classes without a key by row identifiers") func otherTables()
        throws
    {
        let manager = try memoryManager(Word.self, Reading.self)
        for number in 0..<130 {
            try manager.insert(Word.self, values: ["text": "w\(number)", "number": number])
            try manager.insert(Reading.self, values: ["sensor": "s", "value": Double(number)])
        }
        var numbers: [Int] = []
        try manager.forEach(Word.sorted(by: \.number)) { numbers.append($0.number) }
        #expect(numbers == Array(0..<130))
        var values: [Double] = []
        try manager.forEach(Reading.sorted(by: \.value)) { values.append($0.value) }
        #expect(values == (0..<130).map(Double.init))
    }

    @Test("a view without a key cannot be streamed, and says so") func view() throws {
        let manager = try memoryManager(script: "CREATE VIEW READING AS SELECT 'a' AS SENSOR, 1.5 AS VALUE")
        #expect(failure { try manager.forEach(Query(Reading.self)) { _ in } }?.code == .noPrimaryKey)
        #expect(try manager.fetchAll(Query(Reading.self)).count == 1)
    }

    @Test("an object that is not tracked is saved whole") func untracked() throws {
        let manager = try PersistenceManager(.memory)
        try events(2, manager)
        try manager.forEach(Query(Event.self), tracked: false) { event in #expect(event.hasChanges) }
        try manager.forEach(Query(Event.self)) { event in #expect(!event.hasChanges) }
    }
}
