import Foundation
import Persisting
import Testing

/// Bits and a second name, next to their own columns.
private final class Lamp: PersistingModel {
    var id: Int64?
    var flags = 0
    var name = ""

    override class var bitFields: [BitField] {
        (0..<8).map { BitField("bit\($0)", in: "flags", mask: 1 << $0) }
    }
    override class var aliases: [Alias] { [Alias("title", for: "name")] }
}

@propertyWrapper private struct Clamped {
    private var value = 0
    var wrappedValue: Int {
        get { value }
        set { value = min(max(newValue, 0), 10) }
    }
}

private struct Place: Equatable {
    var city = ""
    var street: String?
}

/// Properties that are not stored by themselves: wrapped, and parts of a value.
private final class Shop: PersistingModel {
    var id: Int64?
    @Clamped var rating: Int
    var place = Place()

    override class var transientKeys: Set<String> { ["place"] }
    override class var columns: Columns {
        var columns = super.columns
        columns["RATING"] = .path(\Shop.rating)
        columns["CITY"] = .path(\Shop.place.city)
        columns["STREET"] = .path(\Shop.place.street)
        return columns
    }
}

@Suite("Values given by several keys of one column") struct SeveralKeysTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Lamp.self)
    }

    // F34, F52
    @Test("a column and a bit of it are set in this order, whatever the dictionary's", arguments: 0..<8)
    func columnAndBit(bit: Int) throws {
        let lamp = try manager.insert(Lamp.self, values: ["flags": 1 << 8, "bit\(bit)": true])
        #expect(lamp.flags == 1 << 8 | 1 << bit)
        let other = Lamp()
        try other.setValues(["bit\(bit)": true, "flags": 1 << 9])
        #expect(other.flags == 1 << 9 | 1 << bit)
    }

    // F23
    @Test("a column and a second name of it: the second name's is taken") func columnAndAlias() throws {
        let lamp = try manager.insert(Lamp.self, values: ["name": "a", "title": "b"])
        #expect(lamp.name == "b")
    }
}

@Suite("Classes of unusual shape") struct ModelShapesTests {
    // F24, F27
    @Test("a wrapped property and parts of a value are columns by their key paths") func wrapped() throws {
        let manager = try memoryManager(Shop.self)
        #expect(try Shop.schema().columns.map(\.key) == ["id", "rating", "city", "street"])
        let shop = Shop()
        shop.rating = 99
        shop.place = Place(city: "é", street: nil)
        try manager.save(shop)
        let found = try #require(try manager.fetchOne(Shop.self, where: \.rating == 10 && \.place.city == "é"))
        #expect(found.place == shop.place)
        found.place.street = "a"
        #expect(found.changedKeys == ["street"])
        try found.update(\.place.city, to: "b")
        #expect(try manager.stored("SELECT CITY FROM SHOP") == .text("b"))
    }

    // F26, F41
    @Test("a class of which nothing is fetched is rejected") func allDeferred() throws {
        final class Hidden: PersistingModel {
            var text: String?
            override class var columns: Columns { ["TEXT": .string.deferred] }
        }
        #expect(failure { try Hidden.schema() }?.code == .invalidModel)
    }

    // F28, F41
    @Test("an Optional of an Optional comes back") func doubleOptional() throws {
        final class Odd: PersistingModel {
            var id: Int64?
            var twice: Int?? = 5
        }
        let manager = try memoryManager(Odd.self)
        let odd = Odd()
        try manager.save(odd)
        #expect(try manager.find(Odd.self, odd.id)?.twice == .some(5))
        odd.twice = .none
        try manager.save(odd)
        #expect(try #require(try manager.find(Odd.self, odd.id)).twice == .none)
    }

    // F26
    @Test("a refresh that is rolled back leaves what was loaded") func refreshRolledBack() throws {
        final class Scan: PersistingModel {
            var id: Int64?
            var pixels: Data?
            override class var columns: Columns { ["ID": .int, "PIXELS": .data.deferred] }
        }
        let manager = try memoryManager(Scan.self)
        let scan = try manager.insert(Scan.self, values: ["pixels": Data([1])])
        try catchingTestError {
            try manager.transaction {
                try manager.refresh(scan)
                #expect(scan.pixels == nil)
                throw TestError()
            }
        }
        #expect(scan.pixels == Data([1]))
        #expect(!scan.hasChanges)
    }

    // F26
    @Test("a blob is found in a table with a column of a row identifier's name", .local(.connection)) func shadowed()
        throws
    {
        final class Odd: PersistingModel {
            var id = ""
            var other = 0
            var data: Data?
            override class var columns: Columns {
                ["ID": .string, "_ROWID_": .int.property("other"), "DATA": .data.deferred]
            }
        }
        let manager = try memoryManager(Odd.self)
        let first = try manager.insert(Odd.self, values: ["id": "a", "other": 2, "data": Data([1])])
        try manager.insert(Odd.self, values: ["id": "b", "other": 1, "data": Data([2])])
        #expect(try manager.withBlob(of: first, \.data) { try $0.read() } == Data([1]))
    }

    // F15, F26
    @Test("many tasks load from a file while others write it") func concurrentLoads() async throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try await manager.createTableIfNecessary(for: Sheet.self)
        try await manager.transaction {
            for number in 0..<40 {
                try manager.insert(Sheet.self, values: ["number": number, "pixels": Data([UInt8(number)])])
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<5 {
                        let sheets = try await manager.fetchAll(Sheet.self, sortedBy: "number")
                        try await manager.load(sheets, \.pixels)
                        #expect(sheets.map(\.pixels) == (0..<40).map { Data([UInt8($0)]) })
                        if task % 2 == 0 {
                            try await sheets[task * 5 + round].update(key: "note", to: "\(round)")
                            try manager.asCurrent { try refreshAll(in: manager) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await manager.count(Sheet.self, where: \.note != nil) == 20)
    }
}

private final class Sheet: PersistingModel {
    var id: Int64?
    var number = 0
    var note: String?
    var pixels: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["PIXELS"] = .data.deferred
        return columns
    }
}

/// Loads and refreshes in a transaction that is rolled back.
private func refreshAll(in manager: PersistenceManager) throws {
    try catchingTestError {
        try manager.transaction {
            let sheets = try manager.fetchAll(Sheet.self, limit: 3)
            try manager.load(sheets, \.pixels)
            for sheet in sheets { try manager.refresh(sheet) }
            throw TestError()
        }
    }
}
