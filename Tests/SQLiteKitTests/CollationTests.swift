import Foundation
import SQLiteKit
import Testing

@Suite("Collations")
struct CollationTests {
    private let db: Database

    init() throws {
        db = try memory("CREATE TABLE t (a)")
    }

    private func sorted(_ values: [String], by collation: String) throws -> [String] {
        try db.execute("DELETE FROM t")
        for value in values { try db.execute("INSERT INTO t VALUES (?)", [value]) }
        return try db.column("SELECT a FROM t ORDER BY a COLLATE \(identifier: collation)", as: String.self)
    }

    private static func reversed(_ left: String, _ right: String) -> ComparisonResult {
        left < right ? .orderedDescending : left > right ? .orderedAscending : .orderedSame
    }

    // K28
    @Test("texts are ordered by the closure")
    func order() throws {
        try db.addCollation("REVERSED", Self.reversed)
        #expect(try sorted(["a", "c", "", "ü"], by: "REVERSED") == ["ü", "c", "a", ""])
        #expect(try db.scalar("SELECT 'a' < 'b' COLLATE reversed", as: Bool.self) == false)
    }

    // K28
    @Test("texts come with their NULs, and with what is not UTF-8 repaired")
    func texts() throws {
        let seen = Shared<Set<String>>([])
        try db.addCollation("SEEN") { left, right in
            seen.update { $0.formUnion([left, right]) }
            return .orderedSame
        }
        _ = try db.scalar("SELECT ('a' || char(0)) = CAST(x'61FF' AS TEXT) COLLATE SEEN", as: Bool.self)
        #expect(seen.value == ["a\0", "a\u{FFFD}"])
    }

    // K28
    @Test("an index keeps the order, and a table with the collation cannot be used without it")
    func schema() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.addCollation("REVERSED", Self.reversed) }
        do {
            let db = try Database(directory.file(), configuration: configuration)
            try db.executeScript(
                "CREATE TABLE t (a COLLATE REVERSED); CREATE INDEX i ON t (a); INSERT INTO t VALUES ('a'), ('b')")
            #expect(try db.column("SELECT a FROM t ORDER BY a", as: String.self) == ["b", "a"])
        }
        let other = try Database(directory.file())
        let error = failure { try other.column("SELECT a FROM t ORDER BY a", as: String.self) }
        #expect(error?.message == "no such collation sequence: REVERSED")
    }

    // K28
    @Test("the closure is let go of when the collation is replaced or removed, and when the connection closes")
    func release() throws {
        let count = Shared(0)
        func add() throws {
            let tracked = Tracked(count)
            try db.addCollation("C") { _, _ in withExtendedLifetime(tracked) { .orderedSame } }
        }
        try add()
        try add()
        #expect(count.value == 1)
        try db.removeCollation("c")
        #expect(count.value == 0)
        #expect(failure { try sorted(["a", "b"], by: "C") }?.code == .error)
        try add()
        try db.close()
        #expect(count.value == 0)
    }

    // K28
    @Test("the closure of a collation that SQLite rejects is let go of")
    func releaseOfRejected() throws {
        let count = Shared(0)
        try db.addCollation("C") { _, _ in .orderedSame }
        let rows = try db.query("SELECT 1 UNION ALL SELECT 'a' < 'b' COLLATE C")
        _ = try rows.next()
        func replace() throws {
            let tracked = Tracked(count)
            try db.addCollation("C") { _, _ in withExtendedLifetime(tracked) { .orderedSame } }
        }
        #expect(failure { try replace() }?.code == .busy)
        #expect(count.value == 0)
    }

    // K28
    @Test("names that cannot be are rejected", arguments: ["", "a\0b"])
    func rejected(_ name: String) throws {
        #expect(failure { try db.addCollation(name) { _, _ in .orderedSame } }?.code == .misuse)
        #expect(failure { try db.removeCollation(name) }?.code == .misuse)
    }

    // K28
    @Test("names go by their text")
    func names() throws {
        try db.addCollation("mit \"Ümlaut\"", Self.reversed)
        #expect(try sorted(["a", "b"], by: "mit \"Ümlaut\"") == ["b", "a"])
    }

    // K28
    @Test("a collation that is not known is asked for once, by the name the statement gives it")
    func needed() throws {
        let asked = Shared<[String]>([])
        try db.setCollationNeeded { name in
            asked.update { $0.append(name) }
            return name == "reversed_ü" ? Self.reversed : nil
        }
        #expect(try sorted(["a", "b"], by: "reversed_ü") == ["b", "a"])
        #expect(try sorted(["a", "b"], by: "reversed_ü") == ["b", "a"])
        #expect(asked.value == ["reversed_ü"])
        #expect(failure { try sorted(["a", "b"], by: "other") }?.message == "no such collation sequence: other")
        try db.setCollationNeeded(nil)
        #expect(failure { try sorted(["a", "b"], by: "third") }?.message == "no such collation sequence: third")
        #expect(!asked.value.contains("third"))
    }

    // K28
    @Test("collations cannot be added to a closed connection, nor outside the access")
    func misuse() throws {
        let queue = try DatabaseQueue(.memory)
        let escaped = try queue.escaped()
        #expect(failure { try escaped.addCollation("C", Self.reversed) }?.extendedCode == .expired)
        #expect(failure { try escaped.setCollationNeeded(nil) }?.extendedCode == .expired)
        try db.close()
        #expect(failure { try db.addCollation("C", Self.reversed) }?.extendedCode == .closed)
        #expect(failure { try db.removeCollation("C") }?.extendedCode == .closed)
    }
}
