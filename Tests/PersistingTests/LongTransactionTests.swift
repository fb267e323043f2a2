import Persisting
import Testing

/// What a transaction keeps of the objects that it has written: only what a rollback needs.
@Suite("A long transaction")
struct LongTransactionTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self)
    }

    /// Inserts objects that nobody keeps.
    private func insertMany(_ count: Int = 3000) throws {
        for number in 0..<count { try manager.insert(User(name: "\(number)")) }
    }

    @Test("lets go of inserted objects that nobody holds")
    func unheld() throws {
        // K14
        weak var first: User?
        func insertFirst() throws {
            let user = User(name: "first")
            first = user
            try manager.insert(user)
        }
        try manager.transaction {
            try insertFirst()
            try insertMany()
            #expect(first == nil)
        }
    }

    @Test("lets go of objects that were inserted in batches, each in a savepoint")
    func unheldBatches() throws {
        // K14
        weak var first: User?
        func insertBatch() throws {
            let users = (0..<500).map { User(name: "\($0)") }
            if first == nil { first = users.first }
            try manager.insert(users)
        }
        try manager.transaction {
            try insertBatch()
            let kept = User(name: "kept")
            let wasFirst = ObjectIdentifier(try #require(first))
            for _ in 0..<5 { try manager.insert((0..<500).map { User(name: "\($0)") }) }
            try manager.insert(kept)
            #expect(first.map(ObjectIdentifier.init) != wasFirst)
        }
    }

    @Test("lets go of objects that were inserted and updated")
    func unheldUpdated() throws {
        // K14
        weak var first: User?
        func insertFirst() throws {
            let user = User(name: "first")
            first = user
            try manager.insert(user)
            try user.update(\.name, to: "second")
            user.age = 3
            try manager.save(user)
        }
        try manager.transaction {
            try insertFirst()
            try insertMany()
            #expect(first == nil)
        }
    }

    @Test("restores the objects that are held when it is rolled back")
    func held() throws {
        // F14
        var held: [User] = []
        try catchingTestError {
            try manager.transaction {
                for number in 0..<50 {
                    let user = User(name: "held \(number)")
                    try manager.insert(user)
                    held.append(user)
                    try insertMany(100)
                }
                throw TestError()
            }
        }
        #expect(held.allSatisfy { $0.id == nil && !$0.isPersisted })
    }

    @Test("restores a held object that was written several times")
    func heldUpdated() throws {
        // F14
        let user = User(name: "first")
        try manager.insert(user)
        try catchingTestError {
            try manager.transaction {
                for number in 0..<20 {
                    try user.update(\.name, to: "name \(number)")
                    try insertMany(100)
                }
                throw TestError()
            }
        }
        #expect(user.name == "first")
        #expect(!user.hasChanges)
    }

    @Test("undoes just what a savepoint wrote, after others have been let go of")
    func savepoint() throws {
        // F14
        let before = User(name: "before")
        let inside = User(name: "inside")
        try manager.transaction {
            try insertMany(200)
            try manager.insert(before)
            try catchingTestError {
                try manager.transaction {
                    try insertMany()
                    try manager.insert(inside)
                    throw TestError()
                }
            }
        }
        #expect([before.isPersisted, inside.isPersisted] == [true, false])
    }

    @Test("undoes what a released savepoint wrote")
    func releasedSavepoint() throws {
        // F14
        let (before, inside, after) = (User(name: "before"), User(name: "inside"), User(name: "after"))
        try catchingTestError {
            try manager.transaction {
                try manager.insert(before)
                try manager.transaction { try manager.insert(inside) }
                try manager.insert(after)
                throw TestError()
            }
        }
        #expect([before, inside, after].allSatisfy { !$0.isPersisted && $0.id == nil })
    }

    @Test("undoes what released savepoints wrote where nothing was written around them")
    func releasedSavepointsAlone() throws {
        // F14
        let (first, second) = (User(name: "first"), User(name: "second"))
        try catchingTestError {
            try manager.transaction {
                try manager.transaction { try manager.insert(first) }
                try manager.transaction { try manager.insert(second) }
                throw TestError()
            }
        }
        #expect([first, second].allSatisfy { !$0.isPersisted && $0.id == nil })
    }

    @Test("knows the object that was last inserted before a savepoint that was rolled back")
    func lastInserted() throws {
        // F14
        try manager.transaction {
            try manager.insert(User(name: "before"))
            try catchingTestError { try manager.transaction { throw TestError() } }
        }
        #expect(try manager.lastInserted(User.self)?.name == "before")
    }
}
