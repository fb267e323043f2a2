import Foundation
import Persisting
import Testing

/// FOMapping's examples: a class over a table that is there, with its own CREATE TABLE.
@Suite("FOMapping's examples") struct FOMappingExampleTests {
    private final class Batter: PersistingModel {
        var name = ""
        var avg = 0.0
        var hr = 0
        var birth: Date?
        var position: Data?

        override class var naming: Naming { .identity }
        override class var tableName: String { "batter" }
        override class var primaryKey: PrimaryKey { .fromSchema }
        override class var columns: Columns {
            var columns = super.columns
            columns["avg"] = .double.onNull(.default)
            columns["hr"] = .int.onNull(.default)
            return columns
        }
    }

    let manager = try? memoryManager(
        script: """
            CREATE TABLE batter (
                name        TEXT NOT NULL,
                avg         REAL,
                hr          INTEGER,
                birth       REAL,
                position    BLOB,
                PRIMARY KEY(name)
            );
            INSERT INTO batter VALUES ('Lin', 0.25, 10, NULL, x'0A'), ('Hu', NULL, NULL, 0.5, NULL)
            """)

    @Test("query, update and delete: each row is an object, which is saved and removed")
    func queryUpdateDelete() throws {
        // F39, F55, F63
        let manager = try #require(manager)
        let birth = Date(timeIntervalSince1970: 500_515_200)
        for batter in try manager.fetchAll(Batter.self) {
            if batter.name == "Lin" {
                batter.avg = 0.3
                batter.hr = 20
                batter.birth = birth
                try manager.save(batter)
            } else if batter.name == "Hu" {
                #expect(try manager.delete(batter))
            }
        }
        let left = try manager.fetchAll(Batter.self)
        #expect(left.map(\.name) == ["Lin"])
        #expect(left.first?.birth == birth)
        #expect(left.first?.position == Data([10]))
        #expect(try manager.stored("SELECT avg FROM batter") == 0.3)
    }

    @Test("insert: a new object is saved") func insert() throws {
        // F54, F57
        let manager = try #require(manager)
        let batter = Batter()
        batter.name = "Kao"
        batter.avg = 0.35
        batter.hr = 30
        batter.birth = Date(timeIntervalSince1970: 496_540_800)
        try manager.save(batter)
        #expect(try manager.stored("SELECT birth FROM batter WHERE name = 'Kao'") == 496_540_800.0)
        #expect(try manager.find(Batter.self, "Kao")?.hr == 30)
    }

    @Test("a NULL isn't a value of a number's: it is what a new object has") func null() throws {
        // F29
        let hu = try #require(try manager?.find(Batter.self, "Hu"))
        #expect(hu.avg == 0)
        #expect(hu.hr == 0)
        #expect(!hu.hasChanges)
    }

    @Test("a changed key is written to its row, and two objects cannot have one") func keys() throws {
        // F40
        let manager = try #require(manager)
        let hu = try #require(try manager.find(Batter.self, "Hu"))
        hu.name = "Wu"
        try manager.save(hu)
        #expect(try manager.storedColumn("SELECT name FROM batter ORDER BY name") == ["Lin", "Wu"])
        hu.name = "Lin"
        #expect(failure { try manager.save(hu) }?.sqliteError?.columns == ["name"])
    }
}
