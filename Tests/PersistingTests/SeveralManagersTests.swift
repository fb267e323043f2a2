import Foundation
import Persisting
import Testing

@Suite("Objects and several managers")
struct SeveralManagersTests {
    @Test("An object of another manager is new to this one: saving it copies it")
    func copied() throws {
        // F6, F54
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        let user = User(name: "a")
        try one.save(user)
        try two.save(user)
        #expect(try one.count(User.self) == 1)
        #expect(try two.fetchAll(User.self).map(\.id) == [1])
    }

    @Test("Another manager's object cannot be updated, deleted or refreshed here")
    func foreign() throws {
        // F6, F63
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        let user = User(name: "a")
        try one.save(user)
        for error in [
            failure { try two.update(user) }, failure { try two.delete(user) }, failure { try two.refresh(user) },
            failure { try two.update(user, keys: ["name"]) }, failure { try two.load([user], \.name) },
        ] {
            #expect(error?.code == .notPersisted)
        }
        #expect(try one.delete(user))
    }

    @Test("A copy that fails leaves the object with the manager it came from")
    func failedCopy() throws {
        // F6, F55
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        let user = User(name: "a")
        try one.save(user)
        try two.save(User(name: "taken"))
        #expect(failure { try two.save(user) }?.code == .constraint)
        user.name = "b"
        try one.save(user)
        #expect(try one.fetchAll(User.self).map(\.name) == ["b"])
    }

    @Test("A copy that is rolled back leaves the object with the manager it came from")
    func rolledBackCopy() throws {
        // F6, F14
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        let user = User(name: "a")
        try one.save(user)
        try catchingTestError {
            try two.transaction {
                try two.save(user)
                throw TestError()
            }
        }
        user.name = "b"
        try one.save(user)
        #expect(try one.fetchAll(User.self).map(\.name) == ["b"])
        #expect(try two.count(User.self) == 0)
    }

    @Test("One manager's transaction does not hold another's verbs")
    func independent() throws {
        // F13
        let (one, two) = (try memoryManager(User.self), try memoryManager(User.self))
        try catchingTestError {
            try one.transaction {
                try one.save(User(name: "a"))
                try two.save(User(name: "b"))
                throw TestError()
            }
        }
        #expect(try one.count(User.self) == 0)
        #expect(try two.count(User.self) == 1)
    }

    @Test("An object keeps its manager alive")
    func lifetime() throws {
        // F6
        func make() throws -> User {
            let manager = try memoryManager(User.self)
            return try manager.insert(User.self, values: ["name": "a"])
        }
        let user = try make()
        user.name = "b"
        try user.save()
        try user.refresh()
        #expect(user.name == "b")
    }
}

@Suite("Many threads")
struct ConcurrencyTests {
    @Test("A class that many threads use for the first time is mapped once and for all", arguments: 0..<5)
    func registered(_ round: Int) async throws {
        // F15, F41
        let manager = try PersistenceManager(.memory)
        let types: [PersistingModel.Type] = [First.self, Second.self, Third.self, Fourth<Int>.self, Fourth<Bool>.self]
        let type = types[round]
        let names = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try await manager.createTableIfNecessary(for: type)
                    return type.init().changedKeys
                }
            }
            return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
        }
        #expect(names == [["id", "name", "content"]])
    }

    @Test("Threads that read and write one manager do not disturb each other")
    func readersAndWriters() async throws {
        // F15
        let manager = try memoryManager(User.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        try await manager.transaction {
                            let user = User(name: "\(number)", age: round)
                            try manager.save(user)
                            user.score = 1
                            try manager.save(user)
                        }
                        let mine = try await manager.fetchAll(User.self, where: \.name == "\(number)", sortedBy: "age")
                        #expect(mine.map(\.age) == Array(0...round))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await manager.count(User.self, where: \.score == 1) == 200)
    }

    @Test("Key paths and conditions are made by many tasks at once")
    func keyPaths() async throws {
        // F15, F71
        let manager = try memoryManager(Possible.self)
        try await manager.insert(Possible.self, values: ["string": "a", "int": 1, "kind": Kind.full])
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    try await manager.count(
                        Possible.self, where: \.string == "a" && \.int == 1 && \.kind == .full && \.pair == nil)
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(counts == 32)
    }

    @Test("Threads outside of tasks wait for each other")
    func threads() async throws {
        // F15
        let manager = try memoryManager(User.self)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 8) { number in
                    for _ in 0..<10 {
                        #expect(throws: Never.self) { try manager.save(User(name: "\(number)")) }
                    }
                }
                continuation.resume()
            }
        }
        #expect(try await manager.count(User.self) == 80)
    }
}

private final class First: PersistingModel {
    var id: Int64?
    var name = ""
    var content: Int?
}

private final class Second: PersistingModel {
    var id: Int64?
    var name = ""
    var content: Data?
}

private class Third: PersistingModel {
    var id: Int64?
    var name = ""
    var content: Kind?
}

private final class Fourth<Content: SQLiteValueConvertible>: PersistingModel {
    var id: Int64?
    var name = ""
    var content: Content?
}
