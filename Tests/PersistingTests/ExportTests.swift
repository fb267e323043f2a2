import Foundation
import Persisting
import RandomTables
import Testing

private final class Dated: PersistingModel {
    var id: Int64?
    var date: Date?
}

private final class Scale: PersistingModel {
    var id: Int64?
    var weight: Float = 0
}

private final class OneColumn: PersistingModel {
    var note: String?

    override class var primaryKey: PrimaryKey { .rowID }
}

private final class Sensed: PersistingModel {
    var id: Int64?
    var texts: [String] = []
    var numbers: [Double] = []
    override class var columns: Columns { ["ID": .int, "TEXTS": .json, "NUMBERS": .json] }
}

private final class Wrapped: PersistingModel {
    var id: Int64?
    var first: String?
    var last: String?

    override class var remoteMapping: RemoteMapping {
        RemoteMapping(
            root: "user", [.key("id", "id"), .key("first", "name.first"), .key("last", "name.last", .string)])
    }
}

/// What a server calls `id` isn't the key, and the mapping leaves a property out.
private class Named: PersistingModel {
    var id: Int64?
    var remoteID = 0
    var name = ""
    var flags = 0
    var isFavorite = false

    override class var bitFields: [BitField] { [BitField("isLoved", in: "flags", mask: 2)] }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping([.key("remoteID", "id"), .key("name", "meta.name"), .key("isLoved", "meta.loved", .bool)])
    }
}

private final class NamedCopy: Named {
    override class var tableName: String { "NAMED_COPY" }
}

