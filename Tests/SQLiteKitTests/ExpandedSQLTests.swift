import Foundation
import SQLiteKit
import Testing

@Suite("SQL with its values in it") struct ExpandedSQLTests {
    @Test("has each value as a literal, by position and by name") func values() throws {
        // F105
        let sql = SQL(
            "SELECT ?, :b, @c, $d, ?, :b", [1, "it's"] + ["b": Data([0xCA, 0xFE]), "c": nil, "$d": 0.5])
        #expect(try sql.expandedSQL == "SELECT 1, X'CAFE', NULL, 0.5, 'it''s', X'CAFE'")
    }

    @Test("has interpolated values") func interpolated() throws {
        // F105
        let sql: SQL = "SELECT \("O'Neill"), \([1, 2]), \(nil as Int?)"
        #expect(try sql.expandedSQL == "SELECT 'O''Neill', 1, 2, NULL")
    }

    @Test(
        "leaves alone what only looks like a parameter",
        arguments: [
            "SELECT 'a?:b''?', ?", "SELECT \"?\"\"?\", ?", "SELECT `?`, ?", "SELECT [?:a], ?", "SELECT 1 -- ?\n, ?",
            "SELECT /* ? :a */ ?", "SELECT a$b, ?", "SELECT x'3F', ?", "SELECT 'é?', é$1, ?", "SELECT ? -- ?",
            "SELECT ? /* ?", "SELECT ? || ' ?",
        ])
    func literals(text: String) throws {
        // F105
        let expanded = try SQL(text, [7]).expandedSQL
        let parameter =
            text == "SELECT ? || ' ?" || text.hasPrefix("SELECT ? ")
            ? text.firstIndex(of: "?") : text.lastIndex(of: "?")
        let index = try #require(parameter)
        #expect(expanded == text[..<index] + "7" + text[text.index(after: index)...])
    }

    @Test(
        "keeps a value apart from what stands next to it",
        arguments: ["SELECT 5 -?", "SELECT 5-?", "SELECT ?AND 1", "SELECT?", "SELECT 1 IS?"])
    func neighbours(text: String) throws {
        // F105
        let db = try memory()
        let sql = SQL(text, [-3])
        let expanded = try sql.expandedSQL
        #expect(try db.scalar(SQL(expanded), as: Int.self) == db.scalar(sql, as: Int.self))
        #expect(try SQL(text, [Data([1])]).expandedSQL.contains(/(^|[ -])X'01'( |$)/))
    }

    @Test("keeps a text apart from a text next to it")
    func quotes() throws {
        // F105
        let rows = try memory().rows(SQL(try SQL("SELECT ?1'alias'", ["it's"]).expandedSQL))
        #expect(try rows.first?.dictionary() == ["alias": "it's"])
    }

    @Test("numbers parameters as SQLite does") func numbers() throws {
        // F105
        #expect(try SQL("SELECT ?2, ?, ?1", [1, 2, 3]).expandedSQL == "SELECT 2, 3, 1")
        #expect(try SQL("SELECT :a, ?1, :a, ?", [1, 2]).expandedSQL == "SELECT 1, 1, 1, 2")
        #expect(try SQL("SELECT $a::b(c), $a::b", ["$a::b(c)": 1, "$a::b": 2]).expandedSQL == "SELECT 1, 2")
    }

    @Test("knows the parameters #name, which SQLite has without saying so") func numberSign() throws {
        // F105
        let sql = SQL("SELECT #a, #é || #a, ?", [2, "x", 3])
        #expect(try memory().rows(sql).map { try $0.values() } == [[2, "x2", 3]])
        #expect(try sql.expandedSQL == "SELECT 2, 'x' || 2, 3")
    }

    @Test("reads back what was written, to the bit") func literalsRoundTrip() throws {
        // F105
        let db = try memory()
        let values: [SQLiteValue] = [
            .integer(.min), .integer(.max), .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude),
            .real(0.1 + 0.2), .real(1e22),
            .real(.infinity), .real(-.infinity), .real(1), .text(""), .text("a\0'b"), .text("naïve ☃️\n"),
            .text("e\u{301}"),
            .blob(Data()), .blob(Data([0, 255])), .null,
        ]
        for value in values {
            let text = try SQL("SELECT ?", [value]).expandedSQL
            #expect(try db.column(SQL(text), as: SQLiteValue.self) == [value])
            #expect(text == "SELECT \(SQLText.literal(value))")
        }
    }

    @Test("is what SQLite makes of a statement") func sameAsSQLite() throws {
        // F105
        let db = try memory("CREATE TABLE t (a, b, c)")
        let sql = SQL("INSERT INTO t VALUES (?, :b, ?3)", [1, Data([1, 2])] + ["b": "it's"])
        let statement = try db.prepare(sql)
        #expect(try sql.expandedSQL.replacing("X'", with: "x'") == statement.expandedSQL)
    }

    @Test("says what is wrong with the values, as a statement does") func mistakes() throws {
        // F105
        let db = try memory()
        let mistakes: [(String, Arguments)] = [
            ("SELECT ?, ?", [1]), ("SELECT ?", [1, 2]), ("SELECT :a", ["b": 1]), ("SELECT :a, :b", ["a": 1]),
            ("SELECT :a, @a", ["a": 1]), ("SELECT :a, ?", [1, 2] + ["a": 3]), ("SELECT ?", [UInt64.max]),
        ]
        for (text, arguments) in mistakes {
            let expected = sqliteFailure { _ = try db.query(SQL(text), arguments) }
            let found = sqliteFailure { _ = try SQL(text, arguments).expandedSQL }
            #expect(found?.extendedCode == expected?.extendedCode)
            #expect(found?.message == expected?.message)
            #expect(found?.sql == text)
        }
    }

    private func sqliteFailure(_ body: () throws -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SQLiteError
        }
    }
}
