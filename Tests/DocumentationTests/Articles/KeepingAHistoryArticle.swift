// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct KeepingAHistoryArticle: Article {
    // snippet.show
    final class Note: PersistingModel {
        var id: Int64?
        var title = ""
        var body = ""
        var draft: String?
        var folderID: Int64?

        static let folder = ToOne(\Note.folderID, Folder.self)
        override class var relations: Relations { ["folder": folder] }
        override class var history: History? {
            .values(except: ["draft"], keeping: .days(90))
        }
    }

    final class Folder: PersistingModel {
        var id: Int64?
        var name = ""

        static let notes = ToMany(inverse: Note.folder)
        override class var relations: Relations { ["notes": notes] }
        override class var history: History? { .values() }
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        // snippet.show
        try manager.updateSchema(for: [Folder.self, Note.self])
        // snippet.hide
        // snippet.show
        let undo = try UndoHistory(
            of: [Note.self, Folder.self], in: manager, limit: 100)
        let note = Note()
        undo.follow(note)
        try manager.transaction("New Note") {
            note.title = "Sailing"
            try manager.insert(note)
        }
        try manager.transaction("Rename") {
            note.title = "Sailing in wind"
            try manager.save(note)
        }
        print(undo.undoName ?? "", undo.canRedo)      // Rename false
        try undo.undo()
        print(note.title, undo.redoName ?? "")        // Sailing Rename
        try undo.redo()
        // snippet.hide
        #expect(note.title == "Sailing in wind")
        // snippet.show
        try manager.transaction("Correct", by: "ada") {
            note.body = "The wind was strong."
            try manager.save(note)
        }
        for change in try manager.history(of: note) {
            print(change.kind, change.name ?? "", change.author ?? "", change.date)
            for key in change.keys {
                let old = try change.before?.value(forKey: key)
                let new = try change.after?.value(forKey: key)
                print(key, old ?? "nil", new ?? "nil")
            }
        }
        // snippet.hide
        // snippet.show
        let byAda = try manager.history(of: Note.self) { $0.author == "ada" }
        // snippet.hide
        #expect(byAda.flatMap(\.keys) == ["body"])
        // snippet.show
        let versions = try manager.history(of: note)
        try manager.revert(note, to: versions[0])
        print(note.title)      // Sailing
        // snippet.hide
        #expect(note.body == "")
        // snippet.show
        let positions = try manager.historyTransactions()
        for position in positions {
            let then = try manager.fetchAll(
                Note.where(.hasPrefix(\.title, "Sail")).asOf(position.number))
            print(position.date.formatted(.iso8601), then.map(\.title))
        }
        let yesterday = Date.now.addingTimeInterval(-86_400)
        let folders = try manager.fetchAll(
            Folder.rows.with(Folder.notes).asOf(yesterday))
        // snippet.hide
        #expect(folders.isEmpty && positions.count == 6)
        @Sendable func feed(_ manager: PersistenceManager, upload: (HistoryChange<Note>) throws -> Void) async throws {
            // snippet.show
            let url = URL(filePath: "uploaded.json")
            let isStored = FileManager.default.fileExists(
                atPath: url.path(percentEncoded: false))
            var token =
                isStored
                ? try JSONDecoder().decode(HistoryToken.self, from: Data(contentsOf: url))
                : nil
            for try await commit in manager.history(since: token, of: [Note.self]) {
                for change in try await commit.changes(of: Note.self) { try upload(change) }
                token = commit.token
                try JSONEncoder().encode(token).write(to: url)
            }
            // snippet.hide
        }
        try manager.delete(note)
        // snippet.show
        try manager.pruneHistory(of: Note.self, Folder.self)
        try manager.eraseHistory(of: note)
        // snippet.hide
        #expect(try manager.history(of: note).isEmpty)
    }
}
