import Foundation
import Testing

@testable import Persisting

/// A plain companion: a table that holds the same rows as its own, whoever writes. A row that it is told to be gone is
/// taken out by all its values, so that nothing that it is told may be wrong.
private struct Mirror: CompanionDeclaration {
    let columns: [String]

    func companion(of table: TableDefinition) throws -> Companion {
        let name = "\(table.name)_mirror"
        let key = try table.companionKey(name)
        let all = (key + columns.filter { !key.contains($0) }).map(SQLText.identifier)
        let (own, list) = (SQLText.identifier(name), all.joined(separator: ", "))
        let isSame = all.map { "\($0) IS old.\($0)" }.joined(separator: " AND ")
        return Companion(
            name: name, stores: [.init(.table, name, "CREATE TABLE \(own) (\(list))")],
            triggers: try RowTriggers(
                on: table, named: name, columns: columns,
                added: { "INSERT INTO \(own) \($0);" },
                removed: "DELETE FROM \(own) WHERE \(isSame);",
                holds: { values in
                    let isRow = zip(key, values).map { "m.\(SQLText.identifier($0)) IS \($1)" }.joined(
                        separator: " AND ")
                    return "EXISTS (SELECT 1 FROM \(own) m WHERE \(isRow))"
                }),
            filling: { qualified in ["INSERT INTO \(qualified(name)) SELECT \(list) FROM \(qualified(table.name))"] })
    }
}

private final class Verse: PersistingModel {
    var id: Int64?
    var title: String?
    var slug: String?
    var part: Int?
    var line: Int?
    var parent: Int64?

    override class var columns: Columns {
        var columns = super.columns
        columns["SLUG"] = .string.unique.collate(.nocase)
        columns["PARENT"] = .int.references(Verse.self, onDelete: .setNull, onUpdate: .cascade)
        return columns
    }
    override class var indexes: [Index] {
        [.unique("part", "line"), .unique("title", where: "LINE > 2", name: "TITLES")]
    }
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["TITLE", "SLUG", "PARENT"])] }
}

private final class Seat: PersistingModel {
    var row = 0
    var letter = ""
    var guest: String?

    override class var primaryKey: PrimaryKey { .composite("row", "letter") }
    override class var tableOptions: TableOptions { .withoutRowID }
    override class var columns: Columns {
        var columns = super.columns
        columns["GUEST"] = .string.unique
        return columns
    }
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["GUEST"])] }
}

/// What programs do to a table: all conflict clauses, several rows, upserts, changed keys, rollbacks.
private struct Program {
    var random: SeededGenerator
    let table: String
    let columns: [String]
    let value: (String, inout SeededGenerator) -> SQLiteValue

    mutating func statement() -> SQL {
        let clause = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"].randomElement(using: &random) ?? ""
        let list = columns.joined(separator: ", ")
        let (column, other) = (columns.randomElement(using: &random) ?? "", columns.randomElement(using: &random) ?? "")
        func value(_ column: String) -> SQLiteValue { self.value(column, &random) }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9:
            let rows = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "(" + columns.map { "\(value($0))" }.joined(separator: ", ") + ")"
            }
            let upsert =
                clause.isEmpty && Bool.random(using: &random)
                ? "ON CONFLICT DO UPDATE SET \(other) = excluded.\(other)" : ""
            return SQL(
                "INSERT \(clause) INTO \(table) (\(list)) VALUES \(rows.joined(separator: ", ")) \(upsert)" as String)
        case 9..<11:
            return SQL(
                "INSERT \(clause) INTO \(table) (\(list)) SELECT \(list) FROM \(table) WHERE \(column) IS NOT \(value(column))"
                    as String)
        case 11..<17:
            return SQL(
                "UPDATE \(clause) \(table) SET \(column) = \(value(column)) WHERE \(other) IS \(value(other))" as String
            )
        default: return SQL("DELETE FROM \(table) WHERE \(column) IS \(value(column))" as String)
        }
    }
}

@Suite("A companion of a table") struct CompanionTests {
    private func rows(_ table: String, _ columns: String, _ manager: PersistenceManager) throws -> [[SQLiteValue]] {
        try manager.engine.read { db in
            try db.rows(SQL("SELECT \(columns) FROM \(table) ORDER BY \(columns)" as String), cached: false).map {
                row in
                try columns.split(separator: ",").indices.map { try row.value(at: $0, as: SQLiteValue.self) }
            }
        }
    }

