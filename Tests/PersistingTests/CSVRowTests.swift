import Foundation
import Persisting
import Testing

private final class Measure: PersistingModel {
    var id: Int64?
    var name = ""
    var size = 0.0
}

/// What FMDBx's `foreachURL:columnSeparator:process:` does.
@Suite("Rows of CSV without a class") struct CSVRowTests {
    private func rows(_ text: String, _ format: CSVFormat = CSVFormat()) throws -> [CSVRow] {
        var rows: [CSVRow] = []
        try format.forEachRow(of: Data(text.utf8)) { rows.append($0) }
        return rows
    }

    private func failure(_ text: String, _ format: CSVFormat = CSVFormat()) -> PersistenceError? {
        #expect(throws: PersistenceError.self) { try rows(text, format) }
    }

    @Test("have their lines, names and values") func values() throws {
        // F106 F107
        let text = "\u{FEFF}name;age;zip\r\n\r\nKohki;34;007\r\n\"a;\"\"b\"\"\r\nc\";-1.5;\r\nx;YES;\"\"\n"
        let rows = try rows(text, CSVFormat(separator: ";"))
        #expect(rows.map(\.line) == [3, 4, 6])
        #expect(rows[0].values == ["name": .text("Kohki"), "age": .integer(34), "zip": .text("007")])
        #expect(rows[1].values == ["name": .text("a;\"b\"\r\nc"), "age": .real(-1.5), "zip": .null])
        #expect(rows[2].values == ["name": .text("x"), "age": .integer(1), "zip": .text("")])
    }

    @Test("have the texts of fields as they are") func texts() throws {
        // F106
        let row = try #require(try rows("a,b,c\n1.50,,\"\"\n").first)
        #expect(try row.text("a") == "1.50" && row.text("b") == nil && row.text("c") == "")
        #expect(try row["a"] == .real(1.5) && row["b"] == .null)
    }

    private final class Book: PersistingModel {
        var id: Int64?
        var title = ""
        var year: Int?
    }

    @Test("have values of the types that are asked for") func typed() throws {
        // F106
        let text = "title,year,price,read,zip,day\n007,1973, 9.5 ,YES,01234,2024-02-29\n1.50,,,,,\n"
        let rows = try rows(text)
        let book = Book()
        book.title = try rows[0]["title"]
        book.year = try rows[0]["year"]
        #expect(book.title == "007" && book.year == 1973)
        let (number, price): (Int, Double) = (try rows[0]["title"], try rows[0]["price"])
        let (isRead, zip, day): (Bool, String, Date) = (try rows[0]["read"], try rows[0]["zip"], try rows[0]["day"])
        #expect(number == 7 && price == 9.5 && isRead && zip == "01234")
        #expect(day == Date(timeIntervalSince1970: 1_709_164_800))
        book.title = try rows[1]["title"]
        book.year = try rows[1]["year"]
        #expect(book.title == "1.50" && book.year == nil)
    }

    @Test("have all digits of a Decimal, and the truths and dates that an import reads") func rules() throws {
        // F106
        let rows = try rows("price,flag,day\n 1234567890123456.789 ,5,20240131\n0.10,y,2024-02-29\n,-1,2024\n")
        let (price, discount, none): (Decimal, Decimal?, Decimal?) = (
            try rows[0]["price"], try rows[1]["price"], try rows[2]["price"]
        )
        #expect(price == Decimal(string: "1234567890123456.789") && discount == Decimal(string: "0.1") && none == nil)
        let (flag, day): (Bool?, Date?) = (try rows[1]["flag"], try rows[1]["day"])
        #expect(flag == true && day == Date(timeIntervalSince1970: 1_709_164_800))
        for row in [rows[0], rows[2]] {
            let flagError = #expect(throws: PersistenceError.self) { let _: Bool = try row["flag"] }
            let dayError = #expect(throws: PersistenceError.self) { let _: Date? = try row["day"] }
            #expect(flagError?.code == .typeMismatch && dayError?.code == .typeMismatch)
        }
    }

