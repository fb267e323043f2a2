import Foundation
import SQLiteKit
import Testing

@Suite("Built-in functions and collations")
struct BuiltInFunctionTests {
    private let db: Database

    init() throws {
        db = try memory()
    }

    private func bool(_ expression: String) throws -> Bool? {
        try db.scalar("SELECT \(sql: SQL(expression))", as: Bool.self)
    }

    // K29
    @Test(
        "X REGEXP Y is whether the pattern Y is found in X",
        arguments: [
            ("'abc' REGEXP 'b'", true), ("'abc' REGEXP '^b'", false), ("'Zürich' REGEXP '^Z.rich$'", true),
            ("'über' REGEXP '(?i)^ÜBER$'", true), ("'' REGEXP '^$'", true), ("'abc' REGEXP ''", true),
            ("12345 REGEXP '^[0-9]+$'", true), ("1.5 REGEXP '\\.'", true), ("'𝄞x' REGEXP '^.x$'", true),
            ("'a' REGEXP 'b'", false), ("'abc' NOT REGEXP 'b'", false), ("'it''s' REGEXP '\\bs$'", true),
        ])
    func regexp(_ expression: String, _ expected: Bool) throws {
        #expect(try bool(expression) == expected)
    }

    // K29
    @Test("REGEXP of NULL is NULL", arguments: ["NULL REGEXP 'a'", "'a' REGEXP NULL", "NULL REGEXP NULL"])
    func regexpOfNull(_ expression: String) throws {
        #expect(try bool(expression) == nil)
    }

    // K29
    @Test("a pattern that is none fails the statement and is named")
    func noPattern() throws {
        let error = failure { try bool("'a' REGEXP '(['") }
        #expect(error?.code == .error)
        #expect(error?.message == "REGEXP: \"([\" isn't a regular expression")
    }

    // K29
    @Test("a pattern from a column differs from row to row")
    func patternFromColumn() throws {
        try db.executeScript("CREATE TABLE t (p); INSERT INTO t VALUES ('^a'), ('b$'), (NULL), ('c')")
        #expect(try db.column("SELECT 'ab' REGEXP p FROM t", as: Bool?.self) == [true, true, nil, false])
    }

    // K29
    @Test(
        "fold takes case and diacritics from a text",
        arguments: [
            ("fold('ÉCOLE')", "ecole"), ("fold('ÉCOLE', 'c')", "école"), ("fold('ÉCOLE', 'd')", "ECOLE"),
            ("fold('ÉCOLE', 'cd')", "ecole"), ("fold(12)", "12"), ("fold('')", ""),
        ])
    func fold(_ expression: String, _ expected: String) throws {
        #expect(try db.scalar("SELECT \(sql: SQL(expression))", as: String.self) == expected)
    }

    // K29
    @Test("fold of NULL is NULL; what it does not know it rejects")
    func foldArguments() throws {
        #expect(try db.scalar("SELECT fold(NULL)", as: String.self) == nil)
        let error = failure { try db.scalar("SELECT fold('a', 'x')", as: String.self) }
        #expect(error?.message == "fold takes 'c', 'd' or 'cd' for what not to regard, not 'x'")
        #expect(failure { try db.scalar("SELECT fold('a', NULL)", as: String.self) }?.code == .error)
    }

    // K29
    @Test("UNACCENTED_NOCASE orders and compares without regard to case and diacritics")
    func unaccented() throws {
        try db.executeScript(
            """
            CREATE TABLE t (a TEXT COLLATE UNACCENTED_NOCASE UNIQUE);
            INSERT INTO t VALUES ('Zoe'), ('éclair'), ('Eclipse'), ('äpfel'), ('Ångström'), ('apfelmus');
            """)
        let names = try db.column("SELECT a FROM t ORDER BY a", as: String.self)
        #expect(names == ["Ångström", "äpfel", "apfelmus", "éclair", "Eclipse", "Zoe"])
        #expect(try db.scalar("SELECT a FROM t WHERE a = 'ECLAIR'", as: String.self) == "éclair")
        #expect(failure { try db.execute("INSERT INTO t VALUES ('zoë')") }?.isConstraint(.unique) == true)
    }

