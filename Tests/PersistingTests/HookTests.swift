import Foundation
import Persisting
import Testing

/// A model that notes which of its hooks have run.
private final class Note: PersistingModel {
    var id: Int64?
    var title = ""
    var slug = ""
    var edits = 0
    var _log: [String] = []
    var _rejected: Set<String> = []
    var _onHook: ((Note, String) throws -> Void)?

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }

    private func run(_ hook: String) throws {
        _log.append(hook)
        if _rejected.contains(hook) { throw TestError() }
        try _onHook?(self, hook)
    }

    override func willInsert() throws {
        slug = title.lowercased()
        try run("willInsert")
    }

    override func didInsert() { _log.append("didInsert \(isPersisted) \(id.map { "\($0)" } ?? "nil")") }

    override func willUpdate() throws {
        edits += 1
        try run("willUpdate")
    }

    override func didUpdate() { _log.append("didUpdate \(hasChanges)") }
    override func willDelete() throws { try run("willDelete") }
    override func didDelete() { _log.append("didDelete \(isDeleted)") }
}

@Suite("Hooks")
struct HookTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Note.self)
    }

    private func saved(_ title: String = "A") throws -> Note {
        let note = Note(title)
        try manager.save(note)
        note._log = []
        return note
    }

    @Test("An insert runs its hooks around the write, the first before the values are taken, the second with the key")
    func insert() throws {
        // F55, F60
        let note = Note("Title")
        try manager.save(note)
        #expect(note._log == ["willInsert", "didInsert true 1"])
        #expect(try manager.stored("SELECT SLUG FROM NOTE") == "title")
    }

    @Test("An update runs its hooks, and writes what the first has changed")
    func update() throws {
        // F55
        let note = try saved()
        note.title = "B"
        try manager.save(note)
        #expect(note._log == ["willUpdate", "didUpdate false"])
        #expect(try manager.stored("SELECT TITLE || EDITS FROM NOTE") == "B1")
    }

    @Test("An update with nothing to write runs no hook")
    func unchanged() throws {
        // F58
        let note = try saved()
        try manager.save(note)
        try manager.update(note)
        try manager.update(note, keys: [])
        #expect(note._log.isEmpty)
    }

    @Test("A hook that takes the changes back leaves nothing to write")
    func takenBack() throws {
        // F58
        let note = try saved()
        note._onHook = { note, _ in
            note.title = "A"
            note.edits = 0
        }
        note.title = "B"
        try manager.save(note)
        #expect(note._log == ["willUpdate"])
        #expect(!note.hasChanges)
    }

    @Test("An update of one property runs the hooks, and what they change besides stays to be saved")
    func oneProperty() throws {
        // F60
        let note = try saved()
        try note.update(\.title, to: "B")
        #expect(note._log == ["willUpdate", "didUpdate true"])
        #expect(note.changedKeys == ["edits"])
        #expect(try manager.stored("SELECT TITLE || EDITS FROM NOTE") == "B0")
    }

    @Test("A hook can change the property that is being written")
    func sameProperty() throws {
        // F60
        let note = try saved()
        note._onHook = { note, _ in note.title += "!" }
        try note.update(key: "title", to: "B")
        #expect(note.title == "B!")
        #expect(try manager.stored("SELECT TITLE FROM NOTE") == "B!")
    }

    @Test("A delete runs its hooks, also when the row is gone already")
    func delete() throws {
        // F63
        let note = try saved()
        try manager.execute("DELETE FROM NOTE")
        #expect(try !manager.delete(note))
        #expect(note._log == ["willDelete", "didDelete true"])
    }

    @Test(
        "A hook rejects a write by throwing, and the object's state is as it was",
        arguments: ["willInsert", "willUpdate", "willDelete"])
    func rejected(hook: String) throws {
        // F55
        let note = hook == "willInsert" ? Note("A") : try saved()
        let before = (note.isPersisted, try manager.rowCount("NOTE"))
        note._rejected = [hook]
        note.title = "B"
        #expect(throws: TestError()) {
            if hook == "willDelete" { try manager.delete(note) } else { try manager.save(note) }
        }
        #expect(note._log == [hook])
        #expect((note.isPersisted, try manager.rowCount("NOTE")) == before)
        #expect(note.changedKeys.contains("title"))
    }

    @Test("An update of one property that its hook rejects gives the property its old value")
    func rejectedProperty() throws {
        // F60
        let note = try saved()
        note._rejected = ["willUpdate"]
        #expect(throws: TestError()) { try note.update(\.title, to: "B") }
        #expect(note.title == "A")
    }

    @Test("A batch runs the hooks of each object, and one that rejects leaves all new")
    func batch() throws {
        // F55
        let notes = [Note("A"), Note("B"), Note("C")]
        notes[2]._rejected = ["willInsert"]
        #expect(throws: TestError()) { try manager.insert(notes) }
        #expect(notes.allSatisfy { !$0.isPersisted && $0.id == nil })
        #expect(try manager.rowCount("NOTE") == 0)
        notes[2]._rejected = []
        try manager.insert(notes)
        #expect(notes.map(\._log.last) == ["didInsert true 1", "didInsert true 2", "didInsert true 3"])
    }

    @Test("A hook that saves its own object is rejected rather than called without end")
    func recursive() throws {
        let note = Note("A")
        let manager = manager
        note._onHook = { note, _ in try manager.save(note) }
        let error = failure { try manager.save(note) }
        #expect(error?.code == .beingSaved)
        #expect(error?.message.contains("runs this hook") == true)
        note._onHook = nil
        try manager.save(note)
        #expect(try manager.rowCount("NOTE") == 1)
    }

    @Test("A hook saves another object, and its own after the write")
    func others() throws {
        let manager = manager
        let other = Note("other")
        let note = Note("A")
        note._onHook = { note, hook in if hook == "willInsert" { try manager.save(other) } }
        try manager.save(note)
        #expect(try manager.storedColumn("SELECT TITLE FROM NOTE ORDER BY ID") == ["other", "A"])
    }

    @Test("Hooks of a batch save objects of the same class in between, in the batch's transaction")
    func othersInBatch() throws {
        let manager = manager
        let notes = [Note("A"), Note("B")]
        for note in notes {
            note._onHook = { note, hook in
                if hook == "willInsert" { try manager.save(Note("before " + note.title)) }
            }
        }
        try manager.insert(notes)
        #expect(
            try manager.storedColumn("SELECT TITLE FROM NOTE ORDER BY ID") == ["before A", "A", "before B", "B"])
        let rejected = Note("C")
        rejected._onHook = notes[0]._onHook
        let last = Note("D")
        last._rejected = ["willInsert"]
        #expect(throws: TestError()) { try manager.insert([rejected, last]) }
        #expect(try manager.rowCount("NOTE") == 4)
    }

    @Test("What a hook sets stays set when the write fails, and is a change")
    func failed() throws {
        // F54
        let note = try saved()
        try manager.execute("DELETE FROM NOTE")
        note.title = "B"
        #expect(failure { try manager.save(note) }?.code == .notFound)
        #expect(note.changedKeys == ["title", "edits"])
        #expect(note._log == ["willUpdate"])
    }

    @Test("A rollback runs no hook")
    func rollback() throws {
        let note = Note("A")
        try catchingTestError {
            try manager.transaction {
                try manager.save(note)
                throw TestError()
            }
        }
        #expect(note._log == ["willInsert", "didInsert true 1"])
        #expect(!note.isPersisted)
    }

    @Test("Values by name become an object whose hook sets a column that has a default")
    func values() throws {
        // F52
        let note = try manager.insert(Note.self, values: ["title": "ABC"])
        #expect(note.slug == "abc")
        #expect(note._log == ["willInsert", "didInsert true 1"])
        #expect(try manager.stored("SELECT SLUG FROM NOTE") == "abc")
    }

    @Test("Rows that are written without objects run no hooks")
    func queries() throws {
        let note = try saved()
        try manager.update(Note.where(\.title == "A"), set: ["title": "B"])
        try manager.delete(Note.where(\.title == "B"))
        #expect(note._log.isEmpty)
    }

    @Test("Objects that are not tracked run the hooks")
    func untracked() throws {
        _ = try saved()
        let note = try #require(try manager.fetchAll(Note.self, tracked: false).first)
        try manager.save(note)
        #expect(note._log == ["willUpdate", "didUpdate false"])
    }

    @Test("Asynchronous verbs run the hooks in the caller's isolation") @MainActor
    func asynchronous() async throws {
        let note = Note("A")
        note._onHook = { _, _ in MainActor.assertIsolated() }
        try await manager.save(note)
        note.title = "B"
        try await manager.save(note)
        try await note.update(\.title, to: "C")
        try await manager.update(note, keys: ["title"])
        try await manager.delete(note)
        #expect(
            note._log == [
                "willInsert", "didInsert true 1", "willUpdate", "didUpdate false", "willUpdate", "didUpdate true",
                "willUpdate", "didUpdate true", "willDelete", "didDelete true",
            ])
    }

    @Test("An asynchronous batch that one object rejects inserts none")
    func asynchronousBatch() async throws {
        let notes = [Note("A"), Note("B")]
        notes[1]._rejected = ["willInsert"]
        await #expect(throws: TestError()) { try await manager.insert(notes) }
        #expect(try manager.rowCount("NOTE") == 0)
        notes[1]._rejected = []
        try await manager.insert(notes)
        #expect(notes.map(\._log.last) == ["didInsert true 1", "didInsert true 2"])
    }
}

