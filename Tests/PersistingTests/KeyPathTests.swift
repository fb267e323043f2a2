import Foundation
import Persisting
import Testing

@Suite("Key paths")
struct KeyPathTests {
    /// Whether a condition on one property takes the row with the value, and not the others.
    private func finds<Value: SQLiteValueConvertible>(
        _ keyPath: ReferenceWritableKeyPath<Possible, Value?>, _ one: Value, _ other: Value
    ) throws -> Bool {
        let manager = try memoryManager(Possible.self)
        let objects = [one, other, nil].map { value in
            let object = Possible()
            object[keyPath: keyPath] = value
            return object
        }
        try manager.insert(objects)
        let found = try manager.fetchAll(Possible.self, where: keyPath == one)
        let others = try manager.fetchAll(
            Possible.self, where: keyPath != one, sortedBy: [.ascending(keyPath), .ascending(\.id)])
        return found.map(\.id) == [1] && others.map(\.id) == [3, 2]
    }

    @Test("Key paths of Optionals of every type lead to their columns", .local(.decimals))
    func everyOptional() throws {
        // F71, F28
        #expect(try finds(\.int, 1, 2))
        #expect(try finds(\.int8, 1, 2))
        #expect(try finds(\.int16, 1, 2))
        #expect(try finds(\.int32, 1, 2))
        #expect(try finds(\.int64, 1, 2))
        #expect(try finds(\.uint, 1, 2))
        #expect(try finds(\.uint8, 1, 2))
        #expect(try finds(\.uint16, 1, 2))
        #expect(try finds(\.uint32, 1, 2))
        #expect(try finds(\.uint64, 1, 2))
        #expect(try finds(\.bool, true, false))
        #expect(try finds(\.double, 0.5, 1.5))
        #expect(try finds(\.float, 0.1, 0.2))
        #expect(try finds(\.string, "a", "b"))
        #expect(try finds(\.data, Data([1]), Data()))
        #expect(try finds(\.bytes, [1], []))
        #expect(try finds(\.date, Date(timeIntervalSince1970: 0.1), Date(timeIntervalSince1970: 0.2)))
        #expect(try finds(\.uuid, UUID(), UUID()))
        #expect(try finds(\.url, URL(filePath: "/a"), URL(filePath: "/b")))
        #expect(try finds(\.decimal, 1.5, 2))
        #expect(try finds(\.kind, .full, .bonus))
        #expect(try finds(\.level, .low, .high))
        #expect(try finds(\.tags, Tags(names: ["a"]), Tags()))
        #expect(try finds(\.pair, Pair(1, 2), Pair(2, 1)))
    }

    @Test("Key paths of properties that are not Optional lead to their columns", .local(.decimals))
    func everyRequired() throws {
        // F71, F28
        let manager = try memoryManager(Everything.self)
        let object = Everything()
        try manager.save(object)
        let conditions: [(String, Criteria<Everything>)] = [
            ("int", \.int == 0), ("int8", \.int8 == 0), ("int16", \.int16 == 0), ("int32", \.int32 == 0),
            ("int64", \.int64 == 0), ("uint", \.uint == 0), ("uint8", \.uint8 == 0), ("uint16", \.uint16 == 0),
            ("uint32", \.uint32 == 0), ("uint64", \.uint64 == 0), ("bool", \.bool == false), ("double", \.double == 0),
            ("float", \.float == 0), ("string", \.string == ""), ("data", \.data == Data()), ("bytes", \.bytes == []),
            ("date", \.date == Date(timeIntervalSince1970: 0)), ("uuid", \.uuid == object.uuid),
            ("url", \.url == object.url), ("decimal", \.decimal == 0), ("kind", \.kind == .full),
            ("level", \.level == .low), ("tags", \.tags == Tags()), ("pair", \.pair == Pair()),
        ]
        for (key, condition) in conditions {
            #expect(try manager.count(Everything.self, where: condition) == 1, "\(key)")
        }
    }

