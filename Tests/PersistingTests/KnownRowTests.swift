import Foundation
import Persisting
import Testing

/// What an object knows of its row, which each write of it changes.
@Suite("What an object knows of its row")
struct KnownRowTests {
    @Test("stays as it is in a snapshot when the object is saved")
    func snapshotBefore() throws {
        // F14, F54
        let (_, user) = try stored("first")
        let snapshot = user.snapshot()
        user.name = "second"
        try user.save()
        let other = try User(snapshot)
        #expect(other.name == "first")
        #expect(!other.hasChanges)
    }

    @Test("is not shared by an object and one that is made of its snapshot")
    func objectOfSnapshot() throws {
        // F14, F54
        let (_, user) = try stored("first")
        let other = try User(user.snapshot())
        try other.update(\.name, to: "second")
        try other.update(\.age, to: 2)
        #expect(!user.hasChanges)
        #expect(user.name == "first")
        #expect(!other.hasChanges)
    }

    @Test("is not shared by objects of one fetch")
    func neighbours() throws {
        // F14
        let manager = try memoryManager(User.self)
        try manager.insert((0..<100).map { User(name: "\($0)") })
        let users = try manager.fetchAll(User.self)
        users[50].name = "new"
        try manager.save(users[50])
        #expect(users.allSatisfy { !$0.hasChanges })
        users[49].age = 3
        #expect(users.filter(\.hasChanges) == [users[49]])
    }