/// A model that says what is wrong with it.
private class Article: PersistingModel {
    var id: Int64?
    var title: String?
    var stock = 0

    override func validate() -> [ValidationFailure] {
        var failures = super.validate()
        if title?.isEmpty != false { failures.append(ValidationFailure(key: "title", reason: "must not be empty")) }
        if stock < 0 { failures.append(ValidationFailure(key: "stock", reason: "must not be negative")) }
        return failures
    }
}

private final class Book: Article {
    var isbn = ""

    override func validate() -> [ValidationFailure] {
        super.validate() + (isbn == title ? [ValidationFailure(reason: "title and isbn are the same")] : [])
    }
}

@Suite("Validation")
struct ValidationTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Article.self, Book.self)
    }

    @Test("An insert throws all failures at once, and writes nothing")
    func insert() throws {
        let article = Article()
        article.stock = -1
        let error = failure { try manager.save(article) }
        #expect(error?.code == .invalidObject)
        #expect(error?.model == "Article")
        #expect(error?.failures.map(\.key) == ["title", "stock"])
        #expect(error?.message == "the object is not valid: title must not be empty; stock must not be negative")
        #expect(!article.isPersisted)
        #expect(try manager.rowCount("ARTICLE") == 0)
    }

    @Test("A single failure names its key in the error")
    func key() throws {
        #expect(failure { try manager.save(Article()) }?.key == "title")
    }

    @Test("Inherited failures and those of the object as a whole are reported")
    func inherited() throws {
        let book = Book()
        book.title = ""
        let error = failure { try manager.insert([book]) }
        #expect(error?.failures.map(\.reason) == ["must not be empty", "title and isbn are the same"])
        #expect(error?.failures.last?.key == nil)
    }

    @Test("An update throws, and the row and the changes stay")
    func update() throws {
        let article = Article()
        article.title = "A"
        try manager.save(article)
        article.stock = -1
        #expect(failure { try manager.save(article) }?.code == .invalidObject)
        #expect(article.changedKeys == ["stock"])
        #expect(try manager.stored("SELECT STOCK FROM ARTICLE") == 0)
        article.stock = 1
        try manager.save(article)
        #expect(try manager.stored("SELECT STOCK FROM ARTICLE") == 1)
    }

    @Test("An update of one property throws, and the property has its old value")
    func oneProperty() async throws {
        // F60
        let article = Article()
        article.title = "A"
        try await manager.save(article)
        #expect(failure { try article.update(\.stock, to: -1) }?.code == .invalidObject)
        #expect(failure { try article.update(key: "title", to: nil) }?.code == .invalidObject)
        #expect(await asyncFailure { try await article.update(\.stock, to: -1) }?.code == .invalidObject)
        #expect(!article.hasChanges)
    }

    @Test("A batch with one object that is not valid inserts none")
    func batch() async throws {
        let articles = [Article(), Article()]
        articles[0].title = "A"
        #expect(failure { try manager.insert(articles) }?.code == .invalidObject)
        #expect(await asyncFailure { try await manager.insert(articles) }?.code == .invalidObject)
        #expect(!articles[0].isPersisted)
        #expect(try manager.rowCount("ARTICLE") == 0)
    }

    @Test("What is not valid can be deleted")
    func delete() throws {
        // F63
        let article = Article()
        article.title = "A"
        try manager.save(article)
        article.title = nil
        #expect(try manager.delete(article))
    }

    @Test("Text with NUL and letters of any language is in the message as it is")
    func texts() {
        #expect(ValidationFailure(key: "größe", reason: "ist 0\u{0} 長い").description == "größe ist 0\u{0} 長い")
    }
}
