import Foundation
import Persisting
import PersistingDiagnostics
import Testing

/// Wrong on purpose.
private struct Lossy: SQLiteValueConvertible, Equatable {
    var number = 5
    func sqliteValue() -> SQLiteValue { .integer(Int64(number)) }
    init() {}
    init(sqliteValue: SQLiteValue) { number = 0 }
}

private final class Forgetful: PersistingModel {
    var id: Int64?
    var name = ""
    var lossy = Lossy()
}

private final class Hooked: PersistingModel {
    var id: Int64?
    var name = ""

    override func willInsert() throws { throw TestError() }
    override func willUpdate() throws { throw TestError() }
    override func willDelete() throws { throw TestError() }
    override func didInsert() { Issue.record("a hook ran") }
    override func validate() -> [ValidationFailure] { [ValidationFailure(reason: "never valid")] }
}

private final class Unmapped: PersistingModel {
    var id: Int64?
    var owner: NSObject?
}

private final class Checked: PersistingModel {
    var id: Int64?
    var size = 0

    override class var columns: Columns { ["ID": .int, "SIZE": .int.check("SIZE > 0")] }

    convenience init(size: Int) {
        self.init()
        self.size = size
    }
}

private final class Bill: PersistingModel {
    var id: Int64?
    var number: String?
    var total: Decimal = 0
    var createdAt: Date?
    var updatedAt: Date?
    var version = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["CREATED_AT"] = .date.created
        columns["UPDATED_AT"] = .date.updated.stored(as: .iso8601)
        return columns
    }
    override class var versionKey: String? { "version" }
}

private final class Scan: PersistingModel {
    var id: Int64?
    var title = ""
    var scan: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["SCAN"] = .data.deferred
        return columns
    }
}

private final class Counted: PersistingModel {
    var id: Int64?
    var size: Int?

    override class var columns: Columns { ["ID": .int.autoincrement, "SIZE": .int] }
}

private final class Collated: PersistingModel {
    var id: Int64?
    var name = ""
    var code: String?

    override class var columns: Columns {
        [
            "ID": .int, "NAME": .string.collate(Collation(rawValue: "LIBRARIANS")),
            "CODE": .string.unique.collate(Collation(rawValue: "SHELVES")),
        ]
    }
}

@Suite("A self test of a class")
struct SelfTestTests {
    // F114
    @Test("finds nothing wrong with classes of all kinds")
    func sound() throws {
        #expect(try PersistenceManager.selfTest(User.self) == [])
        #expect(try PersistenceManager.selfTest(Album.self) == [])
        #expect(try PersistenceManager.selfTest(PodcastEpisode.self) == [])
        #expect(try PersistenceManager.selfTest(Document.self) == [])
        #expect(try PersistenceManager.selfTest(Country.self) == [])
        #expect(try PersistenceManager.selfTest(Everything.self) == [])
        #expect(try PersistenceManager.selfTest(Possible.self) == [])
    }

    // F114
    @Test("finds nothing wrong with automatic, deferred, counted and collated columns")
    func soundKinds() throws {
        #expect(try PersistenceManager.selfTest(Bill.self) == [])
        #expect(try PersistenceManager.selfTest(Scan.self) == [])
        #expect(try PersistenceManager.selfTest(Counted.self) == [])
        #expect(try PersistenceManager.selfTest(Collated.self) == [])
        for value in ["0", "7", "NULL", "'x'", "(1 + 1)"] {
            let schema = SQL(
                "CREATE TABLE COUNTED (ID INTEGER PRIMARY KEY AUTOINCREMENT, SIZE INTEGER DEFAULT \(value))" as String)
            let failures = try PersistenceManager.selfTest(Counted.self, schema: schema)
            #expect(failures.isEmpty == (value != "'x'"), "\(value): \(failures)")
        }
    }

    // F114
    @Test("finds nothing wrong with the classes of the tests")
    func soundModels() throws {
        let types: [PersistingModel.Type] = [
            User.self, Person.self, Album.self, PodcastEpisode.self, Document.self, Country.self, Everything.self,
            Possible.self, Batter.self, RecordAlbum.self, WeirdTableName.self, DataRow.self, StrictRows.self,
            Counters.self, Uuids.self, LedgerEntry.self, OrderedLines.self,
        ]
        for type in types {
            func failures<Model: PersistingModel>(_ type: Model.Type) throws -> [ValidationFailure] {
                try PersistenceManager.selfTest(type)
            }
            #expect(try failures(type) == [], "\(type)")
        }
    }

    // F114
    @Test("stores dates in each form", arguments: DateStorage.allCases)
    func dates(_ dates: DateStorage) throws {
        #expect(try PersistenceManager.selfTest(Album.self, dates: dates) == [])
    }

    // F114
    @Test("names the column of a type that loses values")
    func lossy() throws {
        let failures = try PersistenceManager.selfTest(Forgetful.self)
        #expect(failures.map(\.key) == ["lossy"])
        #expect(failures.first?.reason.contains("5") == true)
    }

    // F114
    @Test("runs no hooks")
    func hooks() throws {
        #expect(try PersistenceManager.selfTest(Hooked.self) == [])
    }

    // F114
    @Test("says why a class can't be mapped")
    func unmapped() throws {
        #expect(try PersistenceManager.selfTest(Unmapped.self).map(\.key) == ["owner"])
    }

    // F114
    @Test("skips values that a constraint rejects, and asks for an example when it rejects all")
    func constraint() throws {
        #expect(try PersistenceManager.selfTest(Checked.self, examples: [Checked(size: 3)]) == [])
        let schema: SQL = "CREATE TABLE CHECKED (ID INTEGER PRIMARY KEY, SIZE INTEGER NOT NULL CHECK (SIZE = 77))"
        #expect(
            try PersistenceManager.selfTest(Checked.self, schema: schema).first?.reason.contains("examples") == true)
        #expect(try PersistenceManager.selfTest(Checked.self, examples: [Checked(size: 77)], schema: schema) == [])
    }

    // F114
    @Test("names the column that a table stores otherwise")
    func table() throws {
        let schema: SQL = """
            CREATE TABLE HOOKED (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL);
            CREATE TRIGGER SHOUT AFTER UPDATE ON HOOKED BEGIN UPDATE HOOKED SET NAME = upper(NAME); END
            """
        let failures = try PersistenceManager.selfTest(Hooked.self, schema: schema)
        #expect(Set(failures.map(\.key)) == ["name"], "\(failures)")
    }

    // F114
    @Test("says what a table lacks")
    func missingColumn() throws {
        let failures = try PersistenceManager.selfTest(
            Hooked.self, schema: "CREATE TABLE HOOKED (ID INTEGER PRIMARY KEY)")
        #expect(failures.map(\.key) == ["name"])
    }
}
