import Foundation
import Persisting
import PersistingDiagnostics
import Testing

/// A type that is Codable, and stored as a text of its own.
private struct Version: Codable, Equatable, SQLiteValueConvertible {
    var number: Int

    init(_ number: Int) { self.number = number }

    init(sqliteValue: SQLiteValue) throws {
        guard case .text(let text) = sqliteValue, let number = Int(text) else {
            throw sqliteValue.mismatch(Version.self)
        }
        self.number = number
    }

    func sqliteValue() -> SQLiteValue { .text("\(number)") }
    static var columnType: ColumnType { .text }
}

private final class Record: PersistingModel {
    var id: Int64?
    var naïve: String?
    var date: Date?
    var data: Data?
    var bytes: [UInt8]?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var tags: Tags?
    var list: [String: [Int]] = [:]
    var version: Version?
    var kind: Kind?
    var level: Level?
    var isNew = false
    var flags: UInt8?
    var real = 0.5
    var float: Float?
    var swatch = Swatch()

    override class var columns: Columns {
        var columns = super.columns
        columns["NAïVE"] = .string
        columns["LIST"] = .json
        columns["SWATCH"] = .path(\Record.swatch, transform: .swatch)
        columns["DATA"] = .data.deferred
        return columns
    }
    override class var bitFields: [BitField] { [BitField("isHigh", in: "flags", mask: 4)] }
}

// F99
@Suite("Objects as dictionaries and as JSON") struct DictionaryTests {
    @Test("every type is what JSON takes") func json() throws {
        let record = Record()
        record.naïve = "é\u{301}😀"
        record.date = Date(timeIntervalSince1970: -0.5)
        record.data = Data([255])
        record.bytes = []
        record.uuid = UUID(uuidString: "00000000-0000-0000-0000-00000000000A")
        record.url = URL(string: "https://example.com/%20")
        record.decimal = Decimal(string: "0.10000000000000000000001")
        record.tags = Tags(names: ["5"], weight: 1)
        record.list = ["a": [1, 2]]
        record.kind = .trailer
        record.level = .high
        record.isNew = true
        record.swatch = Swatch(red: 1, green: 0)
        let data = try JSONSerialization.data(
            withJSONObject: record.jsonObject(), options: [.sortedKeys, .withoutEscapingSlashes])
        #expect(
            String(decoding: data, as: UTF8.self)
                == "{\"bytes\":\"\",\"data\":\"/w==\",\"date\":\"1969-12-31T23:59:59.5Z\","
                + "\"decimal\":\"0.10000000000000000000001\",\"isNew\":true,\"kind\":\"trailer\",\"level\":300,"
                + "\"list\":{\"a\":[1,2]},\"naïve\":\"é\u{301}😀\",\"real\":0.5,\"swatch\":256,"
                + "\"tags\":{\"names\":[\"5\"],\"weight\":1},\"url\":\"https://example.com/%20\","
                + "\"uuid\":\"00000000-0000-0000-0000-00000000000A\"}")
    }

    @Test("a text of a Codable type's own is a text, though it may read as JSON") func ownText() throws {
        let record = Record()
        record.version = Version(12)
        #expect(try record.jsonObject(forKeys: ["version"])["version"] as? String == "12")
    }

    @Test("what JSON has no number or text for throws, and names the key", arguments: [0, 1, 2, 3])
    func rejected(which: Int) throws {
        let record = Record()
        switch which {
        case 0: record.real = .infinity
        case 1: record.float = .nan
        case 2: record.date = Date(timeIntervalSince1970: 1e15)
        default: record.decimal = .nan
        }
        let error = failure { try record.jsonObject() }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == ["real", "float", "date", "decimal"][which])
    }

    @Test("keys are those of properties or of columns; bits keep theirs") func columns() throws {
        let record = Record()
        record.naïve = "a"
        record.level = .low
        let object = try record.jsonObject(forKeys: ["naïve", "level", "isHigh", "tags"], by: .columns)
        #expect(Set(object.keys) == ["NAïVE", "LEVEL", "isHigh"])
        #expect(object["isHigh"] as? Bool == false)
        #expect(try record.dictionary(by: .columns).keys.contains("IS_NEW"))
        #expect(try record.dictionary(forKeys: [], by: .properties).isEmpty)
    }

    @Test("a dictionary has the values themselves") func values() {
        let record = Record()
        record.swatch = Swatch(red: 7)
        record.version = Version(1)
        #expect(record.dictionary()["swatch"] as? Swatch == Swatch(red: 7))
        #expect(record.dictionary()["version"] as? Version == Version(1))
        #expect(record.dictionary()["tags"] == nil)
    }
}

