import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private class Painted: PersistingModel {
    var id: Int64?
    var shade = Shade()
    var trim: Shade?
    var special = Shade()
    var price: Price?
    var title = ""

    override class var transforms: [AnyTransform] { [.init(.hex), .init(.cents)] }

    override class var columns: Columns {
        var columns = super.columns
        columns["SPECIAL"] = .any.transformed(by: .number)
        return columns
    }
}

private final class Panel: Painted {
    var back = Shade()
    var mirror: Shade {
        get { Shade(255 - back.level) }
        set { back = Shade(255 - newValue.level) }
    }

    override class var transforms: [AnyTransform] { super.transforms + [.init(.number), .init(.lowercased)] }

    override class var columns: Columns {
        var columns = super.columns
        columns["MIRROR"] = .path(\Panel.mirror)
        return columns
    }
}

@Suite("Transforms of a class") struct ClassTransformTests {
    let manager: PersistenceManager

    init() throws { manager = try memoryManager(Painted.self, Panel.self) }

    @Test("serve all columns of their type, Optional ones too, but those with a way of their own") func all() throws {
        // F32
        try manager.insert(
            Painted.self, values: ["shade": Shade(255), "special": Shade(5), "price": Price(7), "title": "A"])
        #expect(
            try manager.stored("SELECT json_array(SHADE, TRIM, SPECIAL, PRICE, TITLE) FROM PAINTED")
                == #"["ff",null,5,7,"A"]"#)
        let found = try #require(try manager.fetchOne(Painted.self, where: \.shade == Shade(255) && \.trim == nil))
        #expect(found.special == Shade(5))
        #expect(found.price == Price(7))
        #expect(!found.hasChanges)
    }

    @Test("are a subclass's, where a later one for the same type counts, and of columns by key path") func inherited()
        throws
    {
        // F32
        let panel = Panel()
        panel.shade = Shade(20)
        panel.back = Shade(55)
        panel.title = "Top"
        try manager.save(panel)
        #expect(try manager.stored("SELECT json_array(SHADE, BACK, MIRROR, TITLE) FROM PANEL") == #"[20,55,200,"top"]"#)
        #expect(try manager.count(Panel.self, where: \.title == "TOP" && \Panel.mirror == Shade(200)) == 1)
    }

    @Test("serve a key: finding, writing to its row, and lists of keys") func key() throws {
        // F32, F36
        final class Door: PersistingModel {
            var shade = Shade()
            var note: String?
            override class var primaryKey: PrimaryKey { .assigned("shade") }
            override class var transforms: [AnyTransform] { [.init(.hex)] }
        }
        let manager = try memoryManager(Door.self)
        let door = Door()
        door.shade = Shade(17)
        try manager.insert(door)
        #expect(try manager.columnSQL("SHADE", in: "DOOR") == "SHADE TEXT PRIMARY KEY NOT NULL")
        #expect(try manager.find(Door.self, ["shade": Shade(17)])?.shade == Shade(17))
        #expect(try manager.find(Door.self, "11")?.shade == Shade(17))
        door.note = "a"
        try manager.save(door)
        door.shade = Shade(18)
        try manager.save(door)
        #expect(try manager.storedColumn("SELECT SHADE || NOTE FROM DOOR") == ["12a"])
        try manager.delete(door)
        #expect(try manager.rowCount("DOOR") == 0)
    }

    @Test("serve a key of a type that has a stored form of its own") func stringKey() throws {
        // F32, F36
        final class Word: PersistingModel {
            var id = ""
            override class var transforms: [AnyTransform] { [.init(.lowercased)] }
        }
        let manager = try memoryManager(Word.self)
        let word = Word()
        word.id = "Abc"
        try manager.insert(word)
        #expect(try manager.find(Word.self, "ABC")?.id == "abc")
        #expect(try manager.find(Word.self, ["id": "ABC"])?.id == "abc")
        #expect(try manager.exists(Word.self, where: \.id == "aBC"))
    }

    @Test("serve an alias, which is a property of its own") func alias() throws {
        // F32
        final class Lamp: PersistingModel {
            var id: Int64?
            var light = Shade()
            var text: String {
                get { "\(light.level)" }
                set { light = Shade(Int(newValue) ?? 0) }
            }
            override class var transforms: [AnyTransform] { [.init(.hex), .init(.lowercased)] }
            override class var aliases: [Alias] {
                [Alias("glow", for: "light"), Alias("text", \Lamp.text, in: "light")]
            }
        }
        let manager = try memoryManager(Lamp.self)
        let lamp = Lamp()
        try manager.save(lamp)
        try lamp.update(key: "text", to: "16")
        #expect(try manager.count(Lamp.self, where: ["glow": Shade(16)]) == 1)
        #expect(try manager.stored("SELECT LIGHT FROM LAMP") == "10")
    }

