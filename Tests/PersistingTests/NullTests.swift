import Foundation
import Persisting
import Testing

@Suite("NULL")
struct NullTests {
    @Test("NULL for a property that is not Optional throws, with model, key and what to do")
    func rejected() throws {
        // F29, Settled 3
        let manager = try memoryManager(
            script: """
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT, AGE, SCORE, IS_ACTIVE);
                INSERT INTO USER (NAME, SCORE, IS_ACTIVE) VALUES (NULL, 1, 1)
                """)
        let error = failure { try manager.fetchAll(User.self) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "User")
        #expect(error?.key == "name")
        #expect(error?.expected == "String")
        #expect(error?.message.contains(".onNull(.default)") == true)
    }

    @Test("NULL for a property of each type that is not Optional throws")
    func rejectedForEachType() throws {
        // F29
        let manager = try memoryManager(Everything.self)
        try manager.save(Everything())
        let schema = try #require(try manager.tableSQL("EVERYTHING"))
        try manager.run("DROP TABLE EVERYTHING; \(schema.replacing(" NOT NULL", with: ""))")
        let keys = Everything().dictionary().keys.sorted()
        for key in keys {
            try manager.run("DELETE FROM EVERYTHING")
            try manager.save(Everything())
            try manager.run("UPDATE EVERYTHING SET \(key) = NULL")
            #expect(failure { try manager.fetchAll(Everything.self) }?.key == key, "\(key)")
        }
        #expect(keys.count == 24)
    }

    @Test("With .onNull(.default) the property keeps its first value, and that isn't a change")
    func kept() throws {
        // F29, F33, Settled 3
        let manager = try memoryManager(Lenient.self)
        try manager.execute("INSERT INTO LENIENT (ID) VALUES (1)")
        let found = try #require(try manager.find(Lenient.self, 1))
        #expect(found.name == "nobody")
        #expect(found.level == .middle)
        #expect(found.date == Date(timeIntervalSince1970: 60))
        #expect(!found.hasChanges)
    }

    @Test("With .onNull(.default) the column may hold NULL")
    func nullable() throws {
        // F29, F45
        let manager = try memoryManager(Lenient.self)
        #expect(try manager.columnSQL("DATE", in: "LENIENT") == "DATE REAL")
        #expect(try manager.tableSQL("LENIENT")?.contains("NOT NULL") == false)
    }

    @Test("With .onNull(.default) an object that is not tracked keeps its first values too")
    func keptUntracked() throws {
        // F29
        let manager = try memoryManager(Lenient.self)
        try manager.execute("INSERT INTO LENIENT (ID) VALUES (1)")
        let found = try #require(try manager.fetchAll(Lenient.self, tracked: false).first)
        #expect(found.name == "nobody")
        #expect(found.level == .middle)
    }

    @Test("An object with default values in the place of NULL saves only what was changed")
    func savesOnlyChanged() throws {
        // F58
        let manager = try memoryManager(Lenient.self)
        try manager.execute("INSERT INTO LENIENT (ID) VALUES (1)")
        let found = try #require(try manager.find(Lenient.self, 1))
        found.name = "somebody"
        try manager.save(found)
        #expect(try manager.stored("SELECT NAME FROM LENIENT") == "somebody")
        #expect(try manager.stored("SELECT DATE FROM LENIENT") == .null)
    }

    @Test("An update to nil is NULL")
    func updateToNil() throws {
        // F60, Settled 3
        let manager = try memoryManager(User.self)
        let user = User(name: "a", age: 3)
        try manager.save(user)
        try user.update(\.age, to: nil)
        #expect(try manager.stored("SELECT AGE FROM USER") == .null)
        user.age = 4
        try manager.save(user)
        try user.update(key: "age", to: nil)
        #expect(try manager.stored("SELECT AGE FROM USER") == .null)
        #expect(user.age == nil)
    }

    @Test("A saved nil is NULL")
    func saveNil() throws {
        // F58
        let manager = try memoryManager(User.self)
        let user = User(name: "a", age: 3)
        try manager.save(user)
        user.age = nil
        try manager.save(user)
        #expect(try manager.stored("SELECT AGE FROM USER") == .null)
    }

    @Test("Nil for a property that is not Optional is rejected, and the property keeps its value")
    func nilForNonOptional() throws {
        // Settled 9, F60
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        for error in [
            failure { try user.setValue(nil, forKey: "name") },
            failure { try user.update(key: "name", to: nil) },
            failure { try manager.insert(User.self, values: ["name": nil]) },
        ] {
            #expect(error?.code == .typeMismatch)
            #expect(error?.model == "User")
            #expect(error?.key == "name")
            #expect(error?.expected == "String")
        }
        #expect(user.name == "a")
        #expect(try manager.rowCount("USER") == 1)
    }
}

private final class Lenient: PersistingModel {
    var id: Int64?
    var name = "nobody"
    var level = Level.middle
    var date = Date(timeIntervalSince1970: 60)

    override class var columns: Columns {
        [
            "ID": .int, "NAME": .string.onNull(.default), "LEVEL": .int.onNull(.default),
            "DATE": .date.onNull(.default),
        ]
    }
}
