internal import Foundation
import Persisting

/// A class of which objects can be made at random.
protocol RandomModel: PersistingModel {
    static func random(_ number: Int, _ random: inout SeededGenerator) -> Self
}

extension SeededGenerator {
    fileprivate mutating func one<T>(of values: [T], or other: T) -> T { values.randomElement(using: &self) ?? other }

    /// A text of what files write in ways of their own.
    fileprivate mutating func text() -> String {
        let parts = [
            "", "a", "é😀", "\"", ",", ";", "\n", "\r\n", "\r", "\u{0}", "\\", " x ", "null", "1.5", "\u{FEFF}", "::",
            ":", "\u{1F}", "\t", "true", "007", "\u{2028}", "=1+1", "'", "[", "{}",
        ]
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in one(of: parts, or: "") }.joined()
    }

    fileprivate mutating func some<T>(_ value: T) -> T? { Int.random(in: 0..<4, using: &self) == 0 ? nil : value }

    fileprivate mutating func real() -> Double {
        switch Int.random(in: 0..<3, using: &self) {
        case 0:
            one(
                of: [0, -0.0, 1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1e22],
                or: 0)
        case 1: Double(Int.random(in: -1_000_000...1_000_000, using: &self)) / 1000
        default:
            // Any finite one.
            Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &self))
        }
    }

    fileprivate mutating func date() -> Date {
        Date(timeIntervalSince1970: Double.random(in: -6e10...2e11, using: &self))
    }

    fileprivate mutating func bytes() -> Data {
        Data((0..<Int.random(in: 0...5, using: &self)).map { _ in .random(in: 0...255, using: &self) })
    }
}

enum Mood: String, SQLiteValueConvertible, CaseIterable {
    case good, bad
}

struct Place: Codable {
    var x = 0
    var name: String?
}

/// A property of each type.
class Sample: PersistingModel, RandomModel {
    var id: Int64?
    var text = ""
    var optionalText: String?
    var number: Int?
    var small: Int8 = 0
    var real = 0.0
    var optionalReal: Double?
    var float: Float?
    var flag: Bool?
    var bytes: Data?
    var list: [UInt8] = []
    var date: Date?
    var isoDate: Date?
    var milliseconds: Date?
    var julian: Date?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var mood: Mood?
    var tags: [String]?
    var place: Place?
    var bits: UInt64 = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["ISO_DATE"] = .date.stored(as: .iso8601)
        columns["MILLISECONDS"] = .date.stored(as: .unixMilliseconds)
        columns["JULIAN"] = .date.stored(as: .julianDay)
        columns["TAGS"] = .json
        columns["PLACE"] = .json
        columns["BITS"] = .int.bitPattern
        columns["UUID"] = .uuid.stored(as: .blob)
        columns["BYTES"] = .data.deferred
        return columns
    }

    static func random(_ number: Int, _ random: inout SeededGenerator) -> Self {
        let sample = self.init()
        sample.text = random.text()
        sample.optionalText = random.some(random.text())
        sample.number = random.some(random.one(of: [.min, .max, 0, -1, 42], or: 7))
        sample.small = .random(in: .min ... .max, using: &random)
        sample.real = random.real()
        sample.optionalReal = random.some(random.real())
        sample.float = random.some(Float(Double.random(in: -1e30...1e30, using: &random)))
        sample.flag = random.some(.random(using: &random))
        sample.bytes = random.some(random.bytes())
        sample.list = Array(random.bytes())
        sample.date = random.some(random.date())
        sample.isoDate = random.some(random.date())
        sample.milliseconds = random.some(random.date())
        sample.julian = random.some(random.date())
        sample.uuid = random.some(UUID())
        sample.url = random.some(URL(string: "https://example.com/?q=a,b%20c") ?? URL(filePath: "/"))
        sample.decimal = random.some(Decimal(Int.random(in: -99999...99999, using: &random)) / 1000)
        sample.mood = random.some(random.one(of: Mood.allCases, or: .good))
        // Foundation loses a byte order mark in the text of JSON.
        func plain() -> String { random.text().filter { $0 != "\u{FEFF}" } }
        sample.tags = random.some([plain(), plain()])
        sample.place = random.some(Place(x: 3, name: random.some(plain())))
        sample.bits = .random(in: 0 ... .max, using: &random)
        return sample
    }
}

final class SampleCopy: Sample {
    override class var tableName: String { "SAMPLE_COPY" }
}

/// A key of two columns, and the keys of another program.
class Entry: PersistingModel, RandomModel {
    var list = ""
    var number = 0
    var first: String?
    var last: String?
    var weight: Double?

    override class var primaryKey: PrimaryKey { .composite("list", "number") }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping(
            root: "entry",
            [
                .key("list", "of"), .key("number", "n", .number), .key("first", "name.first"),
                .key("last", "name.last", .string), .key("weight", "w.kg", .number),
            ])
    }

    static func random(_ number: Int, _ random: inout SeededGenerator) -> Self {
        let entry = self.init()
        entry.list = random.text()
        entry.number = number
        entry.first = random.some(random.text())
        entry.last = random.some(random.text())
        entry.weight = random.some(random.real())
        return entry
    }
}

final class EntryCopy: Entry {
    override class var tableName: String { "ENTRY_COPY" }
}

/// One column, and no key.
class Note: PersistingModel, RandomModel {
    var note: String?

    override class var primaryKey: PrimaryKey { .rowID }

    static func random(_ number: Int, _ random: inout SeededGenerator) -> Self {
        let note = self.init()
        note.note = random.some(random.text())
        return note
    }
}

final class NoteCopy: Note {
    override class var tableName: String { "NOTE_COPY" }
}
