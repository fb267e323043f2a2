import Foundation
import Persisting
import Testing

/// What a class was before, and what it has become: `value` of two types over one table.
private final class TextOfThing: PersistingModel {
    var id: Int64?
    var value: String?
    override class var tableName: String { "THING" }
}

private final class IntegerOfThing: PersistingModel {
    var id: Int64?
    var value: Int64?
    override class var tableName: String { "THING" }
}

private final class DateOfThing: PersistingModel {
    var id: Int64?
    var value: Date?
    override class var tableName: String { "THING" }
}

private final class SecondsOfThing: PersistingModel {
    var id: Int64?
    var value: Date?
    override class var tableName: String { "THING" }
    override class var columns: Columns { ["ID": .int, "VALUE": .date.stored(as: .unixSeconds)] }
}

private final class DataOfThing: PersistingModel {
    var id: Int64?
    var value: Data?
    override class var tableName: String { "THING" }
}

private final class DecimalOfThing: PersistingModel {
    var id: Int64?
    var value: Decimal?
    override class var tableName: String { "THING" }
}

private final class DoubleOfThing: PersistingModel {
    var id: Int64?
    var value: Double?
    override class var tableName: String { "THING" }
}

private final class AnyOfThing: PersistingModel {
    var id: Int64?
    var value = SQLiteValue.null
    override class var tableName: String { "THING" }
}

private final class Indexed: PersistingModel {
    var id: Int64?
    var title: String?
    var email: String?
    override class var indexes: [Index] { [Index("title"), .unique("email", where: "EMAIL <> ''")] }
}

private final class NamedThing: PersistingModel {
    var id: Int64?
    var value: String?
    override class var tableName: String { "THING" }
    override class var aliases: [Alias] { [Alias("label", for: "value")] }
}

private final class UniqueOfThing: PersistingModel {
    var id: Int64?
    var value: String?
    override class var tableName: String { "THING" }
    override class var columns: Columns { ["ID": .int, "VALUE": .string.unique] }
}

private final class Every: PersistingModel {
    var id: Int64?
    var name = ""
    var price = 0.0
    var amount: Decimal?
    var created: Date?
    var isDone = false
    var token: UUID?
    var picture: Data?
    var count: Int?
    var note: String?
    override class var naming: Naming { .snakeCase }
}

@Suite("A class and its existing table") struct SchemaAgreementTests {
    private func manager(_ type: String) throws -> PersistenceManager {
        try memoryManager(script: "CREATE TABLE THING (ID INTEGER PRIMARY KEY, VALUE \(type))")
    }

