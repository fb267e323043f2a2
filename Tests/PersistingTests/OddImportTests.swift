import Foundation
import Persisting
import SQLiteKit
import Testing

private class Asset: PersistingModel {
    var id: Int64?
    var title = ""

    override class var tableName: String { "ASSET" }
    override class var subclasses: [PersistingModel.Type] { [Snap.self, Clip.self] }
    override class var unknownKind: UnknownKind { .asBase }
}

private final class Snap: Asset {
    var width = 0
}

private final class Clip: Asset {
    var seconds = 0
}

private final class Grading: PersistingModel {
    var id: Int64?
    var level = 0
    var code = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["LEVEL"] = .any.transformed(
            by: Transform(
                encode: { (level: Int) in "L\(level)" }, decode: { (text: String) in Int(text.dropFirst()) ?? -1 }))
        columns["CODE"] = .any.transformed(
            by: Transform(encode: { (code: String) in Int(code) ?? -1 }, decode: { (number: Int) in "00\(number)" }))
        return columns
    }
}

private final class Land: PersistingModel {
    var code = ""
    var name = ""

    override class var primaryKey: PrimaryKey { .assigned("code") }
}

private final class Visit: PersistingModel {
    var id: Int64?
    var name = ""
    var age = 0

    override func validate() -> [ValidationFailure] { [] }
}

private final class Address: PersistingModel {
    var id: Int64?
    var name = ""
    var email = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["EMAIL"] = .string.unique
        return columns
    }
}

private final class Feed: PersistingModel {
    var id: Int64?
    var guid = ""
    var email = ""
    var contact = ""

    override class var remoteMapping: RemoteMapping {
        RemoteMapping([
            .key("guid", "id"), .key("guid", "guid"), .key("email", "mail"), .key("contact", "mail"),
        ])
    }
}

private final class Gauge: PersistingModel {
    var id: Int64?
    var isDone = false
    var small: Int8?
    var count: UInt = 0
}

// F95, F99, F118
@Suite("Rare rows of imports") struct OddImportTests {
    @Test("a header may have any of a property's remote keys", arguments: ["id", "guid"])
    func remoteKeys(_ key: String) throws {
        let manager = try memoryManager(Feed.self)
        try manager.importCSV(Feed.self, contentsOf: Data("\(key),mail\na1,m\n".utf8), unknownKeys: .fail)
        let feed = try #require(try manager.fetchOne(Feed.self))
        #expect([feed.guid, feed.email, feed.contact] == ["a1", "m", ""])
    }

    @Test("an export with two remote keys of a property is imported again")
    func bothRemoteKeys() throws {
        let manager = try memoryManager(Feed.self)
        let feed = Feed()
        (feed.guid, feed.email) = ("a1", "m")
        try manager.save(feed)
        let directory = try TemporaryDirectory()
        let file = directory.url.appendingPathComponent("feeds.csv")
        try manager.exportCSV(Query(Feed.self), to: file)
        try manager.deleteAll(Feed.self)
        try manager.importCSV(Feed.self, contentsOf: file, unknownKeys: .fail)
        #expect(try manager.fetchAll(Feed.self).map { [$0.guid, $0.email] } == [["a1", "m"]])
    }

