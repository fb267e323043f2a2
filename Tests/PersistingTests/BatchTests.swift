import Foundation
import Persisting
import Testing

private final class Line: PersistingModel {
    var id: Int64?
    var number = 0
    var doubled: Int?
    override class var columns: Columns {
        ["ID": .int, "NUMBER": .int, "DOUBLED": .int.generated(as: "NUMBER * 2")]
    }
}

@Suite("Batches")
struct BatchTests {
    private let manager: PersistenceManager
    private let log = SQLLog()

    init() throws {
        manager = try log.manager()
        for type in [User.self, Account.self, Country.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
    }

    private func accounts(_ emails: String?...) -> [Account] { emails.map { Account(email: $0) } }

    // MARK: All or nothing

    @Test("A batch that fails leaves all objects as they were, those before the failing one too")
    func failedInsert() throws {
        // F14
        let accounts = accounts("a", "b", "a", "c")
        let error = failure { try manager.insert(accounts) }
        #expect(error?.code == .constraint)
        #expect(error?.key == "email")
        #expect(accounts.allSatisfy { !$0.isPersisted && $0.id == nil })
        #expect(try manager.rowCount("ACCOUNT") == 0)
    }

    @Test("A batch saves new and changed objects of several classes in one transaction")
    func mixed() throws {
        // F14, F55
        let (user, account) = (User(name: "a"), Account(email: "a"))
        try manager.save(user)
        user.name = "b"
        try manager.save([account, user, Country("de", "Germany"), Account(email: "c"), User(name: "d")])
        #expect(try manager.storedColumn("SELECT NAME FROM USER") == ["b", "d"])
        #expect(try manager.storedColumn("SELECT EMAIL FROM ACCOUNT") == ["a", "c"])
        #expect(try manager.rowCount("COUNTRY") == 1)
        #expect(log.texts.filter { $0.hasPrefix("BEGIN") }.count == log.texts.filter { $0 == "COMMIT" }.count)
        #expect(account.id == 1)
        #expect(!user.hasChanges)
    }

    @Test("A save of which one fails keeps the others' changes")
    func failedSave() throws {
        // F14, F55
        let accounts = accounts("a", "b", "c")
        try manager.insert(accounts)
        for (account, email) in zip(accounts, ["x", "y", "x"]) { account.email = email }
        #expect(failure { try manager.save(accounts + [Account(email: "z")]) }?.code == .constraint)
        #expect(accounts.map(\.changedKeys) == [["email"], ["email"], ["email"]])
        #expect(try manager.storedColumn("SELECT EMAIL FROM ACCOUNT ORDER BY ID") == ["a", "b", "c"])
        accounts[2].email = "z"
        try manager.save(accounts)
        #expect(try manager.storedColumn("SELECT EMAIL FROM ACCOUNT ORDER BY ID") == ["x", "y", "z"])
    }

    @Test("A batch inside a transaction is a savepoint of its own")
    func savepoint() throws {
        // F14
        let outer = Account(email: "outer")
        let inner = accounts("a", "a")
        try manager.transaction {
            try manager.save(outer)
            #expect(failure { try manager.upsert(inner + accounts("b"), by: ["id"]) }?.code == .constraint)
            #expect(failure { try manager.save(inner) }?.code == .constraint)
        }
        #expect(outer.isPersisted)
        #expect(inner.allSatisfy { !$0.isPersisted && $0.id == nil })
        #expect(try manager.storedColumn("SELECT EMAIL FROM ACCOUNT") == ["outer"])
    }

    @Test("A batch is undone with the transaction around it")
    func rolledBack() throws {
        // F14
        let accounts = accounts("a", "b")
        try manager.insert(accounts[0])
        accounts[0].balance = 5
        try catchingTestError {
            try manager.transaction {
                try manager.save(accounts)
                throw TestError()
            }
        }
        #expect(accounts[0].changedKeys == ["balance"])
        #expect(accounts[1].id == nil)
        #expect(!accounts[1].isPersisted)
    }

    @Test("A class without a table fails the batch before it") func noTable() throws {
        // F14
        let user = User(name: "a")
        #expect(failure { try manager.save([user, Document()]) }?.code == .noTable)
        #expect(!user.isPersisted)
        #expect(try manager.rowCount("USER") == 0)
    }

    // MARK: Cost

    @Test("Of no objects nothing is done, nor of unchanged ones, and no transaction is begun")
    func nothing() throws {
        // F14, F58
        let users = [User(name: "a"), User(name: "b")]
        try manager.insert(users)
        let before = log.texts.count
        try manager.insert([])
        try manager.save([])
        try manager.upsert([])
        #expect(try manager.delete([]) == 0)
        try manager.save(users)
        #expect(log.texts.count == before)
    }

    @Test("A generated column that was set is nothing to save") func generated() throws {
        // F58
        let line = Line()
        try manager.createTableIfNecessary(for: Line.self)
        try manager.save(line)
        let before = log.texts.count
        line.doubled = 9
        try manager.save([line])
        #expect(log.texts.count == before)
    }

    @Test("Only the columns that changed are written, of each object its own") func changedColumns() throws {
        // F58
        let users = [User(name: "a"), User(name: "b"), User(name: "c")]
        try manager.insert(users)
        users[0].age = 1
        users[2].score = 2
        try manager.save(users)
        #expect(
            log.texts.filter { $0.hasPrefix("UPDATE") }
                == ["UPDATE USER SET AGE = ? WHERE ID = ?", "UPDATE USER SET SCORE = ? WHERE ID = ?"])
        #expect(users.allSatisfy { !$0.hasChanges })
    }

