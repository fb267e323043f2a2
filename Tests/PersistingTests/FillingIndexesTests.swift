import Foundation
import Persisting
import Testing

@Suite("An import into a class with a full-text index") struct FillingIndexesTests {
    private static func csv(_ rows: Range<Int>) -> String {
        let rest = String(repeating: " of many", count: 12)
        return "shelf,number,text\n" + rows.map { "\($0 % 7),\($0),word\($0 % 50)\(rest)\n" }.joined()
    }

    private func check<Model: Imported>(_ type: Model.Type, _ manager: PersistenceManager, words: Int) throws {
        try manager.check(type.search.of(type))
        #expect(try manager.count(type, where: type.search.of(type).matches("word3", mode: .allWords)) == words)
    }

    @Test("finds all rows, and those that come later") func rows() throws {
        func test<Model: Imported>(_ type: Model.Type) throws {
            let manager = try memoryManager(type)
            try manager.importCSV(type, contentsOf: Data(Self.csv(0..<600).utf8))
            try check(type, manager, words: 12)
            let triggers = try manager.stored("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'")
            try manager.importCSV(type, contentsOf: Data(Self.csv(600..<1_200).utf8))
            try check(type, manager, words: 24)
            try manager.insert(type, values: ["shelf": 1, "number": -1, "text": "word3"])
            try manager.update(Query(type).where(.format("number < 100")), set: ["text": "none"])
            try check(type, manager, words: 22)
            #expect(try manager.stored("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == triggers)
            #expect(try manager.schemaPlan(for: [type]).isEmpty)
        }
        try test(ImportedNote.self)
        try test(ImportedSeat.self)
    }

    @Test("knows the row that it has inserted last", .local(.connection)) func last() throws {
        let manager = try memoryManager(ImportedNote.self)
        try manager.importCSV(ImportedNote.self, contentsOf: Data(Self.csv(0..<600).utf8))
        #expect(try manager.lastInserted(ImportedNote.self)?.number == 599)
    }

    @Test("leaves the index as it was when it fails, also in a transaction that goes on") func failure() throws {
        let manager = try memoryManager(ImportedNote.self)
        let text = Self.csv(0..<600) + "1,x,y\n"
        #expect(throws: PersistenceError.self) { try manager.importCSV(ImportedNote.self, contentsOf: Data(text.utf8)) }
        try manager.transaction {
            #expect(throws: PersistenceError.self) {
                try manager.importCSV(ImportedNote.self, contentsOf: Data(text.utf8))
            }
            try manager.insert(ImportedNote.self, values: ["text": "word3"])
        }
        try check(ImportedNote.self, manager, words: 1)
    }

    @Test("as an array of objects has each under its own key, and as a history records it") func batch() throws {
        let manager = try memoryManager(ImportedNote.self, PastFolder.self)
        let notes = (0..<200).map { number in
            let note = ImportedNote()
            note.text = "word\(number % 50) of \(number)"
            return note
        }
        let folders = (0..<200).map { number in
            let folder = PastFolder()
            folder.name = "\(number)"
            return folder
        }
        try manager.insert(notes)
        try manager.insert(folders)
        try check(ImportedNote.self, manager, words: 4)
        #expect(try notes.allSatisfy { try manager.find(ImportedNote.self, $0.id)?.text == $0.text })
        let changes = try manager.history(of: PastFolder.self).compactMap(\.after)
        #expect(changes.map(\.id) == folders.map(\.id) && changes.map(\.name) == folders.map(\.name))
    }

    @Test("commits parts of it, and tries it out") func parts() throws {
        let manager = try memoryManager(ImportedNote.self)
        let text = Data(Self.csv(0..<600).utf8)
        try manager.importCSV(ImportedNote.self, contentsOf: text, dryRun: true)
        try check(ImportedNote.self, manager, words: 0)
        try manager.importCSV(ImportedNote.self, contentsOf: text, commit: .every(rows: 200))
        try check(ImportedNote.self, manager, words: 12)
    }
}

class Imported: PersistingModel {
    var number = 0
    var shelf = 0
    var text = ""

    static let search = FullTextIndex(\Imported.text)
    override class var fullTextIndexes: FullTextIndexes { ["search": search] }
}

final class ImportedNote: Imported {
    var id: Int64?
}

final class ImportedSeat: Imported {
    override class var primaryKey: PrimaryKey { .composite("number", "shelf") }
    override class var tableOptions: TableOptions { .withoutRowID }
}
