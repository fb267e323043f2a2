import Foundation
import Observation
import Persisting
import Testing

// This target's code is @MainActor by default, as that of a new app is. Its models say nonisolated.

nonisolated final class Note: PersistingModel {
    var id: Int64?
    var text = ""
    var due: Date?
}

@Observable
nonisolated final class WatchedNote: PersistingModel {
    var id: Int64?
    var text = ""
}

nonisolated struct Tint: Equatable, Sendable {
    var level = 0
}

nonisolated extension Transform where Value == Tint {
    static let text = Transform(encode: { "\($0.level)" }, decode: { (text: String) in Tint(level: Int(text) ?? -1) })
}

nonisolated final class Label: PersistingModel {
    var id: Int64?
    var tint = Tint()
    var back: Tint?

    override class var transforms: [AnyTransform] { [.init(.text)] }
    override class var columns: Columns {
        ["ID": .int, "TINT": .any, "BACK": .string.transformed(by: .text).unique]
    }
}

struct Library {
    let manager: PersistenceManager
    var notes: [Note] = []

    mutating func load() async throws {
        notes = try await manager.fetchAll(Note.self, where: \.text != "", sortedBy: [.descending(\.text)])
    }
}

@Suite("On the main actor") struct MainActorTests {
    let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Note.self)
        try manager.createTableIfNecessary(for: WatchedNote.self)
    }

    @Test("an object is saved, changed and deleted from the main actor")
    func saving() async throws {
        let note = Note()
        note.text = "milk"
        try await manager.save(note)
        note.text = "bread"
        #expect(note.changedKeys == ["text"])
        try await note.save()
        #expect(try await manager.find(Note.self, note.id)?.text == "bread")
        try await note.delete()
        #expect(try await manager.count(Note.self) == 0)
    }

    @Test("transforms serve the main actor and the database's side")
    func transforms() async throws {
        try await manager.createTableIfNecessary(for: Label.self)
        let label = Label()
        label.tint = Tint(level: 3)
        try await manager.save(label)
        let found = try await manager.fetchOne(Label.self, where: \.tint == Tint(level: 3) && \.back == nil)
        #expect(found?.tint.level == 3)
    }

    @Test("objects are fetched to the main actor")
    func fetching() async throws {
        try await manager.transaction { [manager] in
            for text in ["a", "b", ""] { try manager.insert(Note.self, values: ["text": text]) }
        }
        var library = Library(manager: manager)
        try await library.load()
        #expect(library.notes.map(\.text) == ["b", "a"])
    }

    @Test("an Observable model tells of what an update sets")
    func observing() async throws {
        let note = try await manager.insert(WatchedNote.self, values: ["text": "a"])
        try await confirmation { told in
            withObservationTracking {
                _ = note.text
            } onChange: {
                told()
            }
            try await note.update(\.text, to: "b")
        }
        #expect(note.text == "b")
    }

    @Test("a snapshot goes to another task")
    func crossing() async throws {
        let note = try await manager.insert(Note.self, values: ["text": "a"])
        let snapshot = note.snapshot()
        let text = try await Task.detached { try Note(snapshot).text }.value
        #expect(text == "a")
    }

    @Test("migrations run, and a schema is planned, applied and changed, from the main actor")
    func schema() async throws {
        // F50, F116
        let manager = try await PersistenceManager(
            .memory,
            migrations: [
                Migration(1, sql: "CREATE TABLE NOTE (ID INTEGER PRIMARY KEY, TEXT TEXT NOT NULL)"),
                Migration(2) { manager in try manager.execute("INSERT INTO NOTE (TEXT) VALUES ('a')") },
            ])
        let plan = try await manager.schemaPlan(for: [Note.self])
        try await manager.apply(plan)
        try await manager.updateSchema(for: [Note.self, Label.self])
        try await manager.alterTable("NOTE") { $0.add("EXTRA", .string) }
        let columns = try await manager.read { db in
            try db.column("SELECT name FROM pragma_table_info('NOTE')", as: String.self)
        }
        #expect(columns == ["ID", "TEXT", "DUE", "EXTRA"])
    }
}
