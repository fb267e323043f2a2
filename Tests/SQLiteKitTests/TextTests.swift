import Foundation
import SQLiteKit
import Testing

@Suite("Text")
struct TextTests {
    /// Compared by bytes: Swift's == takes canonically equivalent texts for equal.
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    // K4
    @Test("an empty text is not NULL")
    func empty() throws {
        #expect(try roundTrip(String?.some("")) == "")
        #expect(try quoted("") == "''")
    }

    // K4, FMDB: text with NUL
    @Test("a text with NUL characters is stored whole")
    func nul() throws {
        #expect(try roundTrip("a\0b\0") == "a\0b\0")
        #expect(try memory().scalar("SELECT hex(?)", ["a\0b"], as: String.self) == "610062")
    }

    // K4
    @Test("a text of one megabyte is stored whole")
    func huge() throws {
        let text = String(repeating: "0123456789abcdé", count: 65_536)
        #expect(try roundTrip(text) == text)
    }

    // K4
    @Test(
        "a text keeps its bytes",
        arguments: [
            "é", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}", "\u{FEFF}x", "\u{FFFD}", "\u{10FFFF}", "'\"\\%_\r\n\t",
        ])
    func bytesKept(_ text: String) throws {
        #expect(bytes(try roundTrip(text)) == bytes(text))
    }

    // K4
    @Test("a bridged or sliced text is bound whole")
    func bridged() throws {
        let slice = "prefix-value-suffix".split(separator: "-")[1]
        #expect(try roundTrip(String(slice)) == "value")
        #expect(try roundTrip(NSString("grün") as String) == "grün")
    }

    // K4
    @Test("numbers, blobs and NULL aren't text", arguments: ["1", "1.5", "X'61'", "NULL"])
    func mismatch(_ literal: String) {
        #expect(failure { try read(literal, as: String.self) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: invalid UTF-8
    @Test(
        "a text that is not UTF-8 throws and names the column",
        arguments: ["FF", "C3", "61C0AF62", "EDA080", "F4908080"])
    func invalid(_ hex: String) {
        let error = failure { try read("CAST(X'\(hex)' AS TEXT)", as: String.self) }
        #expect(error?.extendedCode == .invalidText)
        #expect(error?.message.contains("column v") == true)
        #expect(error?.sql?.hasPrefix("SELECT CAST") == true)
    }

    // K4, FMDB: invalid UTF-8
    @Test("a text that is not UTF-8 throws as a SQLiteValue and in a snapshot too")
    func invalidValue() throws {
        let db = try memory()
        #expect(failure { try read("CAST(X'FF' AS TEXT)", as: SQLiteValue.self) }?.extendedCode == .invalidText)
        #expect(failure { try db.rows("SELECT CAST(X'FF' AS TEXT)") }?.extendedCode == .invalidText)
    }

    // K4, FMDB: invalid UTF-8
    @Test("the bytes of a text that is not UTF-8 can be read as Data and as an array")
    func invalidBytes() throws {
        #expect(try read("CAST(X'61FF62' AS TEXT)", as: Data.self) == Data([0x61, 0xFF, 0x62]))
        #expect(try read("CAST(X'61FF62' AS TEXT)", as: [UInt8].self) == [0x61, 0xFF, 0x62])
    }

    // K4, FMDB: invalid UTF-8
    @Test("a text that is not UTF-8 is repaired where the configuration says so")
    func repaired() throws {
        var configuration = DatabaseConfiguration()
        configuration.invalidText = .repaired
        let db = try memory("", configuration)
        #expect(try db.scalar("SELECT CAST(X'61FF62' AS TEXT)", as: String.self) == "a\u{FFFD}b")
    }

    // K4, FMDB: invalid UTF-8
    @Test("after an invalid text the next row can be read")
    func invalidThenValid() throws {
        let rows = try memory().query("VALUES (CAST(X'FF' AS TEXT)), ('ok')")
        let bad = try #require(try rows.next())
        #expect(failure { try bad.value(at: 0, as: String.self) }?.extendedCode == .invalidText)
        #expect(try rows.next()?.value(at: 0, as: String.self) == "ok")
    }

    // K4
    @Test("a database in UTF-16 gives the same texts and bytes")
    func utf16() throws {
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.execute("PRAGMA encoding = 'UTF-16'") }
        let db = try memory("CREATE TABLE t (v TEXT)", configuration)
        #expect(try db.scalar("PRAGMA encoding", as: String.self)?.hasPrefix("UTF-16") == true)
        try db.execute("INSERT INTO t VALUES (?)", ["grün\0\u{1F600}"])
        #expect(try db.scalar("SELECT v FROM t", as: String.self) == "grün\0\u{1F600}")
        #expect(try db.scalar("SELECT v FROM t", as: Data.self) == Data("grün\0\u{1F600}".utf8))
    }

    // K41
    @Test("two SQL texts that differ only in Unicode normalization are two statements")
    func normalizationInSQL() throws {
        let db = try memory()
        let composed = try db.scalar("SELECT hex('\(sql: SQL("\u{E9}"))')", as: String.self)
        let decomposed = try db.scalar("SELECT hex('\(sql: SQL("e\u{301}"))')", as: String.self)
        #expect(composed == "C3A9")
        #expect(decomposed == "65CC81")
    }
}
