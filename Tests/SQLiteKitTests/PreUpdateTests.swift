import Foundation
import SQLiteKit
import Testing

@Suite("The pre-update hook")
struct PreUpdateTests {
    private let db: Database
    private let seen = Shared<[String]>([])

    init() throws {
        db = try memory("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        try db.setPreUpdateHook { [seen] change in
            var text = "\(change.kind) \(change.database).\(change.table)/\(change.depth)"
            do {
                for index in 0..<change.columnCount where change.kind != .insert {
                    text += " -\(try change.old(at: index, as: SQLiteValue.self))"
                }
                for index in 0..<change.columnCount where change.kind != .delete {
                    text += " +\(try change.new(at: index, as: SQLiteValue.self))"
                }
            } catch {
                text += " \(error)"
            }
            seen.update { $0.append(text) }
        }
    }

    // K18
    @Test("each change is reported before it is made, with the values before and after")
    func values() throws {
        try db.execute("INSERT INTO t VALUES (1, 'ü')")
        try db.execute("UPDATE t SET a = x'00ff'")
        try db.execute("UPDATE t SET id = 2, a = NULL")
        try db.execute("DELETE FROM t")
        #expect(
            seen.value == [
                "insert main.t/0 +1 +'ü'", "update main.t/0 -1 -'ü' +1 +X'00FF'",
                "update main.t/0 -1 -X'00FF' +2 +NULL", "delete main.t/0 -2 -NULL",
            ])
    }

    // K18
    @Test("WITHOUT ROWID tables, replaced rows and triggers are reported")
    func more() throws {
        try db.executeScript(
            """
            CREATE TABLE w (k PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO w VALUES ('x');
            INSERT INTO t VALUES (1, 1);
            CREATE TRIGGER r AFTER DELETE ON w BEGIN DELETE FROM t; END;
            """)
        seen.update { $0 = [] }
        try db.execute("DELETE FROM w")
        #expect(seen.value == ["delete main.w/0 -'x'", "delete main.t/1 -1 -1"])
        try db.execute("INSERT INTO t VALUES (1, 1)")
        seen.update { $0 = [] }
        try db.execute("REPLACE INTO t VALUES (1, 2)")
        #expect(seen.value == ["delete main.t/0 -1 -1", "insert main.t/0 +1 +2"])
    }

    // K18
    @Test("values that are not there, and columns that are not, throw")
    func misuse() throws {
        let errors = Shared<[SQLiteError?]>([])
        try db.setPreUpdateHook { change in
            var found: [SQLiteError?] = []
            do throws(SQLiteError) { _ = try change.old(at: 0, as: Int.self) } catch { found.append(error) }
            do throws(SQLiteError) { _ = try change.new(at: 2, as: Int.self) } catch { found.append(error) }
            do throws(SQLiteError) { _ = try change.new(at: -1, as: Int.self) } catch { found.append(error) }
            do throws(SQLiteError) { _ = try change.new(at: 1, as: Int.self) } catch { found.append(error) }
            errors.update { [found] in $0 = found }
        }
        try db.execute("INSERT INTO t VALUES (1, 'text')")
        #expect(errors.value.map(\.?.code) == [.misuse, .range, .range, .mismatch])
        #expect(errors.value.last??.message == "column 1 of t: a stored TEXT of 4 bytes isn't a valid Int")
        try db.setPreUpdateHook { change in
            do throws(SQLiteError) {
                _ = try change.new(at: 0, as: Int.self)
            } catch {
                errors.update { [error] in $0 = [error] }
            }
        }
        try db.execute("DELETE FROM t")
        #expect(errors.value.first??.message == "a row of t has no new values: it is deleted")
    }

    // K18
    @Test("the row identifiers before and after are reported")
    func rowIDs() throws {
        let ids = Shared<[Int64]>([])
        try db.execute("INSERT INTO t VALUES (5, 1)")
        try db.setPreUpdateHook { change in
            let (old, new) = (change.oldRowID, change.newRowID)
            ids.update { $0 = [old, new] }
        }
        try db.execute("UPDATE t SET id = 6")
        #expect(ids.value == [5, 6])
    }

    // K18, K25
    @Test("a session and the hook keep each other out, until the one that was first has gone")
    func session() throws {
        #expect(failure { try db.recordChanges() }?.extendedCode == .notAllowedHere)
        try db.setPreUpdateHook(nil)
        let (session, other) = (try db.recordChanges(), try db.recordChanges())
        #expect(failure { try db.setPreUpdateHook { _ in } }?.extendedCode == .notAllowedHere)
        session.close()
        #expect(failure { try db.setPreUpdateHook { _ in } }?.extendedCode == .notAllowedHere)
        try db.execute("INSERT INTO t VALUES (1, 1)")
        #expect(try !other.changeset().isEmpty)
        other.close()
        try db.setPreUpdateHook { [seen] _ in seen.update { $0.append("again") } }
        try db.execute("INSERT INTO t VALUES (2, 1)")
        #expect(seen.value == ["again"])
    }

    // K18
    @Test("without the hook nothing is reported")
    func removal() throws {
        try db.setPreUpdateHook(nil)
        try db.execute("INSERT INTO t VALUES (1, 1)")
        #expect(seen.value == [])
    }
}
