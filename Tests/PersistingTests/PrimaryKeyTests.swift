import Foundation
import Persisting
import Testing

private final class Switch: PersistingModel {
    var id: Bool?
}

private final class Moment: PersistingModel {
    var id: Date?
}

private final class Capital: PersistingModel {
    var ID: Int64?
    var name: String?
}

private final class Mixed: PersistingModel {
    var Id: UUID = UUID()
    override class var naming: Naming { .identity }
}

private final class Named: PersistingModel {
    var number: Int64?
    override class var columns: Columns { ["ID": .int.property("number")] }
}

private final class Zero: PersistingModel {
    var ID = 0
}

@Suite("Primary keys")
struct PrimaryKeyTests {
    @Test("A property ID, Id, or one whose column is ID is the key", arguments: ["ID", "Id", "number"])
    func otherCase(_ key: String) throws {
        // F36, Settled 19
        let types: [String: PersistingModel.Type] = ["ID": Capital.self, "Id": Mixed.self, "number": Named.self]
        let type = try #require(types[key])
        #expect(try type.schema().primaryKey == [key])
    }

    @Test("A property ID that is an Optional integer is generated, and its objects can be updated")
    func capitalID() throws {
        // F36, Settled 19
        let manager = try memoryManager(Capital.self)
        let object = Capital()
        try manager.save(object)
        object.name = "a"
        try manager.save(object)
        #expect(object.ID == 1)
        #expect(try manager.stored("SELECT NAME FROM CAPITAL WHERE ID = 1") == .text("a"))
    }

