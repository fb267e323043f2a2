import Foundation
import Persisting
import Testing

@Suite("Inserting where a row may be in the way")
struct InsertOnConflictTests {
    private let manager: PersistenceManager
    private let log = SQLLog()

    init() throws {
        manager = try log.manager()
        try manager.createTableIfNecessary(for: Account.self)
        try manager.insert(Account(email: "a", balance: 1))
    }

    @Test("An object that meets a row stays new, one that does not is inserted") func ignore() throws {
        // F57
        let (taken, free) = (Account(email: "a", balance: 2), Account(email: "b"))
        #expect(try !manager.insert(taken, onConflict: .ignore))
        #expect(!taken.isPersisted)
        #expect(taken.id == nil)
        #expect(try manager.insert(free, onConflict: .ignore))
        #expect(free.id == 2)
        #expect(try manager.storedColumn("SELECT BALANCE FROM ACCOUNT") == [1, 0])
        #expect(log.inserts.last?.hasSuffix("ON CONFLICT DO NOTHING") == true)
    }

    @Test("Only a row in the way is ignored: a CHECK and a NOT NULL still throw") func otherConstraints() throws {
        // F57
        #expect(
            failure { try manager.insert(Account(email: "b", balance: -1), onConflict: .ignore) }?.code == .constraint)
        try manager.run("CREATE TABLE COUNTRY (CODE TEXT PRIMARY KEY, NAME TEXT CHECK (NAME > ''))")
        #expect(failure { try manager.insert(Country("de", ""), onConflict: .ignore) }?.code == .constraint)
        #expect(failure { try manager.insert(Country(nil, "a"), onConflict: .ignore) }?.code == .missingPrimaryKeyValue)
    }

    @Test("Rows in the way are deleted, of each constraint one") func replace() throws {
        // F57
        try manager.insert(Account(email: "b"))
        let account = Account(email: "b", balance: 9)
        account.id = 1
        #expect(try manager.insert(account, onConflict: .replace))
        #expect(try manager.storedColumn("SELECT ID || EMAIL || BALANCE FROM ACCOUNT") == ["1b9"])
        #expect(account.isPersisted)
    }

    @Test("A row that is replaced by an object without a key has a new one") func replaceGenerated() throws {
        // F57
        let account = Account(email: "a", balance: 9)
        try manager.insert(account, onConflict: .replace)
        #expect(try manager.storedColumn("SELECT ID FROM ACCOUNT") == [.integer(account.id ?? 0)])
    }

    @Test("A foreign key rejects that its row is replaced, and all is as it was") func foreignKey() throws {
        // F16, F57
        try manager.run("CREATE TABLE CARD (ACCOUNT INTEGER REFERENCES ACCOUNT); INSERT INTO CARD VALUES (1)")
        let account = Account(email: "a", balance: 9)
        #expect(failure { try manager.insert(account, onConflict: .replace) }?.code == .constraint)
        #expect(!account.isPersisted)
        #expect(try manager.stored("SELECT BALANCE FROM ACCOUNT") == 1)
    }

    @Test("A persisted object cannot be inserted, whatever is in its way") func persisted() throws {
        // F57
        let account = Account(email: "b")
        try manager.insert(account)
        #expect(failure { try manager.insert(account, onConflict: .ignore) }?.code == .alreadyPersisted)
        #expect(failure { try manager.insert(account, onConflict: .replace) }?.code == .alreadyPersisted)
    }

    @Test("Of many objects those that meet no row are inserted, and counted") func many() throws {
        // F57
        let accounts = ["a", "b", "b", "c"].map { Account(email: $0) }
        #expect(try manager.insert(accounts, onConflict: .ignore) == 2)
        #expect(accounts.map(\.isPersisted) == [false, true, false, true])
        #expect(accounts.map(\.id) == [nil, 2, nil, 3])
        #expect(try manager.insert([Account(email: "a"), Account(email: "b")], onConflict: .replace) == 2)
    }

    @Test("What the table puts in the place of nil comes back, and nothing for an object that was ignored")
    func tableDefault() throws {
        // F57, F59
        let manager = try memoryManager(
            script: """
                CREATE TABLE USER (
                    ID INTEGER PRIMARY KEY, NAME TEXT UNIQUE, AGE INTEGER DEFAULT 18, SCORE REAL, IS_ACTIVE INTEGER)
                """)
        let users = [User(name: "a"), User(name: "a")]
        try manager.insert(users, onConflict: .ignore)
        #expect(users.map(\.age) == [18, nil])
        try manager.insert(users[1], onConflict: .replace)
        #expect(users[1].age == 18)
    }

    @Test("An object that has nothing to give but the table's defaults is inserted all the same")
    func defaultsAlone() throws {
        // F57, F59
        let manager = try memoryManager(script: "CREATE TABLE VACANCY (ROOM INTEGER UNIQUE DEFAULT 3)")
        let vacancies = [Vacancy(), Vacancy(), Vacancy()]
        #expect(try manager.insert(vacancies[0], onConflict: .ignore))
        #expect(vacancies[0].room == 3)
        #expect(try !manager.insert(vacancies[1], onConflict: .ignore))
        try manager.upsert(vacancies[2])
        #expect(vacancies[2].room == 3)
        #expect(try manager.rowCount("VACANCY") == 1)
    }

    @Test("A rollback makes it new again") func rollback() throws {
        // F14, F57
        let account = Account(email: "a")
        try catchingTestError {
            try manager.transaction {
                try manager.insert(account, onConflict: .replace)
                throw TestError()
            }
        }
        #expect(!account.isPersisted)
        #expect(account.id == nil)
        #expect(try manager.stored("SELECT BALANCE FROM ACCOUNT") == 1)
    }
}

private final class Vacancy: PersistingModel {
    var room: Int?
}
