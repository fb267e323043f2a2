import Foundation
import Persisting
import Testing

private final class Note: PersistingModel {
    var id: Int64?
    var text = ""
}

// F10, F15
@Suite("A manager's connections") struct ManagerAccessTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("of a new file are a pool, in memory a queue") func kinds() throws {
        #expect(try PersistenceManager(path: directory.path()).database is DatabasePool)
        #expect(try PersistenceManager(.memory).database is DatabaseQueue)
        #expect(try PersistenceManager(.temporary).database is DatabaseQueue)
    }

    @Test("are an error where there are too many, or none that read", arguments: [-1, 0, 1001])
    func readers(_ count: Int) throws {
        var configuration = DatabaseConfiguration()
        configuration.maximumReaders = count
        let path = directory.path()
        #expect {
            _ = try PersistenceManager(path: path, configuration: configuration)
        } throws: { ($0 as? SQLiteError)?.message.contains("1 to 1000 readers") == true }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("of a file that has another journal mode are a queue, and the mode stays") func otherMode() throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        try DatabaseQueue(.file(directory.path()), configuration: configuration)
            .write { db in try db.execute("CREATE TABLE t (a)") }
        let manager = try PersistenceManager(path: directory.path())
        #expect(manager.database is DatabaseQueue)
        #expect(try manager.database.withoutTransaction { try $0.journalMode } == .delete)
    }

    @Test("let a fetch run while another thread is in a transaction, of whose writes it sees nothing")
    func fetchBesideWrite() async throws {
        let manager = try PersistenceManager(path: directory.path())
        try await manager.createTableIfNecessary(for: Note.self)
        try await manager.insert(Note.self, values: ["text": "committed"])
        let (isWriting, written) = AsyncStream.makeStream(of: Void.self)
        let hasFetched = DispatchSemaphore(value: 0)
        async let transaction: Void = manager.transaction {
            try manager.insert(Note.self, values: ["text": "not yet"])
            #expect(try manager.count(Note.self) == 2)
            written.yield()
            hasFetched.wait()
        }
        for await _ in isWriting { break }
        let texts = try await manager.fetchAll(Note.self).map(\.text)
        let found = try await manager.find(Note.self, 1)?.text
        hasFetched.signal()
        try await transaction
        #expect(texts == ["committed"])
        #expect(found == "committed")
        #expect(try await manager.count(Note.self) == 2)
    }

    @Test("give a fetch what the same task has just saved") func readYourWrites() async throws {
        let manager = try PersistenceManager(path: directory.path())
        try await manager.createTableIfNecessary(for: Note.self)
        for number in 1...50 {
            let note = try await manager.insert(Note.self, values: ["text": "\(number)"])
            #expect(try await manager.find(Note.self, note.id)?.text == "\(number)")
        }
    }

    @Test("reject a write inside a read, and leave an object read there as it is") func writeInRead() throws {
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: Note.self)
        let note = try manager.insert(Note.self, values: ["text": "a"])
        try manager.execute("UPDATE NOTE SET TEXT = 'b'")
        try catchingTestError {
            try manager.read { _ in
                try manager.refresh(note)
                #expect(sqliteFailure { try manager.insert(Note.self, values: [:]) } != nil)
                throw TestError()
            }
        }
        #expect(note.text == "b")
        #expect(try manager.count(Note.self) == 1)
    }

    // F18
    @Test("tell a trace of each statement, with values when it asks for them", arguments: [true, false])
    func trace(showsValues: Bool) throws {
        let events = Events()
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace(values: showsValues ? .shown : .hidden) { events.add($0) }
        let manager = try PersistenceManager(.memory, configuration: configuration)
        try manager.createTableIfNecessary(for: Note.self)
        try manager.insert(Note.self, values: ["text": "secret"])
        let event = try #require(events.all.last { $0.sql.hasPrefix("INSERT INTO NOTE") })
        #expect(event.duration >= .zero)
        #expect(event.expandedSQL?.contains("'secret'") == (showsValues ? true : nil))
        #expect(!event.sql.contains("secret"))
    }

    // F18
    @Test("tell a trace of slow statements alone, when it says how slow") func slow() throws {
        let events = Events()
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace(minimumDuration: .seconds(3600)) { events.add($0) }
        let manager = try PersistenceManager(.memory, configuration: configuration)
        try manager.createTableIfNecessary(for: Note.self)
        #expect(events.all.isEmpty)
    }
}

/// The events of a trace, from any thread.
private final class Events: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var events: [Trace.Event] = []  // guarded by `lock`

    func add(_ event: Trace.Event) { lock.withLock { events.append(event) } }
    var all: [Trace.Event] { lock.withLock { events } }
}
