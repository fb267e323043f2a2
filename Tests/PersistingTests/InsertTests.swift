import Foundation
import Persisting
import Testing

@Suite("Inserting", .onBothEngines)
struct InsertTests {
    private static let schema = """
        CREATE TABLE ITEM (
            ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT 'unnamed', LEVEL INTEGER DEFAULT 3,
            NOTE TEXT, CREATED TEXT DEFAULT (datetime(0, 'unixepoch')))
        """

    @Test("Values that are absent are the table's defaults, and the object shows them")
    func absentIsDefault() throws {
        // F52, F59, Settled 3
        let manager = try memoryManager(script: Self.schema)
        let item = try manager.insert(Item.self, values: ["note": "a"])
        #expect(item.name == "unnamed")
        #expect(item.level == 3)
        #expect(item.note == "a")
        #expect(item.created == Date(timeIntervalSince1970: 0))
        #expect(!item.hasChanges)
    }

    @Test("A nil that is given is NULL, though the column has a default")
    func givenNil() throws {
        // F52, F59, Settled 3
        let manager = try memoryManager(script: Self.schema)
        let item = try manager.insert(Item.self, values: ["level": nil])
        #expect(item.level == nil)
        #expect(try manager.stored("SELECT LEVEL FROM ITEM") == .null)
    }

    @Test("Values without a default in the table are what init() gives")
    func absentIsInitial() throws {
        // F33, F52
        let manager = try memoryManager(
            script: "CREATE TABLE ITEM (ID INTEGER PRIMARY KEY, NAME, LEVEL, NOTE, CREATED)")
        let item = try manager.insert(Item.self, values: [:])
        #expect(item.name == "initial")
        #expect(try manager.stored("SELECT NAME FROM ITEM") == "initial")
    }

    @Test("An object's nil is left to the column's default and read back")
    func objectsNil() throws {
        // F59, Settled 3
        let manager = try memoryManager(script: Self.schema)
        let item = Item()
        try manager.save(item)
        #expect(item.level == 3)
        #expect(item.created == Date(timeIntervalSince1970: 0))
        #expect(item.note == nil)
        #expect(!item.hasChanges)
    }

    @Test("An object's value is stored, though the column has a default")
    func objectsValue() throws {
        // F59
        let manager = try memoryManager(script: Self.schema)
        let item = Item()
        item.level = 9
        try manager.save(item)
        #expect(try manager.stored("SELECT NAME || LEVEL FROM ITEM") == "initial9")
    }

    @Test("A persisted object's nil is NULL, though the column has a default")
    func updateToNil() throws {
        // F58, Settled 3
        let manager = try memoryManager(script: Self.schema)
        let item = Item()
        try manager.save(item)
        item.level = nil
        try manager.save(item)
        #expect(try manager.stored("SELECT LEVEL FROM ITEM") == .null)
    }

