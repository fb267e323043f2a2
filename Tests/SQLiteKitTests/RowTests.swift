import Foundation
import SQLiteKit
import Testing

@Suite("Rows")
struct RowTests {
    private func row(_ sql: String, _ script: String = "") throws -> RowSnapshot {
        try #require(try memory(script).rows(SQL(sql)).first)
    }

    private let people = """
        CREATE TABLE author (id, name); INSERT INTO author VALUES (1, 'Ende');
        CREATE TABLE book (id, name, author_id); INSERT INTO book VALUES (7, 'Momo', 1)
        """
    private let join =
        "SELECT book.id, book.name, author.id, author.name FROM book JOIN author ON author.id = author_id"

    // K6, API 9
    @Test("values are read by name and by index")
    func reading() throws {
        let rows = try memory().query("SELECT 1 AS a, 'x' AS b, NULL AS c")
        let row = try #require(try rows.next())
        let a: Int = try row["a"]
        let b: String? = try row[1]
        let c: String? = try row["c"]
        let value: SQLiteValue = try row["b"]
        #expect(a == 1)
        #expect(b == "x")
        #expect(c == nil)
        #expect(value == "x")
    }

    // K6
    @Test("values are compared with literals and nil, by name and by index")
    func comparing() throws {
        let row = try row("SELECT 5.5 AS a, 'x' AS b, NULL AS c, 5 AS d")
        #expect(try row["a"] == 5.5 && row[0] == 5.5 && row["a"] != nil && row[0] != nil)
        #expect(try row["b"] == "x" && row[1] == "x" && row["d"] == 5 && row[3] == 5)
        #expect(try row["c"] == nil && row[2] == nil && row["a"] != 5.25)
    }

    // K6
    @Test("so are those of a row that is being read")
    func comparingLive() throws {
        let rows = try memory().query("SELECT 5.5 AS a, NULL AS c")
        let row = try #require(try rows.next())
        #expect(try row["a"] == 5.5 && row["a"] != nil && row[0] != 5.25)
        #expect(try row["c"] == nil && !(row["c"] != nil) && row[1] == nil)
    }

    // K6, FMDB: missing column
    @Test("a column that is not there throws, with the names there are")
    func missing() throws {
        let rows = try memory().query("SELECT 1 AS a, 2 AS b")
        let row = try #require(try rows.next())
        let error = failure { try row["c"] as Int }
        #expect(error?.extendedCode == .noSuchColumn)
        #expect(error?.message == "there is no column c; there is: a, b")
        #expect(error?.sql == "SELECT 1 AS a, 2 AS b")
    }

    // K6, FMDB: missing column
    @Test("a column that is not there throws for an optional type too")
    func missingOptional() throws {
        #expect(failure { try row("SELECT 1 AS a")["c"] as Int? }?.extendedCode == .noSuchColumn)
    }

    // K6, FMDB: missing column
    @Test("a column may be asked for that need not be there")
    func optional() throws {
        let row = try row("SELECT 1 AS a, NULL AS b")
        #expect(try row[optional: "a"] == 1)
        #expect(try row[optional: "b"] as Int? == nil)
        #expect(try row[optional: "c"] as Int? == nil)
    }

    // K6, FMDB: missing column
    @Test("a column that need not be there must be of the type if it is")
    func optionalMismatch() throws {
        #expect(failure { try row("SELECT 'x' AS a")[optional: "a"] as Int? }?.extendedCode == .typeMismatch)
    }

    // K6
    @Test("an index outside the row throws", arguments: [-1, 2, Int.max, Int.min])
    func index(_ index: Int) throws {
        let rows = try memory().query("SELECT 1, 2")
        let live = try #require(try rows.next())
        #expect(failure { try live[index] as Int }?.extendedCode == .noSuchColumnIndex)
        #expect(failure { try row("SELECT 1, 2")[index] as Int? }?.extendedCode == .noSuchColumnIndex)
    }

    // K6, FMDB: name case
    @Test("names are found without regard to the case of ASCII letters")
    func nameCase() throws {
        let row = try row("SELECT 1 AS UserName")
        #expect(try row["username"] == 1)
        #expect(try row["USERNAME"] == 1)
    }

    // K6, FMDB: name case
    @Test("other letters are found in their own case alone")
    func nonASCII() throws {
        let row = try row("SELECT 1 AS \"GRÖSSE\"")
        #expect(try row["grÖsse"] == 1)
        #expect(failure { try row["grösse"] as Int }?.extendedCode == .noSuchColumn)
    }

    // K6, FMDB: name case, duplicate names
    @Test(
        "of several columns that match a name the first is read, however it is spelled",
        arguments: ["name", "NAME", "Name"])
    func firstOfSpellings(_ name: String) throws {
        #expect(try row("SELECT 1 AS name, 2 AS NAME")[name] == 1)
        #expect(try row("SELECT 1 AS NAME, 2 AS name")[name] == 1)
    }