    @Test("A value that no column can hold is rejected as such, and the key is named, whatever was asked before")
    func unstorable() throws {
        // Settled 9, Settled 16
        let manager = try memoryManager(Lone.self)
        let date = failure { try manager.count(Lone.self, where: \.date == Date(timeIntervalSince1970: .infinity)) }
        #expect(date?.code == .invalidCriteria)
        #expect(date?.key == "date")
    }

    @Test("Properties with equal values and of one type are told apart", .oneAtATime)
    func sameType() throws {
        // F71
        let manager = try memoryManager(Wide.self)
        try manager.insert(Wide.self, values: ["c1": 1, "c2": 2, "c98": 98])
        #expect(try manager.count(Wide.self, where: \.c1 == 1 && \.c2 == 2 && \.c98 == 98 && \.c3 == 0) == 1)
        #expect(try manager.count(Wide.self, where: \.c1 == 2) == 0)
    }

    @Test("Inherited and overridden properties of a class that is not final are found")
    func inherited() throws {
        // F24, F71
        let manager = try memoryManager(Song.self, Media.self)
        try manager.insert(
            Song.self, values: ["title": "a", "kind": Kind.bonus, "isNew": true, "pair": Pair(1, 2), "singer": "s"])
        #expect(try manager.count(Song.self, where: \.title == "a") == 1)
        #expect(try manager.count(Song.self, where: \.kind == .bonus) == 1)
        #expect(try manager.count(Song.self, where: \.isNew == true) == 1)
        #expect(try manager.count(Song.self, where: \.pair == Pair(1, 2)) == 1)
        #expect(try manager.count(Song.self, where: \.singer == "s") == 1)
        #expect(try manager.count(Song.self, where: \Song.mood == nil) == 1)
        try manager.insert(Media.self, values: ["title": "m"])
        #expect(try manager.count(Media.self, where: \.kind == .full && \.title == "m" && \.isNew == false) == 1)
    }

