import Foundation
import Persisting
import Testing

// F132
@Suite("Histories and what else there is") struct HistoryMeetingTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Record.self)
    }

    private func insert(_ title: String, scan: Data? = nil) throws -> Record {
        try manager.insert(Record.self, values: ["title": title, "scan": scan, "secret": "s"])
    }

    @Test("a search of the past is an error, as objects and as hits") func search() throws {
        let record = try insert("Sailing then")
        let number = try manager.lastNumber
        try record.update(\.title, to: "Walking")
        let query = Record.where(Record.text.matches("sail")).asOf(number)
        for error in [
            #expect(throws: PersistenceError.self) { try manager.fetchAll(query) },
            #expect(throws: PersistenceError.self) { try manager.hits(query) },
        ] {
            #expect(error?.code == .noHistory)
            #expect(error?.description.contains("search index") == true)
        }
    }

    @Test("a row after a change is related to what there was then, and a row before one to what there was by then")
    func relatedToChanges() throws {
        let manager = try memoryManager(PastFolder.self, PastNote.self)
        let folder = try manager.insert(PastFolder.self, values: ["name": "a"])
        for _ in 0..<2 { try manager.insert(PastNote.self, values: ["folderID": folder.id]) }
        try folder.update(\.name, to: "b")
        try manager.insert(PastNote.self, values: ["folderID": folder.id])
        let changes = try manager.history(of: folder)
        let counts = try changes.map { change in
            try [change.before, change.after].map { try $0?.related(PastFolder.notes).count }
        }
        #expect(counts == [[nil, 0], [2, 2]])
    }

    @Test("a deferred property has changes, and its past can be loaded and restored") func deferred() throws {
        let record = try insert("t", scan: Data([1]))
        try manager.transaction("Rescan", by: "bob") { try record.update(\.scan, to: Data([2])) }
        let changes = try manager.history(of: record)
        #expect(changes.map(\.keys) == [["id", "title", "count", "scan"], ["scan"]])
        #expect(changes.map(\.author) == [nil, "bob"])
        let before = try #require(changes[1].before)
        try manager.load([before], \.scan)
        #expect(before.scan == Data([1]))
        try manager.revert(record, to: changes[0])
        #expect(try manager.stored("SELECT SCAN FROM RECORD") == .blob(Data([1])))
        try manager.revert(record, to: changes[1])
        #expect(try manager.stored("SELECT SCAN FROM RECORD") == .blob(Data([2])))
        try manager.delete(record)
        try manager.revert(record, to: changes[0])
        #expect(try manager.stored("SELECT SCAN FROM RECORD") == .blob(Data([1])))
    }

    @Test("the past of a deferred property is loaded and restored while the task is suspended")
    func deferredWhileSuspended() async throws {
        let record = try insert("t", scan: Data([1]))
        try await record.update(\.scan, to: Data([2]))
        let first = try #require(try await manager.history(of: record).first)
        let version = try #require(first.after)
        try await manager.load([version], \.scan)
        #expect(version.scan == Data([1]))
        try await manager.revert(record, to: first)
        #expect(try manager.stored("SELECT SCAN FROM RECORD") == .blob(Data([1])))
    }

    @Test("a deferred property becomes NULL again") func deferredNull() throws {
        let record = try insert("t")
        try record.update(\.scan, to: Data([2]))
        try manager.revert(record, to: try #require(try manager.history(of: record).first))
        #expect(try manager.stored("SELECT SCAN FROM RECORD") == .null)
    }

    @Test("an undo says what it takes back, and who does it") func reversed() throws {
        let undo = try UndoHistory(of: [Record.self], in: manager)
        let record = try insert("t")
        try manager.transaction("Delete", by: "ada") { try manager.delete(record) }
        let number = try manager.lastNumber
        try undo.undo(by: "bob")
        try undo.redo()
        let last = try manager.historyTransactions().suffix(3)
        #expect(last.map(\.author) == ["ada", "bob", "ada"])
        #expect(last.map(\.reverses) == [nil, number, number + 1])
    }

    @Test("an undo keeps what an object has that isn't saved") func unsaved() throws {
        let undo = try UndoHistory(of: [Record.self], in: manager)
        let record = try insert("t")
        undo.follow(record)
        try record.update(\.count, to: 5)
        record.title = "typed"
        try undo.undo()
        #expect(record.title == "typed" && record.count == 0)
        #expect(record.changedKeys == ["title"])
    }

    @Test("SQL of the manager is a step, in a transaction or not", .local(.connection)) func sql() throws {
        let undo = try UndoHistory(of: [Record.self], in: manager)
        _ = try insert("t")
        try manager.execute("UPDATE RECORD SET TITLE = 'u'")
        try manager.execute("WITH n(x) AS (VALUES ('v')) UPDATE RECORD SET TITLE = (SELECT x FROM n)")
        try undo.undo()
        #expect(try manager.stored("SELECT TITLE FROM RECORD") == .text("u"))
        try undo.undo()
        #expect(try manager.stored("SELECT TITLE FROM RECORD") == .text("t"))
        // What can't run in a transaction still runs.
        try manager.execute("VACUUM")
    }

    @Test("an undo history without the tables that a foreign key would change is an error") func uncovered() throws {
        let manager = try memoryManager(PastFolder.self, PastNote.self)
        let error = #expect(throws: PersistenceError.self) {
            try UndoHistory(of: [PastFolder.self], in: manager)
        }
        #expect(error?.code == .noHistory)
        #expect(error?.description.contains("NOTE") == true)
    }

    @Test("a key that changes to one which its collation takes for the same is undone") func spelling() throws {
        let manager = try memoryManager(Word.self)
        let undo = try UndoHistory(of: [Word.self], in: manager)
        try manager.insert(Word.self, values: ["text": "word", "count": 1])
        for sql: SQL in ["UPDATE WORD SET TEXT = 'Word', COUNT = 2", "UPDATE WORD SET TEXT = 'WORD'"] {
            try manager.execute(sql)
        }
        for text in ["Word", "word"] {
            try undo.undo()
            #expect(try manager.stored("SELECT TEXT FROM WORD") == .text(text))
        }
        try undo.redo()
        #expect(try manager.stored("SELECT TEXT || COUNT FROM WORD") == .text("Word2"))
    }

    @Test("rows of a relation of an object of the past are of the past") func rows() throws {
        let manager = try memoryManager(PastFolder.self, PastNote.self)
        let folder = try manager.insert(PastFolder.self, values: ["name": "f"])
        try manager.insert(PastNote.self, values: ["title": "a", "folderID": folder.id])
        let number = try manager.lastNumber
        try manager.deleteAll(PastNote.self)
        let past = try #require(try manager.fetchOne(PastFolder.rows.asOf(number)))
        #expect(try manager.count(past.rows(PastFolder.notes)) == 1)
        #expect(try manager.fetchAll(past.rows(PastFolder.notes)).map(\.title) == ["a"])
    }
}

private final class Word: PersistingModel {
    var text = ""
    var count = 0

    override class var primaryKey: PrimaryKey { .assigned("text") }
    override class var history: History? { .values() }
    override class var columns: Columns {
        var columns = super.columns
        columns["TEXT"] = .string.collate(.nocase)
        return columns
    }
}

private final class Record: PersistingModel {
    var id: Int64?
    var title = ""
    var count = 0
    var scan: Data?
    var secret: String?

    static let text = FullTextIndex(\Record.title)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var history: History? { .values(except: ["secret"]) }
    override class var columns: Columns {
        var columns = super.columns
        columns["SCAN"] = .data.deferred
        return columns
    }
}
