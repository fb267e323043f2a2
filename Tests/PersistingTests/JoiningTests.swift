import Foundation
import Persisting
import Testing

// F12, F13
@Suite("Verbs inside the database's own closures") struct JoiningTests {
    @Test("take part in its transaction, and see what SQL has written", arguments: [true, false])
    func joined(inFile: Bool) throws {
        let directory = try TemporaryDirectory()
        let manager = inFile ? try PersistenceManager(path: directory.path()) : try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: User.self)
        let user = User(name: "a")
        try catchingTestError {
            try manager.database.write { db in
                try db.execute("INSERT INTO USER (NAME) VALUES ('by SQL')")
                try manager.save(user)
                #expect(try manager.fetchAll(User.self, sortedBy: "id").map(\.name) == ["by SQL", "a"])
                #expect(try manager.lastInserted(User.self)?.name == "a")
                throw TestError()
            }
        }
        #expect(!user.isPersisted && user.id == nil)
        #expect(try manager.count(User.self) == 0)
        #expect(try manager.lastInserted(User.self) == nil)
    }

    @Test("are undone with a savepoint of the connection's", .local(.connection)) func savepoint() throws {
        let manager = try memoryManager(User.self)
        let (kept, undone) = (User(name: "kept"), User(name: "undone"))
        try manager.database.write { db in
            try manager.save(kept)
            try catchingTestError {
                try db.transaction {
                    try manager.save(undone)
                    try kept.update(\.age, to: 5)
                    try manager.delete(kept)
                    throw TestError()
                }
            }
            #expect(kept.isPersisted && kept.age == nil && !undone.isPersisted)
        }
        #expect(try manager.fetchAll(User.self).map(\.name) == ["kept"])
        #expect(!kept.hasChanges)
    }

    @Test("read one moment in a read of the database's, and cannot write", .local(.connection)) func reading() throws {
        let manager = try memoryManager(User.self)
        let user = User(name: "a")
        try manager.save(user)
        try manager.database.read { _ in
            let count = try manager.count(User.self)
            #expect(count == 1)
            user.name = "b"
            let rejected = failure { try manager.save(user) }
            #expect(rejected != nil)
        }
        #expect(user.changedKeys == ["name"])
        try manager.save(user)
        #expect(try manager.stored("SELECT NAME FROM USER") == .text("b"))
    }
}
