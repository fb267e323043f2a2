import Foundation
import Persisting
import Testing

private final class Artist: PersistingModel {
    var id: Int64?
    var name = ""

    override class var indexes: [Index] { [.unique("name")] }
}

private final class Record: PersistingModel {
    var id: Int64?
    var title = ""
    var artistID: Int64?
    var tags: [String] = []
    var extra: [String: Int]?
    var year: Int?

    override class var columns: Columns {
        [
            "ID": .int, "TITLE": .string.unique.collate(.nocase),
            "ARTIST_ID": .int.references(Artist.self, onDelete: .cascade), "TAGS": .json, "EXTRA": .json,
            "YEAR": .int.check("YEAR > 1900"),
        ]
    }

    override class var indexes: [Index] {
        [Index("artistID", "title"), Index("year", where: "YEAR IS NOT NULL", name: "BY_YEAR")]
    }
}

private class PlainAccount: PersistingModel {
    var id: Int64?
    var email = ""
    var nick: String?
}

private final class StrictAccount: PlainAccount {
    var bonus: Int?

    override class var columns: Columns {
        var columns = super.columns
        columns["EMAIL"] = .string.unique
        columns["NICK_NAME"] = .string.property("nick")
        return columns
    }

    override class var tableOptions: TableOptions { .strict }
}

private final class Setting: PersistingModel {
    var key = ""
    var value: SQLiteValue = .null

    override class var primaryKey: PrimaryKey { .assigned("key") }
    override class var tableOptions: TableOptions { [.strict, .withoutRowID] }
}

private final class Folder: PersistingModel {
    var id: Int64?
    var parentID: Int64?

    override class var columns: Columns {
        ["ID": .int, "PARENT_ID": .int.references(Folder.self, onDelete: .setNull, isDeferred: true)]
    }
}

private final class GeneratedWithoutRowID: PersistingModel {
    var id: Int64?
    override class var tableOptions: TableOptions { .withoutRowID }
}

private final class WrongIndex: PersistingModel {
    var id: Int64?
    override class var indexes: [Index] { [Index("titel")] }
}

private final class NotCodable: PersistingModel {
    struct Opaque { var value = 0 }
    var id: Int64?
    var opaque: Opaque? = Opaque()
    override class var columns: Columns { ["ID": .int, "OPAQUE": .json] }
}

private final class StrayOverride: PersistingModel {
    var id: Int64?
    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string
        return columns
    }
}

