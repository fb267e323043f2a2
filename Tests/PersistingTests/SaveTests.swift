import Foundation
import Persisting
import Testing

@Suite("Saving", .onBothEngines)
struct SaveTests {
    /// A table that notes which columns are written.
    private func watched() throws -> PersistenceManager {
        let manager = try memoryManager(User.self)
        try manager.run(
            """
            CREATE TABLE WRITTEN (NAME TEXT);
            CREATE TRIGGER W1 AFTER UPDATE OF ID ON USER BEGIN INSERT INTO WRITTEN VALUES ('ID'); END;
            CREATE TRIGGER W2 AFTER UPDATE OF NAME ON USER BEGIN INSERT INTO WRITTEN VALUES ('NAME'); END;
            CREATE TRIGGER W3 AFTER UPDATE OF AGE ON USER BEGIN INSERT INTO WRITTEN VALUES ('AGE'); END;
            CREATE TRIGGER W4 AFTER UPDATE OF SCORE ON USER BEGIN INSERT INTO WRITTEN VALUES ('SCORE'); END;
            CREATE TRIGGER W5 AFTER UPDATE OF IS_ACTIVE ON USER BEGIN INSERT INTO WRITTEN VALUES ('IS_ACTIVE'); END;
            """)
        return manager
    }

    private func written(_ manager: PersistenceManager) throws -> Set<SQLiteValue> {
        Set(try manager.storedColumn("SELECT NAME FROM WRITTEN"))
    }

    @Test("A new object is inserted, a persisted one updated")
    func insertThenUpdate() throws {
        // F55
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        user.name = "b"
        try manager.save(user)
        #expect(try manager.storedColumn("SELECT NAME FROM USER") == ["b"])
    }

    @Test("Only the columns that changed are written")
    func changedColumns() throws {
        // F58
        let manager = try watched()
        let user = User(name: "a", age: 3)
        try manager.save(user)
        user.age = 4
        user.score = 1
        try manager.save(user)
        #expect(try written(manager) == ["AGE", "SCORE"])
    }

    @Test("Without a change nothing is written, nor any statement run", .local(.connection))
    func noChange() throws {
        // F58
        let manager = try watched()
        let user = User(name: "a", age: 3)
        try manager.save(user)
        let before = try manager.statistics
        try manager.save(user)
        try manager.update(user)
        #expect(try manager.statistics == before)
        #expect(try written(manager).isEmpty)
    }

    @Test("An update of one value writes just its column, and other changes stay")
    func oneColumn() throws {
        // F60
        let manager = try watched()
        let user = User(name: "a", age: 3)
        try manager.save(user)
        user.name = "b"
        try user.update(\.score, to: 2)
        #expect(try written(manager) == ["SCORE"])
        #expect(user.changedKeys == ["name"])
        try manager.save(user)
        #expect(try written(manager) == ["SCORE", "NAME"])
    }

    @Test("Changes of another connection to other columns survive a save")
    func otherConnection() throws {
        // F58
        let directory = try TemporaryDirectory()
        let (one, two) = (
            try PersistenceManager(path: directory.path()), try PersistenceManager(path: directory.path())
        )
        try one.createTableIfNecessary(for: User.self)
        try one.save(User(name: "a", age: 1))
        let mine = try #require(try one.find(User.self, 1))
        let theirs = try #require(try two.find(User.self, 1))
        theirs.age = 2
        try two.save(theirs)
        mine.name = "b"
        try one.save(mine)
        #expect(try two.stored("SELECT NAME || AGE FROM USER") == "b2")
    }

    @Test("An object that is not tracked is saved whole")
    func untracked() throws {
        // F58
        let manager = try watched()
        try manager.save(User(name: "a", age: 1))
        let user = try #require(try manager.fetchAll(User.self, tracked: false).first)
        #expect(user.isPersisted)
        #expect(user.changedKeys == ["id", "name", "age", "score", "isActive"])
        user.age = 2
        try manager.save(user)
        #expect(try written(manager) == ["ID", "NAME", "AGE", "SCORE", "IS_ACTIVE"])
        #expect(!user.hasChanges)
    }

    @Test("An object that is not tracked has one value updated and is deleted")
    func untrackedVerbs() throws {
        // F60, F63
        let manager = try watched()
        try manager.save(User(name: "a", age: 1))
        let user = try #require(try manager.fetchAll(User.self, tracked: false).first)
        user.name = "b"
        try user.update(\.age, to: 2)
        #expect(try written(manager) == ["AGE"])
        #expect(user.changedKeys.contains("name"))
        #expect(try manager.delete(user))
    }

    @Test("update writes a persisted object's changes, and rejects a new one")
    func update() throws {
        // F57
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        let error = failure { try manager.update(user) }
        #expect(error?.code == .notPersisted)
        #expect(error?.model == "User")
        try manager.insert(user)
        user.name = "b"
        try manager.update(user)
        #expect(try manager.stored("SELECT NAME FROM USER") == "b")
    }