    @Test("are undone with the rest of a transaction") func rollback() throws {
        // F32, F14
        let painted = Painted()
        painted.shade = Shade(1)
        try manager.save(painted)
        try catchingTestError {
            try manager.transaction {
                try painted.update(\.shade, to: Shade(2))
                painted.price = Price(5)
                try manager.save(painted)
                throw TestError()
            }
        }
        #expect(painted.shade == Shade(1))
        #expect(painted.changedKeys == ["price"])
        try manager.save(painted)
        #expect(try manager.stored("SELECT SHADE || PRICE FROM PAINTED") == "015")
    }

    @Test("that serve no column do no harm") func unused() throws {
        // F32
        final class Plain: PersistingModel {
            var id: Int64?
            override class var transforms: [AnyTransform] { [.init(.hex)] }
        }
        #expect(try memoryManager(Plain.self).tableSQL("PLAIN")?.contains("ID INTEGER PRIMARY KEY") == true)
    }

    @Test("stand in the template of columns only where a column has its own") func template() throws {
        // F32
        let template = try Painted.columnTemplate()
        #expect(template.contains(#"        "SHADE": .string,"#))
        #expect(template.contains(#"        // "SPECIAL": .int.transformed(by: …),"#))
    }
}

@Suite("Transforms of columns that do not fit") struct WrongTransformTests {
    @Test("another type than the property's is rejected, and both are named") func otherType() throws {
        // F32, F41
        final class Wrong: PersistingModel {
            var id: Int64?
            var name = ""
            override class var columns: Columns { ["ID": .int, "NAME": .any.transformed(by: .hex)] }
        }
        let error = failure { try memoryManager(Wrong.self) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.key == "name")
        #expect(error?.expected == "Shade")
        #expect(error?.found == "String")
        #expect(error?.message.contains("Shade") == true && error?.message.contains("String") == true)
    }

    @Test("an Optional's is rejected for a property that is none") func optional() throws {
        // F32
        final class Wrong: PersistingModel {
            var id: Int64?
            var shade = Shade()
            override class var columns: Columns { ["ID": .int, "SHADE": .any.transformed(by: .orNone)] }
        }
        #expect(failure { try memoryManager(Wrong.self) }?.code == .unsupportedType)
    }

    @Test("what is stored must fit the declared type") func storedType() throws {
        // F32
        final class Wrong: PersistingModel {
            var id: Int64?
            var shade = Shade()
            override class var columns: Columns { ["ID": .int, "SHADE": .int.transformed(by: .hex)] }
        }
        #expect(failure { try memoryManager(Wrong.self) }?.code == .unsupportedType)
    }

    @Test("two ways of storing a column are rejected, and named") func twoWays() throws {
        // F32
        final class Wrong: PersistingModel {
            var id: Int64?
            var date = Date()
            override class var columns: Columns {
                ["ID": .int, "DATE": .date.stored(as: .iso8601).transformed(by: .year)]
            }
        }
        final class Other: PersistingModel {
            var id: Int64?
            var tags: [String] = []
            override class var columns: Columns {
                ["ID": .int, "TAGS": .json.transformed(by: Transform<[String]>.json)]
            }
        }
        #expect(failure { try memoryManager(Wrong.self) }?.message.contains("stored(as:) and") == false)
        #expect(failure { try memoryManager(Wrong.self) }?.code == .invalidModel)
        #expect(failure { try memoryManager(Other.self) }?.message.contains(".json") == true)
    }

    @Test("a generated key is stored as an integer") func generatedKey() throws {
        // F36
        final class Wrong: PersistingModel {
            var id: Int?
            override class var primaryKey: PrimaryKey { .generated("id") }
            override class var columns: Columns { ["ID": .any.transformed(by: .asText)] }
        }
        #expect(failure { try memoryManager(Wrong.self) }?.code == .invalidModel)
    }

    @Test("a deferred column asks for no nil") func deferred() throws {
        // F32
        final class Wrong: PersistingModel {
            var id: Int64?
            var shade: Shade?
            override class var columns: Columns { ["ID": .int, "SHADE": .any.transformed(by: .orNone).deferred] }
        }
        #expect(failure { try memoryManager(Wrong.self) }?.code == .invalidModel)
    }
}

@Suite("Transforms that are there") struct BuiltInTransformTests {
    /// As of another module, which does not conform.
    private enum Suit: Int { case hearts = 1, spades }
    private struct Side: Codable, Equatable { var faces: [String: [Int]] = [:] }

    private final class Card: PersistingModel {
        var id: Int64?
        var suit: Suit = .hearts
        var other: Suit?
        var side: Side?
        override class var columns: Columns {
            [
                "ID": .int, "SUIT": .int.transformed(by: Transform<Suit>.rawValue),
                "OTHER": .any.transformed(by: Transform<Suit>.rawValue),
                "SIDE": .any.transformed(by: Transform<Side>.json),
            ]
        }
    }