    // K6, FMDB: name case
    @Test("names that differ in Unicode normalization are different")
    func normalization() throws {
        let row = try row("SELECT 1 AS \"\u{E9}\", 2 AS \"e\u{301}\"")
        #expect(try row["\u{E9}"] == 1)
        #expect(try row["e\u{301}"] == 2)
    }

    // K6, FMDB: duplicate names
    @Test("of several columns of one name the first is read")
    func duplicates() throws {
        let row = try row(join, people)
        #expect(try row["name"] == "Momo")
        #expect(try row["id"] == 7)
    }

    // K6, FMDB: duplicate names
    @Test("a name that stands for several columns is known to be ambiguous")
    func ambiguous() throws {
        let row = try row(join, people)
        #expect(row.isAmbiguous("name"))
        #expect(row.indices(of: "NAME") == [1, 3])
        #expect(!row.isAmbiguous("author.name"))
        #expect(!row.isAmbiguous("nothing"))
    }

    // K6, FMDB: duplicate names
    @Test("a column is found by its table and its name")
    func qualified() throws {
        let row = try row(join, people)
        #expect(try row["author.name"] == "Ende")
        #expect(try row["BOOK.Id"] == 7)
        #expect(failure { try row["publisher.name"] as String }?.extendedCode == .noSuchColumn)
    }

    // K6, FMDB: duplicate names
    @Test("a column whose name has a dot is found by its name")
    func dotted() throws {
        let row = try row("SELECT 1 AS \"author.name\", name FROM author", people)
        #expect(try row["author.name"] == 1)
    }

    // K6, FMDB: duplicate names
    @Test("all columns are kept by index")
    func allByIndex() throws {
        #expect(try row(join, people).values() == [7, "Momo", 1, "Ende"])
    }

    // K6, FMDB: duplicate names
    @Test("a dictionary holds the first of several columns, and NULL")
    func dictionary() throws {
        let dictionary = try row("SELECT 1 AS a, NULL AS b, 2 AS a").dictionary()
        #expect(dictionary == ["a": 1, "b": .null])
    }

    // K6
    @Test("a row names its columns in order")
    func names() throws {
        let rows = try memory().query("SELECT 1 AS b, 2 AS a, 3")
        let row = try #require(try rows.next())
        #expect(row.columnNames == ["b", "a", "3"])
        #expect(row.count == 3)
        #expect(row.index(of: "a") == 1)
        #expect(row.index(of: "z") == nil)
    }

    // K6, FMDB: NULL
    @Test("NULL read as a type that is not optional throws")
    func null() throws {
        let error = failure { try row("SELECT NULL AS a")["a"] as Int }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message == "column a: a stored NULL isn't a valid Int")
    }

    // K6
    @Test("a snapshot reads as the row does", arguments: ["1", "1.5", "'x'", "X'00FF'", "NULL"])
    func snapshot(_ literal: String) throws {
        let rows = try memory().query("SELECT \(sql: SQL(literal)) AS v")
        let row = try #require(try rows.next())
        let live: SQLiteValue = try row["v"]
        #expect(try row.snapshot()["v"] == live)
    }

    // K6
    @Test("a snapshot reads every type")
    func snapshotTypes() throws {
        let row = try row("SELECT 5 AS i, 1.5 AS r, 'ü' AS t, X'01' AS b, '2.50' AS d")
        #expect(try row["i"] as UInt8 == 5)
        #expect(try row["i"] as Bool == true)
        #expect(try row["i"] as Double == 5)
        #expect(try row["r"] as Float == 1.5)
        #expect(try row["t"] as Data == Data([0xC3, 0xBC]))
        #expect(try row["b"] as [UInt8] == [1])
        #expect(try row["d"] as Decimal == 2.5)
        #expect(try row["r"] as Date == Date(timeIntervalSince1970: 1.5))
        #expect(failure { try row["t"] as Int }?.extendedCode == .typeMismatch)
    }

    // K6
    @Test("a snapshot can be made of values from elsewhere")
    func madeSnapshot() throws {
        let row = RowSnapshot(["a": 1, "b": nil, "A": 2])
        #expect(try row["a"] == 1)
        #expect(try row["b"] as Int? == nil)
        #expect(row.isAmbiguous("a"))
        #expect(row == RowSnapshot(["a": 1, "b": nil, "A": 2]))
        #expect(row != RowSnapshot(["a": 1, "b": nil, "A": 3]))
        #expect(row != RowSnapshot(["a": 1, "b": nil, "c": 2]))
    }

    // K9
    @Test("a snapshot crosses to another task")
    func sendable() async throws {
        let row = RowSnapshot(["a": 1])
        let value = try await Task { try row["a"] as Int }.value
        #expect(value == 1)
    }
}
