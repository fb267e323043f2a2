import Foundation
import Persisting
import Testing

/// A model without a version, with a deferred column and a date.
private final class Draft: PersistingModel {
    var id: Int64?
    var title = ""
    var text: String?
    var date: Date?
    var cover: Data?
    var notes: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["COVER"] = .data.deferred
        columns["NOTES"] = .data.deferred
        columns["DATE"] = .date.stored(as: .iso8601)
        return columns
    }
}

/// A model with a column that its table computes.
private final class Line: PersistingModel {
    var id: Int64?
    var price = 0
    var quantity = 1
    var total: Int?
    var version = 0

    override class var versionKey: String? { "version" }

    override class var columns: Columns {
        var columns = super.columns
        columns["TOTAL"] = .int.generated(as: "PRICE * QUANTITY")
        return columns
    }
}

@Suite("Merging")
struct MergeTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Draft.self, Country.self)
        let draft = Draft()
        (draft.title, draft.text, draft.cover, draft.notes) = ("A", "a", Data([1]), Data([1]))
        try manager.save(draft)
    }

    private func draft(tracked: Bool = true) throws -> Draft {
        try #require(try manager.fetchAll(Draft.self, tracked: tracked).first)
    }

    @Test("What only they have changed is taken over, what only I have changed stays a change")
    func disjoint() throws {
        let draft = try draft()
        draft.title = "mine"
        try manager.execute("UPDATE DRAFT SET TEXT = 'theirs'")
        try manager.merge(draft)
        #expect(draft.title == "mine")
        #expect(draft.text == "theirs")
        #expect(draft.changedKeys == ["title"])
        try manager.save(draft)
        #expect(try manager.stored("SELECT TITLE || TEXT FROM DRAFT") == "minetheirs")
    }

    @Test("What both have changed throws with the names, and the object is as it was")
    func overlap() throws {
        let draft = try draft()
        draft.title = "mine"
        try manager.execute("UPDATE DRAFT SET TITLE = 'theirs', TEXT = 'theirs'")
        let error = failure { try manager.merge(draft) }
        #expect(error?.code == .conflict)
        #expect(error?.key == "title")
        #expect(error?.conflict?.overlap == ["title"])
        #expect(error?.conflict?.base == ["title": "A", "text": "a"])
        #expect(draft.text == "a")
        #expect(try draft.storedValue(forKey: "title") == "A")
    }

    @Test("A side is preferred", arguments: [MergeSide.mine, .theirs])
    func preferred(side: MergeSide) throws {
        let draft = try draft()
        draft.title = "mine"
        try manager.execute("UPDATE DRAFT SET TITLE = 'theirs', TEXT = 'theirs'")
        try manager.merge(draft, preferring: side)
        #expect(draft.title == (side == .mine ? "mine" : "theirs"))
        #expect(draft.text == "theirs")
        #expect(draft.changedKeys == (side == .mine ? ["title"] : []))
    }

    @Test("The same change on both sides is none any more")
    func same() throws {
        let draft = try draft()
        draft.title = "same"
        draft.date = Date(timeIntervalSince1970: 0)
        // Another spelling of the same date.
        try manager.execute("UPDATE DRAFT SET TITLE = 'same', DATE = '1970-01-01 00:00:00'")
        try manager.merge(draft)
        #expect(!draft.hasChanges)
    }

    @Test("Without any change elsewhere everything stays")
    func nothing() throws {
        let draft = try draft()
        draft.title = "mine"
        try manager.merge(draft)
        #expect(draft.changedKeys == ["title"])
    }

    @Test("A deferred column that is not loaded stays so, and one that was set stays a change")
    func notLoaded() throws {
        let draft = try draft()
        draft.notes = Data([9])
        try manager.execute("UPDATE DRAFT SET COVER = x'02', NOTES = x'02'")
        try manager.merge(draft)
        #expect(draft.cover == nil)
        #expect(draft.changedKeys == ["notes"])
        try manager.save(draft)
        #expect(try manager.stored("SELECT hex(COVER) || hex(NOTES) FROM DRAFT") == "0209")
    }

    @Test("A deferred column that is loaded takes part")
    func loaded() throws {
        let draft = try draft()
        try draft.load(\.cover)
        try draft.load(\.notes)
        draft.notes = Data([9])
        try manager.execute("UPDATE DRAFT SET COVER = x'02', NOTES = x'03'")
        #expect(failure { try manager.merge(draft) }?.conflict?.overlap == ["notes"])
        try manager.merge(draft, preferring: .mine)
        #expect(draft.cover == Data([2]))
        #expect(draft.changedKeys == ["notes"])
        #expect(try draft.storedValue(forKey: "notes") == .blob(Data([3])))
    }

    @Test("A key that I have changed stays a change, and is written to the old row")
    func key() throws {
        // F40
        try manager.save(Country("de", "A"))
        let country = try #require(try manager.find(Country.self, "de"))
        country.code = "at"
        try manager.execute("UPDATE COUNTRY SET NAME = 'theirs'")
        try manager.merge(country)
        #expect(country.changedKeys == ["code"])
        try manager.save(country)
        #expect(try manager.stored("SELECT CODE || NAME FROM COUNTRY") == "attheirs")
    }

    @Test("A new object cannot be merged, and one whose row is gone neither")
    func gone() throws {
        // F55
        #expect(failure { try manager.merge(Draft()) }?.code == .notPersisted)
        let draft = try draft()
        draft.title = "mine"
        try manager.execute("DELETE FROM DRAFT")
        #expect(failure { try manager.merge(draft) }?.code == .notFound)
        #expect(draft.changedKeys == ["title"])
    }

    @Test("A row with a value that the property cannot hold throws, and the object is as it was")
    func badRow() throws {
        let draft = try draft()
        try manager.execute("UPDATE DRAFT SET DATE = 'no date', TEXT = 'theirs'")
        let error = failure { try manager.merge(draft) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.rowKey == ["id": .integer(1)])
        #expect(draft.text == "a")
    }

    @Test("An object that is not tracked differs in what both have changed, and is tracked afterwards")
    func untracked() throws {
        let draft = try draft(tracked: false)
        draft.title = "mine"
        try manager.execute("UPDATE DRAFT SET TEXT = 'theirs'")
        #expect(failure { try manager.merge(draft) }?.conflict?.overlap == ["text", "title"])
        try manager.merge(draft, preferring: .mine)
        #expect(draft.text == "a")
        #expect(draft.changedKeys == ["title", "text"])
        try manager.merge(draft)
        #expect(draft.changedKeys == ["title", "text"])
    }

    @Test("A rollback gives back what was taken over, and keeps what I have changed")
    func rollback() throws {
        // F14
        let draft = try draft()
        draft.title = "mine"
        try catchingTestError {
            try manager.transaction {
                try manager.execute("UPDATE DRAFT SET TEXT = 'theirs'")
                try manager.merge(draft)
                #expect(draft.text == "theirs")
                throw TestError()
            }
        }
        #expect(draft.title == "mine")
        #expect(draft.text == "a")
        #expect(draft.changedKeys == ["title"])
    }

    @Test("What the table computes is nobody's change, and is as the row has it", arguments: [true, false])
    func generated(isChangedElsewhere: Bool) throws {
        // F54
        let manager = try memoryManager(Line.self)
        let line = Line()
        try manager.save(line)
        if isChangedElsewhere { try manager.updateAll(Line.self, set: ["price": 3]) }
        line.quantity = 2
        line.total = 99
        try manager.merge(line)
        #expect(line.total == (isChangedElsewhere ? 3 : 0))
        #expect(line.changedKeys == ["quantity"])
        try manager.save(line)
        #expect(line.total == (isChangedElsewhere ? 6 : 0))
    }

    @Test("It merges while the task is suspended, and on the object itself")
    func asynchronous() async throws {
        let draft = try draft()
        draft.title = "mine"
        try await manager.execute("UPDATE DRAFT SET TEXT = 'theirs'")
        try await manager.merge(draft)
        #expect(draft.text == "theirs")
        try await manager.execute("UPDATE DRAFT SET TITLE = 'theirs'")
        #expect(await asyncFailure { try await draft.merge() }?.conflict?.overlap == ["title"])
        try await draft.merge(preferring: .theirs)
        #expect(draft.title == "theirs")
        try await manager.execute("DELETE FROM DRAFT")
        #expect(await asyncFailure { try await draft.merge() }?.code == .notFound)
    }
}