    @Test("rawValue and json") func both() throws {
        // F28, F32
        let manager = try memoryManager(Card.self)
        let card = Card()
        card.suit = .spades
        card.side = Side(faces: ["a": [1, 2]])
        try manager.save(card)
        #expect(
            try manager.stored("SELECT json_array(SUIT, OTHER, SIDE) FROM CARD")
                == #"[2,null,"{\"faces\":{\"a\":[1,2]}}"]"#)
        let found = try #require(try manager.fetchOne(Card.self, where: \.suit == .spades))
        #expect(found.side == card.side)
        try manager.run("UPDATE CARD SET SUIT = 9")
        #expect(failure { try manager.fetchAll(Card.self) }?.message.contains("9") == true)
    }
}

/// What is stored is a point of two numbers, and nothing else: its transform unwraps by force.
private struct Spot: Equatable, Sendable {
    var x = 0
    var y = 0
    var name = ""
}

private enum Wind: Sendable { case north, south(Int) }

extension Transform where Value == Spot {
    fileprivate static let text = Transform(
        encode: { "\($0.x) \(Int($0.name.isEmpty ? "\($0.y)" : $0.name)!)" },
        decode: { (text: String) in
            let numbers = text.split(separator: " ").map { Int($0)! }
            return Spot(x: numbers[0], y: numbers[1])
        })
}

extension Transform where Value == String {
    fileprivate static let digits = Transform(
        encode: { Int($0.isEmpty ? "0" : $0)! }, decode: { (number: Int) in "\(number)" })
}

extension Transform where Value == Wind {
    fileprivate static let code = Transform(
        encode: { (wind: Wind) in if case .south(let degree) = wind { "S\(degree)" } else { "N" } },
        decode: { (text: String) in text == "N" ? .north : .south(Int(text.dropFirst())!) })
}

private class Chart: PersistingModel {
    var id: Int64?
    var start = Spot()
    var finish = Spot()
    var middle: Spot?
    var digits = ""
    var label = ""
    var swapped: Spot { Spot(x: start.y, y: start.x) }

    override class var columns: Columns {
        [
            "ID": .int, "START": .any.transformed(by: .text), "FINISH": .any.transformed(by: .text),
            "MIDDLE": .any.transformed(by: .text), "DIGITS": .any.transformed(by: .digits), "LABEL": .string,
        ]
    }
}

private final class SeaChart: Chart {
    override var swapped: Spot { super.swapped }
}

private class Breeze: PersistingModel {
    var id: Int64?
    var wind = Wind.north
    override class var columns: Columns { ["ID": .int, "WIND": .any.transformed(by: .code)] }
}

/// A type that has no value for most numbers, and says so by stopping the program.
private struct Grade: RawRepresentable, SQLiteValueConvertible, Equatable {
    let rawValue: Int

    init(rawValue: Int) {
        precondition((1...6).contains(rawValue), "no grade is \(rawValue)")
        self.rawValue = rawValue
    }
}

private class Paper: PersistingModel {
    var id: Int64?
    var title = ""
    var grade = Grade(rawValue: 1)
    var second: Grade?
}

@Suite("Transforms that rely on what is stored") struct ReliantTransformTests {
    @Test("and types with raw values are not asked with invented ones either")
    func rawValues() throws {
        // F27, F71, Settled 9
        let statement = try Paper.sorted(by: [
            .ascending(\.second), .ascending(\.grade), .ascending(\.title),
        ]).selectStatement()
        #expect(statement.sql.hasSuffix("ORDER BY SECOND, GRADE, TITLE"))
    }

    @Test("are not asked with invented values to find the column of a key path", arguments: [false, true])
    func keyPaths(_ isSubclass: Bool) throws {
        // F33, F71, Settled 9
        func columns<Model: Chart>(_ type: Model.Type) throws -> [String] {
            let statement = try Model.sorted(by: [
                .ascending(\.start), .ascending(\.finish), .ascending(\.middle), .ascending(\.digits),
                .ascending(\.label),
            ]).selectStatement()
            return statement.sql.components(separatedBy: "ORDER BY ").last?.components(separatedBy: ", ") ?? []
        }
        let found = try isSubclass ? columns(SeaChart.self) : columns(Chart.self)
        #expect(found == ["START", "FINISH", "MIDDLE", "DIGITS", "LABEL"])
    }

    @Test("do not make a computed property a column")
    func computed() throws {
        // F71
        let error = failure { try Chart.sorted(by: [.ascending(\.swapped)]).selectStatement() }
        #expect(error?.code == .unknownKey)
    }

    @Test("of a type of which no other value can be made leave a key path that is not stored an error with the way out")
    func impossible() throws {
        // F71, Settled 9
        do {
            let text = try Breeze.sorted(by: [.ascending(\.wind)]).selectStatement().sql
            #expect(text.hasSuffix("ORDER BY WIND"))
        } catch let error as PersistenceError {
            #expect(error.code == .unknownKey)
            #expect(error.message.contains("use the key \"wind\""))
        }
    }
}
