import Foundation
import Persisting
import Testing

/// A set of options that is stored as its bits.
private struct Marks: OptionSet, SQLiteValueConvertible {
    let rawValue: Int
    static let starred = Marks(rawValue: 1)
}

private class Podcast: PersistingModel {
    var id: Int64?
    var title = ""
    var flags: Int?
    var more: Int64 = 0
    var small: UInt8 = 0
    var marks: Marks = []

    var wasDeleted: Bool {
        get { flags.map { $0 & 4 != 0 } ?? false }
        set { flags = newValue ? (flags ?? 0) | 4 : (flags ?? 0) & ~4 }
    }

    var isLoud: Bool { flags.map { $0 & 8 != 0 } ?? false }

    override class var bitFields: [BitField] {
        [
            BitField("autoDownload", in: "flags", mask: 1 << 0), BitField("wifiOnly", in: "flags", mask: 1 << 1),
            BitField("isLoud", \Podcast.isLoud, in: "flags", mask: 1 << 3),
            BitField("last", in: "more", mask: 1 << 63), BitField("both", in: "small", mask: 0b11),
            BitField("starred", in: "marks", mask: 1),
        ]
    }

    override class var aliases: [Alias] {
        [Alias("name", for: "title"), Alias("wasDeleted", \Podcast.wasDeleted, in: "flags")]
    }
}

private final class NewsPodcast: Podcast {
    override class var bitFields: [BitField] { super.bitFields + [BitField("isLive", in: "flags", mask: 1 << 4)] }
}

