import Foundation
import Testing

@testable import Persisting

private final class Indexed: PersistingModel {
    var id: Int64?
    var name = ""
    var settings = ReaderSettings()

    override class var columns: Columns { ["ID": .int, "NAME": .string, "SETTINGS": .json] }
    override class var indexes: [Index] {
        [
            Index(\Indexed.settings.theme), Index(\Indexed.name), Index(\Indexed.name, \.settings.font.size),
            .unique(\Indexed.settings.token, \.id),
        ]
    }
}

private final class BadlyIndexed: PersistingModel {
    var id: Int64?
    var settings = ReaderSettings()

    override class var columns: Columns { ["ID": .int, "SETTINGS": .json] }
    override class var indexes: [Index] { [Index(\BadlyIndexed.settings.upper)] }
}

private final class UniquelyIndexed: PersistingModel {
    var id: Int64?
    var settings = ReaderSettings()

    override class var columns: Columns { ["ID": .int, "SETTINGS": .json] }
    override class var indexes: [Index] { [.unique(\UniquelyIndexed.settings.token)] }
}

@Suite("Indexes of values inside of JSON")
struct JSONIndexTests {
    private func plan(_ criteria: Criteria<Indexed>, _ manager: PersistenceManager) throws -> String {
        var sql = CriteriaSQL(try Mapping.of(Indexed.self))
        sql.append("SELECT * FROM INDEXED")
        try sql.appendWhere(criteria.node)
        return try manager.database.read { db in "\(try db.queryPlan(of: SQL(sql.text), sql.arguments))" }
    }

    @Test("are created, and used by conditions", .local(.connection))
    func used() throws {
        let manager = try memoryManager(Indexed.self)
        #expect(try plan(\.settings.theme == "dark", manager).contains("INDEXED_SETTINGS_theme_INDEX"))
        #expect(try plan(.hasPrefix(\.settings.theme, "da"), manager).contains("INDEXED_SETTINGS_theme_INDEX"))
        #expect(try plan(.in(\.settings.theme, ["a", "b"]), manager).contains("INDEXED_SETTINGS_theme_INDEX"))
        #expect(try plan(\.name == "a", manager).contains("INDEX INDEXED_NAME"))
    }

    @Test("may be of several values", .local(.connection))
    func several() throws {
        let manager = try memoryManager(Indexed.self)
        let found = try plan(\.name == "a" && \.settings.font.size > 9, manager)
        #expect(found.contains("INDEXED_NAME_SETTINGS_font_size_INDEX (NAME=? AND <expr>>?)"))
        let sql = try manager.stored("SELECT count(*) FROM sqlite_schema WHERE sql LIKE 'CREATE UNIQUE INDEX INDEXED%'")
        #expect(sql == .integer(1))
    }

    @Test("may be unique", .local(.connection))
    func unique() throws {
        let manager = try memoryManager(UniquelyIndexed.self)
        let one = UniquelyIndexed()
        try manager.insert(one)
        let other = UniquelyIndexed()
        other.settings.token = one.settings.token
        #expect(failure { try manager.insert(other) }?.code == .constraint)
        other.settings.token = UUID()
        try manager.insert(other)
    }

    @Test("are part of plans", .local(.connection))
    func plans() throws {
        let manager = try memoryManager(Indexed.self)
        #expect(try manager.schemaPlan(for: [Indexed.self]).isEmpty)
        try manager.run("DROP INDEX INDEXED_SETTINGS_theme_INDEX")
        #expect(try !manager.schemaPlan(for: [Indexed.self]).isEmpty)
        try manager.updateSchema(for: [Indexed.self])
        #expect(try plan(\.settings.theme == "dark", manager).contains("INDEXED_SETTINGS_theme_INDEX"))
        #expect(try manager.schemaPlan(for: [Indexed.self]).isEmpty)
    }

    @Test("throw for a property that isn't encoded")
    func mistake() throws {
        #expect(failure { try memoryManager(BadlyIndexed.self) }?.code == .unknownKey)
    }
}
