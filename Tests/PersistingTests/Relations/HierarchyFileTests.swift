import Foundation
import Persisting
import Testing

/// Classes in one table, and the same again for other forms of the declarations.
private enum Files {
    class Attachment: PersistingModel {
        var id: Int64?
        var title = ""
        override class var subclasses: [PersistingModel.Type] { [Photo.self, Clip.self] }
    }

    class Photo: Attachment {
        var width = 0
        override class var subclasses: [PersistingModel.Type] { [Panorama.self] }
    }

    final class Panorama: Photo {
        var angle: Double?
    }

    final class Clip: Attachment {
        var seconds = 0.0
        var codec: String?
    }

    class Remote: PersistingModel {
        var id: Int64?
        var title = ""
        override class var tableName: String { "REMOTE_FILE" }
        override class var subclasses: [PersistingModel.Type] { [RemotePhoto.self] }
        override class var remoteMapping: RemoteMapping {
            RemoteMapping([
                .key("id", "key", isPrimaryKey: true), .key("title", "meta.title"), .key("kind", "meta.type"),
                .key("width", "size.width"),
            ])
        }
    }

    final class RemotePhoto: Remote {
        var width: Int?
    }

    class Hooked: PersistingModel {
        var id: Int64?
        var title = ""
        override class var tableName: String { "HOOKED_FILE" }
        override class var subclasses: [PersistingModel.Type] { [HookedPhoto.self] }
        override class var unknownKind: UnknownKind { .asBase }
    }

    final class HookedPhoto: Hooked {
        var width = 0
        override func willInsert() throws { title += "!" }
    }

    class Skipped: PersistingModel {
        var id: Int64?
        override class var tableName: String { "SKIPPED_FILE" }
        override class var subclasses: [PersistingModel.Type] { [SkippedPhoto.self] }
        override class var unknownKind: UnknownKind { .skipped }
    }

    final class SkippedPhoto: Skipped {
        var width = 0
    }
}