    @Test(
        "reject a value that the type can't have, with the line and the field", arguments: ["year", "title", "pages"])
    func mistyped(_ name: String) throws {
        // F106
        let row = try #require(try rows("title,year,pages\nMomo,1973 A.D.,\n").first)
        let error = #expect(throws: PersistenceError.self) {
            let _: Int = try row[name]
        }
        #expect(error?.code == .typeMismatch && error?.key == name)
        let reason = name == "pages" ? "the field is empty" : "the text isn't a valid Int"
        #expect(error?.message == "line 2, \(name): \(reason)")
        #expect(error?.expected == "Int")
    }

    @Test("have a doubled quotation mark once, also where it is the only one") func loneMark() throws {
        // F106
        #expect(try rows("size\n\"5\"\" disk\"\n").first?.text("size") == "5\" disk")
    }

    @Test("reject a name that the header doesn't have, and say those that it has") func unknownName() throws {
        // F106
        let row = try #require(try rows("name,age\na,1\n").first)
        let error = #expect(throws: PersistenceError.self) { try row["Age"] }
        #expect(error?.code == .unknownKey && error?.message == "the header has no field \"Age\"; there is: name, age")
    }

    @Test("have the names that the format gives") func names() throws {
        // F106
        #expect(try rows("A,B\n1,2\n", CSVFormat(header: .renamed(["A": "x"])))[0].names == ["x", "B"])
        let row = try rows("1,2,3\n", CSVFormat(header: .absent(["x", "", "y"])))[0]
        #expect(row.values == ["x": .integer(1), "y": .integer(3)])
    }

    @Test("that are short lack fields, and those too long have none beyond, where the format says so") func lengths()
        throws
    {
        // F106
        let rows = try rows("a,b\n1\n1,2,3\n", CSVFormat(shortRows: .any, longRows: .any))
        #expect(rows.map(\.values) == [["a": .integer(1)], ["a": .integer(1), "b": .integer(2)]])
        #expect(try rows[0]["b"] == .null)
    }

    @Test(
        "that can't be read are errors with their line",
        arguments: [
            ("a,b\n1,2\n\n1\n", "line 4: the row has 1 field, and the header 2"),
            ("a,b\n1,2,3\n", "line 2: the row has 3 fields, and the header 2"),
            ("a\n\"x\ny\n", "line 2: a quotation mark isn't closed up to the end of the file"),
            (
                "a\n\"x\"y\n",
                "line 2: the quoted field is followed by something else than a separator or the end of the line"
            ),
        ])
    func mistakes(_ text: String, _ message: String) {
        // F106
        let error = failure(text)
        #expect(error?.code == .importFailed && error?.message == message)
    }

    @Test("of bytes that aren't UTF-8 are errors with their field") func encoding() {
        // F106
        let error = #expect(throws: PersistenceError.self) {
            try CSVFormat().forEachRow(of: Data("a,b\n1,".utf8) + [0xFF, 0x0A]) { _ in }
        }
        #expect(error?.message == "line 2, b: the text isn't UTF-8" && error?.key == "b")
    }

    @Test(
        "need a header that can be used",
        arguments: [("", CSVFormat()), ("a,a\n", CSVFormat()), ("a,b\n", CSVFormat(header: .renamed(["a": "b"])))])
    func headers(_ text: String, _ format: CSVFormat) {
        // F106
        #expect(failure(text, format)?.code == .invalidFormat)
    }

    @Test("are converted by the closure, and inserted in one transaction") func converted() throws {
        // F106 F108
        let manager = try memoryManager(Measure.self)
        let text = Data("name;size\na;12,5\nb;3\n".utf8)
        try manager.transaction {
            try CSVFormat(separator: ";").forEachRow(of: text) { row in
                var values = row.values
                values["size"] = (try row.text("size")).flatMap { Double($0.replacing(",", with: ".")) }.map {
                    .real($0)
                }
                try manager.insert(Measure.self, values: values)
            }
        }
        #expect(try manager.fetchAll(Measure.self, sortedBy: "name").map(\.size) == [12.5, 3])
    }

    @Test("are read no further when the closure throws") func throwing() {
        // F106
        struct Enough: Error {}
        var count = 0
        #expect(throws: Enough.self) {
            try CSVFormat().forEachRow(of: Data("a\n1\n2\n3\n".utf8)) { _ in
                count += 1
                if count == 2 { throw Enough() }
            }
        }
        #expect(count == 2)
    }

    @Test("are read from files, of which one that isn't there is an error") func files() throws {
        // F106
        let directory = try TemporaryDirectory()
        let url = URL(filePath: directory.path("rows.csv"))
        #expect(throws: (any Error).self) { try CSVFormat().forEachRow(of: url) { _ in } }
        try Data("a\n1\n".utf8).write(to: url)
        var count = 0
        try CSVFormat().forEachRow(of: url) { _ in count += 1 }
        #expect(count == 1)
    }

    @Test("that are longer than the limit are an error") func longRow() {
        // F106
        let text = Data(("a\n" + String(repeating: "x", count: 1 << 20)).utf8)
        let error = #expect(throws: PersistenceError.self) {
            try CSVFormat().forEachRow(of: text, maximumRowBytes: 1 << 18) { _ in }
        }
        #expect(error?.message.contains("maximumRowBytes") == true)
    }
}
