import Persisting
import PersistingDiagnostics
import Testing

@Suite("SQL in declarations")
struct DeclaredSQLTests {
    @Test("Values interpolated in a check, a generated column and an index become literals")
    func literals() throws {
        // F45, Settled 18
        let manager = try memoryManager(Priced.self)
        #expect(try manager.columnSQL("KIND", in: "PRICED") == "KIND TEXT NOT NULL DEFAULT '' CHECK (KIND != 'it''s')")
        #expect(
            try manager.columnSQL("LABEL", in: "PRICED") == "LABEL TEXT GENERATED ALWAYS AS (KIND || ' (a?)') VIRTUAL")
        let index = try manager.stored("SELECT sql FROM sqlite_schema WHERE type = 'index'")
        #expect(index == "CREATE INDEX PRICED_KIND_INDEX ON PRICED (KIND) WHERE KIND > '''); DROP TABLE PRICED'")
    }

    @Test("The template of a class has its declarations' SQL with the values in it")
    func template() throws {
        // Settled 18
        #expect(try Priced.columnTemplate().contains(#"check("KIND != 'it''s'")"#))
    }

    @Test("A declaration with a parameter that has no value is rejected by name")
    func parameter() throws {
        // Settled 9, Settled 18
        let error = failure { try memoryManager(Parameterized.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "size")
    }
}

private final class Priced: PersistingModel {
    var id: Int64?
    var kind = ""
    var label: String?

    override class var columns: Columns {
        let rejected = "it's"
        let ending = " (a?)"
        var columns = super.columns
        columns["KIND"] = .string.check("KIND != \(rejected)")
        columns["LABEL"] = .string.generated(as: "KIND || \(ending)")
        return columns
    }
    override class var indexes: [Index] {
        let hostile = "'); DROP TABLE PRICED"
        return [Index("kind", where: "KIND > \(hostile)")]
    }
}

private final class Parameterized: PersistingModel {
    var id: Int64?
    var size = 0
    override class var columns: Columns { ["ID": .int, "SIZE": .int.check("SIZE > ?")] }
}