    @Test("Properties of a class that is not final order its rows, without a value to ask with")
    func inheritedOrdering() throws {
        // F78
        let manager = try memoryManager(Tune.self)
        for kind in [Kind.full, .bonus] {
            try manager.insert(Tune.self, values: ["kind": kind, "pair": Pair(kind == .full ? 2 : 1, 0)])
        }
        #expect(try manager.fetchAll(Tune.self, sortedBy: .ascending(\.kind)).map(\.id) == [2, 1])
        #expect(try manager.fetchAll(Tune.self, sortedBy: .ascending(\.pair)).map(\.id) == [2, 1])
        #expect(try manager.fetchAll(Tune.self, sortedBy: .ascending("pair")).map(\.id) == [2, 1])
        #expect(
            try manager.fetchAll(Tune.self, sortedBy: [.descending(\.mood), .descending(\.id)]).map(\.id) == [2, 1])
        #expect(
            try manager.fetchAll(Tune.self, sortedBy: [.descending(\.isNew), .descending(\.title), .ascending(\.id)])
                .map(\.id) == [1, 2])
    }

    @Test("An inherited property is updated by its key path")
    func inheritedUpdate() throws {
        // F60
        let manager = try memoryManager(Song.self)
        let song = try manager.insert(Song.self, values: ["title": "a"])
        try song.update(\.title, to: "b")
        try song.update(\.kind, to: .trailer)
        try song.update(\.pair, to: Pair(9, 9))
        try song.update(\.mood, to: .bonus)
        #expect(try manager.stored("SELECT TITLE || KIND || PAIR || MOOD FROM SONG") == "btrailer9:9bonus")
    }

    @Test("A value that is the property's first one is found like any other")
    func initialValue() throws {
        // F71
        let manager = try memoryManager(Sealed.self)
        let sealed = Sealed()
        try manager.save(sealed)
        #expect(failure { try manager.count(Sealed.self, where: \.seal == Seal(text: "first")) } == nil)
        #expect(try manager.count(Sealed.self, where: \.seal != Seal(text: "other")) == 1)
        #expect(failure { try manager.fetchAll(Sealed.self, sortedBy: .ascending(\.seal)) } == nil)
    }

    @Test("A computed property isn't a column, though it may return a column's value changed or not")
    func computed() throws {
        // F71
        let manager = try memoryManager(Deriving.self)
        for criteria: Criteria<Deriving> in [\.folded == "a", \.constant == "a", \.positive == 1, \.first == "a"] {
            let error = failure { try manager.count(Deriving.self, where: criteria) }
            #expect(error?.code == .unknownKey)
            #expect(error?.model == "Deriving")
        }
    }

    @Test("A key path to what is not stored throws, and names what is")
    func notStored() throws {
        // F71, Settled 4
        let manager = try memoryManager(Deriving.self)
        for criteria: Criteria<Deriving> in [\.fixed == 1, \._hidden == "", \.title.count == 3] {
            let error = failure { try manager.count(Deriving.self, where: criteria) }
            #expect(error?.code == .unknownKey)
            #expect(error?.message.contains("id, title, count") == true)
        }
    }

    @Test("Updating by a key path to what is not stored throws, and sets nothing")
    func updateNotStored() throws {
        // F60
        let manager = try memoryManager(Deriving.self)
        let object = try manager.insert(Deriving.self, values: ["title": "a"])
        #expect(failure { try object.update(\._hidden, to: "b") }?.code == .unknownKey)
        #expect(object._hidden == "")
    }

    @Test("A key path made at run time is found")
    func runTime() throws {
        // F71
        let manager = try people()
        let keyPaths: [KeyPath<Person, String?>] = [\.firstName, \.lastName]
        #expect(try keyPaths.map { try manager.count(Person.self, where: $0 == "Bluth") } == [0, 2])
    }

    @Test("A key path of a generic class is found in each of its types")
    func generic() throws {
        // F24, F71
        let manager = try memoryManager(Holder<Int>.self, Holder<String>.self)
        try manager.insert(Holder<Int>.self, values: ["content": 4])
        try manager.insert(Holder<String>.self, values: ["content": "a"])
        #expect(try manager.count(Holder<Int>.self, where: \.content == 4) == 1)
        #expect(try manager.count(Holder<String>.self, where: \.content == "a") == 1)
        #expect(try manager.count(Holder<String>.self, where: \.label == nil) == 1)
    }
}

private class Media: PersistingModel {
    var id: Int64?
    var title = ""
    var kind = Kind.full
    var mood: Kind?
    var isNew = false
    var pair = Pair()
}

private final class Song: Media {
    var singer: String?

    override var title: String {
        didSet {}
    }
}

/// A class of its own for the test that must be the first to ask.
private final class Tune: Media {}

private final class Lone: PersistingModel {
    var id: Int64?
    var number: UInt64 = 0
    var date = Date(timeIntervalSince1970: 0)
}

/// A type of which no value can be made without knowing it, and that holds a reference.
private struct Seal: SQLiteValueConvertible {
    var text: String

    init(text: String) { self.text = text }

    init(sqliteValue: SQLiteValue) throws {
        guard case .text(let text) = sqliteValue, text.hasPrefix("seal:") else { throw sqliteValue.mismatch(Seal.self) }
        self.text = String(text.dropFirst(5))
    }

    func sqliteValue() -> SQLiteValue { .text("seal:" + text) }
}

private final class Sealed: PersistingModel {
    var id: Int64?
    var seal = Seal(text: "first")
}

private final class Deriving: PersistingModel {
    var id: Int64?
    var title = ""
    var count = 0
    var _hidden = ""
    let fixed = 1
    var folded: String { title.lowercased() }
    var constant: String { "constant" }
    var positive: Int { max(count, 0) }
    var first: String { String(title.prefix(1)) }
}

private final class Holder<Content: SQLiteValueConvertible>: PersistingModel {
    var id: Int64?
    var content: Content?
    var label: String?
}