    private func expectMirror(
        _ manager: PersistenceManager, of table: String = "VERSE", _ columns: String = "ID, TITLE, SLUG, PARENT",
        comment: @autoclosure () -> String = "", _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (own, other) = (try rows(table, columns, manager), try rows("\(table)_mirror", columns, manager))
        #expect(own == other, "\(comment())", sourceLocation: location)
    }

    private static func value(_ column: String, _ random: inout SeededGenerator) -> SQLiteValue {
        switch column {
        case "ID", "PART", "LINE", "PARENT":
            let number = Int64.random(in: 0...7, using: &random)
            return number == 0 ? .null : .integer(number)
        case "ROW": return .integer(Int64.random(in: 1...4, using: &random))
        case "LETTER": return .text(["x", "y", "z"].randomElement(using: &random) ?? "")
        default:
            let text = [nil, "a", "A", "b", "B", "c", "ü'\""].randomElement(using: &random) ?? nil
            return text.map { .text($0) } ?? .null
        }
    }

    @Test("equals its table whatever statements run, with REPLACE and foreign keys to itself", arguments: 0..<40)
    func random(_ number: UInt64) throws {
        var random = SeededGenerator(seed: number)
        let manager = try memoryManager(Verse.self, Seat.self)
        try manager.run("PRAGMA recursive_triggers = \(Bool.random(using: &random))")
        var programs = [
            Program(
                random: random, table: "VERSE", columns: ["ID", "TITLE", "SLUG", "PART", "LINE", "PARENT"],
                value: Self.value),
            Program(random: random, table: "SEAT", columns: ["ROW", "LETTER", "GUEST"], value: Self.value),
        ]
        for _ in 0..<40 {
            for index in programs.indices {
                let sql = programs[index].statement()
                // A constraint, as often as not.
                _ = try? manager.execute(sql)
                try expectMirror(manager, comment: "\(number): \(sql)")
                try expectMirror(manager, of: "SEAT", "ROW, LETTER, GUEST", comment: "\(number): \(sql)")
            }
        }
    }