    @Test("A property ID that is an integer and not Optional is rejected by its name")
    func zeroID() throws {
        // Settled 13, Settled 19
        let error = failure { try Zero.schema() }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "ID")
        #expect(error?.message.contains(#".assigned("ID")"#) == true)
    }

    @Test("A generated key is nil until the object is saved, and then the row's")
    func generated() throws {
        // F36, Settled 13
        let manager = try memoryManager(User.self)
        let (one, two) = (User(name: "a"), User(name: "b"))
        try manager.save(one)
        try manager.save(two)
        #expect([one.id, two.id] == [1, 2])
    }

    @Test("A generated key that has a value is stored as it is, 0 and negative ones too")
    func givenGenerated() throws {
        // F36
        let manager = try memoryManager(User.self)
        for id in [Int64(0), -5, 100, .max] {
            let user = User(name: "a")
            user.id = id
            try manager.save(user)
            #expect(user.id == id)
        }
        #expect(try manager.storedColumn("SELECT ID FROM USER ORDER BY ID") == [-5, 0, 100, .integer(.max)])
    }

    @Test("A UUID as key is assigned, and stored as text that cannot be NULL")
    func uuid() throws {
        // F37, Settled 13
        let manager = try memoryManager(Document.self)
        #expect(try manager.columnSQL("ID", in: "DOCUMENT") == "ID TEXT PRIMARY KEY NOT NULL")
        let document = Document()
        try manager.save(document)
        #expect(try manager.stored("SELECT ID FROM DOCUMENT") == .text(document.id.uuidString))
        #expect(try manager.find(Document.self, document.id)?.isSameRow(as: document) == true)
    }

    @Test("A key of text under another name is assigned")
    func text() throws {
        // F35, F37
        let manager = try memoryManager(Country.self)
        #expect(try manager.columnSQL("CODE", in: "COUNTRY") == "CODE TEXT PRIMARY KEY NOT NULL")
        let country = Country("FR", "France")
        try manager.save(country)
        #expect(try manager.find(Country.self, "FR")?.name == "France")
        country.name = "République"
        try manager.save(country)
        #expect(try manager.stored("SELECT NAME FROM COUNTRY WHERE CODE = 'FR'") == .text("République"))
    }

    @Test("An assigned key without a value is an error that names it")
    func missingValue() throws {
        // F37
        let manager = try memoryManager(Country.self)
        let country = Country(nil, "Nowhere")
        let error = failure { try manager.save(country) }
        #expect(error?.code == .missingPrimaryKeyValue)
        #expect(error?.model == "Country")
        #expect(error?.key == "code")
        #expect(try manager.rowCount("COUNTRY") == 0)
    }

    @Test("A taken key is a constraint error that names the column")
    func taken() throws {
        // F37
        let manager = try memoryManager(Country.self)
        try manager.save(Country("FR", "France"))
        let second = Country("FR", "Again")
        let error = failure { try manager.save(second) }
        #expect(error?.code == .constraint)
        #expect(error?.sqliteError?.columns == ["CODE"])
        #expect(!second.isPersisted)
    }

    @Test("Values insert an object with an assigned key")
    func insertValues() throws {
        // F52, F37
        let manager = try memoryManager(Country.self)
        let country = try manager.insert(Country.self, values: ["code": "IT", "name": "Italia"])
        #expect(country.code == "IT")
        #expect(country.isPersisted)
    }

    @Test("An object whose key was changed is written to the row of the old key")
    func changedKey() throws {
        // F40
        let manager = try memoryManager(Country.self)
        let country = Country("BU", "Burma")
        try manager.save(country)
        country.code = "MM"
        country.name = "Myanmar"
        try manager.save(country)
        #expect(try manager.rowCount("COUNTRY") == 1)
        #expect(try manager.find(Country.self, "MM")?.name == "Myanmar")
        #expect(try manager.delete(country))
    }

    @Test("An object whose key was changed but not saved is deleted under the key of its row")
    func deleteUnderOldKey() throws {
        // F40, F63
        let manager = try memoryManager(Country.self)
        let country = Country("BU", "Burma")
        try manager.save(country)
        country.code = "MM"
        #expect(try manager.delete(country))
        #expect(try manager.rowCount("COUNTRY") == 0)
    }

    @Test("A class without a key is inserted and fetched")
    func noKey() throws {
        // Settled 13
        let manager = try memoryManager(Reading.self)
        let reading = Reading()
        reading.sensor = "a"
        try manager.save(reading)
        #expect(try manager.fetchAll(Reading.self, where: \.sensor == "a").count == 1)
        #expect(reading.primaryKeyValue == .null)
    }

    @Test("Updating, deleting, refreshing and finding an object without a key throw")
    func noKeyThrows() throws {
        // Settled 13, F17
        let manager = try memoryManager(Reading.self)
        let reading = Reading()
        try manager.save(reading)
        reading.value = 2
        for error in [
            failure { try manager.save(reading) }, failure { try reading.update(\.value, to: 3) },
            failure { try manager.delete(reading) }, failure { try manager.refresh(reading) },
            failure { try manager.find(Reading.self, 1) },
        ] {
            #expect(error?.code == .noPrimaryKey)
            #expect(error?.model == "Reading")
        }
        #expect(reading.value == 2)
        #expect(try manager.stored("SELECT VALUE FROM READING") == .real(0))
    }

    @Test("Rows without a key are deleted by a condition")
    func noKeyDeleteWhere() throws {
        // F64
        let manager = try memoryManager(Reading.self)
        try manager.save(Reading())
        #expect(try manager.delete(Reading.self, where: \.sensor == "") == 1)
    }

    @Test("A class that says .none has no key, though it has an id")
    func saidNone() throws {
        // Settled 13
        let manager = try memoryManager(Log.self)
        #expect(try manager.columnSQL("ID", in: "LOG") == "ID INTEGER NOT NULL DEFAULT 0")
        #expect(failure { try manager.find(Log.self, 0) }?.code == .noPrimaryKey)
    }

    @Test("A composite key is a constraint of the table, and finds, updates and deletes its row")
    func composite() throws {
        // F38, F45
        let manager = try memoryManager(Enrolment.self)
        #expect(
            try manager.tableSQL("ENROLMENT") == """
                CREATE TABLE ENROLMENT (
                    STUDENT INTEGER NOT NULL,
                    COURSE TEXT NOT NULL,
                    GRADE INTEGER,
                    PRIMARY KEY (STUDENT, COURSE)
                )
                """)
        let (one, two) = (Enrolment(1, "Swift", nil), Enrolment(1, "SQL", 2))
        try manager.insert([one, two])
        one.grade = 1
        try manager.save(one)
        #expect(try manager.storedColumn("SELECT GRADE FROM ENROLMENT ORDER BY COURSE DESC") == [1, 2])
        try manager.delete(two)
        #expect(try manager.fetchAll(Enrolment.self).map(\.course) == ["Swift"])
    }

    @Test("An id that is a Bool or a date is assigned, though it is stored as an integer") func noNumber() throws {
        // F36
        let manager = try memoryManager(Switch.self, Moment.self, dates: .unixMilliseconds)
        #expect(failure { try manager.insert(Switch()) }?.code == .missingPrimaryKeyValue)
        #expect(failure { try manager.insert(Moment()) }?.code == .missingPrimaryKeyValue)
    }

    @Test("A key that is a user's enum is assigned")
    func enumKey() throws {
        // F37
        let manager = try memoryManager(Setting.self)
        try manager.save(Setting())
        #expect(try manager.find(Setting.self, Setting.Name.theme)?.value == "")
        #expect(try manager.find(Setting.self, "theme") != nil)
    }
}

