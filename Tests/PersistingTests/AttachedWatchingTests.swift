import Foundation
import Persisting
import SQLiteKit
import Testing

private class Entry: PersistingModel {
    var id: Int64?
    var text = ""
    override class var tableName: String { "WATCHED_ENTRY" }
}

private final class OldEntry: Entry {
    override class var schemaName: String? { "archive" }
}

private final class DraftEntry: Entry {
    override class var schemaName: String? { "temp" }
}

/// Classes in an attached and in the temporary database, each beside a table of the same name in `main`.
@MainActor
@Suite("A class that names its database is watched") struct AttachedWatchingTests {
    // F46, F67, F120

    enum Place: String, CaseIterable { case archive, temp }

    private let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory)
        try manager.execute("ATTACH ':memory:' AS archive")
        let types: [PersistingModel.Type] = [Entry.self, OldEntry.self, DraftEntry.self]
        for type in types { try manager.createTableIfNecessary(for: type) }
    }

    /// Changes the table in `main`, which concerns nobody, and then the one in the place.
    private func run(_ place: Place, _ sql: String) async throws {
        for database in ["main", place.rawValue] {
            try await manager.execute(SQL(sql.replacing("ENTRY", with: "\(database).WATCHED_ENTRY")))
        }
    }

    @Test("by observe", .timeLimit(.minutes(20)), arguments: Place.allCases)
    func observe(_ place: Place) async throws {
        let readings = Readings()
        var texts = manager.observe { manager in
            readings.increment()
            return switch place {
            case .archive: try manager.fetchAll(OldEntry.self, sortedBy: .ascending(\.id)).map(\.text)
            case .temp: try manager.fetchAll(DraftEntry.self, sortedBy: .ascending(\.id)).map(\.text)
            }
        }.makeAsyncIterator()
        #expect(try await texts.next() == [])
        try await run(place, "INSERT INTO ENTRY VALUES (1, 'a')")
        #expect(try await texts.next() == ["a"])
        try await run(place, "UPDATE ENTRY SET TEXT = 'b'")
        #expect(try await texts.next() == ["b"])
        #expect(readings.value == 3)
    }

    @Test("by handlers, which other managers of the attached file tell what they have changed")
    func otherManagers() async throws {
        let directory = try TemporaryDirectory()
        let archive = directory.path("archive.sqlite")
        func attaching(_ file: String) throws -> PersistenceManager {
            var configuration = DatabaseConfiguration()
            configuration.prepare = { db in try db.execute("ATTACH DATABASE \(archive) AS archive") }
            return try PersistenceManager(path: directory.path(file), configuration: configuration)
        }
        let (manager, beside) = (try attaching("main.sqlite"), try attaching("other.sqlite"))
        for manager in [manager, beside] { try await manager.createTableIfNecessary(for: Entry.self) }
        try await manager.createTableIfNecessary(for: OldEntry.self)
        try await manager.execute("INSERT INTO archive.WATCHED_ENTRY VALUES (1, 'a')")
        let inside = try PersistenceManager(path: archive)
        let (changes, continuation) = AsyncStream.makeStream(of: String.self)
        func describe(_ name: String, _ change: ModelChange<some Entry>) -> String {
            "\(name) \(change.kind.map { "\($0)" } ?? "anything") \(change.key)"
        }
        // The second of them listens to another table, so that what it writes to the file is noted for others alone.
        let observers = [
            manager.onChange(of: Entry.self) { continuation.yield(describe("main", $0)) },
            manager.onChange(of: OldEntry.self) { continuation.yield(describe("archive", $0)) },
            beside.onChange(of: Entry.self) { _ in },
        ]
        for text in ["b", "c"] {
            try await inside.execute("UPDATE WATCHED_ENTRY SET TEXT = \(text)")
            try await beside.execute("UPDATE archive.WATCHED_ENTRY SET TEXT = 'x'")
        }
        var found: [String] = []
        var iterator = changes.makeAsyncIterator()
        for _ in 0..<4 { found.append(await iterator.next() ?? "") }
        #expect(found == Array(repeating: "archive update \([1] as [SQLiteValue])", count: 4))
        try await manager.execute("INSERT INTO main.WATCHED_ENTRY VALUES (7, 'end')")
        #expect(await iterator.next() == "main insert \([7] as [SQLiteValue])")
        withExtendedLifetime(observers) {}
    }

    @Test("by observe, which looks for commits of other processes to the attached file", .timeLimit(.minutes(20)))
    func otherProcess() async throws {
        let directory = try TemporaryDirectory()
        let archive = directory.path("archive.sqlite")
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.execute("ATTACH DATABASE \(archive) AS archive") }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try await manager.createTableIfNecessary(for: OldEntry.self)
        let texts = manager.observe(otherProcessesEvery: .milliseconds(5)) {
            try $0.fetchAll(OldEntry.self).map(\.text)
        }
        var iterator = texts.makeAsyncIterator()
        #expect(try await iterator.next() == [])
        let other = try Database(.file(archive))
        try other.execute("INSERT INTO WATCHED_ENTRY VALUES (1, 'a')")
        #expect(try await iterator.next() == ["a"])
        try await manager.close()
    }

    @Test("by observe of a row with a key, after commits to that row alone", .timeLimit(.minutes(20)))
    func row() async throws {
        for place in Place.allCases {
            try await run(place, "INSERT OR REPLACE INTO ENTRY VALUES (1, 'a'), (2, 'b')")
            let readings = Readings()
            var text = manager.observe { manager in
                readings.increment()
                return switch place {
                case .archive: try manager.find(OldEntry.self, 1)?.text
                case .temp: try manager.find(DraftEntry.self, 1)?.text
                }
            }.makeAsyncIterator()
            #expect(try await text.next() == "a")
            try await run(place, "UPDATE ENTRY SET TEXT = 'x' WHERE ID = 2")
            try await run(place, "UPDATE ENTRY SET TEXT = 'y' WHERE ID = 1")
            #expect(try await text.next() == "y")
            #expect(readings.value == 2)
        }
    }

    @Test("by handlers", .timeLimit(.minutes(20)), arguments: Place.allCases)
    func handlers(_ place: Place) async throws {
        switch place {
        case .archive: try await handlers(OldEntry.self, place)
        case .temp: try await handlers(DraftEntry.self, place)
        }
    }

    private func handlers<Model: Entry>(_ type: Model.Type, _ place: Place) async throws {
        let (said, words) = AsyncStream.makeStream(of: String.self)
        let token = manager.onChange(of: type) { change in
            let text = (try? change.object())?.text ?? "gone"
            let kind = change.kind.map { "\($0)" } ?? "any"
            words.yield("\(kind) \(change.key) \(change.changedKeys.sorted()) \(text)")
        }
        #expect(token.error == nil)
        var heard = said.makeAsyncIterator()
        try await run(place, "INSERT INTO ENTRY VALUES (1, 'a')")
        #expect(await heard.next() == #"insert [1] ["id", "text"] a"#)
        try await run(place, "UPDATE ENTRY SET TEXT = 'b'")
        #expect(await heard.next() == #"update [1] ["text"] b"#)
        try await run(place, "DELETE FROM ENTRY")
        #expect(await heard.next() == #"delete [1] ["id", "text"] gone"#)
        token.cancel()
    }

    @Test("by controllers", .timeLimit(.minutes(20)), arguments: Place.allCases)
    func controllers(_ place: Place) async throws {
        switch place {
        case .archive: try await controllers(OldEntry.sorted(by: \.id), place)
        case .temp: try await controllers(DraftEntry.sorted(by: \.id), place)
        }
    }

    private func controllers<Model: Entry>(_ query: Query<Model>, _ place: Place) async throws {
        let controller = FetchedResultsController(query, in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()
        try await run(place, "INSERT INTO ENTRY VALUES (1, 'a'), (2, 'b')")
        #expect(try await changes.next()?.insertions == [[0, 0], [0, 1]])
        let kept = controller.objects[0]
        try await run(place, "UPDATE ENTRY SET TEXT = 'c' WHERE ID = 2")
        #expect(try await changes.next()?.updates == [.init(from: [0, 1], to: [0, 1])])
        #expect(controller.objects.map(\.text) == ["a", "c"])
        #expect(controller.objects[0] === kept)
    }

    @Test("by live objects", .timeLimit(.minutes(20)), arguments: Place.allCases)
    func liveObjects(_ place: Place) async throws {
        try await run(place, "INSERT INTO ENTRY VALUES (1, 'a')")
        let live = LiveObjects(in: manager)
        let entry: Entry? =
            switch place {
            case .archive: try await live.find(OldEntry.self, 1)
            case .temp: try await live.find(DraftEntry.self, 1)
            }
        let found = try #require(entry)
        try await run(place, "UPDATE ENTRY SET TEXT = 'b'")
        while found.text != "b" { await Task.yield() }
        try await run(place, "DELETE FROM ENTRY")
        while !found.isDeleted { await Task.yield() }
        #expect(live.error == nil)
    }

    @Test("in the temporary database of its own manager, not in that of another", .timeLimit(.minutes(20)))
    func otherManager() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        let own = try PersistenceManager(path: directory.path(), configuration: configuration)
        let other = try PersistenceManager(path: directory.path(), configuration: configuration)
        for manager in [own, other] {
            try await manager.createTableIfNecessary(for: Entry.self)
            try await manager.createTableIfNecessary(for: DraftEntry.self)
        }
        let (said, words) = AsyncStream.makeStream(of: String.self)
        let token = own.onChange(of: DraftEntry.self) { words.yield("\($0.key)") }
        var heard = said.makeAsyncIterator()
        var commits = own.changes().makeAsyncIterator()
        try await other.execute("INSERT INTO temp.WATCHED_ENTRY VALUES (7, 'theirs')")
        try await other.transaction {
            try other.execute("INSERT INTO temp.WATCHED_ENTRY VALUES (8, 'theirs')")
            try other.execute("INSERT INTO main.WATCHED_ENTRY VALUES (8, 'shared')")
        }
        try await own.execute("INSERT INTO temp.WATCHED_ENTRY VALUES (1, 'own')")
        #expect(await heard.next() == "[1]")
        #expect(await commits.next()?.tables?.keys.sorted() == ["watched_entry"])
        #expect(await commits.next()?.tables?.keys.sorted() == ["temp.watched_entry"])
        token.cancel()
    }
}