    @Test(
        "More objects than share an allocation are each tracked by themselves", arguments: [63, 64, 65, 300])
    func many(count: Int) throws {
        // F14, F58
        let users = (0..<count).map { (number: Int) in User(name: "\(number)") }
        try manager.insert(users)
        #expect(users.map(\.id) == (1...Int64(count)).map(Optional.some))
        for user in users { user.age = Int(user.id ?? 0) }
        try manager.save(users)
        #expect(
            try manager.stored("SELECT count(*) FROM USER WHERE AGE = ID AND NAME = AGE - 1") == .integer(Int64(count)))
        users[count - 1].age = nil
        #expect(users.filter(\.hasChanges).count == 1)
        try manager.upsert(users)
        #expect(users.allSatisfy { !$0.hasChanges })
    }

    // MARK: An object twice

    @Test("An object that is in a batch twice is saved once, and cannot be inserted or deleted twice")
    func twice() throws {
        // F14, F55
        let user = User(name: "a")
        try manager.save([user, user])
        #expect(try manager.rowCount("USER") == 1)
        try manager.upsert([user, user])
        #expect(try manager.rowCount("USER") == 1)
        let other = User(name: "b")
        #expect(failure { try manager.insert([other, other]) }?.code == .alreadyPersisted)
        #expect(!other.isPersisted)
        #expect(failure { try manager.delete([user, user]) }?.code == .notPersisted)
        #expect(user.isPersisted)
        #expect(try manager.rowCount("USER") == 1)
    }

    @Test("Two objects of one row leave the second's values") func sameRow() throws {
        // F56
        let accounts = [Account(email: "a", balance: 1), Account(email: "a", balance: 2)]
        try manager.upsert(accounts)
        #expect(accounts.map(\.id) == [1, 1])
        #expect(try manager.storedColumn("SELECT BALANCE FROM ACCOUNT") == [2])
    }

    // MARK: Deleting

    @Test("Deleting answers how many rows were there") func deleted() throws {
        // F63
        let accounts = accounts("a", "b", "c")
        try manager.insert(accounts)
        try manager.execute("DELETE FROM ACCOUNT WHERE ID = 2")
        #expect(try manager.delete(accounts) == 2)
        #expect(accounts.allSatisfy { !$0.isPersisted })
        #expect(try manager.rowCount("ACCOUNT") == 0)
    }

    @Test("A new object among those to delete leaves all as they were") func failedDelete() throws {
        // F63
        let accounts = accounts("a", "b")
        try manager.insert(accounts)
        #expect(failure { try manager.delete(accounts + [Account(email: "c")]) }?.code == .notPersisted)
        #expect(accounts.allSatisfy { $0.isPersisted })
        #expect(try manager.rowCount("ACCOUNT") == 2)
    }

    // MARK: Progress

    @Test("Progress reports how many objects there are, and that all are done", arguments: [0, 1, 7, 250])
    func progress(count: Int) throws {
        // F14
        let users = (0..<count).map { (number: Int) in User(name: "\(number)") }
        for verb in [manager.insert, manager.save, manager.saveChanged, manager.upsertAll, manager.deleteAll] {
            let progress = Progress(totalUnitCount: 1)
            try verb(users, progress)
            // A total of 0 is none to Foundation.
            #expect(progress.totalUnitCount == Int64(max(1, count)))
            #expect(progress.isFinished)
        }
    }

    @Test("A progress that is cancelled before or during the batch stops it, and all are as they were")
    func cancelled() throws {
        // F14
        let users = (0..<500).map { (number: Int) in User(name: "\(number)") }
        let progress = Progress(totalUnitCount: 1)
        try manager.database.write { db in
            try db.addFunction("cancel", argumentCount: 0) { _ in
                progress.cancel()
                return nil
            }
        }
        try manager.run("CREATE TRIGGER T AFTER INSERT ON USER WHEN NEW.ID = 250 BEGIN SELECT cancel(); END")
        #expect(throws: CancellationError.self) { try manager.insert(users, progress: progress) }
        #expect(progress.completedUnitCount >= 240 && progress.completedUnitCount < 260)
        #expect(users.allSatisfy { !$0.isPersisted && $0.id == nil })
        #expect(throws: CancellationError.self) { try manager.save(users, progress: progress) }
        #expect(throws: CancellationError.self) { try manager.upsert(users, progress: progress) }
        #expect(try manager.rowCount("USER") == 0)
    }
}

extension PersistenceManager {
    fileprivate func insert(_ objects: [User], _ progress: Progress) throws {
        try insert(objects, progress: progress)
    }

    fileprivate func save(_ objects: [User], _ progress: Progress) throws { try save(objects, progress: progress) }

    fileprivate func saveChanged(_ objects: [User], _ progress: Progress) throws {
        for object in objects { object.age = 7 }
        try save(objects, progress: progress)
    }

    fileprivate func upsertAll(_ objects: [User], _ progress: Progress) throws {
        try upsert(objects, progress: progress)
    }

    fileprivate func deleteAll(_ objects: [User], _ progress: Progress) throws {
        try delete(objects, progress: progress)
    }
}
