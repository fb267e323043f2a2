import Foundation
import Persisting
import Testing

/// Tables that another connection changes while a manager is open.
@Suite("Tables that others change")
struct ForeignSchemaTests {
    private let directory: TemporaryDirectory
    private let manager: PersistenceManager

    init() throws {
        directory = try TemporaryDirectory()
        manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: User.self)
        try manager.save(User(name: "first"))
    }

    /// Has another connection compute a column.
    private func generateScore() throws {
        let other = try Database(.file(directory.path()))
        try other.executeScript(
            """
            DROP TABLE USER;
            CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL, AGE INTEGER,
                SCORE REAL GENERATED ALWAYS AS (AGE * 2.0), IS_ACTIVE INTEGER NOT NULL DEFAULT 1);
            """)
        try other.close()
    }

    // F22
    @Test("an object is inserted though a column has become generated, and reads it")
    func insert() throws {
        try generateScore()
        let user = User(name: "a", age: 21)
        try manager.insert(user)
        #expect(user.score == 42)
    }

    @Test("so are those of a batch")
    func batch() throws {
        try generateScore()
        let users = [User(name: "a", age: 1), User(name: "b", age: 2)]
        try manager.insert(users)
        #expect(users.map(\.score) == [2, 4])
    }

    @Test("so is one of an asynchronous insertion")
    func asynchronous() async throws {
        try generateScore()
        let user = User(name: "a", age: 21)
        try await manager.insert(user)
        #expect(user.score == 42)
    }

    @Test("so is one in a transaction that goes on")
    func transaction() throws {
        try generateScore()
        try manager.transaction {
            try manager.save(User(name: "a", age: 1))
            try manager.save(User(name: "b", age: 2))
        }
        #expect(try manager.count(User.self) == 2)
    }

    /// An object that is not tracked, in a table that computes its score since.
    private func untracked() throws -> User {
        let key = try #require(try manager.fetchOne(User.self)?.id)
        let user = try #require(try manager.fetchAll(User.self, tracked: false).first)
        try generateScore()
        try Database(.file(directory.path())).execute("INSERT INTO USER (ID, NAME, AGE) VALUES (\(key), 'a', 21)")
        user.name = "b"
        user.age = 4
        return user
    }

    // F22
    @Test("an object that is not tracked is saved though a column has become generated, and reads it")
    func untrackedUpdate() throws {
        let user = try untracked()
        try manager.save(user)
        #expect(try manager.storedColumn("SELECT NAME FROM USER") == ["b"])
        #expect(user.score == 8)
    }

    @Test("so is one of an asynchronous save, and of a batch")
    func asynchronousUntrackedUpdate() async throws {
        let user = try untracked()
        try await manager.save(user)
        #expect(user.score == 8)
    }

    @Test("what it has read is undone with the transaction")
    func untrackedUpdateRolledBack() throws {
        let user = try untracked()
        user.score = 3
        try catchingTestError {
            try manager.transaction {
                try manager.save(user)
                throw TestError()
            }
        }
        #expect(user.score == 3)
        try manager.save(user)
        #expect(user.score == 8)
    }

    /// Has another connection make a table whose score is a plain column, of a type.
    private func makeScore(_ type: String) throws {
        let other = try Database(.file(directory.path()))
        try other.executeScript(
            SQL(
                """
                DROP TABLE USER;
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL, AGE INTEGER, SCORE \(type) NOT NULL DEFAULT 0,
                    IS_ACTIVE INTEGER NOT NULL DEFAULT 1);
                """ as String))
        try other.close()
    }

    /// An object whose score is a plain value, where it was generated before.
    private func scored() throws -> User {
        try generateScore()
        try manager.insert(User(name: "a", age: 21))
        try makeScore("REAL")
        let user = User(name: "b", age: 1)
        user.score = 5
        return user
    }

    // F22, F55
    @Test("a value is stored where a column was generated and is no longer")
    func plainAgain() throws {
        let user = try scored()
        try manager.insert(user)
        #expect(user.score == 5)
        #expect(try manager.stored("SELECT SCORE FROM USER WHERE NAME = 'b'") == .real(5))
    }

    // F15, F22
    @Test("so is that of an asynchronous insertion")
    func plainAgainOfTask() async throws {
        let user = try scored()
        try await manager.insert(user)
        #expect(try manager.stored("SELECT SCORE FROM USER WHERE NAME = 'b'") == .real(5))
    }

    // Settled 22
    @Test("a value is rejected that a column's new type would make another")
    func newType() throws {
        try manager.insert(User(name: "a", age: 21))
        try makeScore("TEXT")
        let user = User(name: "b", age: 1)
        user.score = 5
        #expect(failure { try manager.insert(user) }?.code == .schemaMismatch)
        #expect(failure { try manager.insert([user]) }?.code == .schemaMismatch)
        #expect(failure { try manager.updateAll(User.self, set: ["score": 2.0]) }?.code == .schemaMismatch)
        #expect(try manager.count(User.self) == 0)
    }

    // F107
    @Test("an import leaves out a column that has become generated")
    func imported() throws {
        try generateScore()
        #expect(try manager.importCSV(User.self, contentsOf: Data("name,age\na,21\n".utf8)).inserted == 1)
        #expect(try manager.fetchOne(User.self)?.score == 42)
    }

    @Test("an update of the column says that it is generated")
    func update() throws {
        let user = User(name: "a", age: 21)
        try manager.insert(user)
        let key = try #require(user.id)
        try generateScore()
        try Database(.file(directory.path())).execute("INSERT INTO USER (ID, NAME, AGE) VALUES (\(key), 'a', 21)")
        #expect(failure { try user.update(\.score, to: 7) }?.code == .notWritable)
    }
}
