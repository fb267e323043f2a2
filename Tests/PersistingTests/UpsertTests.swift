import Foundation
import Persisting
import Testing

private final class Excluded: PersistingModel {
    var id: Int64?
    var name = ""

    convenience init(_ id: Int64, _ name: String) {
        self.init()
        self.id = id
        self.name = name
    }
}

@Suite("Upserting")
struct UpsertTests {
    private let log = SQLLog()

    private func manager(_ types: PersistingModel.Type...) throws -> PersistenceManager {
        let manager = try log.manager()
        for type in types { try manager.createTableIfNecessary(for: type) }
        return manager
    }

    @Test("writes to a table that is called as SQLite calls the new values") func excluded() throws {
        // F56
        let manager = try memoryManager(Excluded.self)
        try manager.upsert(Excluded(1, "a"))
        try manager.upsert(Excluded(1, "b"))
        #expect(try manager.stored("SELECT NAME FROM EXCLUDED") == "b")
    }

    @Test("A new object without a key is inserted, by the same statement as an insert")
    func newObject() throws {
        // F56
        let manager = try manager(User.self)
        let user = User(name: "a")
        try manager.upsert(user)
        #expect(user.id == 1)
        #expect(user.isPersisted)
        #expect(!user.hasChanges)
        #expect(log.inserts == ["INSERT INTO USER (ID, NAME, AGE, SCORE, IS_ACTIVE) VALUES (?, ?, ?, ?, ?)"])
    }

    @Test("A new object with a key is written over the row that has it, by one statement that returns nothing")
    func keyIsThere() throws {
        // F56
        let manager = try manager(User.self)
        try manager.insert(User(name: "a", age: 3))
        let user = User(name: "b")
        user.id = 1
        try manager.upsert(user)
        #expect(try manager.stored("SELECT NAME || ifnull(AGE, 'none') FROM USER") == "bnone")
        #expect(user.isPersisted)
        #expect(!user.hasChanges)
        let sql = """
            INSERT INTO USER (ID, NAME, AGE, SCORE, IS_ACTIVE) VALUES (?, ?, ?, ?, ?) \
            ON CONFLICT DO UPDATE SET NAME = excluded.NAME, AGE = excluded.AGE, SCORE = excluded.SCORE, \
            IS_ACTIVE = excluded.IS_ACTIVE
            """
        #expect(log.inserts.last == sql)
    }

    @Test("A row with the value of a unique column keeps its key, and the object takes it over")
    func uniqueColumn() throws {
        // F56
        let manager = try manager(Account.self)
        try manager.insert([Account(email: "x"), Account(email: "a", balance: 1)])
        let account = Account(email: "a", balance: 2)
        try manager.upsert(account)
        #expect(account.id == 2)
        #expect(try manager.stored("SELECT BALANCE FROM ACCOUNT WHERE ID = 2") == 2)
        #expect(try manager.rowCount("ACCOUNT") == 2)
        account.balance = 3
        #expect(account.changedKeys == ["balance"])
        try manager.save(account)
    }

    @Test("An object whose key no row has takes over that of the row with its unique value")
    func otherKey() throws {
        // F56
        let manager = try manager(Account.self)
        try manager.insert(Account(email: "a"))
        let account = Account(email: "a", balance: 2)
        account.id = 77
        try manager.upsert(account)
        #expect(account.id == 1)
        #expect(try manager.storedColumn("SELECT ID FROM ACCOUNT") == [1])
    }

    @Test("The row with the key comes before the one with a unique value, which then is in the way")
    func keyFirst() throws {
        // F56
        let manager = try memoryManager(
            script: """
                CREATE TABLE COUNTRY (CODE TEXT PRIMARY KEY, NAME TEXT UNIQUE);
                INSERT INTO COUNTRY VALUES ('de', 'Germany'), ('fr', 'France');
                """)
        let country = Country("de", "France")
        let error = failure { try manager.upsert(country) }
        #expect(error?.code == .constraint)
        #expect(error?.key == "name")
        #expect(!country.isPersisted)
        #expect(try manager.storedColumn("SELECT CODE || NAME FROM COUNTRY") == ["deGermany", "frFrance"])
    }

    @Test("by names the constraint, whose row is found and no other")
    func byKeys() throws {
        // F56
        let manager = try manager(Account.self)
        try manager.insert([Account(email: "a"), Account(email: "b")])
        let account = Account(email: "b", balance: 5)
        try manager.upsert(account, by: ["email"])
        #expect(account.id == 2)
        account.email = "a"
        #expect(failure { try manager.upsert(account, by: ["id"]) }?.code == .constraint)
        #expect(try manager.stored("SELECT EMAIL FROM ACCOUNT WHERE ID = 2") == "b")
    }

