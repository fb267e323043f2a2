import Persisting
import SQLiteKit
import Testing

private final class Slip: PersistingModel {
    var id: Int64?
    var text = ""
}

@Suite("Triggers of replaced rows") struct ReplacedRowsTests {
    @Test("of which one rolls the transaction back leave the connection as it was", .local(.connection))
    func rolledBack() throws {
        let manager = try memoryManager(Slip.self)
        try manager.run(
            """
            CREATE TRIGGER kept AFTER DELETE ON SLIP WHEN old.TEXT = 'kept'
            BEGIN SELECT RAISE(ROLLBACK, 'it is kept'); END
            """)
        try manager.run(
            "CREATE TRIGGER noted AFTER UPDATE ON SLIP BEGIN UPDATE SLIP SET TEXT = TEXT || '!' WHERE ID = new.ID; END")
        let memo = Slip()
        memo.text = "kept"
        try manager.insert(memo)
        let other = Slip()
        (other.id, other.text) = (memo.id, "other")
        #expect(throws: (any Error).self) {
            try manager.transaction { try manager.insert(other, onConflict: .replace) }
        }
        #expect(try manager.stored("PRAGMA recursive_triggers") == .integer(0))
        memo.text = "changed"
        try manager.update(memo)
        #expect(try manager.storedColumn("SELECT TEXT FROM SLIP") == ["changed!"])
    }
}
