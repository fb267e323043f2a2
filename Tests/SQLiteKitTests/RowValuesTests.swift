import Foundation
import SQLiteKit
import Testing

/// Rows are read where SQLite keeps them, which is looked up once; a statement's own readers ask again for each column.
@Suite("Rows of any statement")
struct RowValuesTests {
    static let statements = [
        "SELECT * FROM t",
        "SELECT * FROM t ORDER BY d DESC, a",
        "SELECT b, count(*), sum(a), group_concat(d) FROM t GROUP BY b",
        "SELECT DISTINCT b, d FROM t",
        "SELECT a, b FROM t UNION ALL SELECT d, c FROM t UNION ALL VALUES (1, 2), ('three', x'04')",
        "SELECT a, b FROM t UNION SELECT c, d FROM t EXCEPT SELECT 1, NULL",
        "SELECT x.a, y.d FROM t AS x LEFT JOIN t AS y ON y.a = x.a + 3 ORDER BY random()",
        "SELECT a, (SELECT max(d) FROM t AS u WHERE u.a < t.a), a IN (SELECT b FROM t), 'constant', 1.5, NULL, x'' FROM t",
        "SELECT a, row_number() OVER (ORDER BY d), lag(d, 2, 'none') OVER (ORDER BY a) FROM t",
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 50) SELECT x, x * 1.5, 'n' || x FROM n",
        "SELECT * FROM (SELECT a, d FROM t LIMIT 3 OFFSET 2), (VALUES (7), ('seven'))",
        "SELECT key, value, type FROM json_each('[1, 2.5, \"three\", null, true]')",
        "VALUES (1, 'a'), (NULL, 2.5), (x'00', '')",
        "PRAGMA table_info(t)",
        "EXPLAIN SELECT * FROM t ORDER BY d",
        "EXPLAIN QUERY PLAN SELECT * FROM t WHERE a IN (1, 2) ORDER BY d",
        "INSERT INTO t (a, b) VALUES ((SELECT max(a) FROM t) + 5, 'new'), (NULL, NULL) RETURNING *, typeof(b)",
        "UPDATE t SET b = d RETURNING a, b, d",
        "DELETE FROM t WHERE a % 2 RETURNING d, c, b, a",
    ]

    // K5
    @Test("hold what the statement itself reads", arguments: statements)
    func asTheStatementReads(_ sql: String) throws {
        let statement = try mixed().prepare(SQL(sql))
        // The second time by what is known of the first.
        for _ in 0..<2 {
            let rows = try statement.query()
            while let row = try rows.next() {
                for index in 0..<row.count {
                    #expect(try row.value(at: index, as: SQLiteValue.self) == statement.value(at: index))
                }
            }
        }
    }

    // K5
    @Test("of two queries at once stay apart")
    func interleaved() throws {
        let db = try mixed()
        let forward = try db.query("SELECT a, b FROM t ORDER BY a")
        let backward = try db.query("SELECT a, b FROM t ORDER BY a DESC")
        var sums: [Int] = []
        while let one = try forward.next(), let other = try backward.next() {
            sums.append(try one.value(at: 0, as: Int.self) + other.value(at: 0, as: Int.self))
        }
        #expect(sums == Array(repeating: 13, count: 12))
    }

    // K5
    @Test("of a table that has changed have its columns")
    func changedTable() throws {
        let db = try mixed()
        let statement = try db.prepare("SELECT * FROM t WHERE a = 2")
        func values() throws -> [SQLiteValue] {
            let rows = try statement.query()
            let row = try #require(try rows.next())
            return try (0..<row.count).map { try row.value(at: $0, as: SQLiteValue.self) }
        }
        let before = try values()
        try db.execute("ALTER TABLE t ADD COLUMN e DEFAULT 'added'")
        try db.execute("ALTER TABLE t ADD COLUMN f DEFAULT 7")
        #expect(try values() == before + [.text("added"), .integer(7)])
        try db.execute("ALTER TABLE t DROP COLUMN e")
        try db.execute("ALTER TABLE t DROP COLUMN b")
        #expect(try values() == [before[0], before[2], before[3], .integer(7)])
    }

    // K5
    @Test("are read in any order of their columns, and more than once")
    func anyOrder() throws {
        let rows = try memory().query("SELECT value, value * 2, value * 3 FROM json_each('[1, 10, 100]')")
        var seen: [[Int]] = []
        while let row = try rows.next() { seen.append(try [2, 0, 2, 1, 0].map { try row[$0] }) }
        #expect(seen == [1, 10, 100].map { [3 * $0, $0, 3 * $0, 2 * $0, $0] })
    }

    /// Texts of every length around those that are looked through in words, with a byte that is none of UTF-8's in
    /// every place.
    @Test("hold no text that is not UTF-8, wherever it is not", arguments: 1...40)
    func invalidText(_ length: Int) throws {
        let statement = try memory().prepare("SELECT CAST(? AS TEXT)")
        for place in 0..<length {
            // A byte that follows none, and the beginnings of two, three and four.
            for bad: UInt8 in [0x80, 0xC3, 0xE2, 0xF0, 0xFF] {
                var bytes = [UInt8](repeating: 0x61, count: length)
                bytes[place] = bad
                let rows = try statement.query([Data(bytes)])
                let row = try #require(try rows.next())
                #expect(failure { try row.value(at: 0, as: String.self) }?.extendedCode == .invalidText)
            }
        }
    }

    // K5
    @Test("hold texts of every length, of one byte a letter and of more", arguments: ["a", "é", "語", "🎵"])
    func lengths(_ letter: String) throws {
        let statement = try memory().prepare("SELECT ?")
        for count in 0...40 {
            for text in [String(repeating: letter, count: count), String(repeating: "z", count: count) + letter] {
                let rows = try statement.query([text])
                #expect(try rows.next()?.value(at: 0, as: String.self) == text)
            }
        }
    }

    private func mixed() throws -> Database {
        let db = try memory("CREATE TABLE t (a INTEGER PRIMARY KEY, b, c REAL, d TEXT)")
        let values: [SQLiteValue] = [
            .integer(5), .null, .real(0.25), .text("text"), .blob(Data([1, 0, 2])), .text(""),
        ]
        for index in 0..<12 {
            let text = SQLiteValue.text(String(repeating: "é\(index)", count: index))
            try db.execute("INSERT INTO t (b, c, d) VALUES (\(values[index % 6]), \(Double(index) / 4), \(text))")
        }
        return db
    }
}
