import Foundation
import Persisting
import Testing

private enum Tiny: Int8, SQLiteValueConvertible, CaseIterable { case least = -128, most = 127 }
private enum Short: UInt16, SQLiteValueConvertible { case zero = 0, most = 65535 }
private enum Ratio: Double, SQLiteValueConvertible { case half = 0.5, third = 0.3333333333333333 }
private enum Weight: Float, SQLiteValueConvertible { case light = 0.1, heavy = 10 }
private enum Shape: String, Codable, SQLiteValueConvertible { case round = "", square = "sq\0are" }

private struct Days: OptionSet, SQLiteValueConvertible {
    let rawValue: UInt8
    static let monday = Days(rawValue: 1)
    static let sunday = Days(rawValue: 64)
}

private struct Name: RawRepresentable, SQLiteValueConvertible, Hashable {
    var rawValue: String
}

/// A RawRepresentable of a RawRepresentable.
private struct Title: RawRepresentable, SQLiteValueConvertible, Equatable {
    var rawValue: Name
}

private struct Stop: Codable, Equatable {
    var place = ""
    var arrival: Date?
    var via: [Stop]?
}

private final class Trip: PersistingModel {
    var id: Int64?
    var tiny = Tiny.least
    var short: Short? = .zero
    var ratio = Ratio.third
    var weight: Weight? = .light
    var shape = Shape.square
    var days: Days = [.monday, .sunday]
    var noDays: Days?
    var name = Name(rawValue: "a'b")
    var title: Title?
    var site: URL?
    var stops: [Stop] = []
    var grid: [[Int?]]?
    var table: [String: Stop] = [:]
    var pair: Stop?

    override class var columns: Columns {
        var columns = super.columns
        for name in ["STOPS", "GRID", "TABLE", "PAIR"] { columns[name] = .json }
        return columns
    }
}

@Suite("Types with a stored form of their own") struct TypeTests {
    let manager: PersistenceManager

    init() throws { manager = try memoryManager(Trip.self) }

    @Test("Enums of every raw type, option sets and raw values are stored as those", .local(.textsWithNUL))
    func rawValues() throws {
        // F28
        let trip = Trip()
        trip.title = Title(rawValue: Name(rawValue: "T"))
        try manager.save(trip)
        let row = try manager.stored(
            "SELECT json_array(TINY, SHORT, RATIO = 1.0 / 3, round(WEIGHT, 6), DAYS, NO_DAYS, NAME, TITLE) FROM TRIP")
        #expect(row == #"[-128,0,1,0.1,65,null,"a'b","T"]"#)
        let found = try #require(try manager.fetchOne(Trip.self))
        #expect(found.tiny == .least)
        #expect(found.short == .zero)
        #expect(found.ratio == .third)
        #expect(found.weight == .light)
        #expect(found.shape == .square)
        #expect(found.days == [.monday, .sunday])
        #expect(found.noDays == nil)
        #expect(found.name == trip.name)
        #expect(found.title == trip.title)
        #expect(!found.hasChanges)
    }

    @Test("Their first values are the table's, but for a text with a NUL") func defaults() throws {
        // F28, Settled 14
        #expect(try manager.columnSQL("TINY", in: "TRIP") == "TINY INTEGER NOT NULL DEFAULT -128")
        #expect(try manager.columnSQL("SHORT", in: "TRIP") == "SHORT INTEGER")
        #expect(try manager.columnSQL("RATIO", in: "TRIP")?.hasPrefix("RATIO REAL NOT NULL DEFAULT 0.333") == true)
        #expect(try manager.columnSQL("SHAPE", in: "TRIP") == "SHAPE TEXT NOT NULL")
        #expect(try manager.columnSQL("DAYS", in: "TRIP") == "DAYS INTEGER NOT NULL DEFAULT 65")
        #expect(try manager.columnSQL("NAME", in: "TRIP") == "NAME TEXT NOT NULL DEFAULT 'a''b'")
    }

    @Test("They are found by conditions, by their raw values too", .local(.textsWithNUL)) func criteria() throws {
        // F71
        let trip = Trip()
        try manager.save(trip)
        let weight = Weight.light
        for criteria: Criteria<Trip> in [
            \.tiny == .least, ["tiny": -128], \.short == .zero, \.ratio == .third, \.weight == weight,
            \.shape == .square,
            \.days == [.monday, .sunday], ["days": 65], \.noDays == nil, \.name == Name(rawValue: "a'b"),
            ["name": "a'b"], .format("tiny == %@ AND days == %@", Tiny.least, 65), \.title == nil,
        ] {
            #expect(try manager.count(Trip.self, where: criteria) == 1)
            #expect(try criteria.matches(trip))
        }
    }

    @Test(
        "A raw value that is none is rejected, and said", .local(.textsWithNUL),
        arguments: [("tiny", "5"), ("short", "70000"), ("ratio", "0.25"), ("shape", "'x'"), ("days", "256")])
    func noRawValue(_ key: String, _ value: String) throws {
        // F29, Settled 9
        try manager.save(Trip())
        try manager.run("UPDATE TRIP SET \(key) = \(value)")
        let error = failure { try manager.fetchAll(Trip.self) }
        #expect(error?.key == key)
        #expect(error?.rowKey == ["id": 1])
        #expect(error?.message.contains(key.uppercased()) == true)
    }

