import Foundation
import Persisting
import PersistingDiagnostics
import Testing

/// A model that keeps its times.
private final class Post: PersistingModel {
    var id: Int64?
    var text = ""
    var createdAt: Date?
    var updatedAt: Date?
    var firstSeen = Date.distantPast

    override class var columns: Columns {
        var columns = super.columns
        columns["CREATED_AT"] = .date.created
        columns["UPDATED_AT"] = .date.updated.stored(as: .iso8601)
        columns["FIRST_SEEN"] = .date.stored(as: .unixMilliseconds).created
        return columns
    }

    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

@Suite("Times of creation and update")
struct TimestampTests {
    private let manager: PersistenceManager
    private let old = Date(timeIntervalSince1970: 1_000_000)

    init() throws {
        manager = try memoryManager(Post.self)
    }

    /// A row whose times are long ago.
    private func oldPost(tracked: Bool = true) throws -> Post {
        let post = Post("a")
        post.createdAt = old
        post.updatedAt = old
        try manager.save(post)
        return try #require(try manager.fetchAll(Post.self, tracked: tracked).first)
    }

    private func isNow(_ date: Date?) -> Bool { abs(date?.timeIntervalSinceNow ?? .infinity) < 3600 }

    @Test("An insert sets them, in the row and in the object, each in its stored form")
    func insert() throws {
        let post = Post("a")
        try manager.save(post)
        #expect(isNow(post.createdAt) && isNow(post.updatedAt) && isNow(post.firstSeen))
        #expect(!post.hasChanges)
        #expect(
            try manager.stored("SELECT typeof(CREATED_AT) || typeof(UPDATED_AT) || typeof(FIRST_SEEN) FROM POST")
                == "realtextinteger")
        let stored = try #require(try manager.find(Post.self, post.id))
        #expect(stored.createdAt == post.createdAt && stored.updatedAt == post.updatedAt)
        #expect(stored.firstSeen == post.firstSeen)
    }

    @Test("An insert keeps a time that an Optional has, and sets one of a property that is not Optional")
    func given() throws {
        let post = try oldPost()
        #expect(post.createdAt == old && post.updatedAt == old)
        #expect(isNow(post.firstSeen))
    }

    @Test("Values by name are kept, those of a property that is not Optional too")
    func values() throws {
        let post = try manager.insert(Post.self, values: ["createdAt": old, "firstSeen": old])
        #expect(post.createdAt == old && post.firstSeen == old)
        #expect(isNow(post.updatedAt))
    }

    @Test("An update that writes something sets the time of update alone")
    func update() throws {
        let post = try oldPost()
        post.text = "b"
        try manager.save(post)
        #expect(isNow(post.updatedAt))
        #expect(post.createdAt == old)
        #expect(!post.hasChanges)
        #expect(try manager.find(Post.self, post.id)?.updatedAt == post.updatedAt)
    }

    @Test("A save with nothing to write leaves the time")
    func unchanged() throws {
        let post = try oldPost()
        try manager.save(post)
        #expect(post.updatedAt == old)
    }

    @Test("A time of update that the user has changed is written as it is")
    func changed() throws {
        let post = try oldPost()
        post.text = "b"
        post.updatedAt = old + 1
        try manager.save(post)
        #expect(try manager.find(Post.self, post.id)?.updatedAt == old + 1)
    }

    @Test("An update of one property sets the time, and leaves a change of it to be saved")
    func oneProperty() throws {
        // F60
        let post = try oldPost()
        try post.update(\.text, to: "b")
        #expect(isNow(post.updatedAt))
        post.updatedAt = old
        try post.update(\.text, to: "c")
        #expect(post.updatedAt == old)
        #expect(post.changedKeys == ["updatedAt"])
        try manager.update(post, keys: ["updatedAt"])
        #expect(try manager.find(Post.self, post.id)?.updatedAt == old)
    }

    @Test("An object that is not tracked has its time set")
    func untracked() throws {
        let post = try oldPost(tracked: false)
        try post.update(\.text, to: "b")
        #expect(isNow(post.updatedAt))
        #expect(try manager.find(Post.self, post.id)?.updatedAt == post.updatedAt)
    }

    @Test("A failed write leaves the times as they were")
    func failed() async throws {
        // F55
        let post = try oldPost()
        try await manager.execute("DELETE FROM POST")
        post.text = "b"
        #expect(failure { try manager.save(post) }?.code == .notFound)
        #expect(await asyncFailure { try await manager.save(post) }?.code == .notFound)
        #expect(post.updatedAt == old)
        #expect(post.changedKeys == ["text"])
    }