    @Test("follows the library's verbs, in arrays and with conflict rules, and rollbacks")
    func verbs() throws {
        let manager = try memoryManager(Verse.self)
        func verse(_ title: String, _ slug: String?) -> Verse {
            let verse = Verse()
            (verse.title, verse.slug) = (title, slug)
            return verse
        }
        let first = verse("a", "one")
        try manager.insert(first)
        try manager.insert([verse("b", "two"), verse("c", "three")])
        try manager.insert(verse("d", "ONE"), onConflict: .replace)
        try expectMirror(manager)
        let second = try #require(try manager.fetchOne(Verse.where(\.slug == "two")))
        second.title = "changed"
        try manager.save(second)
        try manager.save([verse("e", "four"), verse("f", "five")])
        try manager.upsert(second)
        try manager.updateAll(Verse.self, set: ["title": "all"])
        try manager.delete(second)
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try manager.transaction {
                try manager.deleteAll(Verse.self)
                try manager.insert(verse("g", "one"))
                throw Undone()
            }
        }
        try expectMirror(manager)
        #expect(try manager.rowCount("VERSE_mirror") == 4)
    }

    @Test("is created and dropped with its table") func lifetime() throws {
        let manager = try memoryManager(Verse.self)
        #expect(try manager.createTableIfNecessary(for: Verse.self) == false)
        #expect(try manager.schemaPlan(for: [Verse.self]).isEmpty)
        #expect(try manager.schemaPlan(for: [Verse.self]).notes.isEmpty)
        try manager.dropTable(for: Verse.self)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'VERSE%'") == [])
        // Another program may leave what belongs to a table behind.
        try manager.createTableIfNecessary(for: Verse.self)
        try manager.insert(Verse.self, values: ["title": "a"])
        try manager.run("DROP TABLE VERSE")
        try manager.createTableIfNecessary(for: Verse.self)
        try expectMirror(manager)
    }

    @Test("doesn't take the name of another table") func otherTable() throws {
        let manager = try memoryManager(script: "CREATE TABLE VERSE_mirror (A); INSERT INTO VERSE_mirror VALUES (1)")
        #expect(failure { try manager.createTableIfNecessary(for: Verse.self) }?.code == .schemaMismatch)
        #expect(failure { try manager.updateSchema(for: [Verse.self]) }?.code == .schemaMismatch)
        #expect(try manager.rowCount("VERSE_mirror") == 1)
    }

    @Test("is filled again after its triggers were missing") func missingTriggers() throws {
        let manager = try manager()
        try manager.run("DROP TRIGGER VERSE_mirror_after_delete; DELETE FROM VERSE WHERE ID = 1")
        #expect(failure { try manager.createTableIfNecessary(for: Verse.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [Verse.self])
        try expectMirror(manager)
    }

    @Test("is missing after an alteration that rebuilds its table, and made again by the class") func altered() throws {
        let manager = try manager()
        try manager.alterTable("VERSE") { $0.change("PART", to: .string) }
        #expect(failure { try manager.createTableIfNecessary(for: Verse.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [Verse.self], allowing: .rewrites)
        try expectMirror(manager)
        try manager.run("INSERT OR REPLACE INTO VERSE (TITLE, SLUG) VALUES ('new', 'S1')")
        try expectMirror(manager)
    }

    @Test("of a class in an attached file stands there", .local(.attachedDatabases)) func attached() throws {
        let manager = try newManager()
        try manager.execute("ATTACH ':memory:' AS archive")
        try manager.createTableIfNecessary(for: Verse.self)
        try manager.createTableIfNecessary(for: ArchivedVerse.self)
        try manager.insert(ArchivedVerse.self, values: ["title": "a", "slug": "s"])
        try manager.run("INSERT OR REPLACE INTO archive.VERSE (TITLE, SLUG) VALUES ('b', 'S')")
        try manager.updateSchema(for: [LongerArchivedVerse.self])
        try manager.run("INSERT OR REPLACE INTO archive.VERSE (TITLE, SLUG) VALUES ('c', 'x')")
        #expect(
            try rows("archive.VERSE", "ID, TITLE, SLUG", manager)
                == rows("archive.VERSE_mirror", "ID, TITLE, SLUG", manager))
        #expect(try manager.rowCount("VERSE_mirror") == 0)
        #expect(try manager.schemaPlan(for: [LongerArchivedVerse.self, Verse.self]).isEmpty)
    }

    // MARK: Plans

    private func manager(with rows: Int = 3) throws -> PersistenceManager {
        let manager = try memoryManager(Verse.self)
        for number in 0..<rows {
            try manager.insert(
                Verse.self, values: ["title": "t\(number)", "slug": "s\(number)", "part": number, "line": 1])
        }
        return manager
    }

    @Test("that a class declares later is made and filled by a plan") func declaredLater() throws {
        let manager = try memoryManager(PlainVerse.self)
        try manager.insert(PlainVerse.self, values: ["title": "a"])
        let error = failure { try manager.createTableIfNecessary(for: Verse.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("VERSE_mirror is missing") == true)
        let plan = try manager.schemaPlan(for: [Verse.self])
        #expect(plan.steps.map(\.reason) == ["it has no VERSE_mirror"])
        #expect(plan.risk == .adds)
        try manager.apply(plan)
        try expectMirror(manager)
        #expect(try manager.schemaPlan(for: [Verse.self]).isEmpty)
    }

    @Test("follows a table that is rebuilt, with other types") func rebuilt() throws {
        let manager = try manager()
        try manager.updateSchema(for: [RetypedVerse.self], allowing: .rewrites)
        try expectMirror(manager)
        try manager.run("INSERT OR REPLACE INTO VERSE (SLUG, PART) VALUES ('S1', 'x')")
        try expectMirror(manager)
        #expect(try manager.schemaPlan(for: [RetypedVerse.self]).isEmpty)
    }

    @Test("follows a table and a column that get other names") func renamed() throws {
        let manager = try manager()
        try manager.updateSchema(for: [Stanza.self])
        try expectMirror(manager, of: "STANZA", "ID, HEADING, SLUG")
        try manager.run("INSERT OR REPLACE INTO STANZA (HEADING, SLUG) VALUES ('new', 'S1')")
        try expectMirror(manager, of: "STANZA", "ID, HEADING, SLUG")
        #expect(try manager.schemaPlan(for: [Stanza.self]).steps.map(\.sql) == [])
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'VERSE_mirror%'") == [])
    }

    @Test("keeps what it holds when a column is added that it doesn't have") func column() throws {
        let manager = try manager()
        try manager.run("UPDATE VERSE_mirror SET TITLE = 'kept' WHERE ID = 1")
        try manager.updateSchema(for: [LongerVerse.self])
        #expect(try manager.stored("SELECT TITLE FROM VERSE_mirror WHERE ID = 1") == .text("kept"))
        #expect(try manager.schemaPlan(for: [LongerVerse.self]).isEmpty)
        try manager.run("INSERT OR REPLACE INTO VERSE (TITLE, SLUG) VALUES ('new', 's1')")
        #expect(try manager.rowCount("VERSE_mirror") == 3)
    }

    @Test("has to know of a unique index that another program adds") func otherIndex() throws {
        let manager = try manager()
        try manager.run(
            "CREATE UNIQUE INDEX BY_OTHERS ON VERSE (lower(TITLE) DESC, coalesce(PARENT, 0)) WHERE PART >= 0")
        try manager.run("CREATE UNIQUE INDEX ONE_ALONE ON VERSE (PART IS NULL) WHERE PART IS NULL")
        #expect(failure { try manager.createTableIfNecessary(for: Verse.self) }?.code == .schemaMismatch)
        try manager.updateSchema(for: [Verse.self])
        #expect(try manager.createTableIfNecessary(for: Verse.self) == false)
        try manager.run("INSERT OR REPLACE INTO VERSE (ID, TITLE) VALUES (8, 'alone'); DELETE FROM VERSE WHERE ID = 0")
        try manager.run(
            "INSERT OR REPLACE INTO VERSE (ID, TITLE) VALUES (9, 'alone, too'); DELETE FROM VERSE WHERE ID = 9")
        try expectMirror(manager)
        try manager.run("INSERT OR REPLACE INTO VERSE (TITLE, PART) VALUES ('T1', 7)")
        #expect(try manager.rowCount("VERSE") == 3)
        try expectMirror(manager)
    }

    @Test("that no class declares any more stays, and goes by dropping, with its triggers") func undeclared() throws {
        let manager = try manager()
        let notes = try manager.schemaPlan(for: [PlainVerse.self]).notes.map(\.name)
        #expect(notes == ["VERSE_mirror", "VERSE_mirror_gone"])
        try manager.apply(
            manager.schemaPlan(for: [PlainVerse.self], dropping: notes), allowing: .loses)
        try manager.insert(PlainVerse.self, values: ["title": "a"])
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'VERSE_mirror%'") == [])
    }

    @Test("of a table that it can't follow is an error with the reason") func refused() throws {
        let manager = try memoryManager()
        let keyless = failure { try manager.createTableIfNecessary(for: Keyless.self) }
        #expect(keyless?.code == .invalidModel)
        #expect(keyless?.message.contains("has no primary key") == true)
        let circular = failure { try manager.createTableIfNecessary(for: Circular.self) }
        #expect(circular?.code == .invalidModel)
        #expect(circular?.message.contains("ON UPDATE SET DEFAULT") == true)
    }
}

