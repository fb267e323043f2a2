import Foundation
import SQLiteKit
import Testing

@Suite("A changeset session")
struct ChangesetSessionTests {
    private let db: Database

    init() throws {
        db = try memory(albums + "CREATE TABLE track (album INTEGER, number INTEGER, PRIMARY KEY (album, number))")
    }

    // K25
    @Test("an insert is recorded with its new values")
    func insert() throws {
        let session = try db.recordChanges(of: ["album"])
        try db.execute("INSERT INTO album VALUES (3, 'Krabat', NULL)")
        let changes = try session.changeset().changes()
        #expect(changes.count == 1)
        #expect(changes.first?.table == "album")
        #expect(changes.first?.kind == .insert)
        #expect(changes.first?.isPrimaryKey == [true, false, false])
        #expect(changes.first?.new == [.integer(3), .text("Krabat"), .some(.null)])
        #expect(changes.first?.old == [SQLiteValue?](repeating: Optional.none, count: 3))
        #expect(changes.first?.primaryKey == [3])
    }

    // K25
    @Test("an update is recorded with the old and new values of the columns it changed")
    func update() throws {
        let session = try db.recordChanges(of: ["album"])
        try db.execute("UPDATE album SET year = 1974 WHERE id = 1")
        let change = try session.changeset().changes().first
        #expect(change?.kind == .update)
        #expect(change?.old == [.integer(1), Optional.none, .integer(1973)])
        #expect(change?.new == [Optional.none, Optional.none, .integer(1974)])
        #expect(change?.primaryKey == [1])
    }

    // K25
    @Test("a delete is recorded with its old values")
    func delete() throws {
        let session = try db.recordChanges(of: ["album"])
        try db.execute("DELETE FROM album WHERE id = 2")
        let change = try session.changeset().changes().first
        #expect(change?.kind == .delete)
        #expect(change?.old == [.integer(2), .text("Ronja"), .integer(1981)])
        #expect(change?.new == [SQLiteValue?](repeating: Optional.none, count: 3))
    }

    // K25
    @Test("values of every storage class are recorded as they are")
    func values() throws {
        let values: [SQLiteValue] = [
            .integer(.min), .real(-0.5), .text("a\0b"), .text(""), .text("日本 é"), .blob(Data()), .blob(Data([0, 255])),
            .null,
        ]
        try db.execute("CREATE TABLE v (id INTEGER PRIMARY KEY, v)")
        let session = try db.recordChanges(of: ["v"])
        for value in values { try db.execute("INSERT INTO v (v) VALUES (?)", [value]) }
        let recorded = try session.changeset().changes().sorted {
            ($0.new[0]).debugDescription < $1.new[0].debugDescription
        }
        #expect(recorded.map { $0.new[1] } == values)
    }

    // K25
    @Test("the tables that were named are recorded, and no others")
    func namedTables() throws {
        let session = try db.recordChanges(of: ["track"])
        try db.executeScript("INSERT INTO track VALUES (1, 1); DELETE FROM album")
        #expect(try session.changeset().tables == ["track"])
        #expect(try session.changeset().changes().first?.primaryKey == [1, 1])
    }

    // K25
    @Test("without names all tables are recorded, those created later too, but for those without a primary key")
    func allTables() throws {
        try db.execute("CREATE TABLE loose (a)")
        let session = try db.recordChanges()
        try db.executeScript(
            """
            CREATE TABLE later (id TEXT PRIMARY KEY);
            INSERT INTO later VALUES ('x');
            INSERT INTO loose VALUES (1);
            DELETE FROM album WHERE id = 1;
            """)
        #expect(try Set(session.changeset().tables) == ["album", "later"])
    }

    // K25
    @Test("an empty list of names records no table")
    func noTables() throws {
        let session = try db.recordChanges(of: [])
        try db.execute("DELETE FROM album")
        #expect(try session.changeset().isEmpty)
    }

    // K25
    @Test("a table that cannot be recorded is rejected", arguments: ["nonesuch", "loose", "", "albums", "album\0"])
    func rejectedTable(_ table: String) throws {
        try db.execute("CREATE TABLE loose (a)")
        let error = failure { try db.recordChanges(of: ["album", table]) }
        #expect(error?.code == .error)
        #expect(failure { try db.close() } == nil)
    }

