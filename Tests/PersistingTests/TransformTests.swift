import Foundation
import Persisting
import Testing

/// A column of each kind with a transform of its own.
private class Wall: PersistingModel {
    var id: Int64?
    var shade = Shade()
    var trim: Shade?
    var price = Price()
    var name = ""
    var size = 0
    var warmth: Double?
    var built: Date?
    var tags: [String] = []
    var extra: Shade?

    override class var columns: Columns {
        [
            "ID": .int, "SHADE": .any.transformed(by: .hex), "TRIM": .string.transformed(by: .hex).unique,
            "PRICE": .int.transformed(by: .cents), "NAME": .string.transformed(by: .lowercased),
            "SIZE": .string.transformed(by: .asText), "WARMTH": .double.transformed(by: .fahrenheit),
            "BUILT": .int.transformed(by: .year), "TAGS": .any.transformed(by: Transform<[String]>.json),
            "EXTRA": .any.transformed(by: .orNone),
        ]
    }
}

private final class Facade: Wall {
    var back: Shade?

    override class var columns: Columns {
        var columns = super.columns
        columns["BACK"] = .any.transformed(by: .number)
        return columns
    }
}

@Suite("Transforms of columns") struct ColumnTransformTests {
    let manager: PersistenceManager

    init() throws { manager = try memoryManager(Wall.self, Facade.self) }

    private func wall() throws -> Wall {
        let wall = Wall()
        wall.shade = Shade(255)
        wall.price = Price(1999)
        wall.name = "North"
        wall.size = -7
        wall.warmth = 100
        wall.built = Date(timeIntervalSince1970: 31_557_600 * 30)
        wall.tags = ["é", ""]
        try manager.save(wall)
        return wall
    }

    @Test("store what the transform makes of the property") func stored() throws {
        // F32
        _ = try wall()
        let row = try manager.stored(
            "SELECT json_array(SHADE, TRIM, PRICE, NAME, SIZE, WARMTH, BUILT, TAGS, EXTRA) FROM WALL")
        #expect(row == #"["ff",null,1999,"north","-7",212.0,2000,"[\"é\",\"\"]","none"]"#)
    }

    @Test("have the type that the transform stores, and no DEFAULT of their own") func table() throws {
        // F32, F28
        #expect(try manager.columnSQL("SHADE", in: "WALL") == "SHADE TEXT NOT NULL")
        #expect(try manager.columnSQL("TRIM", in: "WALL") == "TRIM TEXT UNIQUE")
        #expect(try manager.columnSQL("PRICE", in: "WALL") == "PRICE INTEGER NOT NULL")
        #expect(try manager.columnSQL("NAME", in: "WALL") == "NAME TEXT NOT NULL")
        #expect(try manager.columnSQL("SIZE", in: "WALL") == "SIZE TEXT NOT NULL")
        #expect(try manager.columnSQL("WARMTH", in: "WALL") == "WARMTH REAL")
        #expect(try manager.columnSQL("BUILT", in: "WALL") == "BUILT INTEGER")
    }

    @Test("come back as they were, with no change", arguments: [true, false]) func roundTrip(tracked: Bool) throws {
        // F32, F58
        let saved = try wall()
        #expect(!saved.hasChanges)
        let found = try #require(try manager.fetchAll(Wall.self, tracked: tracked).first)
        #expect(found.shade == saved.shade)
        #expect(found.trim == nil)
        #expect(found.price == saved.price)
        #expect(found.name == "north")
        #expect(found.size == -7)
        #expect(found.warmth == 100)
        #expect(found.built == saved.built)
        #expect(found.tags == saved.tags)
        #expect(found.extra == nil)
        #expect(found.hasChanges != tracked)
    }

    @Test("are saved when what is stored has changed") func changes() throws {
        // F32, F58
        let wall = try wall()
        wall.name = "NORTH"
        #expect(!wall.hasChanges)
        wall.trim = Shade(1)
        wall.extra = Shade(2)
        #expect(wall.changedKeys == ["trim", "extra"])
        try manager.save(wall)
        #expect(try manager.stored("SELECT TRIM || EXTRA FROM WALL") == "012")
    }