    @Test("Saving an object whose row is gone throws, names the key, and keeps the changes")
    func vanished() throws {
        // F55
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.execute("DELETE FROM USER")
        user.name = "b"
        let error = failure { try manager.save(user) }
        #expect(error?.code == .notFound)
        #expect(error?.model == "User")
        #expect(error?.message.contains("ID = 1") == true)
        #expect(user.changedKeys == ["name"])
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("A save that a constraint rejects keeps the changes")
    func rejected() throws {
        // F55
        let manager = try memoryManager(Account.self)
        let account = Account(email: "a", balance: 5)
        try manager.save(account)
        account.balance = -1
        #expect(failure { try manager.save(account) }?.code == .constraint)
        #expect(account.changedKeys == ["balance"])
        account.balance = 1
        try manager.save(account)
        #expect(try manager.stored("SELECT BALANCE FROM ACCOUNT") == 1)
    }

    @Test("Objects of one fetch are tracked each by itself")
    func fetchedTogether() throws {
        // F58
        let manager = try watched()
        try manager.insert((0..<200).map { (number: Int) in User(name: "\(number)") })
        var users = try manager.fetchAll(User.self, sortedBy: "id")
        let last = users.removeLast()
        let middle = users[100]
        users = []
        last.name = "last"
        middle.age = 1
        try manager.save(last)
        try manager.save(middle)
        #expect(
            try manager.storedColumn("SELECT NAME FROM USER WHERE ID IN (101, 200) ORDER BY ID") == ["100", "last"])
        #expect(try written(manager) == ["NAME", "AGE"])
    }
}

@Suite("Updating one value", .onBothEngines)
struct UpdateValueTests {
    @Test("An unknown key throws, and names those there are")
    func unknownKey() throws {
        // F60, Settled 4
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        let error = failure { try user.update(key: "nam", to: "b") }
        #expect(error?.code == .unknownKey)
        #expect(error?.key == "nam")
        #expect(error?.model == "User")
        #expect(error?.message.contains("id, name, age, score, isActive") == true)
    }

    @Test("A wrong type throws, with both types, and the property keeps its value")
    func wrongType() throws {
        // F60, Settled 9
        let manager = try memoryManager(User.self)
        let user = User(name: "a", age: 1)
        try manager.save(user)
        let error = failure { try user.update(key: "age", to: "b") }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "User")
        #expect(error?.key == "age")
        #expect(error?.expected == "Int?")
        #expect(error?.found == "String")
        #expect(user.age == 1)
    }

    @Test("A value that the database rejects is taken back, by key path and by name")
    func rejected() throws {
        // F60
        let manager = try memoryManager(Account.self)
        let account = Account(email: "a", balance: 5)
        try manager.save(account)
        #expect(failure { try account.update(\.balance, to: -1) }?.code == .constraint)
        #expect(account.balance == 5)
        #expect(failure { try account.update(key: "balance", to: -1) }?.code == .constraint)
        #expect(account.balance == 5)
        #expect(!account.hasChanges)
    }

    @Test("A value is not set in an object that is not persisted")
    func new() throws {
        // F60
        _ = try memoryManager(User.self)
        let user = User(name: "a")
        #expect(failure { try user.update(\.name, to: "b") }?.code == .notPersisted)
        #expect(failure { try user.update(key: "name", to: "b") }?.code == .notPersisted)
        #expect(user.name == "a")
    }

    @Test("A value is taken back when the row is gone")
    func vanished() throws {
        // F60, F55
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.execute("DELETE FROM USER")
        #expect(failure { try user.update(\.name, to: "b") }?.code == .notFound)
        #expect(user.name == "a")
    }

    @Test("The key itself is updated under the row's old key")
    func key() throws {
        // F40, F60
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try user.update(\.id, to: 9)
        #expect(try manager.storedColumn("SELECT ID FROM USER") == [9])
        #expect(try manager.delete(user))
    }

    @Test("Setting a value by name is unknown, wrong or nil in the same words as a save")
    func setValue() {
        // Settled 4, Settled 9
        let user = User(name: "a")
        let unknown = failure { try user.setValue(1, forKey: "Name") }
        #expect(unknown?.code == .unknownKey)
        #expect(unknown?.model == "User")
        #expect(unknown?.key == "Name")
        #expect(failure { try user.value(forKey: "nam") }?.code == .unknownKey)
        let wrong = failure { try user.setValue([1], forKey: "name") }
        #expect(wrong?.code == .typeMismatch)
        #expect(wrong?.expected == "String")
        #expect(wrong?.found == "[Int]")
        #expect(user.name == "a")
    }
}
