import Foundation
import Persisting
import Testing

/// A model with a time that is set by each write, and a version.
private final class Visit: PersistingModel {
    var id: Int64?
    var time = Date()
    var count = 0
    var version = 0

    override class var versionKey: String? { "version" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TIME"] = .date.updated
        return columns
    }
}

@Suite("Objects after a rollback", .onBothEngines)
struct RollbackTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self, Document.self)
    }

    private func rollingBack(_ body: () throws -> Void) throws {
        try catchingTestError {
            try manager.transaction {
                try body()
                throw TestError()
            }
        }
    }

    @Test("An inserted object is new again, without a key")
    func inserted() throws {
        // F14, F54
        let user = User(name: "a")
        try rollingBack {
            try manager.save(user)
            #expect(user.id == 1)
            #expect(user.isPersisted)
        }
        #expect(user.id == nil)
        #expect(!user.isPersisted)
        #expect(user.name == "a")
    }

    @Test("An object that was rolled back can be saved again")
    func insertedAgain() throws {
        // F14
        let user = User(name: "a")
        try rollingBack { try manager.save(user) }
        try manager.save(user)
        #expect(try manager.fetchAll(User.self).map(\.name) == ["a"])
    }

    @Test("A key that the caller gave stays")
    func givenKey() throws {
        // F14, F37
        let document = Document()
        let id = document.id
        let user = User(name: "a")
        user.id = 77
        try rollingBack {
            try manager.save(document)
            try manager.save(user)
        }
        #expect(document.id == id)
        #expect(!document.isPersisted)
        #expect(user.id == 77)
    }

    @Test("An updated object keeps its values, and they are changes again")
    func updated() throws {
        // F14, F58
        let user = User(name: "a")
        try manager.save(user)
        try rollingBack {
            user.name = "b"
            try manager.save(user)
            #expect(!user.hasChanges)
        }
        #expect(user.name == "b")
        #expect(user.changedKeys == ["name"])
        try manager.save(user)
        #expect(try manager.stored("SELECT NAME FROM USER") == .text("b"))
    }

    @Test("A property that an update of one column has set has its old value again")
    func updatedColumn() throws {
        // F14, F60
        let user = User(name: "a")
        try manager.save(user)
        try rollingBack {
            try user.update(\.age, to: 5)
            try user.update(key: "age", to: 6)
        }
        #expect(user.age == nil)
        #expect(user.changedKeys.isEmpty)
    }

    @Test("A property that an update of one column has set, and that was set again, keeps the later value")
    func updatedColumnSetAgain() throws {
        // F14, F60
        let user = User(name: "a")
        try manager.save(user)
        try rollingBack {
            try user.update(\.age, to: 5)
            try user.update(key: "score", to: 6)
            user.age = 7
            user.score = 8
            try manager.save(user)
        }
        #expect(user.age == 7)
        #expect(user.score == 8)
        #expect(user.changedKeys == ["age", "score"])
    }

    @Test("A value that cannot be stored, set since, keeps nothing else from being undone", arguments: [true, false])
    func unfitSince(isRefreshed: Bool) throws {
        // F14
        try manager.createTableIfNecessary(for: Visit.self)
        let visit = Visit()
        visit.count = 1
        if isRefreshed { try manager.save(visit) }
        try rollingBack {
            if isRefreshed {
                try manager.updateAll(Visit.self, set: ["count": 2])
                try manager.refresh(visit)
            } else {
                try manager.save(visit)
            }
            visit.time = Date(timeIntervalSince1970: .nan)
        }
        #expect(visit.isPersisted == isRefreshed)
        #expect(visit.id == (isRefreshed ? 1 : nil))
        #expect(visit.count == 1)
        #expect(visit.version == (isRefreshed ? 1 : 0))
    }

    @Test("A deleted object is persisted again")
    func deleted() throws {
        // F14, F63
        let user = User(name: "a")
        try manager.save(user)
        try rollingBack { try manager.delete(user) }
        #expect(user.isPersisted)
        user.name = "b"
        try manager.save(user)
        #expect(try manager.stored("SELECT NAME FROM USER") == .text("b"))
    }

    @Test("An object inserted, changed, saved and deleted in one transaction is new again")
    func everything() throws {
        // F14
        let user = User(name: "a")
        try rollingBack {
            try manager.save(user)
            user.name = "b"
            try manager.save(user)
            try manager.delete(user)
        }
        #expect(!user.isPersisted)
        #expect(user.id == nil)
        try manager.save(user)
        #expect(try manager.fetchAll(User.self).map(\.name) == ["b"])
    }

    @Test("Only what the inner transaction did is undone with it")
    func inner() throws {
        // F14
        let (outer, inner) = (User(name: "outer"), User(name: "inner"))
        try manager.transaction {
            try manager.save(outer)
            try catchingTestError {
                try manager.transaction {
                    try manager.save(inner)
                    outer.name = "changed"
                    try manager.save(outer)
                    throw TestError()
                }
            }
        }
        #expect(outer.isPersisted)
        #expect(outer.id == 1)
        #expect(outer.changedKeys == ["name"])
        #expect(!inner.isPersisted)
        #expect(inner.id == nil)
    }

    @Test("What an inner transaction kept is undone with the outer one")
    func keptInner() throws {
        // F14
        let user = User(name: "a")
        try rollingBack { try manager.transaction { try manager.save(user) } }
        #expect(!user.isPersisted)
        #expect(user.id == nil)
    }

    @Test("A key that was changed goes back to the row's")
    func changedKey() throws {
        // F14, F40
        let user = User(name: "a")
        try manager.save(user)
        try rollingBack {
            user.id = 9
            try manager.save(user)
        }
        #expect(user.changedKeys == ["id"])
        try manager.save(user)
        #expect(try manager.stored("SELECT ID FROM USER") == .integer(9))
    }

    @Test("Of many updated objects, of two classes by turns, those that the program holds are as they were")
    func many() throws {
        // F14, F40
        let users = (0..<600).map { User(name: "user \($0)") }
        let documents = (0..<600).map { _ in Document() }
        try manager.insert(users)
        try manager.insert(documents)
        for document in documents { try document.update(\.title, to: "before") }
        try rollingBack {
            for (user, document) in zip(users, documents) {
                // Objects of the same rows that nobody holds any more.
                let other = try #require(try manager.fetchOne(User.self, where: \.id == user.id))
                try other.update(\.name, to: "other")
                try user.update(\.name, to: "after")
                try document.update(\.title, to: "after")
                try document.update(\.title, to: "later")
            }
        }
        #expect(users.map(\.name) == (0..<600).map { "user \($0)" })
        #expect(documents.allSatisfy { $0.title == "before" && !$0.hasChanges })
        #expect(users.allSatisfy { !$0.hasChanges })
    }

    @Test("Values refreshed from rows that were rolled back do not pass for stored ones")
    func refreshed() throws {
        // F14
        let user = User(name: "a")
        try manager.save(user)
        try rollingBack {
            try manager.execute("UPDATE USER SET NAME = 'never'")
            try manager.refresh(user)
        }
        #expect(user.name == "a")
        #expect(!user.hasChanges)
    }

    @Test("Values that the database put in the place of nil are nil again")
    func filled() throws {
        // F14, F59
        let manager = try memoryManager(Defaulted.self)
        let object = Defaulted()
        try catchingTestError {
            try manager.transaction {
                try manager.save(object)
                #expect(object.level == 3)
                throw TestError()
            }
        }
        #expect(object.level == nil)
        #expect(object.id == nil)
    }

    @Test("A commit that fails is a rollback")
    func failedCommit() throws {
        // F14
        let manager = try memoryManager(
            script: """
                CREATE TABLE PARENT (ID INTEGER PRIMARY KEY);
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT, AGE INTEGER REFERENCES PARENT DEFERRABLE INITIALLY
                    DEFERRED, SCORE REAL, IS_ACTIVE INTEGER);
                """)
        let user = User(name: "a", age: 5)
        #expect(
            sqliteFailure { try manager.transaction { try manager.save(user) } }?.extendedCode == .constraintForeignKey)
        #expect(!user.isPersisted)
        #expect(user.id == nil)
    }

    @Test("A single save whose commit fails leaves the object as it was")
    func failedSingleCommit() throws {
        // F14
        let manager = try memoryManager(
            script: """
                CREATE TABLE PARENT (ID INTEGER PRIMARY KEY);
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT, AGE INTEGER REFERENCES PARENT DEFERRABLE INITIALLY
                    DEFERRED, SCORE REAL, IS_ACTIVE INTEGER);
                """)
        let user = User(name: "a", age: 5)
        #expect(failure { try manager.save(user) }?.code == .constraint)
        #expect(!user.isPersisted)
        #expect(user.id == nil)
        #expect(try manager.rowCount("USER") == 0)
    }
}

private final class Defaulted: PersistingModel {
    var id: Int64?
    var level: Int?

    override class var columns: Columns { ["ID": .int, "LEVEL": .int.default(3)] }
}