    // K29
    @Test("every connection has them, in an index, too")
    func everyConnection() throws {
        let directory = try TemporaryDirectory()
        do {
            let db = try Database(directory.file())
            try db.executeScript(
                """
                CREATE TABLE t (a, b CHECK (b REGEXP '^[a-z]*$'));
                CREATE INDEX i ON t (fold(a));
                INSERT INTO t VALUES ('Ä', 'x');
                """)
        }
        let other = try Database(directory.file())
        #expect(try other.scalar("SELECT a FROM t WHERE fold(a) = 'a'", as: String.self) == "Ä")
        #expect(failure { try other.execute("INSERT INTO t VALUES (1, 'X')") }?.isConstraint(.check) == true)
    }
}

@Suite("Folding")
struct FoldingTests {
    // K29
    @Test(
        "case folds in all of Unicode",
        arguments: [
            ("ABC xyz", "abc xyz"), ("Straße", "strasse"), ("STRAẞE", "strasse"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
            ("Σίσυφος", "σίσυφοσ"), ("ПРИВЕТ", "привет"), ("ǅ", "ǆ"), ("ﬁ", "fi"), ("ꭰ", "Ꭰ"), ("Ꭰ", "Ꭰ"), ("ı", "ı"),
            ("İ", "i\u{307}"), ("日本語", "日本語"), ("E\u{301}", "é"), ("𐐀", "𐐨"), ("K", "k"), ("Å", "å"),
        ])
    func byCase(_ text: String, _ expected: String) {
        #expect(Array(folded(text, caseInsensitive: true, diacriticInsensitive: false).utf8) == Array(expected.utf8))
    }

    // K29
    @Test(
        "diacritics are dropped, and letters that only look like it stay",
        arguments: [
            ("Élan", "Elan"), ("E\u{301}lan", "Elan"), ("Ångström", "Angstrom"), ("Ǘ", "U"), ("Żółć", "Zołc"),
            ("ø", "ø"),
            ("Ελλάδα", "Ελλαδα"), ("й", "и"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("がぎ", "がぎ"), ("हिन्दी", "हिन्दी"),
            ("ที่", "ท\u{e35}\u{e48}"), ("한국어", "한국어"), ("≠", "≠"), ("ơ", "o"), ("ç", "c"), ("e", "e"), ("\u{301}", ""),
        ])
    func byDiacritics(_ text: String, _ expected: String) {
        #expect(Array(folded(text, caseInsensitive: false, diacriticInsensitive: true).utf8) == Array(expected.utf8))
    }

    // K29
    @Test("both together, neither, and nothing")
    func both() {
        #expect(folded("ÅNGSTRÖM", caseInsensitive: true, diacriticInsensitive: true) == "angstrom")
        #expect(folded("Żółć", caseInsensitive: true, diacriticInsensitive: true) == "zołc")
        let decomposed = folded("E\u{301}", caseInsensitive: false, diacriticInsensitive: false)
        #expect(Array(decomposed.utf8) == Array("E\u{301}".utf8))
        #expect(folded("", caseInsensitive: true, diacriticInsensitive: true) == "")
    }

    // K29
    @Test("a folded text folds to itself", arguments: [(true, false), (false, true), (true, true)])
    func idempotent(_ caseInsensitive: Bool, _ diacriticInsensitive: Bool) {
        func fold(_ text: String) -> String {
            folded(text, caseInsensitive: caseInsensitive, diacriticInsensitive: diacriticInsensitive)
        }
        var failures: [Unicode.Scalar] = []
        for scalar in (0..<0x3000).compactMap(Unicode.Scalar.init as (UInt32) -> Unicode.Scalar?) {
            let once = fold(String(scalar))
            if Array(fold(once).utf8) != Array(once.utf8) { failures.append(scalar) }
        }
        #expect(failures == [])
    }

    // K29
    @Test("a character folds alike by itself and next to one of another script")
    func fastAndSlow() {
        for scalar in (0..<0x300).compactMap(Unicode.Scalar.init as (UInt32) -> Unicode.Scalar?) {
            for (byCase, byDiacritics) in [(true, false), (false, true), (true, true)] {
                let alone = folded(String(scalar), caseInsensitive: byCase, diacriticInsensitive: byDiacritics)
                let together = folded("\(scalar)日", caseInsensitive: byCase, diacriticInsensitive: byDiacritics)
                #expect(Array((alone + "日").utf8) == Array(together.utf8))
            }
        }
    }
}