// F23, F34, F60, F112
@Suite("Bit fields and aliases") struct VirtualKeyTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Podcast.self, NewsPodcast.self)
    }

    @Test("a bit is set and read by its key") func set() throws {
        let podcast = Podcast()
        try podcast.setValue(true, forKey: "wifiOnly")
        #expect(podcast.flags == 2)
        #expect(try podcast.value(forKey: "wifiOnly") as? Bool == true)
        #expect(try podcast.value(forKey: "autoDownload") as? Bool == false)
    }

    @Test("a bit that is taken away leaves the others") func clear() throws {
        let podcast = Podcast()
        podcast.flags = 0b1111
        try podcast.setValue(false, forKey: "wifiOnly")
        #expect(podcast.flags == 0b1101)
    }

    @Test("the bits of a nil are not set, and clearing one leaves the nil") func null() throws {
        let podcast = Podcast()
        #expect(try podcast.value(forKey: "autoDownload") as? Bool == false)
        try podcast.setValue(false, forKey: "autoDownload")
        #expect(podcast.flags == nil)
    }

    @Test("the highest of 64 bits is set, stored and found") func highest() throws {
        let podcast = Podcast()
        try podcast.setValue(true, forKey: "last")
        #expect(podcast.more == .min)
        try manager.save(podcast)
        #expect(try manager.count(Podcast.self, where: ["last": true]) == 1)
        #expect(try manager.count(Podcast.self, where: ["last": false]) == 0)
    }

    @Test("a mask of two bits is true when both are set") func twoBits() throws {
        let podcast = Podcast()
        podcast.small = 0b01
        #expect(try podcast.value(forKey: "both") as? Bool == false)
        try podcast.setValue(true, forKey: "both")
        #expect(podcast.small == 0b11)
    }

    @Test("an option set has bits") func optionSet() throws {
        let podcast = Podcast()
        try podcast.setValue(true, forKey: "starred")
        #expect(podcast.marks == .starred)
    }

    @Test("update stores just the column of the bit") func update() throws {
        let podcast = try manager.insert(Podcast.self, values: ["title": "A", "flags": 1])
        podcast.title = "unsaved"
        try podcast.update(key: "wifiOnly", to: true)
        #expect(try manager.stored("SELECT FLAGS FROM PODCAST") == .integer(3))
        #expect(podcast.changedKeys == ["title"])
    }

    @Test("an update that fails gives the bit back") func updateFails() throws {
        let podcast = try manager.insert(Podcast.self, values: ["flags": 1])
        try manager.execute("DELETE FROM PODCAST")
        #expect(failure { try podcast.update(key: "wifiOnly", to: true) }?.code == .notFound)
        #expect(podcast.flags == 1)
    }

    @Test("insert takes bits among the values, several of one column too") func insert() throws {
        let podcast = try manager.insert(
            Podcast.self, values: ["autoDownload": true, "wifiOnly": true, "isLoud": false])
        #expect(podcast.flags == 3)
    }

    @Test("setValues sets bits of one column together, or none") func setValues() throws {
        let podcast = Podcast()
        podcast.flags = 4
        try podcast.setValues(["autoDownload": true, "wifiOnly": true])
        #expect(podcast.flags == 7)
        #expect(failure { try podcast.setValues(["autoDownload": false, "nonsense": 1]) }?.code == .unknownKey)
        #expect(podcast.flags == 7)
    }

    @Test("conditions ask for bits", arguments: [(true, [2, 4]), (false, [1, 3])])
    func criteria(isSet: Bool, expected: [Int64]) throws {
        for flags in [nil, 1, 2, 3] as [Int?] { try manager.insert(Podcast.self, values: ["flags": flags]) }
        let found = try manager.fetchAll(Podcast.self, where: ["autoDownload": isSet], sortedBy: "id")
        #expect(found.map(\.id) == expected)
        let others = try manager.fetchAll(Podcast.self, where: ["<NOT>autoDownload": !isSet], sortedBy: "id")
        #expect(others.map(\.id) == expected)
    }

    @Test("a condition with a list takes bits") func isIn() throws {
        for flags in [0, 1] { try manager.insert(Podcast.self, values: ["flags": flags]) }
        #expect(try manager.count(Podcast.self, where: ["autoDownload": [true, false]]) == 2)
        #expect(try manager.count(Podcast.self, where: ["autoDownload": [true]]) == 1)
    }

    @Test("the key path that a bit field names is the bit in a condition and an ordering") func keyPath() throws {
        for flags in [8, 0, 9] { try manager.insert(Podcast.self, values: ["flags": flags]) }
        #expect(try manager.count(Podcast.self, where: \.isLoud == true) == 2)
        let sorted = try manager.fetchAll(Podcast.self, sortedBy: [.ascending(\.isLoud), .ascending("id")])
        #expect(sorted.map(\.id) == [2, 1, 3])
    }

    @Test("an ordering takes a bit") func ordering() throws {
        for flags in [1, 0, nil] as [Int?] { try manager.insert(Podcast.self, values: ["flags": flags]) }
        #expect(try manager.fetchAll(Podcast.self, sortedBy: "autoDownload desc, id").map(\.id) == [1, 2, 3])
        #expect(try manager.fetchAll(Podcast.self, sortedBy: "autoDownload, id").map(\.id) == [2, 3, 1])
    }

    @Test("a subclass adds bits to those it inherits") func inherited() throws {
        let podcast = try manager.insert(NewsPodcast.self, values: ["isLive": true, "autoDownload": true])
        #expect(podcast.flags == 17)
    }

    @Test("a value that isn't a Bool is rejected", arguments: [2, nil] as [Int?])
    func mismatch(value: Int?) throws {
        let podcast = Podcast()
        let error = failure { try podcast.setValue(value, forKey: "autoDownload") }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "autoDownload")
        #expect(podcast.flags == nil)
    }

    @Test("an alias is the property by another name") func alias() throws {
        let podcast = try manager.insert(Podcast.self, values: ["name": "A"])
        #expect(podcast.title == "A")
        #expect(try podcast.value(forKey: "name") as? String == "A")
        try podcast.update(key: "name", to: "B")
        #expect(try manager.stored("SELECT TITLE FROM PODCAST") == .text("B"))
        #expect(try manager.fetchOne(Podcast.self, where: ["name": "B"], sortedBy: "name desc")?.id == 1)
    }

    @Test("a computed property stores the column it is kept in, by key and by key path") func computed() throws {
        let podcast = try manager.insert(Podcast.self, values: ["flags": 1])
        try podcast.update(\.wasDeleted, to: true)
        #expect(try manager.stored("SELECT FLAGS FROM PODCAST") == .integer(5))
        try podcast.update(key: "wasDeleted", to: false)
        #expect(try manager.stored("SELECT FLAGS FROM PODCAST") == .integer(1))
        try podcast.setValue(true, forKey: "wasDeleted")
        #expect(podcast.changedKeys == ["flags"])
        #expect(try podcast.value(forKey: "wasDeleted") as? Bool == true)
    }

    @Test("a computed property in a condition is rejected by name") func computedCriteria() throws {
        for error in [
            failure { try manager.count(Podcast.self, where: \.wasDeleted == true) },
            failure { try manager.count(Podcast.self, where: ["wasDeleted": true]) },
            failure { try manager.fetchAll(Podcast.self, sortedBy: "wasDeleted") },
        ] {
            #expect(error?.key == "wasDeleted")
            #expect(error?.message.contains("FLAGS") == true)
        }
    }

    @Test("a dictionary has the keys that are asked for") func dictionary() throws {
        let podcast = Podcast()
        podcast.title = "A"
        podcast.flags = 5
        let dictionary = try podcast.dictionary(forKeys: ["name", "autoDownload", "wasDeleted", "id"], by: .properties)
        #expect(Set(dictionary.keys) == ["name", "autoDownload", "wasDeleted"])
        #expect(
            try Set(podcast.dictionary(forKeys: ["name", "autoDownload"], by: .columns).keys) == [
                "TITLE", "autoDownload",
            ])
        #expect(podcast.dictionary()["autoDownload"] == nil)
    }

    @Test("a declaration that cannot be is rejected", arguments: Wrong.allCases)
    fileprivate func wrong(_ wrong: Wrong) throws {
        let error = failure { try manager.createTableIfNecessary(for: wrong.type) }
        #expect(error?.code == wrong.code)
        #expect(error?.key == wrong.key)
    }
}

