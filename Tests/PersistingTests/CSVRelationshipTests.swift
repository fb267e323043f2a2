import Foundation
import Persisting
import Testing

private final class Folder: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class Entry: PersistingModel {
    var id: Int64?
    var title = ""
    var note: String?
    var folderID: Int64?

    override class var remoteMapping: RemoteMapping {
        RemoteMapping([
            .key("title", "title"), .key("note", "note"),
            .relationship("folder") { (entry: Entry, value) in
                guard let name = value as? String else {
                    entry.note = value == nil ? "no folder" : "not a text"
                    return
                }
                if name == "forbidden" { throw CancellationError() }
                entry.folderID = try Folder.findOrCreate(where: ["name": name]).id
            },
        ])
    }
}

private class Work: PersistingModel {
    var id: Int64?
    var title = ""
    var folder: String?
    override class var subclasses: [PersistingModel.Type] { [Song.self] }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping([.key("title", "title"), .key("kind", "kind")])
    }
}

private final class Song: Work {
    override class var remoteMapping: RemoteMapping {
        RemoteMapping([
            .key("title", "title"), .key("kind", "kind"),
            .relationship("box") { (song: Song, value) in song.folder = value as? String },
        ])
    }
}

@Suite("Relationships in a CSV text") struct CSVRelationshipTests {
    private let manager: PersistenceManager

    init() throws { manager = try memoryManager(Folder.self, Entry.self) }

    private func texts() throws -> [String] {
        let names = Dictionary(
            uniqueKeysWithValues: try manager.fetchAll(Folder.self).map { ($0.id ?? 0, $0.name) })
        return try manager.fetchAll(Entry.self, sortedBy: "id").map { entry in
            "\(entry.title) \(entry.folderID.flatMap { names[$0] } ?? entry.note ?? "-")"
        }
    }

    @Test("are given the field's text, nil for an empty field, and an empty text for one in quotation marks")
    func values() throws {
        // F106 F118
        let text = Data("title,folder\na,Jazz\nb,Jazz\nc,\nd,\"\"\ne,007\n".utf8)
        let report = try manager.importCSV(Entry.self, contentsOf: text)
        #expect(report.inserted == 5 && report.ignoredKeys.isEmpty)
        #expect(try texts() == ["a Jazz", "b Jazz", "c no folder", "d ", "e 007"])
        #expect(try manager.count(Folder.self) == 3)
    }

    @Test("are called as for JSON") func asJSON() throws {
        // F93 F118
        let json = #"[{"title": "a", "folder": "Jazz"}, {"title": "b", "folder": null}, {"title": "c"}]"#
        try manager.importJSON(Entry.self, contentsOf: Data(json.utf8))
        let expected = try texts()
        try manager.deleteAll(Entry.self)
        try manager.importCSV(
            Entry.self, contentsOf: Data("title,folder\na,Jazz\nb,\nc\n".utf8), CSVFormat(shortRows: .any))
        #expect(try texts() == expected)
        #expect(expected == ["a Jazz", "b no folder", "c -"])
    }

    @Test("aren't unknown keys, and can be all that a file has") func known() throws {
        // F118
        let report = try manager.importCSV(
            Entry.self, contentsOf: Data("folder\nJazz\n".utf8), unknownKeys: .fail)
        #expect(report.inserted == 1)
        #expect(try texts() == [" Jazz"])
    }

