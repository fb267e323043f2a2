import Foundation
import Persisting
import Testing

struct Swatch: Equatable {
    var red: UInt8 = 0
    var green: UInt8 = 0
}

private struct BadSwatch: Error {}

extension Transform where Value == Swatch {
    static let swatch = Transform(
        encode: { Int($0.red) << 8 | Int($0.green) },
        decode: { (number: Int) in
            guard 0...0xFFFF ~= number else { throw BadSwatch() }
            return Swatch(red: UInt8(number >> 8), green: UInt8(number & 255))
        })
}

struct Options: OptionSet, SQLiteValueConvertible { let rawValue: UInt16 }

/// A property of every type that a column can hold, in every form.
final class Forty: PersistingModel {
    var id: Int64?
    var int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var bool = false
    var double = 0.0
    var float: Float = 0
    var string = ""
    var data = Data()
    var bytes: [UInt8] = []
    var seconds = Date(timeIntervalSince1970: 0)
    var milliseconds = Date(timeIntervalSince1970: 0)
    var text = Date(timeIntervalSince1970: 0)
    var julian = Date(timeIntervalSince1970: 0)
    var reference = Date(timeIntervalSince1970: 0)
    var uuid = UUID()
    var url = URL(filePath: "/")
    var decimal: Decimal = 0
    var kind = Kind.full
    var level = Level.low
    var options: Options = []
    var tags = Tags()
    var list: [String] = []
    var pair = Pair()
    var swatch = Swatch()
    var cover: Data?
    var maybeInt: Int?
    var maybeBool: Bool?
    var maybeDouble: Double?
    var maybeString: String?
    var maybeData: Data?
    var maybeDate: Date?
    var maybeSwatch: Swatch?

    override class var columns: Columns {
        var columns = super.columns
        columns["MILLISECONDS"] = .date.stored(as: .unixMilliseconds)
        columns["TEXT"] = .date.stored(as: .iso8601)
        columns["JULIAN"] = .date.stored(as: .julianDay)
        columns["REFERENCE"] = .date.stored(as: .referenceDate)
        columns["LIST"] = .json
        columns["SWATCH"] = .path(\Forty.swatch, transform: .swatch)
        columns["COVER"] = .data.deferred
        columns["MAYBE_SWATCH"] = .path(\Forty.maybeSwatch, transform: .swatch)
        return columns
    }
}

/// What a test does with one property: give it a random value, take it from another object, compare it.
private struct Property {
    let key: String
    let fill: (Forty, inout SeededGenerator) -> Void
    let copy: (Forty, Forty) -> Void
    let isSame: (Forty, Forty) -> Bool

    init<Value>(
        _ key: String, _ path: ReferenceWritableKeyPath<Forty, Value>, _ isSame: @escaping (Value, Value) -> Bool,
        _ random: @escaping (inout SeededGenerator) -> Value
    ) {
        self.key = key
        fill = { $0[keyPath: path] = random(&$1) }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        self.isSame = { isSame($0[keyPath: path], $1[keyPath: path]) }
    }

    init<Value: Equatable>(
        _ key: String, _ path: ReferenceWritableKeyPath<Forty, Value>,
        _ random: @escaping (inout SeededGenerator) -> Value
    ) {
        self.init(key, path, ==, random)
    }

    static func integer<Value: FixedWidthInteger>(
        _ key: String, _ path: ReferenceWritableKeyPath<Forty, Value>
    ) -> Property {
        let largest = Value(clamping: Int64.max)
        return Property(key, path) { generator in
            switch generator.next() % 8 {
            case 0: Value.min
            case 1: largest
            case 2: 0
            case 3: Value.isSigned ? 0 &- 1 : 1
            default: Value(truncatingIfNeeded: generator.next()) & largest
            }
        }
    }

    static func oneOf<Value: Equatable>(
        _ key: String, _ path: ReferenceWritableKeyPath<Forty, Value>, _ values: [Value],
        _ isSame: @escaping (Value, Value) -> Bool = (==)
    ) -> Property {
        Property(key, path, isSame) { $0.element(of: values) }
    }

