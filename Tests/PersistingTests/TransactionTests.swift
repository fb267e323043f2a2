import Foundation
import Persisting
import Testing

@Suite("Transactions")
struct TransactionTests {
    @Test("A transaction commits when its closure returns, and returns what it returns")
    func commit() throws {
        // F14, Settled 6
        let manager = try memoryManager(Album.self)
        let title = try manager.transaction {
            try manager.insert(Album.self, values: ["title": "A"]).title
        }
        #expect(title == "A")
        #expect(try manager.rowCount("ALBUM") == 1)
    }

    @Test("A transaction rolls back when its closure throws, and throws the same")
    func rollback() throws {
        // F14
        let manager = try memoryManager(Album.self)
        #expect(throws: TestError()) {
            try manager.transaction {
                try manager.insert(Album.self, values: ["title": "A"])
                throw TestError()
            }
        }
        #expect(try manager.rowCount("ALBUM") == 0)
    }

    @Test("A transaction inside another is undone alone")
    func savepoint() throws {
        // F14
        let manager = try memoryManager(User.self)
        try manager.transaction {
            try manager.save(User(name: "outer"))
            try catchingTestError {
                try manager.transaction {
                    try manager.save(User(name: "inner"))
                    throw TestError()
                }
            }
            try manager.save(User(name: "after"))
        }
        #expect(try manager.fetchAll(User.self).map(\.name) == ["outer", "after"])
    }

    @Test("The outer transaction undoes an inner one that had returned")
    func outerRollback() throws {
        // F14
        let manager = try memoryManager(User.self)
        try catchingTestError {
            try manager.transaction {
                try manager.transaction { try manager.save(User(name: "inner")) }
                throw TestError()
            }
        }
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("SQL on the connection takes part in the transaction of the verbs", .local(.connection))
    func rawAccess() throws {
        // F12
        let manager = try memoryManager(User.self)
        try catchingTestError {
            try manager.transaction {
                try manager.save(User(name: "a"))
                try manager.execute("UPDATE USER SET NAME = 'b'")
                #expect(try manager.database.read { try $0.scalar("SELECT NAME FROM USER", as: String.self) } == "b")
                #expect(try manager.fetchAll(User.self).map(\.name) == ["b"])
                throw TestError()
            }
        }
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("write gives the connection, in a transaction", .local(.connection))
    func write() throws {
        // F12
        let manager = try memoryManager(User.self)
        try catchingTestError {
            try manager.write { db in
                #expect(db.isInTransaction)
                try db.execute("INSERT INTO USER (NAME) VALUES ('a')")
                try manager.save(User(name: "b"))
                throw TestError()
            }
        }
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("read gives the connection, and sees what the verbs wrote", .local(.connection))
    func read() throws {
        // F12
        let manager = try memoryManager(User.self)
        try manager.save(User(name: "a"))
        #expect(try manager.read { db in try db.column("SELECT NAME FROM USER", as: String.self) } == ["a"])
    }

    @Test("A read can fetch, and cannot write", .local(.connection))
    func writeInRead() throws {
        // F12, F16
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        let error = try manager.read { _ in
            let users = try manager.fetchAll(User.self)
            #expect(users.isEmpty)
            return failure { try manager.save(user) }
        }
        #expect(error?.model == "User")
        #expect(error?.sqliteError?.code == .readOnly)
        #expect(!user.isPersisted)
        #expect(user.id == nil)
    }

    @Test("A transaction cannot begin inside a read", .local(.connection))
    func transactionInRead() throws {
        // F14
        let manager = try memoryManager(User.self)
        let error = try manager.read { _ in sqliteFailure { try manager.transaction {} } }
        #expect(error?.extendedCode == .notAllowedHere)
    }

    @Test("A batch of objects is inserted whole")
    func batch() throws {
        // F14
        let manager = try memoryManager(User.self, Person.self)
        let objects = [User(name: "a"), Person("b", nil, nil), User(name: "c")]
        try manager.insert(objects)
        #expect(objects.map(\.primaryKeyValue) == [.integer(1), .integer(1), .integer(2)])
        #expect(objects.filter(\.isPersisted).count == 3)
    }

    @Test("A batch of which one cannot be inserted leaves nothing behind, in the table or in the objects")
    func batchAtomic() throws {
        // F14
        let manager = try memoryManager(Account.self)
        let accounts = [Account(email: "a"), Account(email: "b"), Account(email: "a")]
        #expect(failure { try manager.insert(accounts) }?.code == .constraint)
        #expect(try manager.rowCount("ACCOUNT") == 0)
        #expect(accounts.map(\.id) == [nil, nil, nil])
        #expect(accounts.filter(\.isPersisted).isEmpty)
    }

    @Test("An empty batch is no error")
    func emptyBatch() throws {
        // F14
        let manager = try memoryManager(User.self)
        try manager.insert([User]())
        #expect(try manager.rowCount("USER") == 0)
    }

    @Test("A batch that names an object twice is rejected whole")
    func batchTwice() throws {
        // F14
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        #expect(failure { try manager.insert([user, user]) }?.code == .alreadyPersisted)
        #expect(try manager.rowCount("USER") == 0)
        #expect(!user.isPersisted)
    }

    @Test("A batch of many rows gives each object its own row")
    func largeBatch() throws {
        // F14
        let manager = try memoryManager(User.self)
        let users = (0..<1000).map { (number: Int) in User(name: "\(number)", age: number) }
        try manager.insert(users)
        #expect(users.map(\.id) == (1...1000).map { Int64($0) })
        #expect(users.filter(\.hasChanges).isEmpty)
        let fetched = try manager.fetchAll(User.self, sortedBy: "id")
        #expect(fetched.map(\.age) == Array(0..<1000))
        fetched[700].age = -1
        #expect(fetched.filter(\.hasChanges).map(\.id) == [701])
    }

    @Test("A table made in a transaction that is rolled back is not there, and can be made again")
    func tableRolledBack() throws {
        // F14, F46
        let manager = try PersistenceManager(.memory)
        try catchingTestError {
            try manager.transaction {
                try manager.createTableIfNecessary(for: User.self)
                try manager.save(User(name: "a"))
                throw TestError()
            }
        }
        #expect(try !manager.tableExists(for: User.self))
        #expect(failure { try manager.save(User(name: "a")) }?.code == .noTable)
        #expect(try manager.createTableIfNecessary(for: User.self))
    }
}
