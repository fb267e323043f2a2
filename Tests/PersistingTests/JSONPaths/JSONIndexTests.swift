import Foundation
import Testing

@testable import Persisting

private final class Indexed: PersistingModel {
    var id: Int64?
    var name = ""
    var settings = ReaderSettings()

    override class var columns: Columns { ["ID": .int, "NAME": .string, "SETTINGS": .json] }
    override class var indexes: [Index] { [Index(\Indexed.settings.theme), Index(\Indexed.name)] }
}

private final class BadlyIndexed: PersistingModel {
    var id: Int64?
    var settings = ReaderSettings()

    override class var columns: Columns { ["ID": .int, "SETTINGS": .json] }
    override class var indexes: [Index] { [Index(\BadlyIndexed.settings.upper)] }
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
        #expect(try plan(\.name == "a", manager).contains("INDEXED_NAME_INDEX"))
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