// F46, F120
@Suite("Commits to a file are noticed by those who have it attached") struct AttachedByOthersTests {
    private let directory: TemporaryDirectory
    private let configuration: DatabaseConfiguration

    init() throws {
        directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        self.configuration = configuration
    }

    private func manager(_ name: String, attaching others: [String: String] = [:]) throws -> PersistenceManager {
        let manager = try PersistenceManager(path: directory.path(name), configuration: configuration)
        try manager.createTableIfNecessary(for: Entry.self)
        for (schema, file) in others { try manager.execute("ATTACH \(directory.path(file)) AS \(identifier: schema)") }
        return manager
    }

    @Test("under the name that it has there, with what is known of the rows", .timeLimit(.minutes(20)))
    func names() async throws {
        let holder = try manager("b")
        let own = try manager("a", attaching: ["archive": "b"])
        let third = try manager("c", attaching: ["old": "b"])
        let (said, words) = AsyncStream.makeStream(of: String.self)
        let token = own.onChange(of: OldEntry.self) { words.yield("\($0.kind.map { "\($0)" } ?? "any") \($0.key)") }
        var heard = said.makeAsyncIterator()
        var texts = own.observe { try $0.fetchAll(OldEntry.self, sortedBy: .ascending(\.id)).map(\.text) }
            .makeAsyncIterator()
        var changes = third.changes().makeAsyncIterator()
        var ofHolder = holder.changes().makeAsyncIterator()
        #expect(try await texts.next() == [])
        try await holder.insert(Entry.self, values: ["text": "b"])
        #expect(try await texts.next() == ["b"])
        #expect(await changes.next()?.tables?.keys.sorted() == ["old.watched_entry"])
        #expect(await ofHolder.next()?.tables?.keys.sorted() == ["watched_entry"])
        // Those who commit to the attached file hear it once.
        try await own.execute("INSERT INTO archive.WATCHED_ENTRY VALUES (7, 'own')")
        #expect(try await texts.next() == ["b", "own"])
        #expect(await changes.next()?.tables?.keys.sorted() == ["old.watched_entry"])
        #expect(await ofHolder.next()?.tables?.keys.sorted() == ["watched_entry"])
        try await third.execute("DELETE FROM old.WATCHED_ENTRY WHERE ID = 7")
        #expect(try await texts.next() == ["b"])
        #expect(await changes.next()?.tables?.keys.sorted() == ["old.watched_entry"])
        #expect(await ofHolder.next()?.tables?.keys.sorted() == ["watched_entry"])
        // Nobody's business.
        try await own.execute("INSERT INTO main.WATCHED_ENTRY VALUES (1, 'main')")
        try await holder.execute("UPDATE WATCHED_ENTRY SET TEXT = 'c'")
        #expect(await changes.next()?.tables?["old.watched_entry"]?.rows?.map(\.columns) == [["TEXT"]])
        #expect(await heard.next() == "insert [1]")
        #expect(await heard.next() == "insert [7]")
        #expect(await heard.next() == "delete [7]")
        #expect(await heard.next() == "update [1]")
        token.cancel()
    }

    @Test("also where nobody watches the file itself", .timeLimit(.minutes(20)))
    func unwatched() async throws {
        let holder = try manager("b")
        let own = try manager("a", attaching: ["archive": "b"])
        var counts = own.observe { try $0.count(OldEntry.self) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        for count in 1...20 {
            try await holder.insert(Entry.self, values: ["text": "\(count)"])
            #expect(try await counts.next() == count)
        }
    }

    @Test("until it is detached", .timeLimit(.minutes(20))) func detached() async throws {
        let holder = try manager("b")
        let own = try manager("a", attaching: ["archive": "b"])
        try await own.execute("DETACH archive")
        #expect(try await own.count(Entry.self) == 0)
        var changes = own.changes().makeAsyncIterator()
        try await holder.insert(Entry.self, values: ["text": "b"])
        try await own.insert(Entry.self, values: ["text": "a"])
        #expect(await changes.next()?.tables?.keys.sorted() == ["watched_entry"])
    }
}

/// A count that several threads raise.
final class Readings: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var count = 0
    var value: Int { lock.withLock { count } }
    func increment() { lock.withLock { count += 1 } }
}