    @Test("can be renamed by the format, or named by it") func renamed() throws {
        // F106 F118
        try manager.importCSV(
            Entry.self, contentsOf: Data("title,Box\na,Jazz\n".utf8), CSVFormat(header: .renamed(["Box": "folder"])))
        try manager.importCSV(
            Entry.self, contentsOf: Data("b,Blues\n".utf8), CSVFormat(header: .absent(["title", "folder"])))
        #expect(try texts() == ["a Jazz", "b Blues"])
        let error = #expect(throws: PersistenceError.self) {
            try manager.importCSV(
                Entry.self, contentsOf: Data("Box,folder\na,b\n".utf8),
                CSVFormat(header: .renamed(["Box": "folder"])))
        }
        #expect(error?.code == .invalidFormat)
        #expect(error?.message == "the names \"Box\" and \"folder\" are the same relationship, folder")
    }

    @Test("end the import when the closure throws, and keep no row") func throwing() throws {
        // F117 F118
        let text = Data("title,folder\na,forbidden\nb,Jazz\n".utf8)
        #expect(throws: (any Error).self) { try manager.importCSV(Entry.self, contentsOf: text) }
        #expect(try manager.count(Entry.self) == 0)
    }

    @Test("of bytes that aren't UTF-8 are errors of their row") func encoding() throws {
        // F118
        let text = Data("title,folder\na,".utf8) + [0xFF] + Data("\nb,Jazz\n".utf8)
        let report = try manager.importCSV(Entry.self, contentsOf: text, errors: .collect(max: 1))
        #expect(report.failures.map(\.description) == ["line 2: the text of folder isn't UTF-8"])
        #expect(try texts() == ["b Jazz"])
    }

    @Test("of one of the classes that share a table are given the rows of its objects") func hierarchy() throws {
        // F99 F118
        let manager = try memoryManager(Work.self)
        let text = "kind,title,box\nWork,a,\nSong,b,Jazz\nWork,c,Jazz\n"
        let report = try manager.importCSV(Work.self, contentsOf: Data(text.utf8), errors: .collect(max: 1))
        #expect(report.ignoredKeys.isEmpty)
        #expect(
            report.failures.map(\.description) == ["line 4: box isn't a property of Work, and the row has a value"])
        #expect(try manager.values(Work.sorted(by: \.id), \.folder) == [nil, "Jazz"])
    }

    @Test("are called while a task is suspended, and in batches") func forms() async throws {
        // F116 F118
        let text = Data("title,folder\na,Jazz\nb,Blues\nc,Soul\n".utf8)
        try await manager.importCSV(Entry.self, contentsOf: text, commit: .every(rows: 1))
        #expect(try texts() == ["a Jazz", "b Blues", "c Soul"])
        let bytes = AsyncStream<UInt8> { stream in
            for byte in text { stream.yield(byte) }
            stream.finish()
        }
        try await manager.importCSV(Entry.self, contentsOf: bytes)
        #expect(try await manager.count(Entry.self) == 6)
        let report = try await manager.importCSV(Entry.self, contentsOf: text, dryRun: true)
        #expect(report.inserted == 3)
        #expect(try await manager.count(Entry.self) == 6)
    }
}

@Suite("Rows of a file without any known key") struct UnknownRowTests {
    private let manager: PersistenceManager

    init() throws { manager = try memoryManager(Folder.self, Entry.self) }

    @Test("An object without keys is an error") func emptyObject() throws {
        // F118
        let error = #expect(throws: PersistenceError.self) {
            try manager.importJSON(Folder.self, contentsOf: Data("[{}]".utf8))
        }
        #expect(error?.code == .importFailed)
        #expect(error?.message == "line 1: the object has no keys; the class's are: id, name, ID, NAME")
        #expect(try manager.count(Folder.self) == 0)
        let text = Data("{}\n{\"name\": \"a\"}\n".utf8)
        let report = try manager.importJSON(Folder.self, contentsOf: text, .lines, errors: .collect(max: 1))
        #expect(report.inserted == 1 && report.failures.map(\.line) == [1])
    }

    @Test("An object without known keys is an error for a class with relationships, too") func relationships() throws {
        // F118
        let text = Data(#"[{"foo": 1}, {}, {"folder": "Jazz"}]"#.utf8)
        let report = try manager.importJSON(Entry.self, contentsOf: text, errors: .collect(max: 2))
        #expect(report.inserted == 1)
        #expect(
            report.failures.map(\.reason) == [
                "none of the keys \"foo\" is one of the class's: title, note, folder",
                "the object has no keys; the class's are: title, note, folder",
            ])
    }

    @Test("A short row that has no known field is an error") func shortRow() throws {
        // F106 F118
        let text = Data("foo,name\n1\n2,a\n3,\n".utf8)
        let report = try manager.importCSV(
            Folder.self, contentsOf: text, CSVFormat(shortRows: .any), errors: .collect(max: 1))
        #expect(report.inserted == 2)
        #expect(
            report.failures.map(\.description) == ["line 2: none of the row's fields \"foo\" is one of Folder's"])
    }
}
