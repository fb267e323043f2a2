import Foundation
import SQLiteKit
import Testing

/// Two databases that begin alike: what is recorded in the one is applied to the other.
struct Twins {
    let here: Database
    let there: Database

    init(_ script: String) throws {
        here = try memory(script)
        there = try memory(script)
    }

    /// What `script` changes here.
    func record(_ script: String, of tables: [String]? = nil) throws -> Changeset {
        let session = try here.recordChanges(of: tables)
        try here.executeScript(SQL(script))
        return try session.changeset()
    }

    func albums(_ db: Database) throws -> [String] {
        try db.column("SELECT id || ' ' || title || ' ' || year FROM album ORDER BY id", as: String.self)
    }
}

let albums = """
    CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER);
    INSERT INTO album VALUES (1, 'Momo', 1973), (2, 'Ronja', 1981);
    """

@Suite("A changeset")
struct ChangesetTests {
    private let twins: Twins

    init() throws { twins = try Twins(albums) }

    private func everything() throws -> Changeset {
        try twins.record(
            "INSERT INTO album VALUES (3, 'Krabat', 1971); UPDATE album SET year = 0 WHERE id = 1;"
                + "DELETE FROM album WHERE id = 2")
    }

    // K25
    @Test("with NULL in a key, which SQLite never records, it is rejected")
    func nullKey() {
        let insertion: [UInt8] = [0x54, 1, 1, 0x61, 0, 18, 0, 5]
        #expect(failure { try Changeset(Data(insertion)) }?.code == .corrupt)
    }

    // K25
    @Test("a table that comes twice with another key or other columns, which SQLite would mix up, is rejected")
    func tableTwice() throws {
        func changeset(_ tables: [(key: [UInt8], name: String)]) -> Data {
            var bytes: [UInt8] = []
            for (key, name) in tables {
                bytes += [0x54, UInt8(key.count)]
                bytes += key
                bytes += Array(name.utf8) + [0, 18, 0]
                for _ in key { bytes += [3, 1, 0x78] }
            }
            return Data(bytes)
        }
        for (key, name) in [([1, 0, 0], "a"), ([0, 1], "a"), ([1], "A")] as [([UInt8], String)] {
            #expect(failure { try Changeset(changeset([([0, 0, 1], "a"), (key, name)])) }?.code == .corrupt)
        }
        let apart = try Changeset(changeset([([1, 0], "a"), ([1], "b"), ([1, 0], "A")]))
        #expect(apart.tables == ["a", "b", "A"])
    }

    // K25
    @Test("applied to a database that was alike, it makes it alike again")
    func applied() throws {
        try twins.there.apply(try everything())
        #expect(try twins.albums(twins.there) == ["1 Momo 0", "3 Krabat 1971"])
        #expect(try twins.albums(twins.there) == twins.albums(twins.here))
    }

    // K25
    @Test("inverted, it undoes")
    func inverted() throws {
        let changeset = try everything()
        try twins.here.apply(changeset.inverted())
        #expect(try twins.albums(twins.here) == ["1 Momo 1973", "2 Ronja 1981"])
        #expect(try Set(changeset.inverted().inverted().changes()) == Set(changeset.changes()))
    }

    // K25
    @Test("joined with the next, it does what both do; what they undo of each other is gone")
    func appending() throws {
        let first = try twins.record("INSERT INTO album VALUES (3, 'x', 1); UPDATE album SET year = 0 WHERE id = 1")
        let second = try twins.record("DELETE FROM album WHERE id = 3; UPDATE album SET year = 5 WHERE id = 1")
        let sum = try first.appending(second)
        #expect(try sum.changes().map(\.kind) == [.update])
        try twins.there.apply(sum)
        #expect(try twins.albums(twins.there) == ["1 Momo 5", "2 Ronja 1981"])
        #expect(try first.appending(first.inverted()).isEmpty)
    }

    // K25
    @Test("joined with an empty one, it stays as it is")
    func appendingEmpty() throws {
        let (changeset, empty) = (try everything(), try Changeset(Data()))
        #expect(try changeset.appending(empty) == changeset)
        #expect(try empty.appending(changeset) == changeset)
        #expect(try empty.appending(empty).isEmpty)
    }

    // K25
    @Test("changesets of tables with other columns cannot be joined")
    func appendingOther() throws {
        let other = try Twins("CREATE TABLE album (id INTEGER PRIMARY KEY)").record("INSERT INTO album VALUES (1)")
        #expect(failure { try everything().appending(other) }?.code == .schema)
    }

    // K25
    @Test("an empty one has no changes and does nothing")
    func empty() throws {
        let empty = try Changeset(Data())
        #expect(empty.isEmpty)
        #expect(empty.tables == [])
        #expect(try empty.changes() == [])
        #expect(try empty.inverted().isEmpty)
        #expect(failure { try twins.there.apply(empty) } == nil)
    }

