import Foundation
import Persisting
import Testing

/// A verb that changes rows of Person, of which there is one with the key 1.
struct WatchedVerb: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (PersistenceManager) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (PersistenceManager) async throws -> Void) {
        testDescription = name
        self.run = run
    }

    /// One whose synchronous form is what is meant.
    private static func sync(
        _ name: String, _ run: @escaping @Sendable (PersistenceManager) throws -> Void
    ) -> WatchedVerb {
        WatchedVerb(name) { try run($0) }
    }

    static let all: [WatchedVerb] = [
        sync("save of a new object") { try $0.save(Person("B", nil, 2)) },
        sync("save of new objects") { try $0.save([Person("B", nil, 2), Person("C", nil, 3)]) },
        sync("insert") { try $0.insert(Person("B", nil, 2)) },
        sync("insert of several") { try $0.insert([Person("B", nil, 2), Person("C", nil, 3)]) },
        sync("insert of values") { try $0.insert(Person.self, values: ["firstName": "B"]) },
        sync("insert onConflict") { _ = try $0.insert(Person("B", nil, 2), onConflict: .ignore) },
        sync("save of changes") { manager in
            let person = try #require(try manager.find(Person.self, 1))
            person.firstName = "X"
            try manager.save(person)
        },
        sync("update") { manager in
            let person = try #require(try manager.find(Person.self, 1))
            person.firstName = "X"
            try manager.update(person)
        },
        sync("update of a property") { manager in
            try #require(try manager.find(Person.self, 1)).update(\.firstName, to: "X")
        },
        sync("update where") { manager in
            try manager.update(Person.where(["luckyNumber": 1]), set: ["firstName": "X"])
        },
        sync("updateAll") { try $0.updateAll(Person.self, set: ["firstName": "X"]) },
        sync("upsert") { manager in
            let person = Person("X", nil, 1)
            person.id = 1
            try manager.upsert(person)
        },
        sync("upsert of several") { manager in
            let person = Person("X", nil, 1)
            person.id = 1
            try manager.upsert([person])
        },
        sync("delete") { manager in _ = try manager.delete(#require(try manager.find(Person.self, 1))) },
        sync("delete of several") { manager in _ = try manager.delete([#require(try manager.find(Person.self, 1))]) },
        sync("delete where") { try $0.delete(Person.self, where: ["luckyNumber": 1]) },
        sync("deleteAll") { try $0.deleteAll(Person.self) },
        sync("findOrCreate") { _ = try $0.findOrCreate(Person.self, 7) },
        sync("importJSON") { manager in
            _ = try manager.importJSON(Person.self, contentsOf: Data(#"[{"firstName": "X"}]"#.utf8))
        },
        sync("execute") { _ = try $0.execute("UPDATE PERSON SET FIRST_NAME = 'X'") },
        sync("transaction") { manager in
            try manager.transaction {
                _ = try manager.count(Person.self)
                try manager.insert(Person("B", nil, 2))
            }
        },
        sync("write") { manager in
            try manager.write { db in
                _ = try db.scalar("SELECT count(*) FROM PERSON", as: Int.self)
                try db.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('B')")
            }
        },
        sync("a changeset") { manager in
            let changes = try manager.write { db in
                let session = try db.recordChanges()
                try db.execute("UPDATE PERSON SET FIRST_NAME = 'X'")
                let changes = try session.changeset()
                session.close()
                return changes
            }
            try manager.write { db in try db.apply(changes.inverted()) }
            try manager.write { db in try db.apply(changes) }
        },
        WatchedVerb("asynchronous save") { try await $0.save(Person("B", nil, 2)) },
        WatchedVerb("asynchronous save of several") { try await $0.save([Person("B", nil, 2), Person("C", nil, 3)]) },
        WatchedVerb("asynchronous insert") { try await $0.insert(Person("B", nil, 2)) },
        WatchedVerb("asynchronous insert of several") { try await $0.insert([Person("B", nil, 2)]) },
        WatchedVerb("asynchronous insert of values") { manager in
            try await manager.insert(Person.self, values: ["firstName": "B"])
        },
        WatchedVerb("asynchronous update") { manager in
            let person = try #require(try await manager.find(Person.self, 1))
            try await person.update(\.firstName, to: "X")
        },
        WatchedVerb("asynchronous upsert") { manager in
            let person = Person("X", nil, 1)
            person.id = 1
            try await manager.upsert(person)
        },
        WatchedVerb("asynchronous delete") { manager in
            _ = try await manager.delete(#require(try await manager.find(Person.self, 1)))
        },
        WatchedVerb("asynchronous deleteAll") { try await $0.deleteAll(Person.self) },
        WatchedVerb("asynchronous transaction") { manager in
            try await manager.transaction {
                _ = try manager.count(Person.self)
                try manager.insert(Person("B", nil, 2))
            }
        },
        WatchedVerb("asynchronous write") { manager in
            try await manager.write { db in
                _ = try db.scalar("SELECT count(*) FROM PERSON", as: Int.self)
                try db.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('B')")
            }
        },
    ]
}

/// What the table holds.
private func names(_ manager: PersistenceManager) throws -> [String] {
    try manager.fetchAll(Person.self, sortedBy: .ascending(\.id)).map(text)
}

private func text(_ person: Person) -> String { "\(person.id ?? 0) \(person.firstName ?? "")" }

/// The ways to watch a class, each begun by `begin` and waited for by what that returns.
enum WatchingKind: CaseIterable {
    case values, changes, handler, controller, liveObject

    /// Begins.
    ///
    /// - Returns: What returns once it has heard that the table is as it is now.
    @MainActor func begin(_ manager: PersistenceManager) async throws -> @MainActor () async throws -> Void {
        switch self {
        case .values:
            var values = manager.observe(names).makeAsyncIterator()
            var last = try await values.next()
            return {
                while try last != names(manager) { last = try await values.next() }
            }
        case .changes:
            var commits = manager.changes().makeAsyncIterator()
            return {
                while let commit = await commits.next(), !commit.mayHaveChanged("person") {}
            }
        case .handler:
            let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
            let token = manager.onChange(of: Person.self) { _ in continuation.yield() }
            return {
                for await _ in calls { break }
                withExtendedLifetime(token) {}
            }
        case .controller:
            let controller = FetchedResultsController(Person.sorted(by: \.id), in: manager)
            try controller.fetch()
            var changes = controller.changes.makeAsyncIterator()
            return {
                while true {
                    let shown = controller.sections.flatMap { $0.objects.map(text) }
                    if try shown == names(manager) { return }
                    _ = try await changes.next()
                }
            }
        case .liveObject:
            let live = LiveObjects(in: manager)
            let person = try #require(try await live.find(Person.self, 1))
            return {
                while true {
                    let now = try await manager.find(Person.self, 1)
                    if person.isDeleted == (now == nil), now == nil || now?.firstName == person.firstName { break }
                    await Task.yield()
                }
                withExtendedLifetime(live) {}
            }
        }
    }
}

/// Two managers of one file, and all ways to watch.
@Suite("What is written is heard")
struct WatchedWritesTests {
    // F120

    private let directory: TemporaryDirectory
    private let manager: PersistenceManager
    private let other: PersistenceManager

    init() throws {
        directory = try TemporaryDirectory()
        manager = try PersistenceManager(path: directory.path())
        other = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: Person.self)
        try manager.createTableIfNecessary(for: User.self)
        try manager.execute("INSERT INTO PERSON (FIRST_NAME, LUCKY_NUMBER) VALUES ('A', 1)")
    }

    @Test(
        "by the first write of a class, whatever was watched before", .timeLimit(.minutes(20)),
        arguments: WatchedVerb.all, WatchingKind.allCases)
    @MainActor func firstWrite(_ verb: WatchedVerb, _ kind: WatchingKind) async throws {
        for writer in [manager, other] {
            var counts = manager.observe { try $0.count(User.self) }.makeAsyncIterator()
            _ = try await counts.next()
            for manager in [manager, other] { try await manager.execute("INSERT INTO USER (NAME) VALUES ('u')") }
            _ = try await counts.next()
            let hear = try await kind.begin(manager)
            try await verb.run(writer)
            try await hear()
            try await manager.execute("DELETE FROM PERSON")
            try await manager.execute("INSERT INTO PERSON (ID, FIRST_NAME, LUCKY_NUMBER) VALUES (1, 'A', 1)")
        }
    }

    @Test(
        "by a transaction of another manager that began before", .timeLimit(.minutes(20)),
        arguments: WatchingKind.allCases, [false, true])
    @MainActor func begunBefore(_ kind: WatchingKind, _ hasWritten: Bool) async throws {
        for writer in [manager, other] {
            let begun = DispatchSemaphore(value: 0)
            let goOn = DispatchSemaphore(value: 0)
            let write = Thread {
                try? writer.write { db in
                    if hasWritten { try db.execute("UPDATE PERSON SET FIRST_NAME = FIRST_NAME || 'X'") }
                    begun.signal()
                    goOn.wait()
                    if !hasWritten { try db.execute("UPDATE PERSON SET FIRST_NAME = FIRST_NAME || 'X'") }
                }
            }
            write.start()
            await Task.detached { begun.waitForIt() }.value
            let hear = try await kind.begin(manager)
            let before = try names(manager)
            goOn.signal()
            while try names(manager) == before { await Task.yield() }
            try await hear()
        }
    }

    @Test("by an access that began before another table was read", .timeLimit(.minutes(20)))
    func otherTable() async throws {
        // What is listened to is looked at when an access begins.
        for writer in [manager, other] {
            try await writer.insert(User(name: "u"))
            try await manager.deleteAll(Person.self)
            var counts = manager.observe { manager in
                try manager.count(Person.self) == 0 ? -1 : manager.count(User.self)
            }.makeAsyncIterator()
            #expect(try await counts.next() == -1)
            let begun = DispatchSemaphore(value: 0)
            let goOn = DispatchSemaphore(value: 0)
            let write = Thread {
                try? writer.database.withoutTransaction { db in
                    try db.execute("INSERT INTO PERSON (FIRST_NAME) VALUES ('A')")
                    begun.signal()
                    goOn.wait()
                    try db.execute("INSERT INTO USER (NAME) VALUES ('v')")
                }
            }
            write.start()
            await Task.detached { begun.waitForIt() }.value
            let count = try #require(try await counts.next())
            goOn.signal()
            #expect(try await counts.next() == count + 1)
        }
    }

    @Test("of temporary tables and of attached files", .timeLimit(.minutes(20)))
    func attached() async throws {
        let path = directory.path("attached.sqlite")
        let stats = try PersistenceManager(path: path)
        try await stats.createTableIfNecessary(for: User.self)
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.attach(.file(path), as: "stats") }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        let count: @Sendable (PersistenceManager) throws -> Int = { manager in
            try manager.read { db in try db.scalar("SELECT count(*) FROM stats.USER", as: Int.self) ?? 0 }
        }
        var counts = manager.observe(count).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        var own = stats.observe { try $0.count(User.self) }.makeAsyncIterator()
        #expect(try await own.next() == 0)
        try await manager.execute("INSERT INTO stats.USER (NAME) VALUES ('a')")
        #expect(try await counts.next() == 1)
        #expect(try await own.next() == 1)
    }

    @Test("of a temporary table that has the name of another", .timeLimit(.minutes(20)))
    func temporary() async throws {
        let queue = try PersistenceManager(.memory)
        try await queue.createTableIfNecessary(for: Person.self)
        try await queue.execute("CREATE TEMP TABLE basket (id INTEGER PRIMARY KEY, item TEXT)")
        // SQL text without a column names no database.
        var counts = queue.observe { try $0.read { try $0.scalar("SELECT count(*) FROM basket", as: Int.self) ?? 0 } }
            .makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await queue.execute("INSERT INTO basket (item) VALUES ('a')")
        #expect(try await counts.next() == 1)
    }

    /// What is observed, by one who always waits for the next value.
    private func values<Value: Sendable>(
        _ body: @escaping @Sendable (PersistenceManager) throws -> Value
    ) -> (values: AsyncStream<Value>, task: Task<Void, any Error>) {
        let (values, said) = AsyncStream.makeStream(of: Value.self)
        let task = Task { [manager] in
            for try await value in manager.observe(body) { said.yield(value) }
        }
        return (values, task)
    }

    @Test("of rows that were found by several keys, and of no others", arguments: [false, true])
    func keys(_ isMissing: Bool) async throws {
        try await manager.insert([Person("B", nil, 2), Person("C", nil, 3)])
        let readings = Readings()
        let (values, task) = values { manager in
            readings.increment()
            return try manager.find(Person.self, keys: isMissing ? [1, 2, 9] : [1, 2]).map(\.firstName)
        }
        defer { task.cancel() }
        var found = values.makeAsyncIterator()
        var last = manager.observe { try $0.find(Person.self, 3)?.firstName }.makeAsyncIterator()
        #expect(await found.next() == ["A", "B"])
        #expect(try await last.next() == "C")
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'X' WHERE ID = 3")
        // Both hear of it before the next commit.
        #expect(try await last.next() == "X")
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Y' WHERE ID = 2")
        var names = await found.next()
        // Where one is missing, any row may become it.
        if isMissing, names == ["A", "B"] { names = await found.next() }
        #expect(names == ["A", "Y"])
        if isMissing {
            try await manager.execute("INSERT INTO PERSON (ID, FIRST_NAME) VALUES (9, 'Z')")
            #expect(await found.next() == ["A", "Y", "Z"])
        } else {
            #expect(readings.value == 2)
        }
    }

    @Test("of a row that was found by its composite key, and of no other")
    func compositeKey() async throws {
        try await manager.createTableIfNecessary(for: WatchedSeat.self)
        try await manager.execute("INSERT INTO WATCHED_SEAT VALUES (1, 1, 'a'), (1, 2, 'b')")
        let readings = Readings()
        let (values, task) = values { manager in
            readings.increment()
            return try manager.find(WatchedSeat.self, ["line": 1, "place": 2])?.guest
        }
        defer { task.cancel() }
        var found = values.makeAsyncIterator()
        var first = manager.observe { try $0.find(WatchedSeat.self, ["line": 1, "place": 1])?.guest }
            .makeAsyncIterator()
        #expect(await found.next() == "b")
        #expect(try await first.next() == "a")
        try await manager.execute("UPDATE WATCHED_SEAT SET GUEST = 'x' WHERE PLACE = 1")
        #expect(try await first.next() == "x")
        try await manager.execute("UPDATE WATCHED_SEAT SET GUEST = 'y' WHERE PLACE = 2")
        #expect(await found.next() == "y")
        #expect(readings.value == 2)
    }

    @Test("of a row that gets another identifier", .timeLimit(.minutes(20)))
    func rowID() async throws {
        try await manager.execute("CREATE TABLE plain (name TEXT)")
        try await manager.execute("INSERT INTO plain VALUES ('a')")
        var found = manager.observe { manager in
            try manager.read { db in try db.scalar("SELECT rowid FROM plain", as: Int.self) }
        }.makeAsyncIterator()
        #expect(try await found.next() == 1)
        try await manager.execute("UPDATE plain SET rowid = 5")
        #expect(try await found.next() == 5)
    }
}

final class WatchedSeat: PersistingModel {
    var line = 0
    var place = 0
    var guest: String?

    override class var primaryKey: PrimaryKey { .composite("line", "place") }
}

extension DispatchSemaphore {
    fileprivate func waitForIt() { wait() }
}