// F99, F119, F124
@Suite("Files of classes that share a table")
struct HierarchyFileTests {
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = URL(filePath: directory.path("export.txt"))
    }

    private func attachments() throws -> PersistenceManager {
        let manager = try memoryManager(Files.Attachment.self)
        let photo = Files.Photo()
        (photo.title, photo.width) = ("Harbor", 4000)
        let panorama = Files.Panorama()
        (panorama.title, panorama.width, panorama.angle) = ("Bay", 9000, 180.5)
        let clip = Files.Clip()
        (clip.title, clip.seconds, clip.codec) = ("Waves, \"high\"", 12.5, "AV1")
        let plain = Files.Attachment()
        plain.title = "Plain"
        try manager.save([photo, panorama, clip, plain])
        return manager
    }

    private func rows(_ manager: PersistenceManager, _ table: String = "ATTACHMENT") throws -> [[String: SQLiteValue]] {
        try manager.dictionaries("SELECT * FROM \(sql: SQL(table)) ORDER BY ID")
    }

    @Test("An export imports to equal rows", arguments: [FileKeys.properties, .columns, .remote], 0..<3)
    func roundTrip(_ keys: FileKeys, _ format: Int) throws {
        let (manager, copy) = (try attachments(), try memoryManager(Files.Attachment.self))
        let query = Query(Files.Attachment.self)
        switch format {
        case 0:
            try manager.exportCSV(query, to: url, keys: keys)
            try copy.importCSV(Files.Attachment.self, contentsOf: url, keys: keys, unknownKeys: .fail)
        case 1:
            try manager.exportJSON(query, to: url, keys: keys)
            try copy.importJSON(Files.Attachment.self, contentsOf: url, keys: keys, unknownKeys: .fail)
        default:
            try manager.exportJSON(query, to: url, .lines, keys: keys)
            try copy.importJSON(Files.Attachment.self, contentsOf: url, .lines, keys: keys, unknownKeys: .fail)
        }
        #expect(try rows(copy) == rows(manager))
        let types = try copy.fetchAll(query.sorted(by: \.id)).map { "\(type(of: $0))" }
        #expect(types == ["Photo", "Panorama", "Clip", "Attachment"])
    }

    @Test("Asynchronous and streamed exports have the same bytes") func streamed() async throws {
        let manager = try attachments()
        let query = Query(Files.Attachment.self)
        try await manager.exportCSV(query, to: url)
        var bytes: [UInt8] = []
        for try await part in manager.csv(query) { bytes += part }
        #expect(try Data(bytes) == Data(contentsOf: url))
        let copy = try memoryManager(Files.Attachment.self)
        try await copy.importCSV(Files.Attachment.self, contentsOf: url)
        #expect(try await copy.count(Files.Clip.self) == 1)
    }

    @Test("An object in JSON has the properties of its own class") func ownProperties() throws {
        let manager = try attachments()
        try manager.exportJSON(Files.Photo.where(\.id == 1), to: url, .lines)
        #expect(
            try String(contentsOf: url, encoding: .utf8) == #"{"id":1,"title":"Harbor","width":4000,"kind":"Photo"}"#
                + "\n")
    }

    @Test("Objects as JSON upsert to objects of their classes, and again") func jsonObjects() throws {
        let (manager, copy) = (try attachments(), try memoryManager(Files.Attachment.self))
        let objects = try manager.fetchAll(Files.Attachment.self, sortedBy: .ascending(\.id)).map {
            try $0.jsonObject()
        }
        let data = try JSONSerialization.data(withJSONObject: objects)
        for _ in 0..<2 {
            let upserted = try copy.upsertAll(Files.Attachment.self, json: data)
            #expect(upserted.map { "\(type(of: $0))" } == ["Photo", "Panorama", "Clip", "Attachment"])
            #expect(try rows(copy) == rows(manager))
        }
        let clip = Files.Clip()
        try clip.setValues(objects[2])
        #expect(clip.seconds == 12.5)
        #expect(failure { try clip.setValues(objects[0]) }?.code == .unknownKind)
    }

    @Test("Without a kind, an upsert takes the class of the row") func upsertWithoutKind() throws {
        let manager = try attachments()
        let photo = try manager.upsert(Files.Attachment.self, json: ["id": 1, "width": 7] as [String: Any])
        #expect((photo as? Files.Photo)?.width == 7)
        let error = failure {
            try manager.upsert(Files.Attachment.self, json: ["id": 1, "kind": "Clip"] as [String: Any])
        }
        #expect(error?.code == .unknownKind)
        let result = try manager.synchronize(
            Files.Attachment.self,
            json: [["id": 1, "status": "D"], ["id": 9, "kind": "Clip", "seconds": 2.0]] as [[String: Any]])
        #expect(result.deleted == 1 && result.objects.first is Files.Clip)
    }

    @Test("Dictionaries of a query have what each row's class has") func dictionaries() throws {
        let manager = try attachments()
        let found = try manager.dictionaries(Files.Attachment.sorted(by: \.id))
        #expect(found.map { $0.keys.sorted() }.first == ["id", "kind", "title", "width"])
        #expect(found[2]["codec"] as? String == "AV1" && found[2]["kind"] as? String == "Clip")
        let chosen = try manager.dictionaries(Files.Attachment.sorted(by: \.id), keys: ["kind", "width"])
        #expect(chosen[0]["width"] as? Int == 4000 && chosen[2].keys.sorted() == ["kind"])
    }

    @Test("A value of another class's property, and a kind of another class, are errors of the row") func otherClass()
        throws
    {
        let manager = try memoryManager(Files.Attachment.self)
        let json = Data(#"[{"kind":"Clip","width":3},{"kind":"Photo","width":3},{"kind":"Odd"}]"#.utf8)
        let report = try manager.importJSON(Files.Attachment.self, contentsOf: json, errors: .collect(max: 3))
        #expect(report.inserted == 1 && report.failures.map(\.column) == [nil, "kind"])
        let csv = Data("kind,width\nClip,3\nPhoto,4\nClip,\n".utf8)
        let second = try manager.importCSV(Files.Photo.self, contentsOf: csv, errors: .collect(max: 3))
        #expect(second.inserted == 1 && second.failures.map(\.line) == [2, 4])
    }

    @Test("An update of a row of another class is an error, and not a skipped row") func updateOfOtherClass() throws {
        let manager = try attachments()
        let report = try manager.importJSON(
            Files.Attachment.self, contentsOf: Data(#"[{"id":1,"title":"x"},{"id":4,"title":"x"}]"#.utf8),
            onConflict: .update(by: "id"), errors: .collect(max: 2))
        #expect(report.updated == 1 && report.skipped == 0 && report.failures.count == 1)
    }

    @Test("The remote mapping names the kind") func remoteKind() throws {
        let (manager, copy) = (try memoryManager(Files.Remote.self), try memoryManager(Files.Remote.self))
        let photo = Files.RemotePhoto()
        (photo.title, photo.width) = ("a", 3)
        try manager.save([photo, Files.Remote()])
        try manager.exportJSON(Query(Files.Remote.self), to: url)
        #expect(
            try String(contentsOf: url, encoding: .utf8)
                == #"[{"key":1,"meta":{"title":"a","type":"RemotePhoto"},"size":{"width":3}},"# + "\n"
                + #"{"key":2,"meta":{"title":"","type":"Remote"}}]"# + "\n")
        try copy.importJSON(Files.Remote.self, contentsOf: url)
        #expect(try rows(copy, "REMOTE_FILE") == rows(manager, "REMOTE_FILE"))
        try copy.deleteAll(Files.Remote.self)
        try manager.exportCSV(Query(Files.Remote.self), to: url)
        try copy.importCSV(Files.Remote.self, contentsOf: url)
        #expect(try rows(copy, "REMOTE_FILE") == rows(manager, "REMOTE_FILE"))
        try copy.deleteAll(Files.Remote.self)
        try manager.exportJSON(Query(Files.Remote.self), to: url)
        try copy.upsertAll(Files.Remote.self, json: Data(contentsOf: url))
        #expect(try rows(copy, "REMOTE_FILE") == rows(manager, "REMOTE_FILE"))
    }

    @Test("A row of an unknown kind that the base class keeps has its kind afterwards, with hooks as well")
    func unknownAsBase() throws {
        let (manager, copy) = (try memoryManager(Files.Hooked.self), try memoryManager(Files.Hooked.self))
        try manager.run("INSERT INTO HOOKED_FILE (TITLE, KIND) VALUES ('a', 'Odd'), ('b', 'Hooked'), ('c', 'Odder')")
        try manager.exportJSON(Query(Files.Hooked.self), to: url)
        try copy.importJSON(Files.Hooked.self, contentsOf: url)
        #expect(try rows(copy, "HOOKED_FILE") == rows(manager, "HOOKED_FILE"))
        try copy.deleteAll(Files.Hooked.self)
        try copy.upsertAll(Files.Hooked.self, json: Data(contentsOf: url))
        #expect(try rows(copy, "HOOKED_FILE") == rows(manager, "HOOKED_FILE"))
        let photo = Data(#"[{"kind":"HookedPhoto","width":2,"title":"p"}]"#.utf8)
        try copy.importJSON(Files.Hooked.self, contentsOf: photo)
        #expect(try copy.fetchAll(Files.HookedPhoto.self).map(\.title) == ["p!"])
    }

    @Test("A row of an unknown kind is left out or rejected, as the base class says") func unknownKinds() throws {
        let skipping = try memoryManager(Files.Skipped.self)
        try skipping.run("INSERT INTO SKIPPED_FILE (KIND) VALUES ('Odd'), ('Skipped')")
        #expect(try skipping.exportCSV(Query(Files.Skipped.self), to: url) == 1)
        let json = Data(#"[{"kind":"Odd"},{"kind":"SkippedPhoto","width":1}]"#.utf8)
        let report = try skipping.importJSON(Files.Skipped.self, contentsOf: json)
        #expect(report.inserted == 1 && report.skipped == 1)
        #expect(try skipping.upsertAll(Files.Skipped.self, json: ["kind": "Odd", "id": 8] as [String: Any]).isEmpty)
        let refusing = try attachments()
        try refusing.run("INSERT INTO ATTACHMENT (TITLE, KIND) VALUES ('', 'Odd')")
        #expect(failure { try refusing.exportCSV(Query(Files.Attachment.self), to: url) }?.code == .unknownKind)
        #expect(failure { try refusing.dictionaries(Query(Files.Attachment.self)) }?.code == .unknownKind)
        let error = failure {
            try refusing.upsert(Files.Attachment.self, json: ["kind": "Odd", "id": 8] as [String: Any])
        }
        #expect(error?.code == .unknownKind)
    }
}