    @Test("that has no place for the class's values is an error of createTableIfNecessary, with both types")
    func misfit() throws {
        // F46, Settled 22
        let manager = try manager("INTEGER")
        let error = failure { try manager.createTableIfNecessary(for: TextOfThing.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.key == "value")
        #expect(error?.message.contains("VALUE is declared INTEGER, which has INTEGER affinity") == true)
        #expect(error?.message.contains("is stored as TEXT") == true)
    }

    @Test("that has no place for a value rejects it by any of the property's names")
    func alias() throws {
        // F34, Settled 22
        let manager = try manager("INTEGER")
        try manager.run("INSERT INTO THING VALUES (1, 7)")
        for key in ["value", "label"] {
            let error = failure { try manager.updateAll(NamedThing.self, set: [key: "abc"]) }
            #expect(error?.code == .schemaMismatch)
        }
        #expect(try manager.stored("SELECT VALUE FROM THING") == .integer(7))
    }

    @Test(
        "that has no place for a value rejects it, and stores nothing",
        arguments: ["INTEGER", "BIGINT", "REAL", "DOUBLE PRECISION"])
    func textInNumbers(_ type: String) throws {
        // Settled 22
        let manager = try manager(type)
        let thing = TextOfThing()
        thing.value = "abc"
        let error = failure { try manager.save(thing) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.key == "value")
        #expect(try manager.rowCount("THING") == 0)
    }

    @Test("takes NULL in a column of another type")
    func null() throws {
        // Settled 22
        let manager = try manager("INTEGER")
        try manager.save(TextOfThing())
        #expect(try manager.rowCount("THING") == 1)
    }

    @Test("rejects an update of the column, of one object and of many")
    func update() throws {
        // Settled 22
        let manager = try manager("INTEGER")
        let thing = TextOfThing()
        try manager.save(thing)
        #expect(failure { try thing.update(\.value, to: "a") }?.code == .schemaMismatch)
        #expect(failure { try manager.updateAll(TextOfThing.self, set: ["value": "a"]) }?.code == .schemaMismatch)
        #expect(try manager.stored("SELECT VALUE FROM THING") == .null)
    }

    @Test("rejects a value by each of the verbs that write, and stores nothing")
    func verbs() async throws {
        // Settled 22
        let manager = try manager("INTEGER")
        func thing() -> TextOfThing {
            let thing = TextOfThing()
            thing.id = 1
            thing.value = "abc"
            return thing
        }
        #expect(failure { try manager.insert(thing()) }?.code == .schemaMismatch)
        #expect(failure { try manager.upsert(thing()) }?.code == .schemaMismatch)
        #expect(failure { try manager.insert([thing(), thing()]) }?.code == .schemaMismatch)
        #expect(failure { try manager.insert(thing(), onConflict: .ignore) }?.code == .schemaMismatch)
        #expect(failure { try manager.insert(TextOfThing.self, values: ["value": "abc"]) }?.code == .schemaMismatch)
        #expect(
            failure { try manager.findOrCreate(TextOfThing.self, where: ["value": "abc"]) }?.code == .schemaMismatch)
        #expect(await asyncFailure { try await manager.save(thing()) }?.code == .schemaMismatch)
        #expect(await asyncFailure { try await manager.upsert(thing()) }?.code == .schemaMismatch)
        #expect(try manager.rowCount("THING") == 0)
    }

    @Test("rejects a value of an import, and says in which line")
    func imports() throws {
        // Settled 22
        let manager = try manager("INTEGER")
        let report = try manager.importCSV(
            TextOfThing.self, contentsOf: Data("id,value\n1,abc\n".utf8), errors: .collect(max: 10))
        #expect(report.failures.map(\.line) == [2])
        #expect(try manager.rowCount("THING") == 0)
    }

    @Test("of texts rejects integers, and of reals those as well", arguments: ["TEXT", "VARCHAR(20)", "REAL"])
    func integers(_ type: String) throws {
        // Settled 22
        let manager = try manager(type)
        let thing = IntegerOfThing()
        thing.value = 5
        #expect(failure { try manager.save(thing) }?.code == .schemaMismatch)
    }

    @Test("of numbers and texts stores bytes as they are", arguments: ["TEXT", "INTEGER", "REAL"])
    func bytes(_ type: String) throws {
        // SQLite never converts a blob.
        let manager = try manager(type)
        let thing = DataOfThing()
        thing.value = Data([1])
        try manager.save(thing)
        #expect(try manager.fetchAll(DataOfThing.self).map(\.value) == [Data([1])])
        #expect(try manager.schemaPlan(for: [DataOfThing.self]).isEmpty)
    }

