import Foundation
import Persisting
import Testing

private final class Poster: PersistingModel {
    var id: Int64?
    var title = ""
    var image: Data?
    var notes: [String]?
    var year = 0

    override class var columns: Columns {
        ["ID": .int, "TITLE": .string, "IMAGE": .data.deferred, "NOTES": .json.deferred, "YEAR": .int]
    }
}

private final class Page: PersistingModel {
    var book = ""
    var number = 0
    var scan: Data?

    override class var columns: Columns { ["BOOK": .string, "NUMBER": .int, "SCAN": .data.deferred] }
    override class var primaryKey: PrimaryKey { .composite("book", "number") }
}

// F26
@Suite("Deferred columns") struct DeferredTests {
    let manager: PersistenceManager
    let image = Data([1, 2, 3])

    init() throws {
        manager = try memoryManager(Poster.self, Page.self)
        for year in 1...3 {
            try manager.insert(
                Poster.self, values: ["title": "P\(year)", "image": image, "notes": ["a"], "year": year])
        }
    }

    private func poster(_ id: Int64 = 1) throws -> Poster { try #require(try manager.find(Poster.self, id)) }
    private func storedImage(_ id: Int = 1) throws -> SQLiteValue? {
        try manager.stored("SELECT IMAGE FROM POSTER WHERE ID = \(id)")
    }

    @Test("are stored by an insert") func insert() throws {
        #expect(try storedImage() == .blob(image))
    }

    @Test("are in no object that was fetched", arguments: [true, false])
    func fetch(tracked: Bool) throws {
        let all = try manager.fetchAll(Poster.self, sortedBy: "year", tracked: tracked)
        #expect(all.map(\.image) == [nil, nil, nil])
        #expect(all.map(\.year) == [1, 2, 3])
    }

    @Test("are not in the text of a query") func sql() throws {
        let poster = try poster()
        let error = failure { try manager.fetchAll(Poster.self, where: .sql("nonsense")) }
        #expect(error?.sql?.hasPrefix("SELECT ID, TITLE, YEAR FROM POSTER WHERE") == true)
        #expect(poster.title == "P1")
    }

    @Test("do not count as changed while they are not loaded") func unchanged() throws {
        #expect(try poster().changedKeys == [])
    }

    @Test("keep what the row holds when the object is saved", arguments: [true, false])
    func save(tracked: Bool) throws {
        let poster = try #require(try manager.fetchAll(Poster.self, limit: 1, tracked: tracked).first)
        poster.title = "New"
        try manager.save(poster)
        #expect(try storedImage() == .blob(image))
        #expect(try manager.stored("SELECT TITLE FROM POSTER WHERE ID = 1") == .text("New"))
    }

    @Test("are saved when they were set", arguments: [true, false])
    func set(tracked: Bool) throws {
        let poster = try #require(try manager.fetchAll(Poster.self, limit: 1, tracked: tracked).first)
        poster.image = Data([9])
        try manager.save(poster)
        #expect(try storedImage() == .blob(Data([9])))
    }

    @Test("are read by load") func load() throws {
        let poster = try poster()
        try poster.load(\.image)
        #expect(poster.image == image)
        #expect(!poster.hasChanges)
    }

    @Test("that hold JSON are read by load") func loadCustom() throws {
        let poster = try poster()
        try poster.load(\.notes)
        #expect(poster.notes == ["a"])
        #expect(!poster.hasChanges)
    }

    @Test("are set to NULL by a save after they were loaded") func loadedThenNil() throws {
        let poster = try poster()
        try poster.load(\.image)
        poster.image = nil
        #expect(poster.changedKeys == ["image"])
        try manager.save(poster)
        #expect(try storedImage() == .null)
    }

    @Test("are set to NULL by update, loaded or not") func updateToNil() throws {
        try poster().update(\.image, to: nil)
        #expect(try storedImage() == .null)
    }

    @Test("of many objects are read at once") func loadMany() throws {
        try manager.insert((0..<250).map { _ in Poster() })
        try manager.execute("UPDATE POSTER SET IMAGE = ID")
        let all = try manager.fetchAll(Poster.self, sortedBy: "id desc")
        try manager.execute("UPDATE POSTER SET IMAGE = CAST(ID AS BLOB)")
        try manager.load(all, \.image)
        #expect(all.map(\.image) == all.map { $0.id.map { Data("\($0)".utf8) } })
    }

    @Test("of objects with a composite key are read at once") func composite() throws {
        // F38
        for number in 1...3 {
            try manager.insert(Page.self, values: ["book": "é", "number": number, "scan": Data([UInt8(number)])])
        }
        let pages = try manager.fetchAll(Page.self, sortedBy: "number")
        try manager.load(pages, \.scan)
        #expect(pages.map(\.scan) == [Data([1]), Data([2]), Data([3])])
    }

    @Test("of no objects need no query") func loadNone() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Poster.self)
        let before = log.texts
        try manager.load([Poster](), \.image)
        #expect(log.texts == before)
    }

    @Test("of a row that is gone throw, and change no object") func gone() throws {
        let all = try manager.fetchAll(Poster.self, sortedBy: "id")
        try manager.execute("DELETE FROM POSTER WHERE ID = 2")
        #expect(failure { try manager.load(all, \.image) }?.code == .notFound)
        #expect(all.allSatisfy { $0.image == nil })
    }

    @Test("of a new object throw") func new() throws {
        #expect(failure { try manager.load([Poster()], \.image) }?.code == .notPersisted)
    }

    @Test("that hold a value of another type throw, and change no object") func mismatch() throws {
        try manager.execute("UPDATE POSTER SET NOTES = 5 WHERE ID = 3")
        let all = try manager.fetchAll(Poster.self, sortedBy: "id")
        let error = failure { try manager.load(all, key: "notes") }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "notes")
        #expect(all.allSatisfy { $0.notes == nil })
    }

    @Test("by an unknown key throw") func unknown() throws {
        #expect(failure { try manager.load([poster()], key: "imgae") }?.code == .unknownKey)
    }

    @Test("are not loaded any more after refresh") func refresh() throws {
        let poster = try poster()
        try poster.load(\.image)
        try manager.refresh(poster)
        #expect(poster.image == nil)
        try manager.save(poster)
        #expect(try storedImage() == .blob(image))
    }

    @Test("are not taken over by copyValues while they are nil") func copyValues() throws {
        let target = try poster(2)
        try target.load(\.image)
        target.copyValues(from: try poster(1))
        #expect(target.image == image)
        #expect(target.title == "P1")
    }

    @Test("that were loaded have their old value after a rollback") func rollback() throws {
        let poster = try poster()
        try catchingTestError {
            try manager.transaction {
                try manager.execute("UPDATE POSTER SET IMAGE = x'09'")
                try poster.load(\.image)
                throw TestError()
            }
        }
        #expect(poster.image == nil)
        #expect(!poster.hasChanges)
    }

    @Test("are read by load while the task is suspended") func async() async throws {
        let poster = try await manager.find(Poster.self, 1)
        try await manager.load([#require(poster)], \.image)
        #expect(poster?.image == image)
    }

    @Test("can be asked for in a condition") func criteria() throws {
        #expect(try manager.count(Poster.self, where: \.image == image) == 3)
    }

    @Test("cross in a snapshot as they are") func snapshot() throws {
        let copy = try Poster(try poster().snapshot())
        copy.title = "Copy"
        try manager.save(copy)
        #expect(try storedImage() == .blob(image))
    }

    @Test("are rejected for a property that is not Optional") func notOptional() throws {
        final class Wrong: PersistingModel {
            var id: Int64?
            var image = Data()
            override class var columns: Columns { ["ID": .int, "IMAGE": .data.deferred] }
        }
        let error = failure { try manager.createTableIfNecessary(for: Wrong.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "image")
    }

    @Test("are rejected for the primary key") func key() throws {
        final class Wrong: PersistingModel {
            var id: Int64?
            override class var columns: Columns { ["ID": .int.deferred] }
        }
        #expect(failure { try manager.createTableIfNecessary(for: Wrong.self) }?.code == .invalidModel)
    }

    @Test("whose property begins with a value are nil when fetched") func initialValue() throws {
        final class Filled: PersistingModel {
            var id: Int64?
            var image: Data? = Data([7])
            override class var columns: Columns { ["ID": .int, "IMAGE": .data.deferred] }
        }
        try manager.createTableIfNecessary(for: Filled.self)
        let filled = try manager.insert(Filled.self, values: ["image": image])
        let found = try #require(try manager.find(Filled.self, filled.id))
        #expect(found.image == nil)
        #expect(!found.hasChanges)
    }
}
