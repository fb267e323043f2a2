import Foundation
import SQLiteKit
import Testing

/// What is reported after each commit.
@Suite("What was committed")
struct CommittedChangesTests {
    // F120, K17

    enum Kind: CaseIterable { case queue, pool }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let script: SQL = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a, b);
        CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE u (x, y UNIQUE);
        CREATE TABLE child (id INTEGER PRIMARY KEY, t REFERENCES t ON DELETE CASCADE);
        CREATE TABLE log (what);
        CREATE TRIGGER logs AFTER INSERT ON w BEGIN INSERT INTO log VALUES (new.k); END;
        INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', 'd');
        """

    private func open(_ kind: Kind) throws -> any DatabaseAccess {
        let access: any DatabaseAccess =
            kind == .queue ? try DatabaseQueue(directory.file()) : try DatabasePool(directory.file())
        try access.withoutTransaction { try $0.executeScript(Self.script) }
        return access
    }

    private func write(_ access: any DatabaseAccess, _ body: (Database) throws -> Void) throws {
        try access.write { db in try body(db) }
    }

    private func run(_ access: any DatabaseAccess, _ body: (Database) throws -> Void) throws {
        try access.withoutTransaction { db in try body(db) }
    }

    /// What is reported while `body` runs: a text for each commit.
    private func commits(_ access: any DatabaseAccess, _ body: () throws -> Void) rethrows -> [String] {
        let heard = Heard()
        let number = access.connections.changes.add(nil) { heard.append($0) }
        defer { access.connections.changes.remove(number) }
        try body()
        return heard.texts
    }

    private final class Heard: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var known: [String] = []
        var texts: [String] { lock.withLock { known } }

        func append(_ commit: CommittedChanges) {
            let tables = commit.tables?.sorted { $0.key < $1.key }.map { _, table in
                let rows = table.rows?.map { row in
                    let key = row.key.map { "\($0)" }.joined(separator: ",")
                    let columns = row.kind == .update ? ":" + row.columns.sorted().joined(separator: ",") : ""
                    return "\(row.kind) \(key)\(columns)"
                }
                return table.name + " " + (rows?.joined(separator: "; ") ?? "*")
            }
            lock.withLock { known.append(tables?.joined(separator: " | ") ?? "anything") }
        }
    }

    @Test("not what is run once more to find out which foreign key is broken", arguments: Kind.allCases)
    func foreignKeys(_ kind: Kind) throws {
        let access = try open(kind)
        try run(access) { db in
            try db.execute("CREATE TABLE pair (id INTEGER PRIMARY KEY, t REFERENCES t, u REFERENCES t)")
        }
        let found = try commits(access) {
            try write(access) { db in
                #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO pair VALUES (1, 1, 9)") }
                try db.execute("INSERT INTO t VALUES (7, 'a', 'b')")
            }
        }
        #expect(found.count == 1)
        #expect(!found.joined().contains("pair"))
    }

    @Test("each statement outside a transaction is a commit", arguments: Kind.allCases)
    func single(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try run(access) { db in
                try db.execute("INSERT INTO t VALUES (3, 1, 2)")
                try db.execute("UPDATE t SET b = 5, a = a WHERE id = 3")
                try db.execute("DELETE FROM t WHERE id = 3")
                try db.execute("UPDATE t SET a = 1 WHERE id = 99")
            }
        }
        #expect(heard == ["t insert 3", "t update 3:b", "t delete 3"])
    }

    @Test("a key that is a whole real number is the same whatever became of its row", arguments: Kind.allCases)
    func realKeys(_ kind: Kind) throws {
        let access = try open(kind)
        try run(access) { db in
            try db.executeScript(
                """
                CREATE TABLE real (k DOUBLE PRIMARY KEY, v);
                CREATE TABLE point (k INTEGER, v, PRIMARY KEY (v, k));
                CREATE TABLE strict (k REAL PRIMARY KEY, v ANY) STRICT, WITHOUT ROWID;
                """)
        }
        for table in ["real", "strict"] {
            let heard = try commits(access) {
                for sql in ["INSERT INTO \(table) VALUES (3, 1)", "UPDATE \(table) SET v = 2", "DELETE FROM \(table)"] {
                    try run(access) { db in try db.execute(SQL(sql)) }
                }
            }
            #expect(heard == ["\(table) insert 3.0", "\(table) update 3.0:v", "\(table) delete 3.0"])
        }
        let heard = try commits(access) {
            try run(access) { db in try db.execute("INSERT INTO point VALUES (3, 4)") }
        }
        #expect(heard == ["point insert 4,3"])
    }

    @Test("a transaction is one commit", arguments: Kind.allCases)
    func transaction(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try db.execute("INSERT INTO t VALUES (3, 1, 2)")
                try db.execute("INSERT INTO u VALUES (3, 1)")
            }
        }
        #expect(heard == ["t insert 3 | u insert 1"])
    }

    @Test("what is rolled back is not told", arguments: Kind.allCases)
    func rolledBack(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = commits(access) {
            #expect(throws: TestError.self) {
                try write(access) { db in
                    try db.execute("INSERT INTO t VALUES (3, 1, 2)")
                    throw TestError()
                }
            }
            _ = failure { try access.withoutTransaction { try $0.executeScript("BEGIN; DELETE FROM t; ROLLBACK") } }
        }
        #expect(heard == [])
    }

    @Test("what a savepoint undoes is not told", arguments: Kind.allCases)
    func savepoints(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try db.execute("INSERT INTO u VALUES (1, 1)")
                try? db.savepoint {
                    try db.execute("INSERT INTO t VALUES (3, 1, 2)")
                    throw TestError()
                }
                try db.savepoint { _ = try db.execute("INSERT INTO u VALUES (2, 2)") }
                try db.executeScript(
                    """
                    SAVEPOINT "a b"; DELETE FROM t; SAVEPOINT c; DELETE FROM u; RELEASE SAVEPOINT c;
                    ROLLBACK TRANSACTION TO SAVEPOINT "a b"; INSERT INTO u VALUES (3, 3); RELEASE "A B"
                    """)
            }
        }
        #expect(heard == ["u insert 1; insert 2; insert 3"])
    }

    @Test("savepoints are known after comments, and by their own names", arguments: Kind.allCases)
    func savepointNames(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try db.executeScript(
                    """
                    SAVEPOINT a; INSERT INTO u VALUES (1, 1); /* again */ SAVEPOINT a; INSERT INTO u VALUES (2, 2);
                    -- the inner one
                    ROLLBACK TO a; RELEASE a; SAVEPOINT "savepoint"; INSERT INTO u VALUES (3, 3);
                    ROLLBACK TO "savepoint"; RELEASE SAVEPOINT "savepoint"; RELEASE a
                    """)
            }
        }
        #expect(heard == ["u insert 1"])
    }

    @Test("a table that is named like a virtual table's own is reported by its own name", arguments: Kind.allCases)
    func namedLikeShadow(_ kind: Kind) throws {
        let access = try open(kind)
        try access.withoutTransaction {
            try $0.executeScript(
                "CREATE VIRTUAL TABLE docs USING fts5(x); CREATE TABLE docs_meta (id INTEGER PRIMARY KEY, y)")
        }
        let heard = try commits(access) {
            try run(access) { _ = try $0.execute("INSERT INTO docs_meta VALUES (1, 2)") }
            try run(access) { _ = try $0.execute("INSERT INTO docs VALUES ('a')") }
        }
        #expect(heard.count == 2 && heard.first == "docs_meta insert 1")
        #expect(heard.last?.hasPrefix("docs ") == true || heard.last == "docs")
    }

    @Test("a key that is INTEGER and DESC is not the row's identifier", arguments: Kind.allCases)
    func descendingKey(_ kind: Kind) throws {
        let access = try open(kind)
        try access.withoutTransaction {
            try $0.executeScript("CREATE TABLE d (id INTEGER PRIMARY KEY DESC, y); INSERT INTO d VALUES (70, 1)")
        }
        let heard = try commits(access) { try run(access) { _ = try $0.execute("UPDATE d SET y = 2") } }
        #expect(heard == ["d update 70:y"])
    }

    @Test("rows of a statement that fails are not told, but those that OR FAIL keeps", arguments: Kind.allCases)
    func failing(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                _ = failure { try db.execute("INSERT INTO u VALUES (1, 1), (2, 1)") }
                _ = failure { try db.execute("INSERT OR FAIL INTO u VALUES (1, 1), (2, 1)") }
            }
            _ = failure { try access.withoutTransaction { try $0.execute("INSERT INTO u VALUES (5, 5), (6, 5)") } }
        }
        #expect(heard == ["u insert 1"])
    }

    @Test("what a statement's trigger has written is undone with it", arguments: Kind.allCases)
    func failingWithTrigger(_ kind: Kind) throws {
        let access = try open(kind)
        try run(access) { db in
            try db.execute("CREATE TRIGGER notes AFTER INSERT ON child BEGIN INSERT INTO log VALUES (new.id); END")
        }
        let heard = try commits(access) {
            try write(access) { db in
                // The key is checked after the trigger has run.
                #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO child VALUES (1, 9)") }
                try db.execute("INSERT INTO child VALUES (2, 1)")
            }
            try write(access) { db in
                #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO child VALUES (3, 9)") }
            }
        }
        #expect(heard == ["child insert 2 | log insert 1"])
    }

    @Test("what a trigger has written before RAISE(FAIL) stays, and is told", arguments: Kind.allCases)
    func raiseFail(_ kind: Kind) throws {
        let access = try open(kind)
        try run(access) { db in
            try db.execute(
                """
                CREATE TRIGGER fails BEFORE INSERT ON child
                BEGIN INSERT INTO log VALUES (new.id); SELECT RAISE(FAIL, 'no'); END
                """)
        }
        let heard = try commits(access) {
            try run(access) { db in
                #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO child VALUES (1, 1)") }
            }
        }
        #expect(heard == ["log insert 1"])
    }

    @Test("rows that REPLACE deletes are reported", arguments: Kind.allCases)
    func replaced(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { try $0.execute("INSERT OR REPLACE INTO t VALUES (1, 'x', 'y')") }
        }
        #expect(heard == ["t delete 1; insert 1"])
    }

    @Test("tables WITHOUT ROWID, triggers and cascades are reported", arguments: Kind.allCases)
    func others(_ kind: Kind) throws {
        let access = try open(kind)
        try write(access) { try $0.execute("INSERT INTO child VALUES (7, 1)") }
        let heard = try commits(access) {
            try write(access) { try $0.execute("INSERT INTO w VALUES ('k', 1)") }
            try write(access) { try $0.execute("UPDATE w SET v = 2, k = 'l'") }
            try write(access) { try $0.execute("DELETE FROM t WHERE id = 1") }
        }
        #expect(heard == ["log insert 1 | w insert 'k'", "w update 'k':k,v", "child delete 7 | t delete 1"])
    }

    @Test("a DELETE of all rows is reported, by a statement that was prepared before", arguments: Kind.allCases)
    func truncated(_ kind: Kind) throws {
        let access = try open(kind)
        try write(access) { db in
            try db.execute("DELETE FROM u")
            try db.execute("INSERT INTO u VALUES (1, 1), (2, 2)")
        }
        let heard = try commits(access) { try write(access) { try $0.execute("DELETE FROM u") } }
        #expect(heard == ["u delete 1; delete 2"])
    }

    @Test("a write to a blob in place is reported as an update of its column", arguments: Kind.allCases)
    func blob(_ kind: Kind) throws {
        let access = try open(kind)
        try write(access) { try $0.execute("UPDATE t SET b = x'0000' WHERE id = 1") }
        let heard = try commits(access) {
            try write(access) { db in
                try db.openBlob(table: "t", column: "b", rowID: 1, access: .readWrite).write(Data([1]))
            }
        }
        #expect(heard == ["t update 1:b"])
    }

    @Test("a change of the schema means anything", arguments: Kind.allCases)
    func schema(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try db.execute("CREATE TABLE n (a)")
                try db.execute("INSERT INTO n VALUES (1)")
            }
            try write(access) { try $0.execute("INSERT INTO n VALUES (2)") }
        }
        #expect(heard == ["anything", "n insert 2"])
    }

    @Test("while a session records, a commit may be of anything", arguments: Kind.allCases)
    func session(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                let session = try db.recordChanges()
                try db.execute("INSERT INTO u VALUES (1, 1)")
                session.close()
            }
            try write(access) { try $0.execute("INSERT INTO u VALUES (2, 2)") }
        }
        #expect(heard == ["anything", "u insert 2"])
    }

    @Test("many rows of one statement are reported as their table", arguments: Kind.allCases)
    func many(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO u SELECT i, i FROM n
                    """)
            }
        }
        #expect(heard == ["u *"])
    }

    @Test("another queue on the file is heard")
    func otherQueue() throws {
        let access = try open(.pool)
        let other = try DatabaseQueue(directory.file())
        let heard = try commits(access) { try write(other) { try $0.execute("INSERT INTO u VALUES (1, 1)") } }
        #expect(heard == ["u insert 1"])
    }

    @Test("a user's own hook goes on, and a trigger's rows are told to both")
    func userHook() throws {
        let access = try open(.queue)
        let own = Heard()
        try run(access) { db in
            try db.setPreUpdateHook { _ in own.append(CommittedChanges.anything) }
        }
        let heard = try commits(access) { try write(access) { try $0.execute("INSERT INTO w VALUES ('k', 1)") } }
        try write(access) { try $0.execute("INSERT INTO u VALUES (1, 1)") }
        #expect(heard == ["log insert 1 | w insert 'k'"])
        #expect(own.texts.count == 3)
    }

    /// Adds a function that writes what it is given.
    private func addLogged(_ access: any DatabaseAccess, _ db: Database) throws {
        try db.addFunction("logged", argumentCount: 1) { arguments in
            let value: Int = try arguments[0]
            try access.withoutTransaction { db in _ = try db.execute("INSERT INTO log VALUES (\(value))") }
            return value
        }
    }

    @Test("what a function's statement writes comes with the statement that calls it", arguments: Kind.allCases)
    func function(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try run(access) { db in
                try addLogged(access, db)
                try db.execute("INSERT INTO u VALUES (1, logged(1))")
                _ = failure { try db.execute("INSERT INTO u VALUES (2, logged(1))") }
                try db.execute("INSERT INTO u VALUES (3, 3)")
            }
        }
        #expect(heard == ["log insert 1 | u insert 1", "u insert 2"])
    }

    @Test("rows of a statement that fails are not told, though its function has written", arguments: Kind.allCases)
    func failingFunction(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try addLogged(access, db)
                _ = failure { try db.execute("INSERT INTO u VALUES (1, 1), (2, logged(1))") }
            }
        }
        #expect(heard.allSatisfy { !$0.contains("u insert") })
    }

    @Test("a database that is replaced by bytes may have changed in any way")
    func deserialized() throws {
        let access = try DatabaseQueue(.memory)
        try run(access) { try $0.executeScript(Self.script) }
        let heard = try commits(access) {
            try run(access) { db in
                try db.execute("INSERT INTO u VALUES (1, 1)")
                try db.deserialize(db.serialize())
            }
            try run(access) { try $0.execute("INSERT INTO u VALUES (2, 2)") }
        }
        #expect(heard == ["u insert 1", "anything", "u insert 2"])
    }

    @Test("a database that is restored from a backup may have changed in any way")
    func restored() throws {
        let access = try open(.queue)
        let copy = try DatabaseQueue(.memory)
        try run(copy) { try $0.executeScript(Self.script) }
        let heard = try commits(access) {
            try run(access) { db in
                try copy.withoutTransaction { source in try source.backup(to: db) }
                try db.execute("INSERT INTO u VALUES (2, 2)")
            }
        }
        #expect(heard == ["anything", "u insert 2"] || heard == ["anything"])
    }

    @Test("a database that is opened again may have changed in any way", arguments: Kind.allCases)
    func reopened(_ kind: Kind) throws {
        let access = try open(kind)
        try access.close()
        #expect(try commits(access) { try access.reopen() } == ["anything"])
    }

    /// What is reported of accesses that have begun when somebody begins to listen.
    private func commits(
        _ access: any DatabaseAccess, within body: (Database, _ listen: () -> Void) throws -> Void
    ) throws -> [String] {
        let heard = Heard()
        var number: Int?
        try run(access) { db in
            try body(db) { number = access.connections.changes.add(nil) { heard.append($0) } }
        }
        if let number { access.connections.changes.remove(number) }
        return heard.texts
    }

    @Test("a commit that was begun before may be of anything, the next is known", arguments: Kind.allCases)
    func begunBefore(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) { db, listen in
            try db.transaction {
                try db.execute("INSERT INTO u VALUES (1, 1)")
                listen()
            }
            try db.execute("INSERT INTO u VALUES (2, 2)")
        }
        #expect(heard == ["anything", "u insert 2"])
    }

    @Test("a commit in an access that was begun before is reported", arguments: Kind.allCases)
    func laterInAccess(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) { db, listen in
            _ = try db.scalar("SELECT count(*) FROM u", as: Int.self)
            listen()
            try db.executeScript("BEGIN; INSERT INTO u VALUES (1, 1); COMMIT; SAVEPOINT s; DELETE FROM u; RELEASE s")
        }
        // A savepoint outside a transaction is a deferred one, of which nothing is known.
        #expect(heard == ["anything", "anything"])
    }

    @Test("what is rolled back in an access that was begun before is not told", arguments: Kind.allCases)
    func rolledBackInAccess(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) { db, listen in
            listen()
            try db.executeScript("BEGIN; INSERT INTO u VALUES (1, 1); ROLLBACK")
            _ = try db.scalar("SELECT count(*) FROM u", as: Int.self)
        }
        #expect(heard == [])
    }

    @Test("what is written without a statement, in an access that was begun before", arguments: Kind.allCases)
    func blobLaterInAccess(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) { db, listen in
            let blob = try db.openBlob(table: "t", column: "b", rowID: 1, access: .readWrite)
            try blob.write(Data("x".utf8))
            listen()
            try blob.close()
        }
        #expect(heard == ["anything"])
    }

    @Test("a write to a blob that was opened before a session began to record", arguments: Kind.allCases)
    func blobBeforeSession(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try run(access) { db in
                let blob = try db.openBlob(table: "t", column: "b", rowID: 1, access: .readWrite)
                let session = try db.recordChanges()
                try blob.write(Data("x".utf8))
                try blob.close()
                session.close()
            }
        }
        #expect(heard == ["anything"])
    }

    @Test("a restored backup in an access that was begun before may have changed anything")
    func restoredLaterInAccess() throws {
        let access = try open(.queue)
        let copy = try DatabaseQueue(.memory)
        try run(copy) { try $0.executeScript(Self.script) }
        let heard = try commits(access) { db, listen in
            listen()
            try copy.withoutTransaction { source in try source.backup(to: db) }
        }
        #expect(heard == ["anything"])
    }

    @Test("a table that was not asked for when the access began is reported, too", arguments: Kind.allCases)
    func otherTables(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = Heard()
        let changes = access.connections.changes
        let number = changes.add(["t"]) { heard.append($0) }
        defer { changes.remove(number) }
        try write(access) { db in
            _ = try db.scalar("SELECT count(*) FROM u", as: Int.self)
            changes.setTables(["u"], of: number)
            try db.execute("INSERT INTO u VALUES (1, 1)")
            try db.execute("INSERT INTO t VALUES (3, 1, 2)")
        }
        try write(access) { try $0.execute("INSERT INTO u VALUES (2, 2)") }
        #expect(heard.texts == ["t * | u insert 1", "u insert 2"])
    }

    @Test("tables that are asked for after a statement that reads", arguments: Kind.allCases)
    func readingFirst(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = Heard()
        let changes = access.connections.changes
        let number = changes.add(["t"]) { heard.append($0) }
        defer { changes.remove(number) }
        try run(access) { try $0.execute("INSERT INTO t VALUES (3, 1, 2)") }
        changes.setTables(["u"], of: number)
        try run(access) { db in
            _ = try db.scalar("SELECT count(*) FROM u", as: Int.self)
            try db.execute("INSERT INTO u VALUES (1, 1)")
        }
        #expect(heard.texts == ["t insert 3", "u insert 1"])
    }

    @Test("tables and columns are named rightly after others have changed the schema", arguments: Kind.allCases)
    func schemaOfOthers(_ kind: Kind) throws {
        let access = try open(kind)
        let other = try Database(directory.file())
        let changes: [SQL] = [
            "CREATE TABLE aa (x)", "ALTER TABLE t ADD COLUMN c", "ALTER TABLE t DROP COLUMN a", "DROP TABLE aa",
            "CREATE TABLE zz (x)", "DROP TABLE zz", "INSERT INTO u VALUES (100, 100)",
        ]
        for (number, change) in changes.enumerated() {
            let heard = try commits(access) {
                try write(access) { try $0.execute("UPDATE t SET b = -1 - \(number) WHERE id = 1") }
                try other.execute(change)
                try run(access) { try $0.execute("UPDATE t SET b = \(number) WHERE id = 1") }
                try write(access) { try $0.execute("INSERT INTO u VALUES (\(number), \(number))") }
            }
            #expect(heard.count == 3)
            #expect(heard.first == "t update 1:b")
            #expect(["t update 1:b", "anything"].contains(heard[1]))
            // The other connection's row is before it.
            #expect(heard.last == (number == changes.count - 1 ? "u insert 2" : "u insert 1"))
            try run(access) { try $0.execute("DELETE FROM u") }
        }
    }

    @Test("a column that others have renamed is reported by its new name", arguments: Kind.allCases)
    func renamedByOthers(_ kind: Kind) throws {
        let access = try open(kind)
        let other = try Database(directory.file())
        let heard = try commits(access) {
            try run(access) { try $0.execute("UPDATE t SET b = 1 WHERE id = 1") }
            try other.execute("ALTER TABLE t RENAME COLUMN b TO c")
            for number in 2...3 { try run(access) { try $0.execute("UPDATE t SET c = \(number) WHERE id = 1") } }
        }
        #expect(heard.count == 3)
        #expect(heard.first == "t update 1:b")
        #expect(["t update 1:c", "anything"].contains(heard[1]))
        #expect(heard.last == "t update 1:c")
    }

    @Test("a column that others have renamed after some commits", arguments: Kind.allCases)
    func renamedAfterCommits(_ kind: Kind) throws {
        let access = try open(kind)
        let other = try Database(directory.file())
        for count in 0...4 {
            let heard = try commits(access) {
                for number in 0..<count {
                    try write(access) { try $0.execute("UPDATE t SET b = \(number) WHERE id = 1") }
                }
                try other.execute("ALTER TABLE t RENAME COLUMN b TO c")
                for _ in 1...2 { try write(access) { try $0.execute("UPDATE t SET c = 'x' || c WHERE id = 1") } }
            }
            // Before the first of them, the other has renamed it as well.
            #expect(heard.prefix(count).dropFirst().allSatisfy { $0 == "t update 1:b" })
            // A transaction that writes knows it from the beginning.
            #expect(heard.dropFirst(count) == ["t update 1:c", "t update 1:c"])
            try other.execute("ALTER TABLE t RENAME COLUMN c TO b")
        }
    }

    @Test("who listens to other tables doesn't keep a commit from those who have the file attached")
    func attachedToOthers() throws {
        let access = try open(.queue)
        let other = try DatabaseQueue(directory.file("other.sqlite"))
        try run(other) { try $0.attach(directory.file(), as: "first") }
        let number = access.connections.changes.add(["u"]) { _ in }
        defer { access.connections.changes.remove(number) }
        let heard = try commits(other) {
            for key in 3...5 { try write(access) { try $0.execute("INSERT INTO t VALUES (\(key), 1, 2)") } }
        }
        #expect(heard == ["t insert 3", "t insert 4", "t insert 5"])
    }

    @Test("who listens has no temporary database made", arguments: Kind.allCases)
    func temporaryDatabase(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) { try write(access) { try $0.execute("INSERT INTO u VALUES (1, 1)") } }
        #expect(heard == ["u insert 1"])
        try run(access) { db in
            let names = try db.column("SELECT name FROM pragma_database_list", as: String.self)
            #expect(names == ["main"])
        }
    }

    @Test("a column is reported by its name after another in its place was rolled back", arguments: Kind.allCases)
    func rolledBackColumn(_ kind: Kind) throws {
        struct Undone: Error {}
        let access = try open(kind)
        let heard = try commits(access) {
            #expect(throws: Undone.self) {
                try write(access) { db in
                    try db.execute("ALTER TABLE t ADD COLUMN c")
                    try db.execute("UPDATE t SET c = 1 WHERE id = 1")
                    throw Undone()
                }
            }
            try run(access) { try $0.execute("ALTER TABLE t ADD COLUMN d") }
            try run(access) { try $0.execute("UPDATE t SET d = 1 WHERE id = 1") }
        }
        #expect(heard.last == "t update 1:d")
    }

    @Test("others' rows don't make anything of what is committed", arguments: Kind.allCases)
    func rowsOfOthers(_ kind: Kind) throws {
        let access = try open(kind)
        let other = try Database(directory.file())
        let heard = try commits(access) {
            for number in 1...3 {
                try run(access) { try $0.execute("INSERT INTO w VALUES (\(number), 1)") }
                try other.execute("INSERT INTO u VALUES (\(number), \(number))")
                try write(access) { try $0.execute("UPDATE t SET b = \(number) WHERE id = 1") }
                try other.execute("DELETE FROM u")
            }
        }
        #expect(heard.count == 6)
        #expect(heard.filter { $0 == "t update 1:b" }.count == 3)
        #expect(!heard.contains("anything"))
    }

    @Test("applied changesets are reported when they are committed", arguments: Kind.allCases)
    func changesets(_ kind: Kind) throws {
        let access = try open(kind)
        var changeset: Changeset?
        try write(access) { db in
            let session = try db.recordChanges()
            try db.execute("UPDATE t SET a = 'x' WHERE id = 1")
            changeset = try session.changeset()
            session.close()
        }
        let changes = try #require(changeset)
        let heard = try commits(access) {
            try run(access) { try $0.apply(changes.inverted()) }
            try write(access) { db in
                _ = try db.scalar("SELECT count(*) FROM t", as: Int.self)
                try db.apply(changes)
            }
            // It has been applied.
            _ = failure { try write(access) { try $0.apply(changes) } }
        }
        #expect(heard == ["t update 1:a", "t update 1:a"])
    }

    @Test("a session that has ended leaves nothing unheard", arguments: Kind.allCases)
    func endedSession(_ kind: Kind) throws {
        let access = try open(kind)
        let heard = try commits(access) {
            try write(access) { db in
                try db.execute("INSERT INTO u VALUES (1, 1)")
                try db.recordChanges().close()
            }
            try write(access) { try $0.execute("INSERT INTO u VALUES (2, 2)") }
        }
        #expect(heard == ["u insert 1", "u insert 2"])
    }

    @Test("temporary tables and those of attached databases are reported by their schemas", arguments: Kind.allCases)
    func attached(_ kind: Kind) throws {
        let access = try open(kind)
        let file = directory.file("attached.sqlite")
        let owner = try DatabaseQueue(file)
        try run(owner) { try $0.executeScript("CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('a', 1)") }
        try run(access) { db in
            try db.attach(file, as: "Stats")
            try db.execute("CREATE TEMP TABLE basket (id INTEGER PRIMARY KEY)")
        }
        let keys = Shared<[String]>([])
        let number = access.connections.changes.add(nil) { commit in
            keys.update { $0 += commit.tables?.keys.sorted() ?? ["anything"] }
        }
        defer { access.connections.changes.remove(number) }
        let heardByOwner = try commits(owner) {
            let heard = try commits(access) {
                try write(access) { db in
                    try db.execute("UPDATE stats.t SET v = 2")
                    try db.execute("UPDATE main.t SET b = 2 WHERE id = 1")
                    try db.execute("INSERT INTO basket VALUES (7)")
                }
            }
            #expect(heard == ["t update 'a':v | t update 1:b | basket insert 7"] || heard.count == 1)
            #expect(heard.first?.contains("t update 'a':v") == true)
            #expect(heard.first?.contains("t update 1:b") == true)
            #expect(heard.first?.contains("basket insert 7") == true)
        }
        #expect(keys.value == ["stats.t", "t", "temp.basket"])
        #expect(heardByOwner == ["t update 'a':v"])
    }

    @Test("a commit to an attached file is heard by those who have it open, if nobody else listens")
    func attachedAlone() throws {
        let access = try open(.pool)
        let file = directory.file("attached.sqlite")
        let owner = try DatabaseQueue(file)
        try run(owner) { try $0.execute("CREATE TABLE n (x)") }
        try run(access) { try $0.attach(file, as: "other") }
        let heard = try commits(owner) {
            try write(access) { try $0.execute("INSERT INTO other.n VALUES (1)") }
            try write(access) { try $0.execute("INSERT INTO u VALUES (1, 1)") }
        }
        #expect(heard == ["n insert 1"])
    }

    @Test("a row that gets another identifier", arguments: Kind.allCases)
    func rowIDs(_ kind: Kind) throws {
        let access = try open(kind)
        try run(access) { db in
            try db.executeScript(
                """
                CREATE TABLE named (name TEXT PRIMARY KEY); INSERT INTO named VALUES ('a');
                INSERT INTO u VALUES (1, 1)
                """)
        }
        let heard = try commits(access) {
            try run(access) { db in
                try db.execute("UPDATE u SET rowid = 5")
                try db.execute("UPDATE named SET rowid = 5")
                try db.execute("UPDATE t SET rowid = 5 WHERE id = 1")
            }
        }
        #expect(heard == ["u update 1:rowid", "named update 'a':rowid", "t update 1:id"])
    }

    @Test("rows of a table with generated columns are known by their identifiers", arguments: Kind.allCases)
    func generated(_ kind: Kind) throws {
        let access = try open(kind)
        try run(access) { db in
            try db.execute("CREATE TABLE g (twice AS (id * 2), id INTEGER PRIMARY KEY, x)")
            try db.execute("CREATE TABLE h (twice AS (x * 2), k TEXT PRIMARY KEY, x)")
        }
        let heard = try commits(access) {
            try run(access) { db in
                try db.execute("INSERT INTO g (id, x) VALUES (7, 1)")
                try db.execute("INSERT INTO h (k, x) VALUES ('a', 1)")
            }
        }
        #expect(heard == ["g insert 7", "h insert 1"])
    }

    @Test("commits come as a sequence, in order, and end with the task", arguments: Kind.allCases)
    func sequence(_ kind: Kind) async throws {
        let access = try open(kind)
        let task = Task {
            var keys: [SQLiteValue] = []
            let changes = access.changes().makeAsyncIterator()
            var iterator = changes
            for number in 1...3 {
                try await access.write { db in _ = try db.execute("INSERT INTO u VALUES (\(number), \(number))") }
            }
            while keys.count < 3, let commit = await iterator.next() {
                keys += commit.tables?["u"]?.rows?.flatMap(\.key) ?? []
            }
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(await iterator.next() == nil)
            return keys
        }
        #expect(try await task.value == [1, 2, 3])
    }
}
