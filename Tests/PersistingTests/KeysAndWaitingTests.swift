import Foundation
import Persisting
import Testing

private final class Citizen: PersistingModel {
    var id: Int64?
    var name: String?
    var nickname: String?
    var displayName: String? { nickname ?? name }
}

private final class Tiny: PersistingModel {
    var id: Int8?
    var name = ""
}

private final class Tagged: PersistingModel {
    var code = Decimal()
    var name = ""
    override class var primaryKey: PrimaryKey { .assigned("code") }
}

private final class Seen: PersistingModel {
    var id: Int64?
    var name: String?
}

private final class Doubled: PersistingModel {
    var id: Int64?
    var name = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string.unique
        columns["TITLE"] = .string.property("name")
        return columns
    }
}

@Suite("Keys, views and waiting") struct KeysAndWaitingTests {
    private func manager(_ types: PersistingModel.Type...) throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        for type in types { try manager.createTableIfNecessary(for: type) }
        return manager
    }

    @Test("an untracked object whose key was changed is saved to its own row")
    func untrackedKey() throws {
        // F40
        let manager = try manager(Citizen.self)
        for name in ["one", "two"] { try manager.insert(Citizen.self, values: ["name": name]) }
        let first = try #require(try manager.fetchAll(Citizen.self, where: ["id": 1], tracked: false).first)
        first.id = 7
        try manager.save(first)
        #expect(try manager.find(Citizen.self, 7)?.name == "one")
        #expect(try manager.find(Citizen.self, 2)?.name == "two")
        #expect(try manager.count(Citizen.self) == 2)
    }

    @Test("an untracked object is saved whole, again and again")
    func untrackedAgain() throws {
        let manager = try manager(Citizen.self)
        try manager.insert(Citizen.self, values: ["name": "one"])
        let person = try #require(try manager.fetchAll(Citizen.self, tracked: false).first)
        try person.update(\.id, to: 5)
        person.nickname = "uno"
        try manager.save(person)
        #expect(try manager.find(Citizen.self, 5)?.nickname == "uno")
        try manager.delete(person)
        #expect(try manager.count(Citizen.self) == 0)
    }

    @Test("a property computed from two columns is neither of them")
    func computedFromTwo() throws {
        let error = failure { try manager(Citizen.self).count(Citizen.self, where: \.displayName == "Bob") }
        #expect(error?.code == .unknownKey)
    }

    @Test("a row whose key is stored in another form is saved and deleted all the same", arguments: [true, false])
    func otherFormOfKey(tracked: Bool) throws {
        // F37
        let manager = try manager(Tagged.self)
        try manager.execute("INSERT INTO TAGGED VALUES ('1.50', 'a')")
        let tagged = try #require(try manager.fetchAll(Tagged.self, tracked: tracked).first)
        if tracked { #expect(!tagged.hasChanges) }
        tagged.name = "b"
        try manager.save(tagged)
        #expect(try manager.count(Tagged.self, where: ["name": "b"]) == 1)
        #expect(try manager.delete(tagged))
        #expect(try manager.count(Tagged.self) == 0)
    }

    @Test("a generated key that the property cannot hold takes the row with it")
    func narrowKey() throws {
        let manager = try manager(Tiny.self)
        try manager.execute("INSERT INTO TINY (ID) VALUES (127)")
        #expect(failure { try manager.save(Tiny()) }?.code == .typeMismatch)
        #expect(try manager.count(Tiny.self) == 1)
    }

    @Test("what is set after a refresh stays when the transaction is rolled back")
    func setAfterRefresh() throws {
        let manager = try manager(Citizen.self)
        let person = try manager.insert(Citizen.self, values: ["name": "stored"])
        try catchingTestError {
            try manager.transaction {
                try manager.refresh(person)
                person.name = "set inside"
                throw TestError()
            }
        }
        #expect(person.name == "set inside")
        #expect(person.changedKeys == ["name"])
    }

    @Test("a rollback leaves alone what another manager has saved since")
    func otherManager() throws {
        let first = try manager(Citizen.self)
        let second = try manager(Citizen.self)
        let person = Citizen()
        try catchingTestError {
            try first.transaction {
                try first.save(person)
                try second.save(person)
                throw TestError()
            }
        }
        try second.save(person)
        #expect(try second.count(Citizen.self) == 1)
        #expect(try first.count(Citizen.self) == 0)
    }

    @Test("an object of a view is read, and not written")
    func view() throws {
        let manager = try manager()
        try manager.execute("CREATE VIEW SEEN AS SELECT 1 AS ID, 'a' AS NAME")
        let seen = try #require(try manager.fetchOne(Seen.self))
        #expect(seen.name == "a")
        seen.name = "b"
        #expect(failure { try manager.save(seen) }?.code == .invalidModel)
        #expect(failure { try manager.save(Seen()) }?.code == .invalidModel)
    }

    @Test("rows of a view aren't written, though a trigger could")
    func viewWithTriggers() throws {
        let manager = try manager()
        for statement in [
            "CREATE TABLE SEEN_ROWS (ID INTEGER PRIMARY KEY, NAME TEXT)",
            "INSERT INTO SEEN_ROWS VALUES (1, 'a')",
            "CREATE VIEW SEEN AS SELECT ID, NAME FROM SEEN_ROWS",
            "CREATE TRIGGER SEEN_DELETE INSTEAD OF DELETE ON SEEN BEGIN DELETE FROM SEEN_ROWS; END",
            "CREATE TRIGGER SEEN_UPDATE INSTEAD OF UPDATE ON SEEN BEGIN UPDATE SEEN_ROWS SET NAME = NEW.NAME; END",
        ] as [SQL] {
            try manager.execute(statement)
        }
        #expect(failure { try manager.update(Seen.where(\.id == 1), set: ["name": "b"]) }?.code == .invalidModel)
        #expect(failure { try manager.delete(Seen.where(\.id == 1)) }?.code == .invalidModel)
        #expect(failure { try manager.deleteAll(Seen.self) }?.code == .invalidModel)
        #expect(try manager.fetchAll(Seen.self).map(\.name) == ["a"])
    }

    @Test("two declarations of one property are rejected")
    func doubled() throws {
        let error = failure { try manager(Doubled.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "name")
    }

    @Test("a synchronous call on the main actor ends while an asynchronous one of its own waits for access")
    @MainActor func mixedCalls() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Citizen.self)
        let isHeld = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            try? manager.transaction {
                isHeld.signal()
                mayEnd.wait()
            }
        }
        wait(isHeld)
        let save = Task { @MainActor in
            let person = Citizen()
            person.name = "a"
            try await manager.save(person)
        }
        await Task.yield()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { mayEnd.signal() }
        // This blocks the main actor's thread until the save has ended, which must not need it.
        #expect(try countNow(manager) >= 0)
        try await save.value
        #expect(try countNow(manager) == 1)
    }

    private func countNow(_ manager: PersistenceManager) throws -> Int {
        try manager.count(Citizen.self)
    }

    private func wait(_ semaphore: DispatchSemaphore) {
        semaphore.wait()
    }
}
