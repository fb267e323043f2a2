import Foundation
import Persisting
import Testing

@Suite("Values through a table and back")
struct RoundTripTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Everything.self, Possible.self)
    }

    /// What is read back of a value that was saved in an Optional property.
    private func roundTrip<Value>(
        _ keyPath: ReferenceWritableKeyPath<Possible, Value?>, _ value: Value?
    ) throws -> Value? {
        let object = Possible()
        object[keyPath: keyPath] = value
        try manager.save(object)
        return try #require(try manager.find(Possible.self, object.primaryKeyValue))[keyPath: keyPath]
    }

    @Test("An object with its first values comes back as it was")
    func initial() throws {
        // F28
        let object = Everything()
        try manager.save(object)
        let found = try #require(try manager.find(Everything.self, 1))
        #expect(found.uuid == object.uuid)
        #expect(found.url == object.url)
        #expect(found.dictionary().count == 25)
    }

    @Test("An object whose Optionals are all nil comes back with nil")
    func allNil() throws {
        // F29
        try manager.save(Possible())
        #expect(try manager.find(Possible.self, 1)?.dictionary().keys.sorted() == ["id"])
        #expect(try manager.stored("SELECT STRING IS NULL AND DATA IS NULL AND TAGS IS NULL FROM POSSIBLE") == 1)
    }

    @Test("The limits of the integer types are kept", arguments: [true, false])
    func integers(_ least: Bool) throws {
        // F28
        let object = Everything()
        object.int = least ? .min : .max
        object.int8 = least ? .min : .max
        object.int16 = least ? .min : .max
        object.int32 = least ? .min : .max
        object.int64 = least ? .min : .max
        object.uint = least ? .min : UInt(Int64.max)
        object.uint8 = least ? .min : .max
        object.uint16 = least ? .min : .max
        object.uint32 = least ? .min : .max
        object.uint64 = least ? .min : UInt64(Int64.max)
        try manager.save(object)
        let found = try #require(try manager.find(Everything.self, 1))
        for key in ["int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"] {
            #expect(try storedForm(found, key) == storedForm(object, key), "\(key)")
        }
    }

    @Test("An unsigned integer beyond Int64 is rejected, with model and key, and the object stays new")
    func unsignedBeyond() throws {
        // Settled 16, Settled 9
        let object = Everything()
        object.uint64 = 1 << 63
        let error = failure { try manager.save(object) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Everything")
        #expect(error?.key == "uint64")
        #expect(error?.expected == "UInt64")
        #expect(!object.isPersisted)
        #expect(try manager.rowCount("EVERYTHING") == 0)
    }

    @Test("An unsigned integer beyond Int64 is rejected in an Optional and in values")
    func unsignedBeyondElsewhere() throws {
        // Settled 16
        let object = Possible()
        object.uint = .max
        #expect(failure { try manager.save(object) }?.key == "uint")
        #expect(failure { try manager.insert(Possible.self, values: ["uint64": UInt64.max]) }?.key == "uint64")
        #expect(try manager.rowCount("POSSIBLE") == 0)
    }

    @Test("A persisted object with a value that cannot be stored counts as changed, and saving it says why")
    func unstorableChange() throws {
        // F58, Settled 9
        let object = Everything()
        try manager.save(object)
        object.uint64 = .max
        #expect(object.changedKeys == ["uint64"])
        #expect(failure { try manager.save(object) }?.key == "uint64")
        #expect(object.changedKeys == ["uint64"])
        object.uint64 = 0
        #expect(!object.hasChanges)
    }

    @Test(
        "Numbers with a point are kept to the last bit",
        arguments: [
            0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude,
            0.1, -1.0, 9_007_199_254_740_992, .pi,
        ])
    func doubles(_ value: Double) throws {
        // F28
        #expect(try roundTrip(\.double, value)?.bitPattern == value.bitPattern)
        let small = Float(value)
        #expect(try roundTrip(\.float, small)?.bitPattern == small.bitPattern)
    }

    @Test("Minus zero comes back as a zero, the sign of which SQLite does not keep")
    func minusZero() throws {
        // F28
        #expect(try roundTrip(\.double, -0.0) == 0)
        #expect(try roundTrip(\.float, -0.0) == 0)
    }

    @Test("What is not a number is NULL, and rejected where there is no NULL")
    func notANumber() throws {
        // F29
        #expect(try roundTrip(\.double, .nan) == nil)
        let object = Everything()
        object.double = .nan
        #expect(failure { try manager.save(object) }?.code == .constraint)
    }

    @Test(
        "Texts are kept byte for byte", .local(.textsWithNUL),
        arguments: [
            "", "a", "it's \"quoted\" \\ %_", "a\0b", "\0", "\u{E9}", "e\u{301}", "👩‍👩‍👧‍👦 🇫🇷", "\u{FEFF}bom", "\u{FFFD}",
            "line\r\nline\n", "NULL", "0", " blanks ", "\u{10FFFF}",
        ])
    func texts(_ text: String) throws {
        // F28, F30
        let found = try #require(try roundTrip(\.string, text))
        #expect(Array(found.utf8) == Array(text.utf8))
    }

    @Test("A text of a megabyte is kept")
    func longText() throws {
        // F28
        let text = String(repeating: "añ0123456789", count: 90_000)
        #expect(try roundTrip(\.string, text) == text)
    }

    @Test("Empty and nil are different, for text and for bytes")
    func empty() throws {
        // F30
        #expect(try roundTrip(\.string, "") == "")
        #expect(try roundTrip(\.data, Data()) == Data())
        #expect(try roundTrip(\.bytes, []) == [])
        #expect(try roundTrip(\.string, nil) == nil)
        #expect(try roundTrip(\.data, nil) == nil)
        #expect(
            try manager.storedColumn("SELECT typeof(DATA) FROM POSSIBLE ORDER BY ID") == [
                "null", "blob", "null", "null", "null",
            ])
    }

    @Test("From empty to nil and back is a change")
    func emptyToNil() throws {
        // F30, F58
        let object = Possible()
        object.string = ""
        object.data = Data()
        try manager.save(object)
        object.string = nil
        object.data = nil
        #expect(object.changedKeys == ["string", "data"])
        try manager.save(object)
        object.data = Data()
        #expect(object.changedKeys == ["data"])
    }

    @Test("Bytes are kept, a slice of data as what it shows")
    func bytes() throws {
        // F28
        let all = Data(0...255)
        #expect(try roundTrip(\.data, all) == all)
        #expect(try roundTrip(\.data, all[10..<20]) == Data(10..<20))
        #expect(try roundTrip(\.bytes, [0, 255, 0]) == [0, 255, 0])
    }

    @Test("A UUID, a URL and an enum are texts, and come back")
    func texts() throws {
        // F28
        let uuid = UUID()
        #expect(try roundTrip(\.uuid, uuid) == uuid)
        let url = try #require(URL(string: "https://example.com/a%20b?c=d#e"))
        #expect(try roundTrip(\.url, url) == url)
        #expect(try roundTrip(\.kind, .bonus) == .bonus)
        #expect(try roundTrip(\.level, .high) == .high)
        #expect(
            try manager.storedColumn("SELECT UUID FROM POSSIBLE WHERE UUID IS NOT NULL") == [.text(uuid.uuidString)])
        #expect(try manager.storedColumn("SELECT KIND FROM POSSIBLE WHERE KIND IS NOT NULL") == ["bonus"])
        #expect(try manager.storedColumn("SELECT LEVEL FROM POSSIBLE WHERE LEVEL IS NOT NULL") == [300])
    }

    @Test(
        "Decimals are kept to the last digit",
        arguments: ["0", "-0.1", "12345678901234567890.123456789", "1e-20", "-99999999999999999999999999999999999999"])
    func decimals(_ digits: String) throws {
        // Settled 16
        let value = try #require(Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX")))
        #expect(try roundTrip(\.decimal, value) == value)
    }

    @Test("Decimals are ordered and compared as numbers", .local(.decimals))
    func decimalOrder() throws {
        // Settled 16
        for value in [10, 9, -1, 100] as [Decimal] { _ = try roundTrip(\.decimal, value) }
        let ordered = try manager.fetchAll(Possible.self, sortedBy: "decimal").map(\.decimal)
        #expect(ordered == [-1, 9, 10, 100])
        #expect(try manager.count(Possible.self, where: \.decimal > 9) == 2)
    }

    @Test("A Codable value is JSON with its keys sorted")
    func json() throws {
        // F28
        let tags = Tags(names: ["a", "b/c"], weight: 0.5)
        #expect(try roundTrip(\.tags, tags) == tags)
        #expect(try manager.stored("SELECT TAGS FROM POSSIBLE") == #"{"names":["a","b/c"],"weight":0.5}"#)
    }

    @Test("A type that says itself how it is stored is stored so")
    func ownType() throws {
        // F28
        #expect(try roundTrip(\.pair, Pair(1, -2)) == Pair(1, -2))
        #expect(try manager.stored("SELECT PAIR FROM POSSIBLE") == "1:-2")
    }

    @Test("A Codable value that changes inside is a change, and one that is replaced by an equal one is none")
    func codableChange() throws {
        // F58
        let object = Everything()
        object.tags = Tags(names: ["a"])
        try manager.save(object)
        object.tags = Tags(names: ["a"])
        #expect(!object.hasChanges)
        object.tags.names.append("b")
        #expect(object.changedKeys == ["tags"])
        try manager.save(object)
        #expect(try manager.find(Everything.self, 1)?.tags.names == ["a", "b"])
    }

    @Test("JSON that others wrote with other spacing isn't a change of a fetched object")
    func foreignJSON() throws {
        // F58
        try manager.execute(#"INSERT INTO POSSIBLE (TAGS) VALUES ('{ "weight" : 1.0, "names" : [ ] }')"#)
        let object = try #require(try manager.find(Possible.self, 1))
        #expect(object.tags == Tags(names: [], weight: 1))
        #expect(!object.hasChanges)
    }
}

/// The stored form of a property, to compare values by.
func storedForm(_ object: PersistingModel, _ key: String) throws -> SQLiteValue {
    try (object.value(forKey: key) as? any SQLiteValueConvertible)?.sqliteValue() ?? .null
}