// F110
@Suite("Objects as text") struct DescriptionTests {
    @Test("print every kind of value, and nil") func all() {
        let record = Record()
        record.naïve = "日本語"
        record.bytes = [1, 2]
        record.kind = .bonus
        #expect(
            "\(record)".hasPrefix(
                "<Record\n    id: nil\n    naïve: 日本語\n    date: nil\n    data: nil\n    bytes: <blob 2>\n"))
        #expect("\(record)".contains("\n    kind: bonus\n"))
        #expect("\(record)".hasSuffix("\n    swatch: Swatch(red: 0, green: 0)>"))
    }

    @Test(
        "print a date of any number",
        arguments: [.infinity, -.infinity, .nan, 1e300, -1e300, -62_135_596_801, 253_402_300_800])
    func dates(seconds: Double) {
        let record = Record()
        record.date = Date(timeIntervalSince1970: seconds)
        #expect("\(record)".contains("\n    date: "))
    }

    @Test("print what is set and not yet in a table, whoever asks") func interpolation() {
        let user = User(name: "a")
        #expect("\(user)" == String(describing: user))
        var text = ""
        print(user, to: &text)
        #expect(text == "\(user)\n")
    }
}

// F113
@Suite("Names in camel case") struct CamelCaseTests {
    @Test(
        "are made of words with underscores",
        arguments: [
            ("IMAGE_URL", "imageURL", "ImageURL"), ("user_ids", "userIds", "UserIds"), ("ID", "id", "ID"),
            ("DEPT_ID", "deptID", "DeptID"), ("", "", ""), ("_", "", ""), ("__A__b_", "aB", "AB"),
            ("first", "first", "First"), ("LastName", "lastName", "LastName"), ("row_2_id", "row2ID", "Row2ID"),
            ("größe", "größe", "Größe"), ("uuid", "uuid", "UUID"), ("日本_語", "日本語", "日本語"),
        ])
    func camel(_ name: String, _ lower: String, _ upper: String) {
        #expect(NameText.camelCase(name) == lower)
        #expect(NameText.upperCamelCase(name) == upper)
    }

    @Test(
        "and back are the same",
        arguments: ["imageURL", "deptID", "id", "firstName", "a", "userID", "urlOfPage", "podcastEpisode"])
    func roundTrip(name: String) {
        #expect(NameText.camelCase(NameText.upperSnakeCase(name)) == name)
        #expect(NameText.camelCase(NameText.snakeCase(name)) == name)
    }
}

// F42, F43
@Suite("Descriptions of odd classes and tables") struct OddSchemaTests {
    @Test("a class without a key says so") func noKey() throws {
        let schema = try Reading.schema()
        #expect(schema.primaryKey == [] && !schema.isKeyGenerated)
        #expect(schema.columns.allSatisfy { !$0.isPrimaryKey })
    }

    @Test("a composite key is in its order") func composite() throws {
        // F38
        #expect(try Enrolment.schema().primaryKey == ["student", "course"])
        #expect(try Enrolment.schema().createTable.contains("PRIMARY KEY (STUDENT, COURSE)"))
    }

    @Test("a column by key path is a comment in the template") func template() throws {
        #expect(try Record.columnTemplate().contains("        // \"SWATCH\": .path(\\.swatch),"))
        #expect(try Record.columnTemplate().contains("        \"DATA\": .data.deferred,"))
        #expect(try Record.columnTemplate().contains("\"NAïVE\": .string,"))
    }