    // K25
    @Test("tables of an attached database are recorded")
    func attached() throws {
        try db.executeScript("ATTACH ':memory:' AS other; CREATE TABLE other.album (id INTEGER PRIMARY KEY)")
        let session = try db.recordChanges(of: ["album"], in: "other")
        try db.executeScript("INSERT INTO other.album VALUES (9); DELETE FROM main.album")
        #expect(try session.changeset().changes().map(\.primaryKey) == [[9]])
    }

    // K25
    @Test("a table with an odd name is recorded", arguments: ["größe", "a b", "a\"b", "select", "表"])
    func oddName(_ name: String) throws {
        try db.execute("CREATE TABLE \(identifier: name) (id INTEGER PRIMARY KEY)")
        let session = try db.recordChanges(of: [name])
        try db.execute("INSERT INTO \(identifier: name) VALUES (1)")
        #expect(try session.changeset().tables == [name])
    }

    // K25
    @Test("nothing is recorded while it is disabled")
    func disabled() throws {
        let session = try db.recordChanges(of: ["album"])
        #expect(try session.isEnabled)
        try session.setEnabled(false)
        #expect(try !session.isEnabled)
        try db.execute("DELETE FROM album WHERE id = 1")
        try session.setEnabled(true)
        try db.execute("DELETE FROM album WHERE id = 2")
        #expect(try session.changeset().changes().map(\.primaryKey) == [[2]])
    }

    // K25
    @Test("what a trigger did is indirect, and what is marked so")
    func indirect() throws {
        try db.execute(
            "CREATE TRIGGER t AFTER DELETE ON album BEGIN INSERT INTO track VALUES (old.id, 1); END")
        let session = try db.recordChanges()
        try db.execute("DELETE FROM album WHERE id = 1")
        try session.setIndirect(true)
        try db.execute("UPDATE album SET year = 0")
        let changes = try session.changeset().changes()
        #expect(changes.first { $0.kind == .delete }?.isIndirect == false)
        #expect(changes.first { $0.kind == .insert }?.isIndirect == true)
        #expect(changes.first { $0.kind == .update }?.isIndirect == true)
    }

    // K25
    @Test("it is empty until something is recorded; what was changed back isn't a change")
    func empty() throws {
        let session = try db.recordChanges(of: ["album"])
        #expect(try session.isEmpty)
        try db.executeScript("INSERT INTO album VALUES (7, 'x', 1); DELETE FROM album WHERE id = 7")
        #expect(try !session.isEmpty)
        #expect(try session.changeset().isEmpty)
    }

    // K25
    @Test("it goes on after a changeset, and each begins where the session did")
    func goesOn() throws {
        let session = try db.recordChanges(of: ["album"])
        try db.execute("DELETE FROM album WHERE id = 1")
        #expect(try session.changeset().changes().count == 1)
        try db.execute("DELETE FROM album WHERE id = 2")
        #expect(try session.changeset().changes().count == 2)
    }

    // K25
    @Test("two sessions of one connection record side by side")
    func twoSessions() throws {
        let one = try db.recordChanges(of: ["album"])
        try db.execute("DELETE FROM album WHERE id = 1")
        let two = try db.recordChanges(of: ["album"])
        try db.execute("DELETE FROM album WHERE id = 2")
        #expect(try two.changeset().changes().count == 1)
        one.close()
        try db.execute("INSERT INTO album VALUES (5, 'x', 1)")
        #expect(try two.changeset().changes().count == 2)
    }

    // K25
    @Test("what was rolled back is not in the changeset")
    func rolledBack() throws {
        let session = try db.recordChanges(of: ["album"])
        try catchingTestError {
            try db.transaction {
                try db.execute("DELETE FROM album")
                throw TestError()
            }
        }
        #expect(try session.changeset().isEmpty)
    }

    // K25
    @Test("a query left open with the rows of a write does not keep a changeset from being made")
    func openReturning() throws {
        let session = try db.recordChanges(of: ["album"])
        let rows = try db.query("DELETE FROM album RETURNING id")
        _ = try rows.next()
        #expect(try session.changeset().changes().count == 2)
        #expect(failure { try rows.next() }?.extendedCode == .expired)
        #expect(!db.isInTransaction)
    }

    // K25
    @Test("a table whose columns have changed is reported")
    func changedSchema() throws {
        let session = try db.recordChanges(of: ["album"])
        try db.executeScript(
            "DELETE FROM album WHERE id = 1; DROP TABLE album; CREATE TABLE album (id TEXT PRIMARY KEY)")
        #expect(failure { try session.changeset() }?.code == .schema)
    }

