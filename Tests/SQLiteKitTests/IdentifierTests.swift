import SQLiteKit
import Testing

@Suite("Names in SQL")
struct IdentifierTests {
    // K42
    @Test("plain names are written as they are", arguments: ["a", "A1", "_x", "USER_NAME", "rowid_"])
    func plain(_ name: String) {
        #expect(SQLText.identifier(name) == name)
    }

    // K42
    @Test(
        "other names are quoted",
        arguments: [
            ("", "\"\""), ("a b", "\"a b\""), ("1a", "\"1a\""), ("a-b", "\"a-b\""), ("a.b", "\"a.b\""),
            ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""), ("größe", "\"größe\""), ("a'b", "\"a'b\""), ("a$", "\"a$\""),
            ("[a]", "\"[a]\""), ("a;--", "\"a;--\""),
        ])
    func quoted(_ name: String, _ expected: String) {
        #expect(SQLText.identifier(name) == expected)
    }

    // K42
    @Test(
        "keywords are quoted in either case",
        arguments: ["order", "ORDER", "Group", "select", "table", "index", "window"])
    func keywords(_ name: String) {
        #expect(SQLText.identifier(name) == "\"\(name)\"")
    }

    // K42
    @Test(
        "a quote is doubled whatever comes after it",
        arguments: ["\"\u{301}", "a\"\u{FE0F}b", "\"\u{200D}", "\" OR 1 --\u{301}", "\"\u{20DD}; DROP TABLE t"])
    func combiningMarks(_ name: String) throws {
        let db = try memory()
        try db.execute("CREATE TABLE t (\(identifier: name))")
        let stored = try db.scalar("SELECT name FROM pragma_table_info('t')", as: String.self)
        #expect(stored.map { Array($0.utf8) } == Array(name.utf8))
    }

    // K42
    @Test(
        "a literal's quote is doubled whatever comes after it", arguments: ["'", "'\u{301}", "'\u{200D}' OR 1", "''"])
    func literals(_ text: String) throws {
        #expect(try Array(read(SQLText.literal(text), as: String.self).utf8) == Array(text.utf8))
    }

    // K42
    @Test("a literal with a NUL is the whole text")
    func literalWithNUL() throws {
        #expect(try read(SQLText.literal("a\0'b"), as: String.self) == "a\0'b")
    }

    // K42
    @Test("a name with a NUL is rejected when the SQL is prepared")
    func nul() throws {
        let db = try memory()
        #expect(failure { try db.execute("CREATE TABLE \(identifier: "a\0b") (c)") }?.code == .error)
    }

    // K42, Settled 5
    @Test("a name in double quotes that isn't a column is an error and no text")
    func doubleQuotedText() throws {
        let db = try memory("CREATE TABLE t (name)")
        #expect(failure { try db.execute("SELECT \"nmae\" FROM t") }?.code == .error)
        #expect(failure { try db.execute("CREATE INDEX i ON t (\"nmae\")") }?.code == .error)
    }

    // K42
    @Test("random names come back from SQLite as they were")
    func random() throws {
        var generator = SeededGenerator()
        let alphabet: [String] = [
            "a", "Z", "0", "_", " ", "\"", "'", "`", "[", "]", ".", ";", "-", "\n", "\\", "\u{301}", "\u{200D}", "é",
            "ß",
            "\u{1F600}", "select", "$", "?", ":",
        ]
        for _ in 0..<300 {
            let name = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? "a"
            }.joined()
            let db = try memory()
            let written = failure { try db.execute("CREATE TABLE \(identifier: name) (x, \(identifier: "c" + name))") }
            // SQLite keeps names that begin with sqlite_ to itself; the alphabet cannot write one.
            #expect(written == nil, "seed \(generator.seed): \(name.debugDescription)")
            guard written == nil else { continue }
            let table = try db.scalar("SELECT name FROM sqlite_schema", as: String.self)
            #expect(
                table.map { Array($0.utf8) } == Array(name.utf8), "seed \(generator.seed): \(name.debugDescription)")
            try db.execute("INSERT INTO \(identifier: name) (\(identifier: "c" + name)) VALUES (\(name))")
            let value = try db.scalar("SELECT \(identifier: "c" + name) FROM \(identifier: name)", as: String.self)
            #expect(
                value.map { Array($0.utf8) } == Array(name.utf8), "seed \(generator.seed): \(name.debugDescription)")
        }
    }
}