    @Test("Codable values are JSON: nested, in arrays and dictionaries, nil and empty", .local(.textsWithNUL))
    func json() throws {
        // F28, F32
        let arrival = Date(timeIntervalSince1970: 0.25)
        let stop = Stop(place: "é\(nul)\"", arrival: arrival, via: [Stop(), Stop(via: [])])
        let trip = Trip()
        trip.stops = [stop, Stop()]
        trip.grid = [[1, nil], []]
        trip.table = ["b": Stop(), "a": stop]
        try manager.save(trip)
        let found = try #require(try manager.fetchOne(Trip.self))
        #expect(found.stops == trip.stops)
        #expect(found.grid == trip.grid)
        #expect(found.table == trip.table)
        #expect(found.pair == nil)
        #expect(!found.hasChanges)
        #expect(try manager.stored("SELECT json_array(GRID, PAIR) FROM TRIP") == #"["[[1,null],[]]",null]"#)
        let (stops, grid) = (trip.stops, trip.grid)
        #expect(try manager.count(Trip.self, where: \.stops == stops && \.grid == grid && \.pair == nil) == 1)
        #expect(try manager.count(Trip.self, where: \.stops == []) == 0)
        found.grid = nil
        found.table = [:]
        #expect(found.changedKeys == ["grid", "table"])
        try manager.save(found)
        #expect(try manager.stored("SELECT GRID IS NULL AND \"TABLE\" = '{}' FROM TRIP") == 1)
    }

    @Test(
        "A URL is kept as it is written", .local(.textsWithNUL),
        arguments: ["https://ex.org/a%20b?c=d#e", "mailto:a@b.c", "a/b", "file:///a%2Fb"])
    func url(_ text: String) throws {
        // F28
        let trip = Trip()
        trip.site = URL(string: text)
        try manager.save(trip)
        let found = try #require(try manager.fetchOne(Trip.self))
        #expect(found.site?.absoluteString == text)
        #expect(try manager.stored("SELECT SITE FROM TRIP") == .text(text))
        #expect(try manager.count(Trip.self, where: ["site": trip.site]) == 1)
        #expect(try manager.count(Trip.self, where: ["site": text]) == 1)
    }

    @Test("A Character is rejected, with the ways out") func character() throws {
        // F28, F41
        final class Lettered: PersistingModel {
            var id: Int64?
            var letter: Character = "a"
        }
        let error = failure { try memoryManager(Lettered.self) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.key == "letter")
        #expect(error?.message.contains("transformed(by:") == true)
    }

    @Test("A Substring is rejected, and stored by a transform") func substring() throws {
        // F28, F32
        final class Cut: PersistingModel {
            var id: Int64?
            var part: Substring = ""
        }
        final class CutAsText: PersistingModel {
            var id: Int64?
            var part: Substring = ""
            override class var transforms: [AnyTransform] {
                [.init(Transform<Substring>(encode: { String($0) }, decode: { (text: String) in text[...] }))]
            }
        }
        #expect(failure { try memoryManager(Cut.self) }?.key == "part")
        let manager = try memoryManager(CutAsText.self)
        let cut = CutAsText()
        cut.part = "abc".dropFirst()
        try manager.save(cut)
        #expect(try manager.fetchOne(CutAsText.self, where: \.part == "bc")?.part == "bc")
    }

    @Test("A slice of bytes is stored as what it shows, and found by it") func slices() throws {
        // F28
        let manager = try memoryManager(Possible.self)
        let object = Possible()
        object.data = Data(0...255)[100..<103]
        try manager.save(object)
        let found = try #require(try manager.fetchOne(Possible.self, where: \.data == Data([100, 101, 102])))
        #expect(!found.hasChanges)
        found.data = Data(99...120).dropFirst().prefix(3)
        #expect(!found.hasChanges)
        found.data = Data(99...120).dropFirst().prefix(4).dropFirst()
        try manager.save(found)
        #expect(try manager.stored("SELECT hex(DATA) FROM POSSIBLE") == "656667")
    }

    @Test("All these are keys", arguments: [0, 1, 2, 3, 4]) func keys(_ kind: Int) throws {
        // F36
        func check<Model: PersistingModel>(
            _ type: Model.Type, _ property: ReferenceWritableKeyPath<Model, String?>, _ key: some SQLiteValueConvertible
        ) throws {
            let manager = try memoryManager(type)
            let object = try manager.insert(type, values: ["id": key])
            object[keyPath: property] = "a"
            try manager.save(object)
            #expect(try manager.find(type, key)?[keyPath: property] == "a")
            #expect(try manager.delete(object))
        }
        class Keyed: PersistingModel {
            var note: String?
            override class var primaryKey: PrimaryKey { .assigned("id") }
        }
        final class ByEnum: Keyed { var id = Tiny.least }
        final class ByName: Keyed { var id = Name(rawValue: "") }
        final class ByURL: Keyed { var id = URL(filePath: "/") }
        final class ByDecimal: Keyed { var id = Decimal() }
        final class ByData: Keyed { var id = Data() }
        switch kind {
        case 0: try check(ByEnum.self, \.note, Tiny.most)
        case 1: try check(ByName.self, \.note, Name(rawValue: "é\(nul)"))
        case 2: try check(ByURL.self, \.note, try #require(URL(string: "https://a.b/c?d")))
        case 3: try check(ByDecimal.self, \.note, try #require(Decimal(string: "-12345678901234567890.123456789")))
        default: try check(ByData.self, \.note, Data([0, 255]))
        }
    }
}