@Suite("Tables that others made, and generated keys")
struct ForeignKeyColumnTests {
    /// What saving a user into a table says.
    private func keyError(_ table: String) throws -> PersistenceError? {
        let manager = try memoryManager(script: table)
        let error = failure { try manager.save(User(name: "a")) }
        #expect(try manager.rowCount("USER") == 0)
        return error
    }

    @Test(
        "A table whose key SQLite does not generate is rejected", .local(.temporaryTables),
        arguments: [
            "CREATE TABLE USER (ID INT PRIMARY KEY, NAME, AGE, SCORE, IS_ACTIVE)",
            "CREATE TABLE USER (ID TEXT PRIMARY KEY, NAME, AGE, SCORE, IS_ACTIVE)",
            "CREATE TABLE USER (ID INTEGER, NAME, AGE, SCORE, IS_ACTIVE)",
            "CREATE TABLE USER (ID INTEGER, NAME, AGE, SCORE, IS_ACTIVE, PRIMARY KEY (ID, NAME))",
            "CREATE TABLE USER (ID INTEGER, NAME PRIMARY KEY, AGE, SCORE, IS_ACTIVE)",
            "CREATE TABLE USER (ID INTEGER PRIMARY KEY DESC, NAME, AGE, SCORE, IS_ACTIVE)",
            "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, AGE, SCORE, IS_ACTIVE) WITHOUT ROWID",
        ])
    func notGenerated(_ table: String) throws {
        // F41, F36
        let error = try keyError(table)
        #expect(error?.code == .invalidModel)
        #expect(error?.model == "User")
        #expect(error?.key == "id")
    }

    @Test(
        "A table whose key SQLite generates is taken, however it is written", .local(.temporaryTables),
        arguments: [
            "CREATE TABLE USER (ID INTEGER PRIMARY KEY AUTOINCREMENT, NAME, AGE, SCORE, IS_ACTIVE)",
            "CREATE TABLE user (id integer primary key, name, age, score, is_active)",
            "CREATE TABLE USER (ID INTEGER, NAME, AGE, SCORE, IS_ACTIVE, PRIMARY KEY (ID))",
            "CREATE TABLE USER (NAME, AGE, SCORE, IS_ACTIVE, \"Id\" INTEGER NOT NULL PRIMARY KEY)",
        ])
    func isGenerated(_ table: String) throws {
        // F41, F44
        let manager = try memoryManager(script: table)
        let user = User(name: "a")
        try manager.save(user)
        #expect(try manager.find(User.self, 1)?.isSameRow(as: user) == true)
    }

    @Test("An insert that the table ignores is an error, and the object stays new")
    func ignoredInsert() throws {
        // F55, Settled 9
        let manager = try memoryManager(
            script: """
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT UNIQUE ON CONFLICT IGNORE, AGE, SCORE, IS_ACTIVE);
                INSERT INTO USER VALUES (7, 'a', 1, 1.0, 1)
                """)
        let user = User(name: "a")
        #expect(failure { try manager.save(user) }?.code == .notInserted)
        #expect(!user.isPersisted)
        #expect(user.id == nil)
    }
}

private final class Log: PersistingModel {
    var id = 0
    override class var primaryKey: PrimaryKey { .none }
}

private final class Setting: PersistingModel {
    enum Name: String, SQLiteValueConvertible { case theme, size }
    var id = Name.theme
    var value = ""

    @Test("A generated key that was set to nil is named")
    func generatedKeyIsNil() throws {
        // F25
        let manager = try memoryManager(User.self)
        let users = [User(), User()]
        try manager.insert(users)
        users[0].id = nil
        let writes: [() throws -> Void] = [
            { try manager.save(users[0]) }, { try manager.update(users[0]) }, { try manager.save(users) },
        ]
        for write in writes {
            let error = failure(write)
            #expect(error?.code == .missingPrimaryKeyValue && error?.key == "id" && error?.rowKey == ["id": 1])
            #expect(error?.message.hasSuffix("set id") == true)
        }
        users[0].id = 9
        try manager.save(users)
        #expect(try manager.find(User.self, 9) != nil)
    }
}
