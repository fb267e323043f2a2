import Foundation
import Observation
import Persisting
import Testing

@Observable private class Note: PersistingModel {
    var id: Int64?
    var title = ""
    var pages = 0
    var body: String?
    var state = State.draft
    var updatedAt: Date?
    var version = 0

    enum State: String, SQLiteValueConvertible { case draft, published }

    override class var columns: Columns {
        var columns = super.columns
        columns["BODY"] = .string.deferred
        columns["UPDATED_AT"] = .date.updated
        return columns
    }
    override class var versionKey: String? { "version" }
    override class var aliases: [Alias] { [Alias("name", for: "title")] }
    override class var subclasses: [PersistingModel.Type] { [Letter.self] }
}

@Observable private final class Letter: Note {
    var receiver = ""

    required init() {}
}

@Observable private final class Leaf: PersistingModel {
    var id: Int64?
    var rootID: Int64?
    static let root = ToOne(\Leaf.rootID, Leaf.self, onDelete: .setNull)
    static let leaves = ToMany(inverse: root)
    override class var relations: Relations { ["root": root, "leaves": leaves] }
}

@Observable private final class Pathed: PersistingModel {
    var id: Int64?
    var title = "untitled"
    var number = 3
    var kind = Note.State.published
    var isOpen = true
    var day = Date(timeIntervalSince1970: 0)
    var note: String?

    override class var columns: Columns {
        [
            "ID": .int, "TITLE": .path(\Pathed.title), "NUMBER": .path(\Pathed.number), "KIND": .path(\Pathed.kind),
            "IS_OPEN": .path(\Pathed.isOpen), "DAY": .path(\Pathed.day), "NOTE": .path(\Pathed.note),
        ]
    }
}

/// How often observers have been notified.
private final class Notifications: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var number = 0  // guarded by `lock`
    var count: Int { lock.withLock { number } }
    func note() { lock.withLock { number += 1 } }
}

/// Observers of an `@Observable` object hear of what the library sets.
// F122
@Suite struct ObservablePropertyTests {
    private let manager: PersistenceManager

    init() throws { manager = try memoryManager(Note.self, Leaf.self) }

    /// Whether the first change of what `read` reads is in `body`.
    private func isNotified<T>(_ read: () -> T, _ body: () throws -> Void) rethrows -> Bool {
        let notifications = Notifications()
        withObservationTracking {
            _ = read()
        } onChange: {
            notifications.note()
        }
        try body()
        return notifications.count == 1
    }

    private func isNotified<T>(_ read: () -> T, _ body: () async throws -> Void) async rethrows -> Bool {
        let notifications = Notifications()
        withObservationTracking {
            _ = read()
        } onChange: {
            notifications.note()
        }
        try await body()
        return notifications.count == 1
    }

    private func saved(_ title: String = "a") throws -> Note {
        let note = Note()
        note.title = title
        try manager.insert(note)
        return note
    }

    private func write(_ sql: String) throws { try manager.run(sql) }

    @Test func `the key, the version and times that an insert makes`() throws {
        let note = Note()
        #expect(try isNotified({ note.id }) { try manager.insert(note) })
        #expect(note.id == 1)
        note.title = "b"
        #expect(try isNotified({ note.version }) { try manager.save(note) })
        let other = Note()
        #expect(try isNotified({ other.updatedAt }) { try manager.insert(other) })
        #expect(other.updatedAt != nil)
    }

    @Test func `the key that an asynchronous insert makes`() async throws {
        let note = Note()
        #expect(try await isNotified({ note.id }) { try await manager.insert(note) })
        #expect(note.id != nil)
    }

    @Test func `what a refresh and a merge read`() throws {
        let note = try saved()
        try write("UPDATE NOTE SET TITLE = 'b'")
        #expect(try isNotified({ note.title }) { try manager.refresh(note) })
        try write("UPDATE NOTE SET TITLE = 'c'")
        #expect(try isNotified({ note.title }) { try manager.merge(note) })
        #expect(note.title == "c")
    }

    @Test func `what is as it was isn't notified`() throws {
        let note = try saved()
        try write("UPDATE NOTE SET TITLE = 'b'")
        #expect(try !isNotified({ (note.pages, note.state) }) { try manager.refresh(note) })
        #expect(try !isNotified({ note.pages }) { try note.setValues(["title": "c"]) })
    }