    @Test("of an Optional type are asked for nil and for NULL") func optionalValue() throws {
        // F32
        let wall = try wall()
        #expect(try manager.stored("SELECT EXTRA FROM WALL") == "none")
        #expect(try manager.count(Wall.self, where: \.extra == nil) == 1)
        #expect(try manager.count(Wall.self, where: ["extra": nil]) == 1)
        #expect(try manager.count(Wall.self, where: .format("extra == nil")) == 1)
        #expect(try manager.count(Wall.self, where: \.extra != nil) == 0)
        let isNone: Criteria<Wall> = \.extra == nil
        #expect(try isNone.matches(wall))
        try wall.setValue(Shade(3), forKey: "extra")
        try wall.setValue(nil, forKey: "extra")
        #expect(wall.extra == nil)
        try manager.update(Wall.where(\.id == wall.id), set: ["extra": nil])
        #expect(try manager.stored("SELECT EXTRA FROM WALL") == "none")
        try manager.run("UPDATE WALL SET EXTRA = NULL")
        try manager.refresh(wall)
        #expect(wall.extra == Shade(-1))
    }

    @Test("are used in conditions of every spelling") func criteria() throws {
        // F32, F71
        let wall = try wall()
        let (shade, price) = (wall.shade, wall.price)
        let spellings: [Criteria<Wall>] = [
            ["shade": shade], ["shade": [Shade(1), shade]], \.shade == shade, \.shade != Shade(1),
            .in(\.shade, [shade]), .format("shade == %@", shade), \.trim == nil, \.trim != shade,
            \.price == price, \.price > Price(1998) && \.price <= Price(1999), ["price": price],
            \.name == "NORTH", ["name": "NorTH"], .format("name == 'NORTH'"), .equals(\.name, "NORTH"),
            .hasPrefix(\.name, "no"), \.size == -7, \.warmth == 100, \.warmth > 99, .between(\.warmth, 99...101),
            \.tags == ["é", ""], \.built == wall.built,
        ]
        for criteria in spellings {
            #expect(try manager.count(Wall.self, where: criteria) == 1)
            #expect(try criteria.matches(wall))
            #expect(try manager.count(Wall.self, where: !criteria) == 0)
        }
    }

    @Test("take values of their type in place of stored ones, in the database and by key") func values() throws {
        // F32
        let inserted = try manager.insert(
            Wall.self,
            values: [
                "shade": Shade(16), "price": Price(5), "name": "West", "size": Int8(4), "warmth": 10,
                "tags": ["a"],
            ])
        #expect(inserted.size == 4)
        #expect(inserted.warmth == 10)
        #expect(try manager.stored("SELECT SHADE || PRICE || NAME || SIZE || WARMTH FROM WALL") == "105west450.0")
        try inserted.update(\.shade, to: Shade(1))
        try inserted.update(key: "trim", to: Shade(2))
        try manager.update(Wall.where(\.id == inserted.id), set: ["price": Price(6), "warmth": 0])
        #expect(try manager.stored("SELECT SHADE || TRIM || PRICE || WARMTH FROM WALL") == "0102632.0")
        // A type that says nothing of how it is stored is given by what its transform stores, too.
        try inserted.setValue("ff", forKey: "shade")
        #expect(inserted.shade == Shade(255))
        #expect(failure { try inserted.setValue("xyz", forKey: "shade") }?.key == "shade")
        #expect(failure { try inserted.setValue(0.5, forKey: "size") }?.key == "size")
        #expect(inserted.shade == Shade(255))
    }

    @Test("order rows by what is stored, and find the page after an object") func ordering() throws {
        // F32, F80
        for cents in [30, 5, 200] { try manager.insert(Wall.self, values: ["price": Price(cents)]) }
        let query = Wall.sorted(by: \.price)
        #expect(try manager.fetchAll(query).map(\.price.cents) == [5, 30, 200])
        let first = try manager.fetchPage(query, limit: 1)
        #expect(try manager.fetchPage(query, after: first.last, limit: 2).map(\.price.cents) == [30, 200])
        let all = try manager.fetchAll(Wall.self)
        #expect(try Ordering<Wall>.descending(\.price).sort(all).map(\.price.cents) == [200, 30, 5])
    }

    @Test("are read without objects, and rejected where SQLite would reckon with what is stored") func reckoning()
        throws
    {
        // F32
        for cents in [30, 5] { try manager.insert(Wall.self, values: ["price": Price(cents), "warmth": 10]) }
        #expect(try manager.values(Wall.sorted(by: \.id), \.price) == [Price(30), Price(5)])
        #expect(try manager.values(Wall.sorted(by: \.id), \.warmth) == [10, 10])
        #expect(try manager.max(Wall.rows, \.warmth) == 10)
        #expect(failure { try manager.sum(Wall.rows, \.warmth) }?.key == "warmth")
        #expect(failure { try manager.average(Wall.rows, \.warmth) }?.key == "warmth")
        #expect(failure { try manager.count(Wall.self, where: .format("warmth + 1 > 2")) }?.key == "warmth")
    }