    @Test("is as before after a rollback: what was saved is a change again, and is saved")
    func savedAgain() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        user.name = "second"
        try catchingTestError {
            try manager.transaction {
                try manager.save(user)
                throw TestError()
            }
        }
        #expect(user.changedKeys == ["name"])
        try manager.save(user)
        #expect(try manager.stored("SELECT NAME FROM USER") == .text("second"))
    }

    @Test("goes back to what a savepoint began with")
    func savepoint() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        try manager.transaction {
            user.name = "second"
            try manager.save(user)
            try catchingTestError {
                try manager.transaction {
                    user.name = "third"
                    user.age = 3
                    try manager.save(user)
                    throw TestError()
                }
            }
            #expect(user.changedKeys == ["name", "age"])
            user.name = "second"
            #expect(user.changedKeys == ["age"])
        }
    }

    @Test("goes back through a released savepoint when the transaction around it fails")
    func releasedSavepoint() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        try catchingTestError {
            try manager.transaction {
                try user.update(\.name, to: "second")
                try manager.transaction { try user.update(\.name, to: "third") }
                try user.update(\.name, to: "fourth")
                throw TestError()
            }
        }
        #expect(user.name == "first")
        #expect(!user.hasChanges)
    }

    @Test("of a snapshot that was taken before a rollback is what was written")
    func snapshotBeforeRollback() throws {
        // F14, F54
        let (manager, user) = try stored("first")
        var snapshot: Snapshot<User>?
        try catchingTestError {
            try manager.transaction {
                try user.update(\.name, to: "second")
                snapshot = user.snapshot()
                throw TestError()
            }
        }
        let other = try User(#require(snapshot))
        #expect(user.name == "first")
        #expect(!user.hasChanges)
        #expect(other.name == "second")
        #expect(!other.hasChanges)
    }

    @Test("is none any more after the rollback of an insert, whatever was done since")
    func insertAndSnapshot() throws {
        // F14, F54
        let manager = try memoryManager(User.self)
        let user = User(name: "first")
        try catchingTestError {
            try manager.transaction {
                try manager.insert(user)
                _ = user.snapshot()
                try user.update(\.name, to: "second")
                try manager.delete(user)
                throw TestError()
            }
        }
        #expect(!user.isPersisted)
        #expect(user.id == nil)
        #expect(user.name == "first")
        #expect(try manager.lastInserted(User.self) == nil)
    }

    @Test("has the old key again after a rollback")
    func key() throws {
        // F14, F54
        let manager = try memoryManager(Country.self)
        let country = Country("de", "Germany")
        try manager.insert(country)
        try catchingTestError {
            try manager.transaction {
                country.code = "fr"
                try manager.save(country)
                country.name = "France"
                try manager.save(country)
                throw TestError()
            }
        }
        country.code = "de"
        country.name = "Deutschland"
        try manager.save(country)
        #expect(try manager.storedColumn("SELECT CODE || NAME FROM COUNTRY") == [.text("deDeutschland")])
    }

    @Test("is not changed by an update that fails")
    func failure() throws {
        // F14
        let manager = try memoryManager(Country.self)
        let country = Country("de", "Germany")
        try manager.insert([country, Country("fr", "France")])
        country.code = "fr"
        country.name = "Gaul"
        #expect(PersistingTests.failure { try manager.save(country) }?.code == .constraint)
        #expect(country.changedKeys == ["code", "name"])
        country.code = "de"
        try manager.save(country)
        #expect(try manager.stored("SELECT NAME FROM COUNTRY WHERE CODE = 'de'") == .text("Gaul"))
    }

    @Test("is nothing but the key again after the rollback of an object's first save that is not tracked")
    func untracked() throws {
        // F14, F54
        let (manager, _) = try stored("first")
        let user = try #require(try manager.fetchAll(User.self, tracked: false).first)
        try catchingTestError {
            try manager.transaction {
                user.name = "second"
                try manager.save(user)
                #expect(!user.hasChanges)
                throw TestError()
            }
        }
        #expect(user.changedKeys == ["id", "name", "age", "score", "isActive"])
        try manager.save(user)
        #expect(try manager.stored("SELECT NAME FROM USER") == .text("second"))
    }

    @Test("has the key that was written for an object that is not tracked")
    func untrackedKey() throws {
        // F14
        let manager = try memoryManager(Country.self)
        try manager.insert(Country("de", "Germany"))
        let country = try #require(try manager.fetchAll(Country.self, tracked: false).first)
        try country.update(\.code, to: "fr")
        try country.update(\.name, to: "France")
        #expect(try manager.storedColumn("SELECT CODE || NAME FROM COUNTRY") == [.text("frFrance")])
        try catchingTestError {
            try manager.transaction {
                try country.update(\.code, to: "it")
                throw TestError()
            }
        }
        #expect(country.code == "fr")
        try country.update(\.name, to: "Frankreich")
        #expect(try manager.storedColumn("SELECT CODE || NAME FROM COUNTRY") == [.text("frFrankreich")])
    }

    @Test("is as before after the rollback of an update of converted and generated columns")
    func convertedAndGenerated() throws {
        // F12, F14, F54
        let manager = try memoryManager(Parcel.self)
        let parcel = Parcel()
        try manager.insert(parcel)
        try catchingTestError {
            try manager.transaction {
                try parcel.update(\.tags, to: ["b", "c"])
                try parcel.update(\.weight, to: 4)
                #expect(parcel.doubled == 8)
                throw TestError()
            }
        }
        #expect(parcel.tags == ["a"])
        #expect(parcel.weight == 1)
        #expect(parcel.doubled == 2)
        #expect(!parcel.hasChanges)
    }

    @Test("gives a generated property what was set on it again after a rollback")
    func setGenerated() throws {
        // F14, F54
        let manager = try memoryManager(Parcel.self)
        let parcel = Parcel()
        try manager.insert(parcel)
        parcel.doubled = 77
        try catchingTestError {
            try manager.transaction {
                parcel.weight = 2
                try manager.save(parcel)
                #expect(parcel.doubled == 4)
                throw TestError()
            }
        }
        #expect(parcel.doubled == 77)
        #expect(parcel.changedKeys == ["weight"])
    }

    @Test("has no room for a column that a hook has the table compute, and reads the row again")
    func generatedByHook() throws {
        // F14
        let manager = try memoryManager(Recast.self)
        let recasts = [Recast(), Recast()]
        try manager.insert(recasts)
        recasts[0].manager = manager
        try manager.transaction {
            for recast in recasts {
                recast.number = 5
                try manager.save(recast)
            }
        }
        #expect(try manager.storedColumn("SELECT NUMBER || TEXT FROM RECAST") == [.text("5five"), .text("5five")])
        #expect(recasts.map(\.text) == ["five", "five"])
        #expect(recasts.allSatisfy { !$0.hasChanges })
    }

    @Test("has the version and the time again that an update counted")
    func automaticColumns() throws {
        // F14, F54
        let manager = try memoryManager(Ledger.self)
        let ledger = Ledger()
        try manager.insert(ledger)
        let changed = ledger.changed
        try catchingTestError {
            try manager.transaction {
                ledger.text = "new"
                try manager.save(ledger)
                ledger.text = "newer"
                try manager.save(ledger)
                #expect(ledger.version == 3)
                throw TestError()
            }
        }
        #expect(ledger.version == 1)
        #expect(ledger.changed == changed)
        #expect(ledger.changedKeys == ["text"])
        try manager.save(ledger)
        #expect(ledger.version == 2)
        #expect(try manager.stored("SELECT TEXT || VERSION FROM LEDGER") == .text("newer2"))
    }

    @Test("of the object inserted last is read by others while a task saves it under another key")
    func lastInserted() async throws {
        // F14, F61
        let manager = try memoryManager(Country.self)
        let country = Country("0", "")
        try await manager.insert(country)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<200 { _ = try await manager.lastInsertedCode() }
            }
            for number in 1...100 {
                country.code = "\(number)"
                try await manager.save(country)
            }
            try await group.waitForAll()
        }
        #expect(try manager.storedColumn("SELECT CODE FROM COUNTRY") == [.text("100")])
        #expect(!country.hasChanges)
    }

    @Test("is that of each object after a batch of updates that fails")
    func batch() throws {
        // F14
        let manager = try memoryManager(Country.self)
        let countries = (0..<100).map { Country("\($0)", "old") }
        try manager.insert(countries)
        for country in countries { country.name = "new" }
        countries[99].code = "0"
        #expect(PersistingTests.failure { try manager.save(countries) }?.code == .constraint)
        #expect(countries.allSatisfy { $0.changedKeys.contains("name") })
        countries[99].code = "99"
        try manager.save(countries)
        #expect(try manager.stored("SELECT count(*) FROM COUNTRY WHERE NAME = 'new'") == .integer(100))
    }

    private func stored(_ name: String) throws -> (PersistenceManager, User) {
        let manager = try memoryManager(User.self)
        let user = User(name: name)
        try manager.insert(user)
        return (manager, user)
    }
}