    // K25
    @Test("a closed session throws")
    func closed() throws {
        let session = try db.recordChanges(of: ["album"])
        session.close()
        session.close()
        #expect(failure { try session.changeset() }?.extendedCode == .closed)
        #expect(failure { try session.patchset() }?.extendedCode == .closed)
        #expect(failure { try session.isEmpty }?.extendedCode == .closed)
        #expect(failure { try session.isEnabled }?.extendedCode == .closed)
        #expect(failure { try session.setEnabled(true) }?.extendedCode == .closed)
        #expect(failure { try session.setIndirect(true) }?.extendedCode == .closed)
    }

    // K25, K40
    @Test("a connection with a session is not closed, and says why")
    func heldSession() throws {
        let session = try db.recordChanges(of: ["album"])
        let error = failure { try db.close() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("a changeset session") == true)
        try db.execute("DELETE FROM album")
        #expect(try session.changeset().changes().count == 2)
        session.close()
        try db.close()
        #expect(failure { try db.recordChanges() }?.extendedCode == .closed)
    }

    // K25
    @Test("a session that is let go ends")
    func letGo() throws {
        do { _ = try db.recordChanges(of: ["album"]) }
        #expect(failure { try db.close() } == nil)
    }

    // K25
    @Test("a session used outside of an access throws, and can be used in the next")
    func outsideAccess() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.executeScript(SQL(albums)) }
        let session = try queue.write { db in try db.recordChanges(of: ["album"]) }
        #expect(failure { try session.changeset() }?.extendedCode == .expired)
        #expect(failure { try session.setEnabled(false) }?.extendedCode == .expired)
        try queue.write { db in try db.execute("DELETE FROM album WHERE id = 1") }
        #expect(try queue.read { _ in try session.changeset().changes().count } == 1)
        #expect(failure { try queue.close() }?.code == .busy)
        session.close()
        #expect(failure { try session.changeset() }?.extendedCode == .expired)
        #expect(failure { try queue.close() } == nil)
    }

    // K25
    @Test("a session let go outside of an access ends with the next, or with the connection")
    func letGoOutsideAccess() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.executeScript(SQL(albums)) }
        var session = try queue.write { db in try db.recordChanges(of: ["album"]) } as ChangesetSession?
        #expect(session != nil)
        session = nil
        try queue.write { db in try db.execute("DELETE FROM album") }
        #expect(failure { try queue.close() } == nil)

        var other = try DatabaseQueue(.memory) as DatabaseQueue?
        weak let released = other
        session = try other?.write { db in try db.recordChanges() }
        other = nil
        session = nil
        #expect(released == nil)
    }

    // K25, K18
    @Test("a session and a pre-update hook, which share one place, exclude each other")
    func preUpdateHook() throws {
        let session = try db.recordChanges(of: ["album"])
        #expect(failure { try db.setPreUpdateHook { _ in } }?.extendedCode == .notAllowedHere)
        #expect(failure { try db.setPreUpdateHook(nil) }?.extendedCode == .notAllowedHere)
        try db.execute("DELETE FROM album WHERE id = 1")
        #expect(try session.changeset().changes().count == 1)
        session.close()
        try db.setPreUpdateHook { _ in }
        #expect(failure { try db.recordChanges() }?.extendedCode == .notAllowedHere)
        try db.setPreUpdateHook(nil)
        #expect(failure { try db.recordChanges() } == nil)
    }

    @Test("a table with generated columns isn't recorded, which is said before anything is lost")
    func generatedColumns() throws {
        try db.execute("CREATE TABLE computed (id INTEGER PRIMARY KEY, a, g AS (a + 1))")
        for error in [failure { try db.recordChanges(of: ["COMPUTED"]) }, failure { try db.recordChanges() }] {
            #expect(error?.code == .error)
            #expect(error?.message.contains("generated columns") == true)
        }
        let session = try db.recordChanges(of: ["album"])
        try db.execute("INSERT INTO computed (a) VALUES (1)")
        try db.execute("DELETE FROM album WHERE id = 1")
        #expect(try session.changeset().changes().count == 1)
    }

    // K43
    @Test("the library has sessions, or a call says that it has none")
    func available() throws {
        let error = failure { try db.recordChanges() }
        #expect(error == nil || error?.extendedCode == .missingFeature)
    }
}