    @Test("An upsert of an existing row keeps its time of creation")
    func upsert() throws {
        let post = Post("b")
        post.id = try oldPost().id
        try manager.upsert(post)
        #expect(try manager.find(Post.self, post.id)?.createdAt == old)
    }

    @Test("A rollback gives them back, of each savepoint its own")
    func rollback() throws {
        // F14
        let new = Post("new")
        let post = try oldPost()
        try catchingTestError {
            try manager.transaction {
                try manager.save(new)
                post.text = "b"
                try manager.save(post)
                let updated = post.updatedAt
                try catchingTestError {
                    try manager.transaction {
                        post.text = "c"
                        try manager.save(post)
                        throw TestError()
                    }
                }
                #expect(post.updatedAt == updated)
                throw TestError()
            }
        }
        #expect(post.updatedAt == old)
        #expect(new.createdAt == nil && new.updatedAt == nil && new.firstSeen == .distantPast)
    }

    @Test("A time that is set after the write stays at a rollback")
    func setSince() throws {
        // F14
        let post = try oldPost()
        try catchingTestError {
            try manager.transaction {
                try post.update(\.text, to: "b")
                post.updatedAt = old + 5
                throw TestError()
            }
        }
        #expect(post.updatedAt == old + 5)
    }

    @Test("An update of a query's rows sets the time of update, unless it is named")
    func query() throws {
        let post = try oldPost()
        try manager.update(Post.where(\.text == "a"), set: ["text": "b"])
        #expect(isNow(try manager.find(Post.self, post.id)?.updatedAt))
        try manager.updateAll(Post.self, set: ["updatedAt": old])
        #expect(try manager.find(Post.self, post.id)?.updatedAt == old)
        #expect(try manager.find(Post.self, post.id)?.createdAt == old)
    }

    @Test("All rows of one statement have one time")
    func oneMoment() throws {
        try manager.insert((0..<50).map { (number: Int) in Post("\(number)") })
        try manager.updateAll(Post.self, set: ["text": ""])
        #expect(try manager.stored("SELECT count(DISTINCT UPDATED_AT) FROM POST") == 1)
    }

    @Test("An object that was deleted is inserted again with its creation time and a new time of update")
    func again() throws {
        // F54
        let post = try oldPost()
        try manager.delete(post)
        try manager.save(post)
        #expect(post.createdAt == old)
        #expect(isNow(post.updatedAt))
    }

    @Test("A copy has times of its own")
    func copy() throws {
        let copy = try oldPost().copy()
        #expect(copy.text == "a")
        #expect(copy.createdAt == nil && copy.updatedAt == nil)
    }

    @Test("Asynchronous verbs set them")
    func asynchronous() async throws {
        let post = Post("a")
        try await manager.save(post)
        #expect(isNow(post.createdAt) && isNow(post.updatedAt))
        post.updatedAt = old
        try await manager.save(post)
        #expect(post.updatedAt == old)
        try await post.update(\.text, to: "b")
        #expect(isNow(post.updatedAt))
        #expect(try await manager.find(Post.self, post.id)?.updatedAt == post.updatedAt)
    }

    @Test("The template of the columns says which keep times")
    func template() throws {
        #expect(try Post.columnTemplate().contains("\"UPDATED_AT\": .date.stored(as: .iso8601).updated"))
    }
}

private final class TextTime: PersistingModel {
    var id: Int64?
    var time = ""
    override class var columns: Columns { ["ID": .int, "TIME": .string.created] }
}

private final class DeferredTime: PersistingModel {
    var id: Int64?
    var time: Date?
    override class var columns: Columns { ["ID": .int, "TIME": .date.updated.deferred] }
}

private final class KeyTime: PersistingModel {
    var time = Date()
    override class var columns: Columns { ["TIME": .date.created] }
    override class var primaryKey: PrimaryKey { .assigned("time") }
}

private final class GeneratedTime: PersistingModel {
    var id: Int64?
    var time: Date?
    override class var columns: Columns { ["ID": .int, "TIME": .date.updated.generated(as: "ID")] }
}

@Suite("Columns that cannot keep a time")
struct InvalidTimestampTests {
    @Test("Another type, a deferred column, the key and a generated column are rejected", arguments: [0, 1, 2, 3])
    func rejected(index: Int) throws {
        // F41
        let type = [TextTime.self, DeferredTime.self, KeyTime.self, GeneratedTime.self][index] as PersistingModel.Type
        let error = failure { try PersistenceManager(.memory).createTableIfNecessary(for: type) }
        #expect(error?.code == (index == 0 ? .unsupportedType : .invalidModel))
        #expect(error?.key == "time")
        #expect(error?.message.contains("TIME is declared .") == true)
    }
}