private class BareVerse: PersistingModel {
    var id: Int64?
    var title: String?
    var slug: String?
    var line: Int?
    var parent: Int64?

    override class var tableName: String { "VERSE" }
    override class var columns: Columns {
        var columns = super.columns
        columns["SLUG"] = .string.unique.collate(.nocase)
        columns["PARENT"] = .int.references(BareVerse.self, onDelete: .setNull, onUpdate: .cascade)
        return columns
    }
    override class var indexes: [Index] {
        [.unique("part", "line"), .unique("title", where: "LINE > 2", name: "TITLES")]
    }
}

private final class PlainVerse: BareVerse {
    var part: Int?
}

private final class RetypedVerse: BareVerse {
    var part: String?
    override class var companions: [any CompanionDeclaration] { Verse.companions }
}

private final class LongerVerse: BareVerse {
    var part: Int?
    var more: String?
    override class var companions: [any CompanionDeclaration] { Verse.companions }
}

private final class Stanza: PersistingModel {
    var id: Int64?
    var heading: String?
    var slug: String?

    override class var formerTableNames: [String] { ["VERSE"] }
    override class var columns: Columns {
        var columns = super.columns
        columns["HEADING"] = .string.formerly("TITLE")
        columns["SLUG"] = .string.unique.collate(.nocase)
        return columns
    }
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["HEADING", "SLUG"])] }
}

private class ArchivedVerse: PersistingModel {
    var id: Int64?
    var title: String?
    var slug: String?
    override class var tableName: String { "VERSE" }
    override class var schemaName: String? { "archive" }
    override class var columns: Columns {
        var columns = super.columns
        columns["SLUG"] = .string.unique.collate(.nocase)
        return columns
    }
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["TITLE", "SLUG"])] }
}

private final class LongerArchivedVerse: ArchivedVerse {
    var more: Int?
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["TITLE", "SLUG", "MORE"])] }
}

private final class Keyless: PersistingModel {
    var name = ""
    override class var primaryKey: PrimaryKey { .none }
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["NAME"])] }
}

private final class Circular: PersistingModel {
    var id: Int64?
    var parent: Int64?
    override class var columns: Columns {
        var columns = super.columns
        columns["PARENT"] = .int.references(Circular.self, onUpdate: .setDefault)
        return columns
    }
    override class var companions: [any CompanionDeclaration] { [Mirror(columns: ["PARENT"])] }
}
