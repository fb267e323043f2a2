import Foundation
import SQLiteKit
import Testing

@Suite("Applying a changeset")
struct ChangesetConflictTests {
    private let twins: Twins

    init() throws { twins = try Twins(albums) }

    /// Applies, and returns the conflicts.
    private func conflicts(
        _ changeset: Changeset, _ resolution: Changeset.Resolution
    ) throws -> [Changeset.Conflict] {
        var conflicts: [Changeset.Conflict] = []
        try twins.there.apply(changeset) { conflict in
            conflicts.append(conflict)
            return resolution
        }
        return conflicts
    }

    // K25
    @Test("an update of a row with other values is a conflict of data, with the values here")
    func data() throws {
        try twins.there.execute("UPDATE album SET year = 7 WHERE id = 1")
        let changeset = try twins.record("UPDATE album SET year = 0 WHERE id = 1")
        let conflict = try conflicts(changeset, .omit).first
        #expect(conflict?.kind == .data)
        #expect(conflict?.change?.old[2] == 1973)
        #expect(conflict?.change?.new[2] == 0)
        #expect(conflict?.existing == [1, "Momo", 7])
        #expect(try twins.albums(twins.there) == ["1 Momo 7", "2 Ronja 1981"])
        #expect(try conflicts(changeset, .replace).count == 1)
        #expect(try twins.albums(twins.there) == ["1 Momo 0", "2 Ronja 1981"])
    }

    // K25
    @Test("a delete of a row that is not there is a conflict without a row")
    func notFound() throws {
        try twins.there.execute("DELETE FROM album WHERE id = 1")
        let changeset = try twins.record("DELETE FROM album")
        let found = try conflicts(changeset, .omit)
        #expect(found.map(\.kind) == [.notFound])
        #expect(found.first?.existing == [])
        #expect(found.first?.change?.primaryKey == [1])
        #expect(try twins.albums(twins.there) == [])
    }

    // K25
    @Test("an insert of a key that is there is a conflict; replacing puts the new row in its place")
    func conflict() throws {
        try twins.there.execute("INSERT INTO album VALUES (3, 'here', 1)")
        let changeset = try twins.record("INSERT INTO album VALUES (3, 'there', 2)")
        let found = try conflicts(changeset, .replace)
        #expect(found.map(\.kind) == [.conflict])
        #expect(found.first?.existing == [3, "here", 1])
        #expect(try twins.albums(twins.there).last == "3 there 2")
    }

    // K25
    @Test("a change that a constraint rejects is a conflict")
    func constraint() throws {
        try twins.there.execute("CREATE UNIQUE INDEX i ON album (title)")
        let changeset = try twins.record("INSERT INTO album VALUES (3, 'Momo', 2), (4, 'Krabat', 3)")
        let found = try conflicts(changeset, .omit)
        #expect(found.map(\.kind) == [.constraint])
        #expect(found.first?.existing == [])
        #expect(try twins.albums(twins.there).count == 3)
    }

    // K25
    @Test("foreign keys without parents are the last conflict: kept if omitted, else nothing is applied")
    func foreignKey() throws {
        let script = """
            CREATE TABLE album (id INTEGER PRIMARY KEY);
            CREATE TABLE track (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album);
            INSERT INTO album VALUES (1);
            """
        let twins = try Twins(script)
        let changeset = try twins.record("INSERT INTO track VALUES (1, 1), (2, 1)")
        func count() throws -> Int? { try twins.there.scalar("SELECT count(*) FROM track", as: Int.self) }
        try twins.there.execute("DELETE FROM album")
        #expect(failure { try twins.there.apply(changeset) }?.code == .abort)
        #expect(try count() == 0)
        var conflicts: [Changeset.Conflict] = []
        try twins.there.apply(changeset) { conflict in
            conflicts.append(conflict)
            return .omit
        }
        #expect(conflicts.map(\.kind) == [.foreignKey])
        #expect(conflicts.first?.change == nil)
        #expect(try count() == 2)
    }

    // K25
    @Test("without a handler the first conflict aborts, and nothing is applied")
    func abortByDefault() throws {
        try twins.there.execute("DELETE FROM album WHERE id = 2")
        let changeset = try twins.record("UPDATE album SET year = 0")
        let error = failure { try twins.there.apply(changeset) }
        #expect(error?.code == .abort)
        #expect(error?.message.contains("album") == true)
        #expect(try twins.albums(twins.there) == ["1 Momo 1973"])
        #expect(!twins.there.isInTransaction)
    }

    // K25
    @Test("an error of the handler comes through, and nothing is applied")
    func handlerThrows() throws {
        try twins.there.execute("DELETE FROM album WHERE id = 2")
        let changeset = try twins.record("UPDATE album SET year = 0")
        #expect(throws: TestError.self) { try twins.there.apply(changeset) { _ in throw TestError() } }
        #expect(try twins.albums(twins.there) == ["1 Momo 1973"])
    }

    // K25
    @Test("where there is no row to replace, the answer is rejected, and nothing is applied")
    func replaceNothing() throws {
        try twins.there.execute("DELETE FROM album WHERE id = 2")
        let changeset = try twins.record("UPDATE album SET year = 0")
        #expect(failure { try twins.there.apply(changeset) { _ in .replace } }?.code == .misuse)
        #expect(try twins.albums(twins.there) == ["1 Momo 1973"])
    }

