import Foundation
import Persisting
import Testing

@Suite("State and changes of an object")
struct ObjectChangesTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self, Document.self, Enrolment.self)
    }

    @Test("An object is new, persisted, deleted, and persisted again")
    func states() throws {
        // F54
        let user = User(name: "a")
        #expect(!user.isPersisted && !user.isDeleted)
        try manager.save(user)
        #expect(user.isPersisted && !user.isDeleted)
        try manager.delete(user)
        #expect(!user.isPersisted && user.isDeleted)
        try manager.save(user)
        #expect(user.isPersisted && !user.isDeleted)
        #expect(try manager.rowCount("USER") == 1)
    }

    @Test("A deletion that is rolled back is none")
    func deletedRolledBack() throws {
        // F54, F14
        let user = User(name: "a")
        try manager.save(user)
        try catchingTestError {
            try manager.transaction {
                try manager.delete(user)
                #expect(user.isDeleted)
                throw TestError()
            }
        }
        #expect(user.isPersisted && !user.isDeleted)
    }

    @Test("The stored values of changed keys are known")
    func storedValues() throws {
        // F54
        let user = User(name: "a", age: nil)
        #expect(try user.storedValue(forKey: "name") == nil)
        try manager.save(user)
        user.name = "b"
        user.age = 3
        #expect(user.changedKeys == ["name", "age"])
        #expect(try user.storedValue(forKey: "name") == "a")
        #expect(try user.storedValue(forKey: "age") == SQLiteValue.null)
        #expect(try user.storedValue(forKey: "score") == 0.0)
        #expect(failure { try user.storedValue(forKey: "nam") }?.code == .unknownKey)
        try manager.delete(user)
        #expect(try user.storedValue(forKey: "name") == nil)
    }

    @Test("Of an object that is not tracked the stored key is known alone")
    func storedUntracked() throws {
        // F54
        try manager.save(User(name: "a"))
        let user = try #require(try manager.fetchAll(User.self, tracked: false).first)
        user.id = 9
        #expect(try user.storedValue(forKey: "id") == 1)
        #expect(try user.storedValue(forKey: "name") == nil)
    }

    @Test("An update of some keys stores what they hold, changed or not, and leaves other changes")
    func keys() throws {
        // F61
        let user = User(name: "a", age: 1)
        try manager.save(user)
        try manager.execute("UPDATE USER SET AGE = 7, SCORE = 7")
        user.name = "b"
        user.score = 2
        try manager.update(user, keys: ["name", "age", "name"])
        #expect(try manager.stored("SELECT NAME || AGE || SCORE FROM USER") == "b17.0")
        #expect(user.changedKeys == ["score"])
    }

    @Test("An update of some key paths does the same")
    func keyPaths() async throws {
        // F61
        let user = User(name: "a", age: 1)
        try await manager.save(user)
        (user.name, user.age, user.score) = ("b", 2, 3)
        try await user.update([\.name, \.age])
        #expect(try manager.stored("SELECT NAME || AGE || SCORE FROM USER") == "b20.0")
        user.age = 4
        try await user.update([\.age])
        try await user.update([\.age])
        #expect(try manager.stored("SELECT NAME || AGE || SCORE FROM USER") == "b40.0")
    }

    @Test("An update of no keys does nothing, and one of an unknown key or a new object throws")
    func wrongKeys() async throws {
        // F61, Settled 4
        let user = User(name: "a")
        #expect(failure { try manager.update(user, keys: ["name"]) }?.code == .notPersisted)
        try await manager.save(user)
        try await manager.execute("DELETE FROM USER")
        try await manager.update(user, keys: [])
        #expect(failure { try manager.update(user, keys: ["name"]) }?.code == .notFound)
        #expect(await asyncFailure { try await manager.update(user, keys: ["name"]) }?.code == .notFound)
        #expect(failure { try manager.update(user, keys: ["nam"]) }?.code == .unknownKey)
    }

    @Test("An object that is not tracked keeps its row when its key has changed and another property is written")
    func untrackedKey() async throws {
        // F40, F60, F61
        try await manager.save(User(name: "a"))
        let user = try await #require(try manager.fetchAll(User.self, tracked: false).first)
        user.id = 9
        try await user.update(\.name, to: "b")
        try await user.update(\.age, to: 5)
        #expect(try manager.stored("SELECT ID || NAME || AGE FROM USER") == "1b5")
        try await manager.save(user)
        #expect(try manager.storedColumn("SELECT ID FROM USER") == [9])
    }

    @Test("A changed key is written to the old row: assigned, composite", arguments: [true, false])
    func keyChange(tracked: Bool) throws {
        // F38, F40
        try manager.save(Document())
        let document = try #require(try manager.fetchAll(Document.self, tracked: tracked).first)
        let id = UUID()
        document.id = id
        try manager.save(document)
        #expect(try manager.fetchAll(Document.self).map(\.id) == [id])

        try manager.save(Enrolment(1, "SQL", 2))
        let enrolment = try #require(try manager.fetchAll(Enrolment.self, tracked: tracked).first)
        enrolment.student = 2
        try manager.save(enrolment)
        enrolment.course = "C"
        try enrolment.update([\.course])
        #expect(try manager.stored("SELECT group_concat(STUDENT || COURSE || GRADE) FROM ENROLMENT") == "2C2")
        #expect(try manager.delete(enrolment))
    }

    @Test("A key that another row has is rejected, and the row of the old key stays known")
    func takenKey() throws {
        // F40, F55
        let users = [User(name: "a"), User(name: "b")]
        try manager.insert(users)
        users[0].id = 2
        #expect(failure { try manager.save(users[0]) }?.code == .constraint)
        #expect(try users[0].storedValue(forKey: "id") == 1)
        users[0].id = 3
        try manager.save(users[0])
        #expect(try manager.storedColumn("SELECT ID FROM USER ORDER BY ID") == [2, 3])
    }

    @Test("A key's change that is rolled back finds the old row again")
    func keyRolledBack() throws {
        // F40, F14
        let user = User(name: "a")
        try manager.save(user)
        try catchingTestError {
            try manager.transaction {
                user.id = 5
                try manager.save(user)
                throw TestError()
            }
        }
        #expect(user.changedKeys == ["id"])
        try manager.save(user)
        #expect(try manager.storedColumn("SELECT ID FROM USER") == [5])
    }
}