@Suite("What a class declares") struct DeclarationTests {
    private func manager() throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Artist.self)
        try manager.createTableIfNecessary(for: Record.self)
        return manager
    }

    @Test("the table and its indexes are what a person would write")
    func sql() throws {
        // F27
        let sql = try manager().read { db in
            try db.column(
                "SELECT sql FROM sqlite_schema WHERE tbl_name = 'RECORD' AND sql IS NOT NULL ORDER BY rowid",
                as: String.self)
        }
        #expect(
            sql == [
                """
                CREATE TABLE RECORD (
                    ID INTEGER PRIMARY KEY,
                    TITLE TEXT NOT NULL UNIQUE DEFAULT '' COLLATE NOCASE,
                    ARTIST_ID INTEGER REFERENCES ARTIST ON DELETE CASCADE,
                    TAGS TEXT NOT NULL,
                    EXTRA TEXT,
                    YEAR INTEGER CHECK (YEAR > 1900)
                )
                """,
                "CREATE INDEX RECORD_ARTIST_ID_TITLE_INDEX ON RECORD (ARTIST_ID, TITLE)",
                "CREATE INDEX BY_YEAR ON RECORD (YEAR) WHERE YEAR IS NOT NULL",
            ])
    }

    @Test("a foreign key is enforced, and its action runs")
    func references() throws {
        let manager = try manager()
        let artist = try manager.insert(Artist.self, values: ["name": "Nina"])
        try manager.insert(Record.self, values: ["title": "a", "artistID": artist.id])
        let error = failure { try manager.insert(Record.self, values: ["title": "b", "artistID": 99]) }
        #expect(error?.sqliteError?.isConstraint(.foreignKey) == true)
        try manager.delete(artist)
        #expect(try manager.count(Record.self) == 0)
    }

    @Test("a class can refer to itself, and to a row that is yet to come")
    func selfReference() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Folder.self)
        try manager.transaction {
            try manager.insert(Folder.self, values: ["id": 1, "parentID": 2])
            try manager.insert(Folder.self, values: ["id": 2])
        }
        try manager.delete(Folder.self, where: ["id": 2])
        #expect(try manager.find(Folder.self, 1)?.parentID == nil)
    }

    @Test("a unique index rejects a second row, and names the property")
    func uniqueIndex() throws {
        let manager = try manager()
        try manager.insert(Artist.self, values: ["name": "Nina"])
        let error = failure { try manager.insert(Artist.self, values: ["name": "Nina"]) }
        #expect(error?.code == .constraint)
        #expect(error?.key == "name")
    }

    @Test("a check rejects a value")
    func check() throws {
        let error = failure { try manager().insert(Record.self, values: ["title": "a", "year": 1800]) }
        #expect(error?.sqliteError?.isConstraint(.check) == true)
    }

    @Test("arrays and dictionaries are stored as JSON, and nil as NULL")
    func json() throws {
        let manager = try manager()
        let record = Record()
        record.tags = ["ä", "b"]
        try manager.save(record)
        let stored = try manager.read { db in try db.rows("SELECT TAGS, EXTRA FROM RECORD").first?.values() }
        #expect(stored == [.text(#"["ä","b"]"#), .null])
        let found = try #require(try manager.find(Record.self, record.id))
        #expect(found.tags == ["ä", "b"])
        #expect(found.extra == nil)
    }

    @Test("a change inside a JSON value is a change, and is stored by key path and by key")
    func jsonChange() throws {
        let manager = try manager()
        let record = try manager.insert(Record.self, values: ["title": "a", "tags": ["x"]])
        record.tags.append("y")
        #expect(record.changedKeys == ["tags"])
        try manager.save(record)
        try record.update(\.extra, to: ["n": 1])
        try record.update(key: "tags", to: ["z"])
        let found = try #require(try manager.find(Record.self, record.id))
        #expect(found.tags == ["z"])
        #expect(found.extra == ["n": 1])
    }

    @Test("a text that isn't JSON names the column")
    func notJSON() throws {
        let manager = try manager()
        try manager.execute("INSERT INTO RECORD (TITLE, TAGS) VALUES ('a', 'no json')")
        let error = failure { try manager.fetchAll(Record.self) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "tags")
    }

    @Test("a subclass says more of inherited columns, and keeps the rest")
    func inheritedDeclaration() throws {
        // F27
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: StrictAccount.self)
        #expect(
            try manager.tableSQL("STRICT_ACCOUNT") == """
                CREATE TABLE STRICT_ACCOUNT (
                    ID INTEGER PRIMARY KEY,
                    EMAIL TEXT NOT NULL UNIQUE DEFAULT '',
                    NICK_NAME TEXT,
                    BONUS INTEGER
                ) STRICT
                """)
    }

    @Test("a STRICT table rejects a value of another type")
    func strict() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: StrictAccount.self)
        let error = #expect(throws: SQLiteError.self) {
            try manager.execute("INSERT INTO STRICT_ACCOUNT (BONUS) VALUES ('x')")
        }
        #expect(error?.isConstraint(.datatype) == true)
    }

    @Test("a table without row identifiers holds rows by their key, values of any class among them")
    func withoutRowID() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Setting.self)
        #expect(
            try manager.tableSQL("SETTING") == """
                CREATE TABLE SETTING (
                    "KEY" TEXT PRIMARY KEY NOT NULL,
                    VALUE ANY
                ) STRICT, WITHOUT ROWID
                """)
        try manager.insert(Setting.self, values: ["key": "a", "value": SQLiteValue.real(0.5)])
        #expect(try manager.find(Setting.self, "a")?.value == .real(0.5))
    }

    @Test("a table without row identifiers generates no key")
    func generatedWithoutRowID() throws {
        let error = failure { try PersistenceManager(.memory).createTableIfNecessary(for: GeneratedWithoutRowID.self) }
        #expect(error?.code == .invalidModel)
    }

    @Test("an index on what isn't a property is rejected")
    func wrongIndex() throws {
        let error = failure { try PersistenceManager(.memory).createTableIfNecessary(for: WrongIndex.self) }
        #expect(error?.code == .unknownKey)
        #expect(error?.key == "titel")
    }

    @Test("a type that is not Codable isn't JSON")
    func notCodable() throws {
        let error = failure { try PersistenceManager(.memory).createTableIfNecessary(for: NotCodable.self) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.message.contains("Codable") == true)
    }

    @Test("a declaration of a column that no property has is rejected")
    func strayOverride() throws {
        let error = failure { try PersistenceManager(.memory).createTableIfNecessary(for: StrayOverride.self) }
        #expect(error?.code == .unknownKey)
        #expect(error?.message.contains("NAME") == true)
    }
}