private enum Wrong: CaseIterable {
    case property, type, mask, noBits, taken, twice, path

    var type: PersistingModel.Type {
        class Base: PersistingModel {
            var id: Int64?
            var flags: Int32 = 0
            var title = ""
        }
        final class Property: Base {
            override class var bitFields: [BitField] { [BitField("a", in: "flgas", mask: 1)] }
        }
        final class Kind: Base {
            override class var bitFields: [BitField] { [BitField("a", in: "title", mask: 1)] }
        }
        final class Mask: Base {
            override class var bitFields: [BitField] { [BitField("a", in: "flags", mask: 1 << 40)] }
        }
        final class NoBits: Base {
            override class var bitFields: [BitField] { [BitField("a", in: "flags", mask: 0)] }
        }
        final class Taken: Base {
            override class var aliases: [Alias] { [Alias("title", for: "flags")] }
        }
        final class Twice: Base {
            override class var bitFields: [BitField] { [BitField("a", in: "flags", mask: 1)] }
            override class var aliases: [Alias] { [Alias("a", for: "title")] }
        }
        final class Path: Base {
            override class var aliases: [Alias] { [Alias("a", \Podcast.wasDeleted, in: "flags")] }
        }
        return switch self {
        case .property: Property.self
        case .type: Kind.self
        case .mask: Mask.self
        case .noBits: NoBits.self
        case .taken: Taken.self
        case .twice: Twice.self
        case .path: Path.self
        }
    }

    var code: PersistenceError.Code { self == .property ? .unknownKey : .invalidModel }
    var key: String { self == .property ? "flgas" : self == .taken ? "title" : "a" }
}