@Suite("Exporting")
struct ExportTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var url: URL { URL(filePath: directory.path("export.txt")) }
    private var text: String { get throws { String(decoding: try Data(contentsOf: url), as: UTF8.self) } }

    @Test("What is exported in any format imports to equal rows", arguments: 0..<4) func roundTrips(_ seed: UInt64)
        throws
    {
        // F99 F119
        var trips = try RoundTrips(seed: seed)
        for _ in 0..<25 { #expect(try trips.next() == []) }
    }

    @Test("NULL is told from an empty text, in a table of one column as well") func oneColumn() throws {
        // F119
        let manager = try memoryManager(OneColumn.self)
        try manager.run("INSERT INTO ONE_COLUMN VALUES (NULL), (''), ('a,b')")
        #expect(try manager.exportCSV(Query(OneColumn.self), to: url) == 3)
        #expect(try text == "note,\n,\n\"\",\n\"a,b\",\n")
        try manager.deleteAll(OneColumn.self)
        try manager.importCSV(OneColumn.self, contentsOf: url)
        #expect(try manager.fetchAll(OneColumn.self).map(\.note) == [nil, "", "a,b"])
    }

    @Test("JSON columns keep U+FEFF and the sign of zero", arguments: [true, false])
    func exactJSON(_ isCSV: Bool) throws {
        let manager = try memoryManager(Sensed.self)
        let sensed = Sensed()
        sensed.texts = ["\u{FEFF}x", "\u{FEFF}"]
        sensed.numbers = [-0.0, 1.5]
        try manager.insert(sensed)
        if isCSV {
            try manager.exportCSV(Sensed.rows, to: url)
        } else {
            try manager.exportJSON(Sensed.rows, to: url)
        }
        try manager.deleteAll(Sensed.self)
        if isCSV {
            try manager.importCSV(Sensed.self, contentsOf: url)
        } else {
            try manager.importJSON(Sensed.self, contentsOf: url)
        }
        let read = try #require(try manager.fetchOne(Sensed.self))
        #expect(read.texts.map { Array($0.unicodeScalars) } == sensed.texts.map { Array($0.unicodeScalars) })
        #expect(read.numbers.map(\.bitPattern) == sensed.numbers.map(\.bitPattern))
    }

    @Test("A separator that numbers have in them is rejected", arguments: [".", "-", "1", "e", "00", "I", "'"])
    func separatorOfNumbers(_ separator: String) throws {
        let manager = try memoryManager(Wrapped.self)
        #expect(
            failure { try manager.exportCSV(Wrapped.rows, to: url, CSVFormat(separator: separator)) }?.code
                == .invalidFormat)
    }

    @Test("Remote keys, in objects inside each other") func remoteKeys() throws {
        // F99 F119
        let manager = try memoryManager(Wrapped.self)
        try manager.run("INSERT INTO WRAPPED VALUES (1, 'a\"b', NULL), (2, 'c', 'd')")
        try manager.exportJSON(Wrapped.where(["id": 1]), to: url, .lines, keys: .remote)
        #expect(try text == #"{"user":{"id":1,"name":{"first":"a\"b","last":null}}}"# + "\n")
        try manager.exportJSON(Query(Wrapped.self), to: url, keys: .remote)
        try manager.deleteAll(Wrapped.self)
        try manager.importJSON(Wrapped.self, contentsOf: url)
        #expect(try manager.fetchAll(Wrapped.self).map(\.first) == ["a\"b", "c"])
        try manager.exportCSV(Query(Wrapped.self), to: url, CSVFormat(separator: ";"), keys: .remote)
        #expect(try text == "id;name.first;name.last\n1;\"a\"\"b\";\n2;c;d\n")
    }

    @Test(
        "What is exported by any keys is imported by the same, though the names mean others",
        arguments: [FileKeys.properties, .columns, .remote], [true, false])
    func sameKeys(_ keys: FileKeys, _ isCSV: Bool) throws {
        // F99 F119
        let manager = try memoryManager(Named.self)
        try manager.createTableIfNecessary(for: NamedCopy.self)
        try manager.run("INSERT INTO NAMED VALUES (5, 70, 'a', 3, 1), (6, 71, 'b', 0, 0)")
        if isCSV {
            try manager.exportCSV(Query(Named.self), to: url, keys: keys)
            try manager.importCSV(NamedCopy.self, contentsOf: url, keys: keys)
        } else {
            try manager.exportJSON(Query(Named.self), to: url, keys: keys)
            try manager.importJSON(NamedCopy.self, contentsOf: url, keys: keys)
        }
        let columns = ["ID", "REMOTE_ID", "NAME", "FLAGS", "IS_FAVORITE"].joined(separator: " || ',' || ")
        let rows = try manager.storedColumn("SELECT \(columns) FROM NAMED_COPY")
        #expect(
            rows
                == (keys == .remote
                    ? [.text("1,70,a,2,0"), .text("2,71,b,0,0")] : [.text("5,70,a,3,1"), .text("6,71,b,0,0")]))
    }

    @Test("An export of a class with a remote mapping has the keys that its import looks for") func defaultKeys() throws
    {
        // F99 F119
        let manager = try memoryManager(Named.self)
        try manager.run("INSERT INTO NAMED VALUES (5, 70, 'a', 3, 1)")
        try manager.exportJSON(Query(Named.self), to: url)
        #expect(try text == #"[{"id":70,"meta":{"name":"a","loved":true}}]"# + "\n")
    }

    @Test("An empty query writes a header, an empty array, or nothing") func empty() throws {
        // F119
        let manager = try memoryManager(Wrapped.self)
        try manager.exportCSV(Query(Wrapped.self), to: url, keys: .properties)
        #expect(try text == "id,first,last\n")
        try manager.exportJSON(Query(Wrapped.self), to: url)
        #expect(try text == "[]\n")
        try manager.exportJSON(Query(Wrapped.self), to: url, .lines)
        #expect(try text == "")
    }

    @Test("A header in which two properties would have one name is an error")
    func sameNames() throws {
        let manager = try memoryManager(Wrapped.self)
        let format = CSVFormat(header: .renamed(["first": "last"]))
        let error = failure { try manager.exportCSV(Wrapped.rows, to: url, format, keys: .properties) }
        #expect(error?.code == .invalidFormat)
        #expect(error?.message.contains("\"first\" twice") == true)
    }

    @Test("A header is renamed, or absent") func headers() throws {
        // F119
        let manager = try memoryManager(Wrapped.self)
        try manager.run("INSERT INTO WRAPPED VALUES (1, 'a', 'b')")
        try manager.exportCSV(
            Query(Wrapped.self), to: url, CSVFormat(header: .renamed(["Number": "id"])), keys: .properties)
        #expect(try text == "Number,first,last\n1,a,b\n")
        try manager.exportCSV(Query(Wrapped.self), to: url, CSVFormat(header: .absent(["last", "id"])))
        #expect(try text == "b,1\n")
        let error = failure {
            try manager.exportCSV(Query(Wrapped.self), to: url, CSVFormat(header: .absent(["nothing"])))
        }
        #expect(error?.code == .unknownKey)
    }

    @Test("A text that begins like a byte order mark comes back, at the beginning of a file as well")
    func byteOrderMark() throws {
        // F119
        let manager = try memoryManager(Wrapped.self)
        try manager.insert(Wrapped.self, values: ["first": "\u{FEFF}a"])
        let format = CSVFormat(header: .absent(["first"]))
        try manager.exportCSV(Query(Wrapped.self), to: url, format, keys: .properties)
        try manager.deleteAll(Wrapped.self)
        try manager.importCSV(Wrapped.self, contentsOf: url, format)
        #expect(
            try manager.fetchAll(Wrapped.self).map { $0.first.map { Array($0.utf8) } } == [[0xEF, 0xBB, 0xBF, 0x61]])
    }

    @Test("An export that fails leaves the file as it was") func failing() throws {
        // F119
        let manager = try memoryManager(Wrapped.self)
        try manager.exportCSV(Query(Wrapped.self), to: url, keys: .properties)
        try manager.run("INSERT INTO WRAPPED VALUES (1, CAST(x'FF' AS TEXT), 'b')")
        let error = failure { try manager.exportCSV(Query(Wrapped.self), to: url, keys: .properties) }
        #expect(error?.code == .typeMismatch && error?.key == "first")
        #expect(try text == "id,first,last\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path()) == ["export.txt"])
    }

    @Test("A number that a Float can't have is an error", arguments: [true, false])
    func float(_ isCSV: Bool) throws {
        let manager = try memoryManager(Scale.self)
        try manager.run("INSERT INTO SCALE VALUES (1, 0.25), (2, 9e999), (3, -7)")
        func export() throws {
            if isCSV {
                try manager.exportCSV(Query(Scale.self), to: url, keys: .properties)
            } else {
                try manager.exportJSON(Query(Scale.self), to: url, keys: .properties)
            }
        }
        try export()
        let exported = try text
        #expect(exported.contains("0.25") && exported.contains("-7"))
        try manager.run("INSERT INTO SCALE VALUES (4, 1e300)")
        let error = failure { try export() }
        #expect(error?.code == .typeMismatch && error?.key == "weight")
    }

    @Test("A date has as many digits as come back the same") func dates() throws {
        // F99 F119
        let manager = try memoryManager(Dated.self)
        for seconds in [0, 0.5, 1_709_164_800.123457, 1_709_164_800.1234567, -0.25, 1e12] {
            try manager.deleteAll(Dated.self)
            try manager.insert(Dated.self, values: ["date": Date(timeIntervalSince1970: seconds)])
            try manager.exportCSV(Query(Dated.self), to: url, CSVFormat(header: .absent(["date"])))
            let date = try Date(sqliteValue: .text(String(try text.dropLast(2))))
            #expect(date.timeIntervalSince1970 == seconds)
        }
    }

    @Test("Bytes come some at a time, as a sequence") func sequence() async throws {
        // F119
        let manager = try memoryManager(Wrapped.self)
        try await manager.insert(
            (0..<5000).map { index in
                let object = Wrapped()
                object.first = "number \(index)"
                return object
            })
        try await manager.exportJSON(Query(Wrapped.self), to: url)
        var bytes: [UInt8] = []
        var parts = 0
        for try await part in manager.json(Query(Wrapped.self)) {
            bytes += part
            parts += 1
        }
        #expect(try Data(bytes) == Data(contentsOf: url) && parts > 1)
        var csv: [UInt8] = []
        for try await part in manager.csv(Wrapped.where(["id": 1]), keys: .properties) { csv += part }
        #expect(String(decoding: csv, as: UTF8.self) == "id,first,last\n1,number 0,\n")
    }

    @Test("A handle is written") func handle() async throws {
        // F119
        let manager = try memoryManager(Wrapped.self)
        try manager.run("INSERT INTO WRAPPED VALUES (1, 'a', 'b'), (2, 'c', 'd')")
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        let count = try await manager.exportCSV(
            Wrapped.where(["id": 2]), to: handle, CSVFormat(header: .absent(["first"])))
        try handle.close()
        #expect(try count == 1 && text == "c,\n")
    }
}