    // K25
    @Test("the handler may run SQL")
    func handlerRunsSQL() throws {
        let db = twins.there
        try db.executeScript("DELETE FROM album WHERE id = 2; CREATE TABLE log (kind)")
        let changeset = try twins.record("UPDATE album SET year = 0")
        try db.apply(changeset) { conflict in
            try db.execute("INSERT INTO log VALUES (?)", ["\(conflict.kind)"])
            return .omit
        }
        #expect(try db.column("SELECT kind FROM log", as: String.self) == ["notFound"])
    }

    // K25
    @Test("only the tables asked for are changed, in any case of their letters", arguments: ["track", "TRACK"])
    func filter(_ name: String) throws {
        let twins = try Twins(albums + "CREATE TABLE track (id INTEGER PRIMARY KEY)")
        let changeset = try twins.record("DELETE FROM album; INSERT INTO track VALUES (1)")
        try twins.there.apply(changeset, to: [name, "nonesuch"])
        #expect(try twins.albums(twins.there).count == 2)
        #expect(try twins.there.scalar("SELECT count(*) FROM track", as: Int.self) == 1)
        try twins.there.apply(changeset, to: [])
        #expect(try twins.albums(twins.there).count == 2)
    }

    // K25
    @Test(
        "a table that is missing here or has other columns throws, and nothing is applied",
        arguments: [
            "DROP TABLE album", "DROP TABLE album; CREATE TABLE album (id INTEGER PRIMARY KEY, title)",
            "DROP TABLE album; CREATE TABLE album (id, title PRIMARY KEY, year)",
        ])
    func otherTable(_ script: String) throws {
        try twins.there.executeScript(SQL("CREATE TABLE a (id INTEGER PRIMARY KEY); " + script))
        try twins.here.execute("CREATE TABLE a (id INTEGER PRIMARY KEY)")
        let changeset = try twins.record("INSERT INTO a VALUES (1); DELETE FROM album")
        let error = failure { try twins.there.apply(changeset) { _ in .omit } }
        #expect(error?.code == .schema)
        #expect(error?.message.contains("album") == true)
        #expect(try twins.there.scalar("SELECT count(*) FROM a", as: Int.self) == 0)
        try twins.there.apply(changeset, to: ["a"])
        #expect(try twins.there.scalar("SELECT count(*) FROM a", as: Int.self) == 1)
    }

    // K25
    @Test("a table with more columns takes the changes, and their defaults")
    func moreColumns() throws {
        try twins.there.execute("ALTER TABLE album ADD COLUMN rating INTEGER DEFAULT 5")
        try twins.there.apply(try twins.record("INSERT INTO album VALUES (3, 'x', 1)"))
        #expect(try twins.there.scalar("SELECT rating FROM album WHERE id = 3", as: Int.self) == 5)
    }

    // K25
    @Test("what ANALYZE wrote is applied, though its table has no primary key")
    func statistics() throws {
        let script = albums + "CREATE INDEX i ON album (year); ANALYZE; DELETE FROM sqlite_stat1;"
        let twins = try Twins(script)
        try twins.there.apply(try twins.record("ANALYZE"))
        #expect(try twins.there.scalar("SELECT count(*) FROM sqlite_stat1", as: Int.self) == 1)
    }

    // K25
    @Test("in a transaction it is a savepoint: a conflict leaves what was there before")
    func savepoint() throws {
        let changeset = try twins.record("DELETE FROM album")
        let db = twins.there
        try db.transaction {
            try db.execute("UPDATE album SET year = 5 WHERE id = 2")
            #expect(failure { try db.apply(changeset) }?.code == .abort)
        }
        #expect(try twins.albums(db) == ["1 Momo 1973", "2 Ronja 5"])
    }

    // K25
    @Test("a read cannot apply one, and outside of an access nobody can")
    func inRead() throws {
        let changeset = try twins.record("DELETE FROM album")
        let queue = try DatabaseQueue(.memory)
        var kept: Database?
        try queue.write { db in
            try db.executeScript(SQL(albums))
            kept = db
        }
        #expect(failure { try queue.read { db in try db.apply(changeset) } }?.code == .readOnly)
        #expect(failure { try kept?.apply(changeset) }?.extendedCode == .expired)
        try queue.write { db in try db.apply(changeset) }
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM album", as: Int.self) } == 0)
    }

    // K25
    @Test("a query left open with the rows of a write does not keep it from being applied")
    func openReturning() throws {
        let changeset = try twins.record("DELETE FROM album")
        let rows = try twins.there.query("INSERT INTO album VALUES (8, 'x', 1), (9, 'y', 2) RETURNING id")
        _ = try rows.next()
        try twins.there.apply(changeset)
        #expect(try twins.albums(twins.there) == ["8 x 1", "9 y 2"])
    }

    // K25
    @Test("a text that is not UTF-8 is rejected where the handler would see it")
    func invalidText() throws {
        let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, CAST(X'FF' AS TEXT))"
        let twins = try Twins(script)
        let changeset = try twins.record("DELETE FROM t")
        #expect(failure { try changeset.changes() }?.extendedCode == .invalidText)
        try twins.there.execute("UPDATE t SET a = 'x'")
        #expect(failure { try twins.there.apply(changeset) { _ in .omit } }?.extendedCode == .invalidText)
    }
}
