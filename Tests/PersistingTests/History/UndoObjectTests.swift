import Foundation
import Persisting
import Testing

@Suite("An undo of objects") struct UndoObjectTests {
    private let manager: PersistenceManager
    private let undo: UndoHistory

    init() throws {
        manager = try memoryManager(PastPage.self, PastCountry.self)
        undo = try UndoHistory(of: [PastPage.self, PastCountry.self], in: manager)
    }

    private func page() throws -> PastPage {
        let page = PastPage()
        page.title = "one"
        try manager.insert(page)
        undo.follow(page)
        page.title = "two"
        try manager.save(page)
        return page
    }

    @Test("counts the version up, so that an object from before it can't overwrite later saves") func version() throws {
        let page = try page()
        let other = try #require(try manager.find(PastPage.self, 1))
        try undo.undo()
        #expect(page.title == "one" && page.version == 3)
        let mine = try #require(try manager.find(PastPage.self, 1))
        mine.title = "mine"
        try manager.save(mine)
        other.title = "other"
        #expect(failure { try manager.save(other) }?.code == .conflict)
        try undo.undo()
        try undo.redo()
        #expect(page.title == "mine" && page.version == 6)
        page.title = "three"
        try manager.save(page)
        #expect(try manager.find(PastPage.self, 1)?.title == "three")
    }

    @Test("goes on from the version of a deleted row, deletes it again, and isn't a conflict with itself")
    func versionOfDeletedRow() throws {
        let page = try page()
        try manager.delete(page)
        for version in [3, 4] {
            try undo.undo()
            #expect(page.isPersisted && page.version == version)
            try undo.redo()
            #expect(page.isDeleted)
        }
        for _ in 0..<3 { try undo.undo() }
        #expect(try manager.count(PastPage.rows) == 0 && !undo.canUndo)
        for _ in 0..<3 { try undo.redo() }
        #expect(!undo.canRedo && page.isDeleted)
    }

    @Test("keeps an unsaved change, which the next save writes in spite of the version") func unsavedChange() throws {
        let page = try page()
        page.title = "unsaved"
        try undo.undo()
        #expect(try page.title == "unsaved" && page.storedValue(forKey: "title") == .text("one"))
        try manager.save(page)
        #expect(try manager.find(PastPage.self, 1)?.title == "unsaved")
    }

    @Test("keeps an unsaved change of a deleted object, whose row it restores", arguments: [false, true])
    func unsavedChangeOfDeleted(isSuspended: Bool) async throws {
        let page = try page()
        page.title = "unsaved"
        try await manager.delete(page)
        func undoNow() throws { try undo.undo() }
        if isSuspended { try await undo.undo() } else { try undoNow() }
        #expect(try page.isPersisted && page.title == "unsaved" && page.storedValue(forKey: "title") == .text("two"))
        try await manager.save(page)
        #expect(try await manager.find(PastPage.self, 1)?.title == "unsaved")
    }

    @Test("leads objects to the keys that their rows have again") func keys() throws {
        let (country, other) = (PastCountry("TCH"), PastCountry("AUT"))
        try manager.insert([country, other])
        undo.follow(country, other)
        for code in ["CSK", "CZ"] {
            country.code = code
            try manager.save(country)
        }
        // Two exchange their keys.
        try manager.transaction {
            for (object, code) in [(country, "?"), (other, "CZ"), (country, "AUT")] {
                object.code = code
                try manager.save(object)
            }
        }
        let codes = [("TCH", "AUT"), ("CSK", "AUT"), ("CZ", "AUT"), ("AUT", "CZ")]
        for (own, others) in codes.reversed().dropFirst() {
            try undo.undo()
            #expect(country.code == own && other.code == others && country.isPersisted && !country.hasChanges)
        }
        for (own, others) in codes.dropFirst() {
            try undo.redo()
            #expect(country.code == own && other.code == others && country.isPersisted && !country.hasChanges)
        }
        country.name = "Austria"
        try manager.save(country)
        #expect(try manager.values(PastCountry.sorted(by: \.code), \.name) == ["Austria", "AUT"])
        try undo.undo()
        for _ in 0..<4 { try undo.undo() }
        #expect(country.isDeleted && other.isDeleted)
    }

    @Test("knows no key that a savepoint has taken back") func keyTakenBack() throws {
        struct Undone: Error {}
        let country = PastCountry("TCH")
        try manager.insert(country)
        undo.follow(country)
        try manager.transaction {
            #expect(throws: Undone.self) {
                try manager.transaction {
                    country.code = "CSK"
                    try manager.save(country)
                    throw Undone()
                }
            }
            country.name = "new"
            country.code = "TCH"
            try manager.save(country)
        }
        try undo.undo()
        #expect(country.name == "TCH")
        try undo.redo()
        #expect(country.isPersisted && country.code == "TCH" && country.name == "new")
    }

    @Test("leads objects to their keys while a task is suspended") func keysWhileSuspended() async throws {
        let country = PastCountry("TCH")
        try await manager.insert(country)
        undo.follow(country)
        country.code = "CZ"
        try await manager.save(country)
        try await undo.undo()
        #expect(country.code == "TCH" && country.isPersisted)
        try await undo.redo()
        #expect(country.code == "CZ" && country.isPersisted)
    }

    @Test("changes nothing if the history of one of the step's rows is erased") func erased() throws {
        let page = try page()
        try manager.insert(PastPage.self, values: ["title": "other"])
        try manager.updateAll(PastPage.self, set: ["title": "x"])
        try manager.eraseHistory(of: page)
        #expect(failure { try undo.undo() }?.code == .historyPruned)
        #expect(try manager.values(PastPage.rows, \.title) == ["x", "x"] && undo.canUndo)
        undo.removeAll()
        try manager.delete(PastPage.where(\.id == 2))
        try undo.undo()
        #expect(try manager.count(PastPage.rows) == 2)
    }
}

private final class PastPage: PersistingModel {
    var id: Int64?
    var title = ""
    var version = 0

    override class var versionKey: String? { "version" }
    override class var history: History? { .values() }
}

private final class PastCountry: PersistingModel {
    var code = ""
    var name = ""

    convenience init(_ code: String) {
        self.init()
        (self.code, name) = (code, code)
    }

    override class var primaryKey: PrimaryKey { .assigned("code") }
    override class var history: History? { .values() }
}
