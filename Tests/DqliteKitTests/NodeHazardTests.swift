import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// What was found to lose rows in dqlite, to answer wrongly, or to end a node: the client doesn't send it.
@Suite("Hazards of dqlite", .realNodes)
struct NodeHazardTests {
    // Hazard 1.
    @Test("An inserted row has its key, and is there after the leader was killed")
    func insertedKey() throws {
        let store = try NoteStore()
        let note = Note()
        note.number = 7
        try store.manager.insert(note)
        try store.leader().kill()
        try waitUntil { (try? store.leader()) != nil }
        #expect(try store.manager.find(Note.self, note.id)?.number == 7)
    }

    // Hazard 1.
    @Test("A row that an upsert has written is there after the leader was killed")
    func upserted() throws {
        let store = try NoteStore()
        let note = Note()
        (note.id, note.number) = (5, 8)
        try store.manager.upsert(note)
        note.number = 9
        try store.manager.upsert(note)
        try store.leader().kill()
        try waitUntil { (try? store.leader()) != nil }
        #expect(try store.manager.find(Note.self, 5)?.number == 9)
    }

    // Hazard 1.
    @Test("RETURNING outside a transaction is rejected, and ends no node")
    func returning() throws {
        let store = try NoteStore(1)
        #expect(throws: (any Error).self) {
            try store.manager.dictionaries("INSERT INTO NOTE (NUMBER) VALUES (9) RETURNING ID")
        }
        try store.insert(10)
        #expect(try store.numbers() == [10])
    }

    // Hazards 2 and 3.
    @Test(
        "Columns of types that end a node are rejected",
        arguments: ["DATETIME", "DATE", "TIMESTAMP", "timestamp", "BOOLEAN"])
    func declaredType(type: String) throws {
        let store = try NoteStore(1)
        #expect(throws: (any Error).self) { try store.manager.execute(SQL("CREATE TABLE t (a \(type))")) }
        #expect(throws: (any Error).self) { try store.manager.execute(SQL("ALTER TABLE NOTE ADD COLUMN a \(type)")) }
        try store.insert(1)
        #expect(store.nodes.nodes[0].isRunning)
    }

    // Hazard 3.
    @Test("Nil comes back as nil, whatever the property's type")
    func null() throws {
        let store = try NoteStore(1)
        try store.insert(1)
        let note = try #require(try store.manager.fetchOne(Note.self, where: \.number == 1))
        #expect(note.isRead == nil && note.date == nil && note.text == nil && note.data == nil)
    }

    // Hazard 2.
    @Test("Dates and truth values come back as they were")
    func datesAndTruth() throws {
        let store = try NoteStore(1)
        let note = Note()
        (note.isRead, note.date, note.text) = (true, Date(timeIntervalSince1970: 1_234_567.5), "Blue Train – é 🎷")
        try store.manager.insert(note)
        let found = try #require(try store.manager.find(Note.self, note.id))
        #expect(found.isRead == true && found.date == note.date && found.text == note.text)
    }

    // Hazard 4.
    @Test("A pragma that ends a node is rejected", arguments: ["DELETE", "WAL", "MEMORY"])
    func pragma(mode: String) throws {
        let store = try NoteStore(1)
        #expect(throws: (any Error).self) { try store.manager.execute(SQL("PRAGMA journal_mode = \(mode)")) }
        try store.insert(1)
        #expect(store.nodes.nodes[0].isRunning)
    }

    // Hazard 5.
    @Test("A text with a NUL is rejected, and bytes with one are kept")
    func nul() throws {
        let store = try NoteStore(1)
        let note = Note()
        note.text = "nul\0tail"
        #expect(throws: (any Error).self) { try store.manager.insert(note) }
        (note.text, note.data) = ("", Data("nul\0tail".utf8))
        try store.manager.insert(note)
        #expect(try store.manager.find(Note.self, note.id)?.data == note.data)
    }

    // Hazard 6.
    @Test("More values than a node takes parameters are sent in parts")
    func manyValues() throws {
        let store = try NoteStore(1)
        try store.manager.insert(
            (0..<1_000).map { number in
                let note = Note()
                note.number = number
                return note
            })
        #expect(try store.numbers() == Array(0..<1_000))
    }

    // Hazard 9.
    @Test("Writers wait for each other, and none is rejected")
    func busy() throws {
        let store = try NoteStore()
        let failures = Shared<[String]>([])
        let managers = try (0..<4).map { _ in try store.another() }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let manager = managers[index]
            for number in 0..<25 {
                do {
                    try manager.transaction {
                        let note = Note()
                        note.number = try manager.count(Note.self)
                        try manager.insert(note)
                    }
                } catch {
                    failures.change { $0.append("\(index), \(number): \(error)") }
                }
            }
        }
        #expect(failures.value == [])
        // Each has counted the rows of all before it.
        #expect(try store.numbers() == Array(0..<100))
    }

    // Hazard 11.
    @Test("Twenty megabytes in one transaction don't cost the leader its lead")
    func largeTransaction() throws {
        let store = try NoteStore()
        try store.manager.transaction {
            for number in 0..<20 {
                let note = Note()
                (note.number, note.data) = (number, Data(repeating: UInt8(number), count: 1 << 20))
                try store.manager.insert(note)
            }
        }
        #expect(try store.numbers() == Array(0..<20))
    }

    // Hazard 12.
    @Test("Foreign keys are enforced as on a local database")
    func foreignKeys() throws {
        let store = try NoteStore(1)
        try store.manager.execute("CREATE TABLE page (note INTEGER REFERENCES NOTE (ID))")
        #expect(throws: (any Error).self) { try store.manager.execute("INSERT INTO page VALUES (99)") }
    }

    // Hazard 12.
    @Test("A statement without rows has none, and several statements aren't one")
    func statements() throws {
        let store = try NoteStore(1)
        #expect(try store.manager.dictionaries("SELECT * FROM NOTE").isEmpty)
        #expect(throws: (any Error).self) { try store.manager.dictionaries("SELECT 1; SELECT 2") }
        try store.insert(1)
    }
}