    @Test func `what is set by keys`() throws {
        let note = try saved()
        #expect(try isNotified({ note.title }) { try note.setValue("b", forKey: "title") })
        #expect(try isNotified({ note.title }) { try note.setValue("c", forKey: "name") })
        #expect(try isNotified({ note.state }) { try note.setValues(["state": "published"]) })
        #expect(try isNotified({ note.pages }) { try note.update(key: "pages", to: 7) })
        #expect(try isNotified({ note.pages }) { try note.update(\.pages, to: 8) })
        let other = Note()
        other.title = "d"
        #expect(isNotified({ note.title }) { note.copyValues(from: other) })
        #expect(note.title == "d")
    }

    @Test func `a deferred property that is loaded`() throws {
        try write("INSERT INTO NOTE (TITLE, BODY) VALUES ('a', 'long')")
        let note = try #require(try manager.find(Note.self, 1))
        #expect(try isNotified({ note.body }) { try note.load(\.body) })
        #expect(note.body == "long")
    }

    @Test func `what a rollback gives back`() throws {
        let note = Note()
        note.title = "a"
        try? manager.transaction {
            try manager.insert(note)
            #expect(isNotified({ note.title }) { note.title = "b" })
            throw CancellationError()
        }
        #expect(note.id == nil)
        let other = Note()
        let notifications = Notifications()
        try? manager.transaction {
            try manager.insert(other)
            withObservationTracking {
                _ = other.id
            } onChange: {
                notifications.note()
            }
            throw CancellationError()
        }
        #expect(other.id == nil && notifications.count == 1)
    }

    @Test func `a foreign key that a relation sets`() throws {
        let (root, leaf) = (Leaf(), Leaf())
        try manager.save([root, leaf])
        #expect(try isNotified({ leaf.rootID }) { try leaf.set(Leaf.root, to: root) })
        try manager.save(leaf)
        let child = try #require(try root.related(Leaf.leaves).first)
        #expect(try isNotified({ child.rootID }) { try manager.delete(root) })
        #expect(child.rootID == nil)
    }

    @Test func `properties of a superclass and of a subclass`() throws {
        let letter = Letter()
        try manager.insert(letter)
        try write("UPDATE NOTE SET TITLE = 'b', RECEIVER = 'Ann'")
        #expect(try isNotified({ letter.receiver }) { try manager.refresh(letter) })
        try write("UPDATE NOTE SET TITLE = 'c'")
        #expect(try isNotified({ letter.title }) { try manager.refresh(letter) })
        #expect(letter.title == "c" && letter.receiver == "Ann")
    }

    @Test func `the value is the old one when observers are notified, and the new one afterwards`() throws {
        let note = try saved()
        try write("UPDATE NOTE SET TITLE = 'b'")
        nonisolated(unsafe) let observed = note
        nonisolated(unsafe) var before: String?
        withObservationTracking {
            _ = note.title
        } onChange: {
            before = observed.title
        }
        try manager.refresh(note)
        #expect(before == "a" && note.title == "b")
    }

    @Test func `a column by key path is notified once, and has the default of its property`() throws {
        let manager = try memoryManager(Pathed.self)
        let pathed = Pathed()
        try manager.insert(pathed)
        #expect(try isNotified({ pathed.title }) { try pathed.setValue("b", forKey: "title") })
        let columns = ["TITLE", "NUMBER", "KIND", "IS_OPEN", "DAY", "NOTE"].map {
            try? manager.columnSQL($0, in: "PATHED")
        }
        #expect(
            columns == [
                "TITLE TEXT NOT NULL DEFAULT 'untitled'", "NUMBER INTEGER NOT NULL DEFAULT 3",
                "KIND TEXT NOT NULL DEFAULT 'published'", "IS_OPEN INTEGER NOT NULL DEFAULT 1", "DAY REAL NOT NULL",
                "NOTE TEXT",
            ])
    }

    @Test func `a table that lacks the defaults of columns by key path agrees with the class`() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE PATHED (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL, NUMBER INTEGER NOT NULL,
                  KIND TEXT NOT NULL, IS_OPEN INTEGER NOT NULL, DAY REAL NOT NULL, NOTE TEXT)
                """)
        #expect(try !manager.createTableIfNecessary(for: Pathed.self))
        try manager.insert(Pathed())
        #expect(try manager.find(Pathed.self, 1)?.title == "untitled")
    }
}