    @Test(
        "a stored number that the property can't have isn't exported",
        arguments: ["IS_DONE = 2", "SMALL = 300", "COUNT = -1"])
    func outOfRange(_ change: String) throws {
        let manager = try memoryManager(Gauge.self)
        try manager.save(Gauge())
        try manager.run("UPDATE GAUGE SET \(change)")
        let directory = try TemporaryDirectory()
        let error = failure {
            try manager.exportCSV(Query(Gauge.self), to: directory.url.appendingPathComponent("a.csv"))
        }
        #expect(error?.code == .typeMismatch)
        #expect(error?.model == "Gauge")
        #expect(
            failure { try manager.exportJSON(Query(Gauge.self), to: directory.url.appendingPathComponent("a.json")) }?
                .code
                == .typeMismatch)
    }

    private func write(_ manager: PersistenceManager, _ json: String) throws -> SynchronizationResult<Asset> {
        try manager.synchronize(Asset.self, json: Data(json.utf8))
    }

    @Test("an element after the deletion of its row is a new object of the class that is named") func deleted() throws {
        let manager = try memoryManager(Asset.self)
        try manager.insert(Snap.self, values: ["id": 1, "width": 3])
        let result = try write(manager, #"[{"id":1,"status":"D"},{"id":1,"title":"x","width":5}]"#)
        #expect(result.objects.map(\.title) == ["x"])
        #expect(try manager.fetchAll(Asset.self).map { "\(type(of: $0)) \($0.title)" } == ["Asset x"])
    }

    @Test("an element takes the class that one before it has given the row") func ofTheSameKey() throws {
        let manager = try memoryManager(Asset.self)
        _ = try manager.upsertAll(
            Asset.self, json: Data(#"[{"id":9,"kind":"Snap","title":"a"},{"id":9,"width":7}]"#.utf8))
        #expect(try manager.fetchAll(Snap.self).map(\.width) == [7])
        _ = try write(manager, #"[{"id":9,"status":"D"},{"id":9,"kind":"Clip","seconds":2}]"#)
        #expect(try manager.fetchAll(Clip.self).map(\.seconds) == [2])
    }

    @Test("a property with a transform comes back from its export") func transforms() throws {
        let manager = try memoryManager(Grading.self)
        try manager.insert(Grading.self, values: ["level": 5, "code": "007"])
        for isCSV in [false, true] {
            let other = try memoryManager(Grading.self)
            let directory = try TemporaryDirectory()
            let file = directory.url.appending(path: "file")
            if isCSV {
                try manager.exportCSV(Query(Grading.self), to: file)
                try other.importCSV(Grading.self, contentsOf: file)
            } else {
                try manager.exportJSON(Query(Grading.self), to: file)
                try other.importJSON(Grading.self, contentsOf: file)
            }
            #expect(try other.fetchAll(Grading.self).map { "\($0.level) \($0.code)" } == ["5 007"])
        }
    }

    @Test("a row without its key is one that can't be taken") func withoutKey() throws {
        let manager = try memoryManager(Land.self)
        let json = #"[{"code":"DE","name":"Germany"},{"name":"?"},{"code":"FR","name":"France"}]"#
        let report = try manager.importJSON(Land.self, contentsOf: Data(json.utf8), errors: .collect(max: 9))
        #expect(report.failures.count == 1)
        #expect(try manager.count(Land.self) == 2)
    }

    @Test("rows aren't found by properties that no constraint is on, also with hooks") func constraint() throws {
        let manager = try memoryManager(Visit.self)
        let error = try #require(throws: PersistenceError.self) {
            try manager.importCSV(
                Visit.self, contentsOf: Data("name,age\na,5\n".utf8), onConflict: .update(by: "name"))
        }
        #expect(error.code == .noUniqueConstraint)
    }

    @Test("a row of an unknown kind keeps it when it is replaced") func replaced() throws {
        let manager = try memoryManager(Asset.self)
        let json = #"[{"id":1,"kind":"Odd","title":"b"}]"#
        for _ in 0..<2 {
            try manager.importJSON(Asset.self, contentsOf: Data(json.utf8), onConflict: .replace)
        }
        #expect(try manager.storedColumn("SELECT KIND FROM ASSET") == ["Odd"])
    }

    @Test("a failure has no value of another row") func value() throws {
        let manager = try memoryManager(Address.self)
        let json = #"[{"name":"a"},{"name":"b"},{"name":"c","email":"x@y"}]"#
        let report = try manager.importJSON(Address.self, contentsOf: Data(json.utf8), errors: .collect(max: 9))
        #expect(report.failures.map(\.value) == [nil])
    }
}