    @Test("A default that the property cannot hold throws, and no row is inserted")
    func unreadableDefault() throws {
        // F52, Settled 9
        let manager = try memoryManager(
            script: "CREATE TABLE ITEM (ID INTEGER PRIMARY KEY, NAME, LEVEL INTEGER DEFAULT 'high', NOTE, CREATED)")
        let error = failure { try manager.insert(Item.self, values: ["note": "a"]) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Item")
        #expect(error?.key == "level")
        #expect(try manager.rowCount("ITEM") == 0)
    }

    @Test("Unknown keys throw, and name those there are")
    func unknownKey() throws {
        // F52, Settled 4
        let manager = try memoryManager(Item.self)
        let error = failure { try manager.insert(Item.self, values: ["name": "a", "titel": "b"]) }
        #expect(error?.code == .unknownKey)
        #expect(error?.model == "Item")
        #expect(error?.key == "titel")
        #expect(error?.message.contains("id, name, level, note, created") == true)
        #expect(try manager.rowCount("ITEM") == 0)
    }

    @Test("A column's name isn't a key, and keys are exact")
    func keysAreExact() throws {
        // F44
        let manager = try memoryManager(Item.self)
        #expect(failure { try manager.insert(Item.self, values: ["NAME": "a"]) }?.code == .unknownKey)
        #expect(failure { try manager.insert(Item.self, values: ["Name": "a"]) }?.code == .unknownKey)
    }

    @Test("A value of the wrong type throws, with model, key and both types")
    func wrongType() throws {
        // Settled 9
        let manager = try memoryManager(Item.self)
        let error = failure { try manager.insert(Item.self, values: ["level": "high"]) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Item")
        #expect(error?.key == "level")
        #expect(error?.expected == "Int?")
        #expect(error?.found == "String")
        #expect(try manager.rowCount("ITEM") == 0)
    }

    @Test("A value that no column can hold throws")
    func unsupportedValue() throws {
        // Settled 9
        let manager = try memoryManager(Item.self)
        let error = failure { try manager.insert(Item.self, values: ["note": ["a": [1]]]) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "note")
    }

    @Test("A number that does not fit the property throws, whatever its type")
    func tooLarge() throws {
        // Settled 9
        let manager = try memoryManager(Everything.self)
        for (key, value) in [("int8", 128), ("uint8", -1), ("int32", Int(Int32.max) + 1)] as [(String, Int)] {
            #expect(failure { try manager.insert(Everything.self, values: [key: value]) }?.key == key)
        }
        #expect(failure { try manager.insert(Everything.self, values: ["int": 0.5]) }?.found == "Double")
    }

    @Test("Values of other types without loss are taken")
    func convertible() throws {
        // F52
        let manager = try memoryManager(Everything.self)
        let object = try manager.insert(
            Everything.self, values: ["int8": 5, "double": 2, "kind": "bonus", "level": 200, "int": 3.0])
        #expect(object.int8 == 5)
        #expect(object.double == 2)
        #expect(object.kind == .bonus)
        #expect(object.level == .middle)
        #expect(object.int == 3)
    }

    @Test("Inserting a persisted object throws")
    func persisted() throws {
        // F57
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.insert(user)
        let error = failure { try manager.insert(user) }
        #expect(error?.code == .alreadyPersisted)
        #expect(error?.model == "User")
        #expect(try manager.rowCount("USER") == 1)
    }

    @Test("A table whose columns all have values of the database is inserted into")
    func onlyDefaults() throws {
        // F52
        let manager = try memoryManager(script: "CREATE TABLE MARK (LEVEL INTEGER DEFAULT 4)")
        let mark = try manager.insert(Mark.self, values: [:])
        #expect(mark.level == 4)
        let second = Mark()
        try manager.save(second)
        #expect(second.level == 4)
    }

    @Test("A class that has nothing but a generated key is inserted")
    func onlyKey() throws {
        // F36
        let manager = try memoryManager(Bare.self)
        let bare = try manager.insert(Bare.self, values: [:])
        #expect(bare.id == 1)
        let second = Bare()
        try manager.save(second)
        #expect(second.id == 2)
    }

    @Test("A deleted object is inserted again when it is saved")
    func afterDelete() throws {
        // F54, F63
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.delete(user)
        #expect(!user.isPersisted)
        #expect(user.hasChanges)
        try manager.save(user)
        #expect(user.isPersisted)
        #expect(try manager.fetchAll(User.self).map(\.name) == ["a"])
    }

    @Test("A key is the row's own, though a trigger inserts other rows")
    func trigger() throws {
        // F36
        let manager = try memoryManager(User.self, Reading.self)
        try manager.run(
            """
            INSERT INTO READING (rowid, SENSOR, VALUE) VALUES (40, 'x', 0);
            CREATE TRIGGER LOGGED AFTER INSERT ON USER BEGIN INSERT INTO READING VALUES ('y', 1); END
            """)
        let user = User(name: "a")
        try manager.save(user)
        #expect(user.id == 1)
    }

    @Test("The CREATE TABLE default of a property is what a row that others insert gets")
    func declaredDefault() throws {
        // F33, Settled 14
        let manager = try memoryManager(User.self)
        try manager.execute("INSERT INTO USER (AGE) VALUES (5)")
        let user = try #require(try manager.find(User.self, 1))
        #expect(user.name == "")
        #expect(user.isActive)
    }
}

private final class Item: PersistingModel {
    var id: Int64?
    var name = "initial"
    var level: Int?
    var note: String?
    var created: Date?
}

private final class Mark: PersistingModel {
    var level: Int?
}

private final class Bare: PersistingModel {
    var id: Int64?
}