    @Test("cross to another task in a snapshot, and stand in dictionaries as values") func snapshot() throws {
        // F32
        let wall = try wall()
        let copy = try Wall(wall.snapshot())
        #expect(copy.shade == wall.shade)
        #expect(!copy.hasChanges)
        #expect(wall.dictionary()["shade"] as? Shade == Shade(255))
        let json = try wall.jsonObject()
        #expect(json["shade"] as? String == "ff")
        #expect(json["size"] as? Int64 == -7)
        #expect(json["warmth"] as? Double == 100)
        #expect(json["tags"] as? [String] == ["é", ""])
    }

    @Test("are saved and fetched while the task is suspended") func async() async throws {
        // F32
        let wall = Wall()
        wall.shade = Shade(9)
        try await manager.save(wall)
        let shade = wall.shade
        let found = try #require(try await manager.fetchOne(Wall.self, where: \.shade == shade))
        #expect(found.shade == Shade(9))
        #expect(!found.hasChanges)
    }

    @Test("are a subclass's with those it adds") func inherited() throws {
        // F32
        let facade = Facade()
        facade.shade = Shade(1)
        facade.back = Shade(2)
        try manager.save(facade)
        #expect(try manager.stored("SELECT SHADE || BACK FROM FACADE") == "012")
        #expect(try manager.count(Facade.self, where: \Facade.shade == Shade(1) && \Facade.back == Shade(2)) == 1)
    }

    @Test("that reject a value keep it from being saved, name it, and leave the object as it was") func encode() throws
    {
        // F32, Settled 9
        let new = Wall()
        new.shade = Shade(256)
        for error in [
            failure { try manager.save(new) }, failure { try manager.count(Wall.self, where: ["shade": new.shade]) },
        ] {
            #expect(error?.model == "Wall")
            #expect(error?.key == "shade")
            #expect(error?.underlying is NoShade)
        }
        #expect(!new.isPersisted)
        let wall = try wall()
        wall.shade = Shade(-1)
        wall.price = Price(1)
        #expect(failure { try manager.save(wall) }?.message.contains("SHADE") == true)
        #expect(wall.changedKeys == ["shade", "price"])
        #expect(try manager.stored("SELECT SHADE || PRICE FROM WALL") == "ff1999")
        #expect(failure { try wall.update(key: "shade", to: Shade(300)) }?.key == "shade")
        #expect(wall.shade == Shade(-1))
    }

    @Test("that reject what is stored name the column, the row and both types") func decode() throws {
        // F32, Settled 9
        let wall = try wall()
        try manager.run("UPDATE WALL SET SHADE = 'red'")
        let error = failure { try manager.fetchAll(Wall.self) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.contains("SHADE") == true)
        #expect(error?.key == "shade")
        #expect(error?.expected == "Shade")
        #expect(error?.found == "TEXT")
        #expect(error?.rowKey == ["id": .integer(1)])
        #expect(error?.underlying is NoShade)
        #expect(failure { try manager.refresh(wall) }?.key == "shade")
        #expect(wall.shade == Shade(255))
    }

    @Test("take no NULL for a property that is not Optional, unless the column says so") func null() throws {
        // F29, F32
        final class Fence: PersistingModel {
            var id: Int64?
            var shade = Shade(7)
            var other = Shade(8)
            override class var columns: Columns {
                [
                    "ID": .int, "SHADE": .any.transformed(by: .hex).onNull(.default),
                    "OTHER": .any.transformed(by: .hex).default("0a"),
                ]
            }
        }
        try manager.createTableIfNecessary(for: Fence.self)
        try manager.run("INSERT INTO FENCE DEFAULT VALUES")
        let fence = try #require(try manager.fetchOne(Fence.self))
        #expect(fence.shade == Shade(7))
        #expect(fence.other == Shade(10))
        try manager.run("DROP TABLE FENCE; CREATE TABLE FENCE (ID INTEGER PRIMARY KEY, SHADE, OTHER)")
        try manager.run("INSERT INTO FENCE DEFAULT VALUES")
        #expect(failure { try manager.fetchOne(Fence.self) }?.message.contains("Optional") == true)
    }
}
