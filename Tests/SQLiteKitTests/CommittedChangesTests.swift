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