    @Test("the schema of a subclass begins with the inherited columns") func inherited() throws {
        class Base: PersistingModel {
            var id: Int64?
            var first = ""
        }
        final class Derived: Base {
            var second: Date?
        }
        #expect(try Derived.schema().columns.map(\.name) == ["ID", "FIRST", "SECOND"])
        #expect(try Derived.schema(dates: .iso8601).column(forKey: "second")?.columnType == .text)
        #expect(try Derived.schema().column(forKey: "second")?.columnType == .real)
    }

    @Test(
        "source is made for any table, and none is made of an injection", .local(.textsWithNUL),
        arguments: ["x'; DROP TABLE t; --", "", "t\0", "no.such", "\"t\""])
    func missing(name: String) throws {
        let manager = try memoryManager(script: "CREATE TABLE t (a)")
        #expect(failure { try manager.modelSource(table: name) }?.code == .noTable)
        #expect(try manager.tableExists("t"))
    }

    @Test("columns whose names give one property are told apart") func collisions() throws {
        let manager = try memoryManager(script: "CREATE TABLE t (a_b, aB INT, \"a b\" TEXT, \"a-b\" REAL)")
        let source = try manager.modelSource(table: "t")
        let properties = source.split(separator: "\n").filter { $0.hasPrefix("    var ") }
        #expect(Set(properties.map { $0.split(separator: ":")[0] }).count == 4)
    }

    @Test("source is made for a full-text table, its columns alone") func fullText() throws {
        let manager = try memoryManager(script: "CREATE VIRTUAL TABLE pages USING fts5(title, body)")
        let source = try manager.modelSource(table: "pages")
        #expect(source.contains("var title: SQLiteValue = .null"))
        #expect(!source.contains("rank"))
    }

    @Test("source is made while the task is suspended") func async() async throws {
        let manager = try memoryManager(script: "CREATE TABLE t (a INTEGER PRIMARY KEY)")
        #expect(try await manager.modelSource(table: "t").contains("final class T: PersistingModel {"))
    }
}

// F5, F6, F7, F8
@Suite("Managers by odd names", .serialized) struct OddNameTests {
    @Test("go by any text, and an empty one too", arguments: ["", "é", "a\0b", "default"])
    func names(name: String) throws {
        #expect(PersistenceManager.named[name] == nil)
        let manager = try PersistenceManager(.memory)
        PersistenceManager.named[name] = manager
        #expect(PersistenceManager.named[name] === manager)
        #expect(PersistenceManager.named.names.contains(name))
        PersistenceManager.named[name] = nil
        #expect(!PersistenceManager.named.names.contains(name))
    }

    @Test("are looked up and set by many threads at once") func concurrent() async throws {
        let manager = try PersistenceManager(.memory)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    PersistenceManager.named["OddNameTests.\(number % 4)"] = number % 2 == 0 ? manager : nil
                    _ = PersistenceManager.named.names
                    _ = PersistenceManager.named["OddNameTests.0"]
                }
            }
        }
        for number in 0..<4 { PersistenceManager.named["OddNameTests.\(number)"] = nil }
        #expect(!PersistenceManager.named.names.contains { $0.hasPrefix("OddNameTests") })
    }

    @Test("a database in memory is deleted by closing it, and one whose files are gone too") func deletion() throws {
        let memory = try PersistenceManager(.memory)
        try memory.deleteDatabase()
        #expect(failure { try memory.count(User.self) }?.code == .closed)
        let directory = try TemporaryDirectory()
        let manager = try memoryManager(User.self)
        let file = try PersistenceManager(path: directory.path("ü b?.sqlite"))
        try file.createTableIfNecessary(for: User.self)
        try file.close()
        try FileManager.default.removeItem(atPath: directory.path("ü b?.sqlite"))
        try file.deleteDatabase()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path()).isEmpty)
        #expect(try manager.count(User.self) == 0)
    }
}