    @Test("updating names the columns to write, and the object takes over the others")
    func updating() throws {
        // F56
        let manager = try manager(User.self)
        try manager.insert(User(name: "a", age: 3))
        let user = User(name: "b", age: 4)
        user.id = 1
        user.score = 7
        try manager.upsert(user, updating: ["age"])
        #expect(try manager.stored("SELECT NAME || AGE || SCORE FROM USER") == "a40.0")
        #expect(user.name == "a")
        #expect(user.age == 4)
        #expect(user.score == 0)
        #expect(!user.hasChanges)
        #expect(
            log.inserts.last?.hasSuffix("DO UPDATE SET AGE = excluded.AGE RETURNING NAME, SCORE, IS_ACTIVE") == true)
    }

    @Test("A key that is nil is not written to a row that is there, though updating names it") func updatingKey() throws
    {
        // F56
        let manager = try manager(Account.self)
        try manager.insert([Account(email: "a"), Account(email: "b")])
        let account = Account(email: "a", balance: 5)
        try manager.upsert(account, by: ["email"], updating: ["id", "balance"])
        #expect(account.id == 1)
        #expect(try manager.stored("SELECT BALANCE FROM ACCOUNT WHERE ID = 1") == 5)
    }

    @Test("A row that is not there gets all columns, whatever updating names")
    func updatingNewRow() throws {
        // F56
        let manager = try manager(User.self)
        let user = User(name: "b", age: 4)
        user.id = 9
        try manager.upsert(user, updating: ["age"])
        #expect(try manager.stored("SELECT ID || NAME || AGE FROM USER") == "9b4")
    }

    @Test("With nothing to update the row stays, and the object takes it over")
    func updatingNothing() throws {
        // F56
        let manager = try manager(Account.self)
        try manager.insert(Account(email: "a", balance: 3))
        let account = Account(email: "a", balance: 5)
        try manager.upsert(account, by: ["email"], updating: [])
        #expect(account.balance == 3)
        #expect(account.id == 1)
        #expect(!account.hasChanges)
        #expect(try manager.stored("SELECT BALANCE FROM ACCOUNT") == 3)
    }

    @Test("A persisted object is written whole to its row, which is inserted again when it is gone")
    func persisted() throws {
        // F56
        let manager = try manager(User.self)
        let user = User(name: "a", age: 1)
        try manager.save(user)
        try manager.execute("UPDATE USER SET AGE = 9")
        try manager.upsert(user)
        #expect(try manager.stored("SELECT AGE FROM USER") == 1)
        try manager.execute("DELETE FROM USER")
        try manager.upsert(user)
        #expect(try manager.stored("SELECT ID || NAME FROM USER") == "1a")
    }

    @Test("A persisted object is written to no other row than that of its key")
    func persistedElsewhere() throws {
        // F56
        let manager = try manager(Account.self)
        let accounts = [Account(email: "a"), Account(email: "b")]
        try manager.insert(accounts)
        try manager.execute("DELETE FROM ACCOUNT WHERE ID = 1")
        accounts[0].email = "b"
        #expect(failure { try manager.upsert(accounts[0]) }?.key == "email")
        #expect(accounts[0].changedKeys == ["email"])
    }

    @Test("A key that has changed is that of the row to write")
    func changedKey() throws {
        // F40, F56
        let manager = try manager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        user.id = 5
        try manager.upsert(user)
        #expect(try manager.storedColumn("SELECT ID FROM USER ORDER BY ID") == [1, 5])
    }

    @Test("A deleted object is inserted again") func deleted() throws {
        // F54, F56
        let manager = try manager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.delete(user)
        try manager.upsert(user)
        #expect(user.isPersisted)
        #expect(try manager.rowCount("USER") == 1)
    }

    @Test(
        "Assigned and composite keys find their rows, in a table without row identifiers too",
        arguments: ["", " WITHOUT ROWID"])
    func otherKeys(options: String) throws {
        // F37, F38, F56
        let manager = try memoryManager(
            script: """
                CREATE TABLE COUNTRY (CODE TEXT PRIMARY KEY, NAME TEXT)\(options);
                CREATE TABLE ENROLMENT (
                    STUDENT INTEGER, COURSE TEXT, GRADE INTEGER, PRIMARY KEY (COURSE, STUDENT))\(options);
                """)
        for name in ["Grmany", "Germany"] { try manager.upsert(Country("de", name)) }
        for grade in [3, 1] { try manager.upsert(Enrolment(1, "SQL", grade)) }
        try manager.upsert(Enrolment(1, "C", 2), by: ["student", "course"])
        #expect(try manager.storedColumn("SELECT NAME FROM COUNTRY") == ["Germany"])
        #expect(try manager.storedColumn("SELECT GRADE FROM ENROLMENT ORDER BY COURSE") == [2, 1])
    }

    @Test("A key that is equal, but not the same, is taken over as the row has it")
    func inexactKey() throws {
        // F37, F56
        let manager = try memoryManager(
            script: "CREATE TABLE COUNTRY (CODE TEXT COLLATE NOCASE PRIMARY KEY, NAME TEXT)")
        try manager.insert(Country("DE", "a"))
        let country = Country("de", "b")
        try manager.upsert(country)
        #expect(country.code == "DE")
        #expect(!country.hasChanges)
        #expect(try manager.stored("SELECT CODE || NAME FROM COUNTRY") == "DEb")
    }

    @Test("An assigned key that is nil throws") func missingKey() throws {
        // F37
        let manager = try manager(Country.self)
        #expect(failure { try manager.upsert(Country(nil, "a")) }?.code == .missingPrimaryKeyValue)
    }

    @Test("A class without key has its unique columns") func withoutKey() throws {
        // F56
        let manager = try memoryManager(script: "CREATE TABLE READING (SENSOR TEXT UNIQUE, VALUE REAL)")
        for value in [1.0, 2.0] {
            let reading = Reading()
            reading.sensor = "a"
            reading.value = value
            try manager.upsert(reading)
            #expect(reading.isPersisted)
        }
        #expect(try manager.storedColumn("SELECT VALUE FROM READING") == [2.0])
    }

    @Test("Without any unique constraint there is nothing to find a row by") func withoutConstraint() throws {
        // F56
        let manager = try memoryManager(
            script: "CREATE TABLE READING (ROW INTEGER PRIMARY KEY, SENSOR TEXT, VALUE REAL)")
        let error = failure { try manager.upsert(Reading()) }
        #expect(error?.code == .noUniqueConstraint)
        #expect(error?.model == "Reading")
        #expect(error?.message.contains("READING has no unique constraint") == true)
        #expect(try manager.rowCount("READING") == 0)
    }

    @Test(
        "by that isn't a unique constraint throws, and names it", arguments: [["balance"], ["email", "balance"], []])
    func byNoConstraint(keys: [String]) throws {
        // F56
        let manager = try manager(Account.self)
        let error = failure { try manager.upsert(Account(email: "a"), by: keys) }
        #expect(error?.code == .noUniqueConstraint)
        #expect(error?.model == "Account")
        #expect(keys.allSatisfy { error?.message.contains($0) == true })
    }

    @Test("An unknown key in by or updating throws") func unknownKeys() throws {
        // F56, Settled 4
        let manager = try manager(Account.self)
        #expect(failure { try manager.upsert(Account(email: "a"), by: ["EMAIL"]) }?.code == .unknownKey)
        #expect(failure { try manager.upsert(Account(email: "a"), updating: ["mail"]) }?.key == "mail")
        #expect(try manager.rowCount("ACCOUNT") == 0)
    }

    @Test("An alias and a bit field stand for their columns") func virtualKeys() throws {
        // F42, F56
        let manager = try manager(Marked.self)
        let marked = Marked()
        marked.code = "a"
        marked.flags = 1
        try manager.upsert(marked)
        marked.flags = 3
        marked.note = "n"
        try manager.upsert(marked, by: ["short"], updating: ["isRead"])
        #expect(try manager.stored("SELECT FLAGS || ifnull(NOTE, '-') FROM MARKED") == "3-")
        #expect(marked.note == nil)
    }

    @Test("nil where the table has a default leaves the row's value, and takes it over") func tableDefault() throws {
        // F56, F59
        let manager = try memoryManager(
            script: """
                CREATE TABLE USER (
                    ID INTEGER PRIMARY KEY, NAME TEXT, AGE INTEGER DEFAULT 18, SCORE REAL, IS_ACTIVE INTEGER);
                INSERT INTO USER VALUES (1, 'a', 50, 0, 1);
                """)
        let users = [User(name: "b"), User(name: "c")]
        users[0].id = 1
        try manager.upsert(users)
        #expect(users.map(\.age) == [50, 18])
        #expect(try manager.storedColumn("SELECT AGE FROM USER ORDER BY ID") == [50, 18])
        #expect(!users[0].hasChanges)
    }

    @Test("A deferred property that is nil leaves its column, and is not read") func deferred() throws {
        // F26, F56
        let manager = try manager(Sleeve.self)
        let sleeve = Sleeve()
        sleeve.title = "a"
        sleeve.cover = Data([1, 2])
        try manager.save(sleeve)
        let other = Sleeve()
        other.id = 1
        other.title = "b"
        try manager.upsert(other)
        #expect(other.cover == nil)
        #expect(!other.hasChanges)
        #expect(try manager.stored("SELECT TITLE || hex(COVER) FROM SLEEVE") == "b0102")
        other.cover = Data([3])
        try manager.upsert(other)
        #expect(try manager.stored("SELECT hex(COVER) FROM SLEEVE") == "03")
    }

    @Test("NULL is in nobody's way") func nullIsUnique() throws {
        // F56
        let manager = try manager(Account.self)
        try manager.upsert([Account(email: nil), Account(email: nil)], by: ["email"])
        #expect(try manager.rowCount("ACCOUNT") == 2)
    }

    @Test("A value that the property cannot hold undoes the write", arguments: [true, false])
    func unreadable(inTransaction: Bool) throws {
        // F56, Settled 9
        let manager = try manager(User.self)
        try manager.execute("INSERT INTO USER VALUES (1, 'a', 'old', 0, 1)")
        let user = User(name: "b")
        user.id = 1
        let error =
            inTransaction
            ? try manager.transaction { failure { try manager.upsert(user, updating: ["name"]) } }
            : failure { try manager.upsert(user, updating: ["name"]) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "age")
        #expect(!user.isPersisted)
        #expect(user.name == "b")
        #expect(try manager.stored("SELECT NAME FROM USER") == "a")
    }

    @Test("A rollback gives the object its values and its state again") func rollback() throws {
        // F14, F56
        let manager = try manager(Account.self)
        try manager.insert(Account(email: "a", balance: 3))
        let (account, new) = (Account(email: "a", balance: 5), Account(email: "b"))
        account.id = 77
        try catchingTestError {
            try manager.transaction {
                try manager.upsert(account, updating: [])
                try manager.upsert(new)
                #expect(account.id == 1)
                #expect(account.balance == 3)
                throw TestError()
            }
        }
        #expect(account.id == 77)
        #expect(account.balance == 5)
        #expect(!account.isPersisted)
        #expect(new.id == nil)
    }

    @Test("An upsert that is rolled back leaves the last inserted object the last") func lastInserted() throws {
        // F66
        let manager = try manager(User.self)
        try manager.insert(User(name: "a"))
        try catchingTestError {
            try manager.transaction {
                try manager.upsert(User(name: "b"))
                throw TestError()
            }
        }
        #expect(try manager.lastInserted(User.self)?.name == "a")
    }

    @Test("A trigger that ignores the row is an error") func ignored() throws {
        // F56
        let manager = try manager(User.self)
        try manager.run("CREATE TRIGGER T BEFORE INSERT ON USER BEGIN SELECT RAISE(IGNORE); END")
        #expect(failure { try manager.upsert(User(name: "a")) }?.code == .notInserted)
    }

    @Test("A class of key columns alone is upserted") func keyAlone() throws {
        // F56
        let manager = try manager(Tag.self)
        for _ in 0..<2 {
            let tag = Tag()
            tag.name = "a"
            try manager.upsert(tag)
            #expect(tag.isPersisted)
        }
        #expect(try manager.rowCount("TAG") == 1)
    }

    @Test("The models have the verb") func activeRecord() throws {
        // F56
        let manager = try manager(Account.self)
        try manager.asCurrent {
            let account = Account(email: "a", balance: 1)
            try account.upsert()
            try manager.upsert([Account(email: "a", balance: 2), Account(email: "b")], by: ["email"])
            #expect(try Account.count() == 2)
            try account.refresh()
            #expect(account.balance == 2)
        }
    }

    @Test("There is an asynchronous form, which sets what came back") func asynchronous() async throws {
        // F15, F56
        let manager = try manager(Account.self)
        try await manager.insert(Account(email: "a", balance: 3))
        let account = Account(email: "a", balance: 5)
        account.id = 77
        try await manager.upsert(account, updating: [])
        #expect(account.id == 1)
        #expect(account.balance == 3)
        #expect(!account.hasChanges)
        #expect(await asyncFailure { try await manager.upsert(account, by: ["balance"]) }?.code == .noUniqueConstraint)
    }

    @MainActor
    @Test("Two tasks that upsert one new object insert it once") func twice() async throws {
        // F15, F56
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        let tasks = (0..<8).map { _ in Task { @MainActor in try await manager.upsert(user) } }
        for task in tasks { try await task.value }
        #expect(try await manager.count(User.self) == 1)
        #expect(user.id == 1)
    }
}

/// Bits and another name.
private final class Marked: PersistingModel {
    var id: Int64?
    var code = ""
    var flags = 0
    var note: String?

    override class var indexes: [Index] { [.unique("code")] }
    override class var bitFields: [BitField] { [.init("isRead", in: "flags", mask: 1)] }
    override class var aliases: [Alias] { [.init("short", for: "code")] }
}

/// A column that is not fetched.
private final class Sleeve: PersistingModel {
    var id: Int64?
    var title = ""
    var cover: Data?

    override class var columns: Columns { ["ID": .int, "TITLE": .string, "COVER": .data.deferred] }
}

/// No column but the key.
private final class Tag: PersistingModel {
    var name = ""

    override class var primaryKey: PrimaryKey { .assigned("name") }
}
