import Foundation
import SQLiteKit
import Testing

private enum Kind: String, SQLiteValueConvertible { case full, trailer }
private enum Level: Int, Codable, SQLiteValueConvertible { case low = 1, high = 9 }
private struct Options: OptionSet, SQLiteValueConvertible {
    let rawValue: Int64
    static let first = Options(rawValue: 1)
    static let last = Options(rawValue: 1 << 62)
}
private struct Settings: Codable, Equatable, SQLiteValueConvertible {
    var tags: [String]
    var depth: Int?
}
private struct Point: Equatable, SQLiteValueConvertible {
    var x: Int, y: Int
    init(_ x: Int, _ y: Int) { (self.x, self.y) = (x, y) }
    func sqliteValue() -> SQLiteValue { .text("\(x) \(y)") }
    init(sqliteValue: SQLiteValue) throws {
        let parts = try String(sqliteValue: sqliteValue).split(separator: " ").compactMap { Int($0) }
        guard parts.count == 2 else { throw TestError() }
        self.init(parts[0], parts[1])
    }
}

@Suite("Custom types")
struct RawValueAndJSONTests {
    // K4
    @Test("an enum is stored as its raw value")
    func rawValue() throws {
        #expect(try quoted(Kind.trailer) == "'trailer'")
        #expect(try roundTrip(Kind.full) == .full)
        #expect(Kind.columnType == .text)
    }

    // K4
    @Test("an enum that is Codable is stored as its raw value, not as JSON")
    func codableRawValue() throws {
        #expect(try quoted(Level.high) == "9")
        #expect(try roundTrip(Level.low) == .low)
        #expect(Level.columnType == .integer)
    }

    // K4
    @Test("an option set is stored as its bits")
    func optionSet() throws {
        #expect(try roundTrip([Options.first, .last] as Options) == [.first, .last])
    }

    // K4
    @Test("a raw value without a case throws and is named")
    func unknownCase() {
        let error = failure { try read("7", as: Level.self) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message == "column v: Level has no value for the stored 7")
    }

    // K4
    @Test("a raw value of the wrong storage class throws")
    func wrongClass() {
        #expect(failure { try read("7", as: Kind.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try read("NULL", as: Level.self) }?.extendedCode == .typeMismatch)
    }

    // K8
    @Test("a Codable type is stored as JSON with sorted keys")
    func json() throws {
        let settings = Settings(tags: ["b", "a/c"], depth: 2)
        #expect(try quoted(settings) == #"'{"depth":2,"tags":["b","a/c"]}'"#)
        #expect(try roundTrip(settings) == settings)
        #expect(Settings.columnType == .text)
    }

    // K8
    @Test("JSON is read from a blob as well")
    func jsonBlob() throws {
        #expect(try read("CAST('{\"tags\":[]}' AS BLOB)", as: Settings.self) == Settings(tags: []))
    }

    // K8
    @Test("what isn't JSON of the type throws", arguments: ["'{}'", "'{'", "''", "'null'", "1", "NULL"])
    func jsonMismatch(_ literal: String) {
        #expect(failure { try read(literal, as: Settings.self) }?.extendedCode == .typeMismatch)
    }

    // K8
    @Test("the JSON wrapper stores any Codable value")
    func wrapper() throws {
        #expect(try quoted(JSON(["a", "b"])) == #"'["a","b"]'"#)
        #expect(try roundTrip(JSON(["k": [1, 2]])) == JSON(["k": [1, 2]]))
        #expect(try roundTrip(JSON("text")) == JSON("text"))
        #expect(try roundTrip(JSON(Int?.none)) == JSON(nil))
    }

    // K8
    @Test("dates within JSON are seconds since 1970")
    func jsonDate() throws {
        let date = Date(timeIntervalSince1970: 1.5)
        #expect(try quoted(JSON([date])) == "'[1.5]'")
        #expect(try roundTrip(JSON(date)) == JSON(date))
    }

    // K8
    @Test("SQLite's JSON functions read what is stored")
    func jsonFunctions() throws {
        let db = try memory()
        let value = try db.scalar("SELECT ? ->> '$.tags[1]'", [Settings(tags: ["a", "ü"])], as: String.self)
        #expect(value == "ü")
    }

    // K8
    @Test("a value that JSON cannot hold is rejected and its parameter named")
    func unencodable() throws {
        let db = try memory()
        let error = failure { try db.execute("SELECT :v", ["v": JSON([Double.nan])]) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message.contains(":v") == true)
    }

    // K4
    @Test("a custom type is stored as it says")
    func own() throws {
        #expect(try quoted(Point(1, -2)) == "'1 -2'")
        #expect(try roundTrip(Point(3, 4)) == Point(3, 4))
        #expect(Point.columnType == .any)
    }

    // K4
    @Test("an error of its own conversion is a type mismatch that names the column")
    func ownError() {
        let error = failure { try read("'1'", as: Point.self) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message.hasPrefix("column v: ") == true)
    }

    // K4
    @Test("nil is NULL for every type, and NULL is nil")
    func optionals() throws {
        #expect(try quoted(Kind?.none) == "NULL")
        #expect(try quoted(Settings?.none) == "NULL")
        #expect(try quoted(nil) == "NULL")
        #expect(try read("NULL", as: Int?.self) == nil)
        #expect(try read("NULL", as: String?.self) == nil)
        #expect(try read("NULL", as: Data?.self) == nil)
        #expect(try read("NULL", as: Date?.self) == nil)
        #expect(try read("NULL", as: UUID?.self) == nil)
        #expect(try read("NULL", as: Decimal?.self) == nil)
        #expect(try read("NULL", as: Level?.self) == nil)
        #expect(try read("NULL", as: Settings?.self) == nil)
    }

    // K4
    @Test("an optional of the wrong type throws all the same")
    func optionalMismatch() {
        #expect(failure { try read("'x'", as: Int?.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("an optional has the column type of what it wraps")
    func optionalColumnType() {
        #expect(Int?.columnType == .integer)
        #expect(Decimal?.columnType == .decimal)
    }
}