    /// A date, to be the same in the form that stores it.
    static func date(
        _ key: String, _ path: ReferenceWritableKeyPath<Forty, Date>, _ storage: DateStorage, _ values: [Date]
    ) -> Property {
        oneOf(key, path, values) { one, other in
            guard storage == .julianDay else {
                return (try? storage.value(for: one)) == (try? storage.value(for: other))
            }
            let seconds = one.timeIntervalSince1970
            return abs(seconds - other.timeIntervalSince1970) <= max(5e-5, abs(seconds) * 1e-14)
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func element<Value>(of values: [Value]) -> Value {
        values[Int(next() % UInt64(values.count))]
    }

    /// Texts at the edges, and others of any characters there are.
    fileprivate mutating func texts() -> [String] {
        let edges = [
            "", "\0", "a\0b", "é", "e\u{301}", "\u{301}", "\u{D7FF}\u{E000}", "\u{FFFF}", "\u{10FFFF}", "\u{FEFF}a",
            "👩‍👩‍👧‍👦🇩🇪", "\"'`\\;--", "\r\n\t ", "NULL", "ﬁ ß İ ı", "שלום",
        ]
        return edges
            + (0..<48).map { _ in
                var text = ""
                for _ in 0..<next() % 40 {
                    if let scalar = Unicode.Scalar(UInt32(next() % 0x11_0000)) { text.unicodeScalars.append(scalar) }
                }
                return text
            }
    }

    fileprivate mutating func blobs() -> [Data] {
        [Data(), Data([0]), Data(repeating: 255, count: 1000)]
            + (0..<32).map { _ in Data((0..<next() % 40).map { _ in UInt8(truncatingIfNeeded: next()) }) }
    }

    fileprivate mutating func reals() -> [Double] {
        [
            0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .ulpOfOne, 0.1, 9_007_199_254_740_992, 1e18, -1,
        ]
            + (0..<64).map { _ in
                let number = Double(bitPattern: next())
                return number.isNaN ? 1 : number
            }
    }

    /// Dates before 1970 and after 9999 among them.
    fileprivate mutating func dates(within seconds: ClosedRange<Double>) -> [Date] {
        let edges = [0, -0.5, -1, 0.001, 978_307_200, -62_135_596_800, 253_402_300_799, 253_402_300_800, -1e11, 8e12]
        let others = (0..<64).map { _ in Double.random(in: seconds, using: &self) }
        return (edges + others).filter { seconds.contains($0) }.map(Date.init(timeIntervalSince1970:))
    }

    fileprivate mutating func decimals() -> [Decimal] {
        ["0", "0.1", "-0.00000000000000000000000000000000000001", "99999999999999999999999999999999999999", "1e127"]
            .compactMap { Decimal(string: $0) }
            + (0..<32).map { _ in Decimal(Int64(bitPattern: next())) / 1_000_000_000 }
    }
}

/// All properties, with values that are drawn from the same for all objects.
private func properties(_ generator: inout SeededGenerator) -> [Property] {
    let texts = generator.texts()
    let blobs = generator.blobs()
    let reals = generator.reals()
    let pools = (0..<8).map { _ in (0..<3).map { _ in generator.element(of: texts) } }
    let near = generator.dates(within: -62_135_596_800...253_402_300_799)
    let far = generator.dates(within: -1e13...1e13)
    // Beyond, a Date is coarser than a millisecond.
    let exact = generator.dates(within: -1e12...1e12)
    let decimals = generator.decimals()
    func bytesAreSame(_ one: String, _ other: String) -> Bool { Data(one.utf8) == Data(other.utf8) }
    return [
        .integer("int", \.int), .integer("int8", \.int8), .integer("int16", \.int16), .integer("int32", \.int32),
        .integer("int64", \.int64), .integer("uint", \.uint), .integer("uint8", \.uint8),
        .integer("uint16", \.uint16), .integer("uint32", \.uint32), .integer("uint64", \.uint64),
        .oneOf("bool", \.bool, [false, true]),
        // SQLite keeps a REAL without a fraction as an integer, and so -0.0 as 0.0.
        .oneOf("double", \.double, reals), .oneOf("float", \.float, reals.map(Float.init) + [.leastNonzeroMagnitude]),
        .oneOf("string", \.string, texts, bytesAreSame), .oneOf("data", \.data, blobs),
        .oneOf("bytes", \.bytes, blobs.map { [UInt8]($0) }),
        .date("seconds", \.seconds, .unixSeconds, far + [.distantPast, .distantFuture]),
        .date("milliseconds", \.milliseconds, .unixMilliseconds, exact), .date("text", \.text, .iso8601, near),
        .date("julian", \.julian, .julianDay, near), .date("reference", \.reference, .referenceDate, far),
        Property("uuid", \.uuid) { generator in
            let (high, low) = (generator.next(), generator.next())
            func byte(_ number: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (index * 8)) }
            return UUID(
                uuid: (
                    byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                    byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                    byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
                ))
        },
        .oneOf(
            "url", \.url,
            ["file:///", "https://example.com/a%20b?q=%C3%A9#f", "mailto:a@example.com", "relative/path", "x:"]
                .compactMap { URL(string: $0) }),
        .oneOf("decimal", \.decimal, decimals), .oneOf("kind", \.kind, Kind.allCases),
        .oneOf("level", \.level, Level.allCases),
        Property("options", \.options) { Options(rawValue: UInt16(truncatingIfNeeded: $0.next())) },
        .oneOf("tags", \.tags, pools.map { Tags(names: $0, weight: $0[0].isEmpty ? nil : 0.1) }),
        .oneOf("list", \.list, pools + [[]]),
        Property("pair", \.pair) { Pair(UInt8(truncatingIfNeeded: $0.next()), Int64(bitPattern: $0.next())) },
        Property("swatch", \.swatch) { Swatch(red: UInt8($0.next() % 256), green: UInt8($0.next() % 256)) },
        .oneOf("cover", \.cover, [nil] + blobs), .oneOf("maybeInt", \.maybeInt, [nil, .min, .max, 0]),
        .oneOf("maybeBool", \.maybeBool, [nil, true, false]),
        .oneOf("maybeDouble", \.maybeDouble, [nil] + reals),
        .oneOf("maybeString", \.maybeString, [nil] + texts) { $0.map { Data($0.utf8) } == $1.map { Data($0.utf8) } },
        .oneOf("maybeData", \.maybeData, [nil] + blobs),
        .oneOf("maybeDate", \.maybeDate, [nil] + near) { one, other in
            one?.timeIntervalSince1970 == other?.timeIntervalSince1970
        },
        .oneOf("maybeSwatch", \.maybeSwatch, [nil, Swatch(red: 1, green: 255)]),
    ]
}

// F28, F29, F30, F31, F26, F58
@Suite("Many objects of forty columns") struct FortyColumnsTests {
    @Test("come back as they were, written and read in every way", .local(.textsWithNUL), .oneAtATime)
    func roundTrip() throws {
        var generator = SeededGenerator()
        let seed = generator.seed
        let properties = properties(&generator)
        let manager = try memoryManager(Forty.self)
        #expect(try Forty.schema().columns.map(\.key) == ["id"] + properties.map(\.key), "seed \(seed)")

        // In batches, so that memory stays flat.
        for batch in 0..<Effort.times(2) {
            let objects = (0..<500).map { _ in Forty() }
            for object in objects {
                for property in properties { property.fill(object, &generator) }
            }
            if batch < 1 { objects[batch].string = String(repeating: "é\0", count: 350_000) }
            try manager.transaction {
                try manager.insert(objects)
                // Half of them are changed, by values of others, and saved.
                for object in objects where generator.next() % 2 == 0 {
                    let other = generator.element(of: objects)
                    for _ in 0..<3 { generator.element(of: properties).copy(other, object) }
                    try manager.save(object)
                }
            }
            let first = try #require(objects.first?.id, "seed \(seed)")
            let fetched = try manager.fetchAll(Forty.self, where: .sql("ID >= \(first)"), sortedBy: "id")
            expectSame(objects, fetched, properties.filter { $0.key != "cover" }, "fetched", seed)
            #expect(fetched.first(where: \.hasChanges)?.changedKeys == nil, "seed \(seed)")
            #expect(fetched.allSatisfy { $0.cover == nil }, "seed \(seed)")

            try manager.load(fetched, \.cover)
            expectSame(objects, fetched, properties.filter { $0.key == "cover" }, "loaded", seed)
            let copies = try fetched.map { try Forty($0.snapshot()) }
            expectSame(objects, copies, properties, "from a snapshot", seed)
            #expect(copies.first(where: \.hasChanges)?.changedKeys == nil, "seed \(seed)")

            let untracked = try manager.fetchAll(
                Forty.self, where: .sql("ID >= \(first)"), sortedBy: "id", tracked: false)
            expectSame(objects, untracked, properties.filter { $0.key != "cover" }, "fetched untracked", seed)
        }
        #expect(try manager.count(Forty.self) == Effort.times(2) * 500, "seed \(seed)")
    }