    @Test("of integers that are not said to be dates is not read as dates")
    func dates() throws {
        // Settled 22
        let manager = try manager("INTEGER")
        try manager.run("INSERT INTO THING VALUES (1, 7)")
        let error = failure { try manager.fetchAll(DateOfThing.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains(".date.stored(as: …)") == true)
    }

    @Test("of integers that are said to be dates is read as dates")
    func declaredDates() throws {
        // Settled 22
        let manager = try manager("INTEGER")
        try manager.run("INSERT INTO THING VALUES (1, 7)")
        #expect(try manager.createTableIfNecessary(for: SecondsOfThing.self) == false)
        let thing = try #require(try manager.find(SecondsOfThing.self, 1))
        #expect(thing.value == Date(timeIntervalSince1970: 7))
        thing.value = Date(timeIntervalSince1970: 1.5)
        try manager.save(thing)
        #expect(try manager.stored("SELECT VALUE FROM THING") == .real(1.5))
    }

    @Test(
        "of NUMERIC affinity rejects a text that would become a number",
        arguments: ["007", "1", " 2.50 ", "1e5", "-3", ".5", "12345678901234567890"])
    func numericText(_ text: String) throws {
        // Settled 22
        let manager = try manager("STRING")
        let thing = TextOfThing()
        thing.value = text
        // SQLite itself would make a number of it.
        try manager.execute("INSERT INTO THING (VALUE) VALUES (\(text))")
        #expect(try manager.stored("SELECT typeof(VALUE) FROM THING") != .text("text"))
        #expect(failure { try manager.save(thing) }?.code == .schemaMismatch)
    }

    @Test(
        "of NUMERIC affinity takes any other text",
        arguments: ["", "abc", "2023-01-01", "0x10", "inf", "nan", "1 2", "1e"])
    func otherText(_ text: String) throws {
        // Settled 22
        let manager = try manager("STRING")
        let thing = TextOfThing()
        thing.value = text
        try manager.save(thing)
        #expect(try manager.stored("SELECT VALUE FROM THING") == .text(text))
    }

    @Test("of NUMERIC affinity holds a Decimal that a number holds, and rejects one of more digits")
    func decimals() throws {
        // Settled 16, Settled 22
        let manager = try manager("NUMERIC(10,2)")
        let thing = DecimalOfThing()
        thing.value = Decimal(string: "1234.56")
        try manager.save(thing)
        #expect(try manager.fetchOne(DecimalOfThing.self)?.value == Decimal(string: "1234.56"))
        thing.value = Decimal(string: "0.12345678901234567890123")
        #expect(failure { try manager.save(thing) }?.code == .schemaMismatch)
    }

    @Test("of any number takes a Double as it is", arguments: ["INTEGER", "NUMERIC(10,2)", "REAL", ""])
    func doubles(_ type: String) throws {
        // Settled 22
        let manager = try manager(type)
        #expect(try manager.createTableIfNecessary(for: DoubleOfThing.self) == false)
        let thing = DoubleOfThing()
        thing.value = 2.5
        try manager.save(thing)
        #expect(try manager.fetchOne(DoubleOfThing.self)?.value == 2.5)
    }

    @Test("takes of values of any kind those that it stores as they are")
    func values() throws {
        // Settled 22
        let manager = try manager("TEXT")
        let thing = AnyOfThing()
        thing.value = .text("a")
        try manager.save(thing)
        thing.value = .integer(1)
        #expect(failure { try manager.save(thing) }?.code == .schemaMismatch)
    }

    @Test("takes any value in a column without a type")
    func untyped() throws {
        // Settled 22
        let manager = try manager("")
        let thing = TextOfThing()
        thing.value = "7"
        try manager.save(thing)
        #expect(try manager.stored("SELECT VALUE FROM THING") == .text("7"))
    }

    @Test("without an index of the class's is an error with the statement that makes it")
    func index() throws {
        // F47, Settled 22
        let manager = try memoryManager(script: "CREATE TABLE INDEXED (ID INTEGER PRIMARY KEY, TITLE TEXT, EMAIL TEXT)")
        let error = failure { try manager.createTableIfNecessary(for: Indexed.self) }
        #expect(error?.code == .schemaMismatch)
        for sql in try Indexed.schema().createIndexes { #expect(error?.message.contains(sql) == true) }
    }

    @Test("with the class's indexes under other names agrees")
    func otherNames() throws {
        // F47, Settled 22
        let manager = try memoryManager(
            script: """
                CREATE TABLE INDEXED (ID INTEGER PRIMARY KEY, TITLE TEXT UNIQUE, EMAIL TEXT);
                CREATE UNIQUE INDEX "by email" ON INDEXED (email) WHERE  EMAIL <> '';
                """)
        #expect(try manager.createTableIfNecessary(for: Indexed.self) == false)
    }

    @Test("whose partial index has another condition is an error")
    func otherCondition() throws {
        // F47, Settled 22
        let manager = try memoryManager(Indexed.self)
        try manager.run(
            "DROP INDEX INDEXED_EMAIL_INDEX; CREATE UNIQUE INDEX INDEXED_EMAIL_INDEX ON INDEXED (EMAIL) WHERE EMAIL <> 'a'"
        )
        #expect(failure { try manager.createTableIfNecessary(for: Indexed.self) }?.code == .schemaMismatch)
    }

    @Test("that the class has made agrees, with its indexes")
    func own() throws {
        // F45, Settled 22
        let manager = try memoryManager(Indexed.self, Every.self)
        #expect(try manager.createTableIfNecessary(for: Indexed.self) == false)
        #expect(try manager.createTableIfNecessary(for: Every.self) == false)
    }

    @Test("without a UNIQUE of the class's is an error")
    func unique() throws {
        // Settled 22
        let manager = try manager("TEXT")
        let error = failure { try manager.createTableIfNecessary(for: UniqueOfThing.self) }
        #expect(error?.message.contains("VALUE is not UNIQUE") == true)
    }

    @Test("with a NOT NULL that the class lacks is an error")
    func notNull() throws {
        // Settled 22
        let manager = try manager("TEXT NOT NULL")
        let error = failure { try manager.createTableIfNecessary(for: TextOfThing.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("VALUE is NOT NULL, and value may be nil") == true)
    }

    @Test("with a NOT NULL that has a default agrees")
    func notNullDefault() throws {
        // Settled 3, Settled 22
        let manager = try manager("TEXT NOT NULL DEFAULT 'a'")
        #expect(try manager.createTableIfNecessary(for: TextOfThing.self) == false)
    }

    @Test("without a column of the class's is an error with the statement that adds it")
    func missingColumn() throws {
        // Settled 22
        let manager = try memoryManager(script: "CREATE TABLE THING (ID INTEGER PRIMARY KEY)")
        let error = failure { try manager.createTableIfNecessary(for: TextOfThing.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("ALTER TABLE THING ADD COLUMN VALUE TEXT") == true)
    }

    @Test("that is wider than the class agrees")
    func wider() throws {
        // Settled 22
        let manager = try memoryManager(script: "CREATE TABLE THING (ID INTEGER PRIMARY KEY, MORE INT, VALUE CLOB)")
        #expect(try manager.createTableIfNecessary(for: TextOfThing.self) == false)
    }

    @Test("says all that differs at once")
    func all() throws {
        // Settled 22
        let manager = try memoryManager(script: "CREATE TABLE THING (ID INTEGER PRIMARY KEY, VALUE INTEGER)")
        let error = failure { try manager.createTableIfNecessary(for: UniqueOfThing.self) }
        #expect(error?.message.contains("INTEGER affinity") == true)
        #expect(error?.message.contains("VALUE is not UNIQUE") == true)
    }

    @Test("with the types of others agrees, and keeps every value", .local(.declaredDates))
    func othersTypes() throws {
        // Settled 22
        let manager = try memoryManager(
            script: """
                CREATE TABLE every (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, name NVARCHAR(40) NOT NULL, price NUMERIC(10,2) NOT NULL,
                    amount DECIMAL(10,2), created DATETIME, is_done TINYINT(1) NOT NULL, token BLOB, picture VARBINARY,
                    count MEDIUMINT, note CHARACTER(20))
                """)
        #expect(try manager.createTableIfNecessary(for: Every.self) == false)
        let every = Every()
        (every.name, every.price, every.amount) = ("a", 19.99, Decimal(string: "0.10"))
        (every.created, every.isDone, every.token) = (Date(timeIntervalSince1970: 1000), true, UUID())
        (every.picture, every.count, every.note) = (Data([0, 1]), -3, "12")
        try manager.save(every)
        let found = try #require(try manager.fetchOne(Every.self))
        #expect(found.name == "a" && found.price == 19.99 && found.amount == every.amount)
        #expect(found.created == every.created && found.isDone && found.token == every.token)
        #expect(found.picture == every.picture && found.count == -3 && found.note == "12")
    }
}