extension PersistenceManager {
    fileprivate func lastInsertedCode() async throws -> String? {
        try await transaction { [self] in try lastInserted(Country.self)?.code }
    }
}

private final class Parcel: PersistingModel {
    var id: Int64?
    var tags = ["a"]
    var weight = 1
    var doubled: Int?

    override class var columns: Columns {
        ["ID": .int, "TAGS": .json, "WEIGHT": .int, "DOUBLED": .int.generated(as: "WEIGHT * 2")]
    }
}

/// Its first update makes a generated column of one that was none.
private final class Recast: PersistingModel {
    var id: Int64?
    var number = 1
    var text = ""

    var manager: PersistenceManager?

    override class var transientKeys: Set<String> { ["manager"] }

    override func willUpdate() throws {
        try manager?.execute("CREATE TABLE KEPT AS SELECT ID, NUMBER FROM RECAST")
        try manager?.execute("DROP TABLE RECAST")
        try manager?.execute(
            """
            CREATE TABLE RECAST (ID INTEGER PRIMARY KEY, NUMBER INTEGER NOT NULL,
                TEXT TEXT AS (CASE NUMBER WHEN 5 THEN 'five' ELSE '' END))
            """)
        try manager?.execute("INSERT INTO RECAST (ID, NUMBER) SELECT ID, NUMBER FROM KEPT")
    }
}

private final class Ledger: PersistingModel {
    var id: Int64?
    var text = ""
    var version = 0
    var changed: Date?

    override class var versionKey: String? { "version" }

    override class var columns: Columns {
        ["ID": .int, "TEXT": .string, "VERSION": .int, "CHANGED": .date.updated]
    }
}