    private func expectSame(
        _ objects: [Forty], _ others: [Forty], _ properties: [Property], _ what: Comment, _ seed: UInt64
    ) {
        #expect(objects.map(\.id) == others.map(\.id), "\(what), seed \(seed)")
        var failures: [String] = []
        for (object, other) in zip(objects, others) {
            for property in properties where !property.isSame(object, other) {
                failures.append("\(property.key) of \(object.id ?? 0)")
            }
        }
        #expect(failures.prefix(5) == [], "\(what), seed \(seed)")
    }

    @Test("that are not numbers are NULL, which only an Optional reads")
    func notANumber() throws {
        // F28, F29
        let manager = try memoryManager(Forty.self)
        let object = Forty()
        object.maybeDouble = .nan
        try manager.save(object)
        #expect(!object.hasChanges)
        #expect(try manager.stored("SELECT MAYBE_DOUBLE FROM FORTY") == .null)
        #expect(try #require(try manager.find(Forty.self, object.id)).maybeDouble == nil)
        #expect(try Forty(object.snapshot()).maybeDouble?.isNaN == true)
        object.double = .nan
        #expect(failure { try manager.save(object) }?.code == .constraint)
    }

    @Test("whose values SQLite cannot hold throw, and name the property", arguments: [0, 1, 2, 3, 4])
    func rejected(which: Int) throws {
        // F28, F31, Settled 9
        let manager = try memoryManager(Forty.self)
        let object = Forty()
        let key: String
        switch which {
        case 0: (object.uint64, key) = (.max, "uint64")
        case 1: (object.text, key) = (Date(timeIntervalSince1970: 1e12), "text")
        case 2: (object.seconds, key) = (Date(timeIntervalSince1970: .infinity), "seconds")
        case 3: (object.decimal, key) = (.nan, "decimal")
        default: (object.milliseconds, key) = (Date(timeIntervalSince1970: 1e18), "milliseconds")
        }
        #expect(failure { try manager.save(object) }?.key == key)
        #expect(failure { try Forty(object.snapshot()) }?.key == key)
        #expect(!object.isPersisted)
        #expect(try manager.rowCount("FORTY") == 0)
    }

    @Test("that the largest Decimal is among are read as they were stored, or rejected when they are stored")
    func largestDecimal() throws {
        // F28, Settled 9
        let manager = try memoryManager(Forty.self)
        let object = Forty()
        object.decimal = .greatestFiniteMagnitude
        try manager.save(object)
        #expect(try manager.find(Forty.self, object.id)?.decimal == .greatestFiniteMagnitude)
    }
}