    // K25
    @Test("a patchset holds less of what was, and is applied as well")
    func patchset() throws {
        let session = try twins.here.recordChanges()
        try twins.here.executeScript("UPDATE album SET year = 0 WHERE id = 1; DELETE FROM album WHERE id = 2")
        let (changeset, patchset) = (try session.changeset(), try session.patchset())
        #expect(patchset.isPatchset)
        #expect(!changeset.isPatchset)
        #expect(patchset.data.count < changeset.data.count)
        let changes = try patchset.changes()
        #expect(changes.first { $0.kind == .update }?.old == [.integer(1), Optional.none, Optional.none])
        #expect(changes.first { $0.kind == .delete }?.old == [.integer(2), Optional.none, Optional.none])
        #expect(changes.first { $0.kind == .delete }?.primaryKey == [2])
        try twins.there.apply(patchset)
        #expect(try twins.albums(twins.there) == ["1 Momo 0"])
        #expect(try Changeset(patchset.data) == patchset)
        #expect(failure { try patchset.inverted() }?.code == .misuse)
        #expect(failure { try patchset.appending(changeset) }?.code == .misuse)
        #expect(try patchset.appending(patchset).changes().count == 2)
    }

    // K25
    @Test("it is stored as a blob and read back")
    func stored() throws {
        let changeset = try everything()
        #expect(try roundTrip(changeset) == changeset)
        #expect(try quoted(changeset)?.hasPrefix("X'54") == true)
    }

    // K25
    @Test("it crosses to another task")
    func sendable() async throws {
        let changeset = try everything()
        #expect(try await Task { try changeset.changes().count }.value == 3)
    }

    // K25
    @Test("an error of the closure that visits the changes comes through")
    func visiting() throws {
        var count = 0
        #expect(throws: TestError.self) {
            try everything().forEach { _ in
                count += 1
                throw TestError()
            }
        }
        #expect(count == 1)
    }

    // K25
    @Test(
        "bytes that aren't a changeset are rejected",
        arguments: ["54", "T", "SQLite format 3\0", "T\u{1}\u{1}t\0", "T\0", "T\u{1}\0t\0", "P\u{7F}", "\0"])
    func noChangeset(_ text: String) {
        #expect(failure { try Changeset(Data(text.utf8)) }?.code == .corrupt)
    }

    // K25
    @Test("a value that isn't a blob isn't a changeset", arguments: ["'x'", "1", "NULL"])
    func noBlob(_ literal: String) {
        #expect(failure { try read(literal, as: Changeset.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try read("X'5401'", as: Changeset.self) }?.code == .corrupt)
    }

    // K25
    @Test("a changeset that was cut off is rejected, but where a change ends")
    func cutOff() throws {
        let data = try everything().data
        let accepted = (1...data.count).filter { count in failure { try Changeset(data.prefix(count)) } == nil }
        #expect(accepted.count == 3)
        #expect(accepted.last == data.count)
    }

    // K25
    @Test("a length beyond the end is rejected", arguments: [0x80, 0xFF] as [UInt8])
    func lengthBeyond(_ length: UInt8) throws {
        // The one-column table t, in which a text of an enormous length is inserted.
        let bytes: [UInt8] = [0x54, 1, 1, 0x74, 0, 18, 0, 3] + [UInt8](repeating: length, count: 9) + [0x61]
        #expect(failure { try Changeset(Data(bytes)) }?.code == .corrupt)
    }

    // K25
    @Test(
        "a changeset whose bytes were changed at random is rejected, or does something, and nothing crashes",
        .oneAtATime
    )
    func random() throws {
        var random = SeededGenerator()
        let script = albums + "CREATE TABLE track (album, number, name, PRIMARY KEY (number, album)) WITHOUT ROWID"
        let twins = try Twins(script)
        let session = try twins.here.recordChanges()
        try twins.here.executeScript(
            """
            INSERT INTO album VALUES (3, 'Krabat', X'00FF'); UPDATE album SET year = 0.5 WHERE id = 1;
            DELETE FROM album WHERE id = 2; INSERT INTO track VALUES ('a', 1, 'x'), ('', 2, NULL), ('c', 3, 'z');
            """)
        let seeds = [try session.changeset().data, try session.patchset().data]
        var accepted = 0
        for round in 0..<6000 {
            var bytes = Array(seeds[round % 2])
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                bytes[index] =
                    Bool.random(using: &random)
                    ? .random(in: 0...8, using: &random) : .random(in: 0 ... .max, using: &random)
            }
            guard let changeset = try? Changeset(Data(bytes)) else { continue }
            accepted += 1
            _ = try? changeset.changes()
            _ = try? changeset.inverted().changes()
            _ = try? changeset.appending(changeset).changes()
            try twins.there.execute("SAVEPOINT s")
            try? twins.there.apply(changeset) { $0.kind == .data || $0.kind == .conflict ? .replace : .omit }
            try twins.there.executeScript("ROLLBACK TO s; RELEASE s")
        }
        #expect(accepted > 300, "seed \(random.seed)")
        #expect(try twins.there.scalar("PRAGMA integrity_check", as: String.self) == "ok", "seed \(random.seed)")
        #expect(try twins.albums(twins.there).count == 2, "seed \(random.seed)")
    }
}
