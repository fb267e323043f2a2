import Foundation
import Persisting
import Testing

// F116
@Suite("Every table of a grown database") struct EvolvingDatabaseTests {
    private static let tables = EvolvingTable.all

    @Test("there are two dozen of")
    func count() { #expect(Self.tables.count >= 24) }

    @Test("is recreated with all that belongs to it, and nothing else changes", arguments: tables)
    func rebuild(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let before = try DatabaseContents(manager).leavingOut(textOf: table.name)
        let plan = try manager.alterTable(table.name) { $0.addCheck("1") }
        #expect(plan.steps.map(\.isRebuildForTests) == [true])
        #expect(try DatabaseContents(manager).leavingOut(textOf: table.name) == before)
        #expect(try manager.isSound())
        #expect(try manager.tableSQL(table.name)?.contains("CHECK (1)") == true)
    }

    @Test("is renamed wherever its name stands, and back again", arguments: tables)
    func renameTable(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let before = try DatabaseContents(manager).rows
        try manager.alterTable(table.name) { $0.rename(to: "a new name") }
        #expect(try !manager.tableExists(table.name) && manager.isSound())
        try manager.alterTable("a new name") { $0.rename(to: table.name) }
        #expect(try DatabaseContents(manager).rows == before)
    }

    @Test("has each of its columns renamed wherever its name stands, and back again", arguments: tables)
    func renameColumns(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let before = try DatabaseContents(manager).rows
        let names = try manager.read { db in try db.table(table.name)?.columns.map(\.name) ?? [] }
        for name in names {
            try manager.alterTable(table.name) { $0.rename(name, to: "a new name") }
            #expect(try manager.columnExists("a new name", in: table.name))
            try manager.alterTable(table.name) { $0.rename("a new name", to: name) }
        }
        #expect(try manager.isSound())
        #expect(try DatabaseContents(manager).rows == before)
    }

    @Test("gets a column in one transaction with a CHECK, and loses it again", arguments: tables)
    func addAndDrop(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let before = try DatabaseContents(manager).leavingOut(textOf: table.name)
        try manager.alterTable(table.name) { table in
            table.add("extra", .int.notNull.default(3))
            table.addCheck("extra > 2")
            table.addIndex(on: "extra")
        }
        #expect(try manager.stored("SELECT coalesce(min(extra), 3) FROM \(SQLText.identifier(table.name))") == 3)
        let plan = try manager.alterTable(table.name) { $0.drop("extra") }
        #expect(plan.steps.first?.reason.contains("with it CHECK (extra > 2), the index") == true)
        #expect(try DatabaseContents(manager).leavingOut(textOf: table.name) == before)
        #expect(try manager.isSound())
    }

    @Test("keeps its values where a column gets another type that has room for them", arguments: tables)
    func retype(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let columns = try manager.read { db in try db.table(table.name)?.columns ?? [] }
        let references = try manager.read { db in try db.table(table.name)?.foreignKeys.flatMap(\.columns) ?? [] }
        let isStrict = try manager.read { db in try db.table(table.name)?.isStrict == true }
        for column in columns where column.kind == .ordinary && column.primaryKeyPosition == nil && !isStrict {
            guard !references.contains(column.name), !column.isNotNull, column.declaredType != "ANY" else { continue }
            let before = try manager.storedColumn(
                "SELECT \(SQLText.identifier(column.name)) FROM \(SQLText.identifier(table.name)) ORDER BY 1")
            try manager.alterTable(table.name) { $0.change(column.name, to: .any) }
            let after = try manager.storedColumn(
                "SELECT \(SQLText.identifier(column.name)) FROM \(SQLText.identifier(table.name)) ORDER BY 1")
            #expect(after == before, "\(column.name)")
        }
        #expect(try manager.isSound())
    }

    @Test("is as it was when its change fails at the end", arguments: tables)
    func failure(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let before = try DatabaseContents(manager)
        let rows = try manager.rowCount(table.name)
        try manager.execute("CREATE VIEW last AS SELECT 1 AS a")
        #expect(throws: (any Error).self) {
            try manager.alterTable(table.name) { table in
                table.addCheck("1")
                table.rename(to: "last")
            }
        }
        try manager.execute("DROP VIEW last")
        #expect(try DatabaseContents(manager) == before)
        #expect(try manager.rowCount(table.name) == rows)
    }
}

extension SchemaPlan.Step {
    /// Whether the step copies the table.
    fileprivate var isRebuildForTests: Bool { sql.contains { $0.hasPrefix("DROP TABLE") } }
}

// F50, F116
@Suite("A grown database") struct GrownDatabaseTests {
    @Test("has a table split in two by a migration, with what refers to it")
    func split() throws {
        let manager = try EvolvingDatabase.shop.manager()
        try manager.migrate([
            Migration(1, "addresses of their own") { manager in
                try manager.execute(
                    "CREATE TABLE address (id INTEGER PRIMARY KEY, street TEXT, city TEXT, customer_id TEXT)")
                try manager.execute(
                    "INSERT INTO address (street, city, customer_id) SELECT street, city, id FROM customer ORDER BY id")
                try manager.alterTable("customer") { table in
                    table.add("address_id", .int)
                    table.drop("street")
                    table.drop("city")
                }
                try manager.execute(
                    "UPDATE customer SET address_id = (SELECT id FROM address WHERE customer_id = customer.id)")
                try manager.alterTable("address") { $0.drop("customer_id") }
            }
        ])
        #expect(
            try manager.storedColumn(
                "SELECT a.city FROM customer c JOIN address a ON a.id = c.address_id ORDER BY c.id")
                == ["Berlin", "México"])
        #expect(try manager.rowCount("order") == 2)
        #expect(try manager.isSound())
    }

    @Test("keeps the numbers that AUTOINCREMENT has given", arguments: ["employee", "product"])
    func sequence(table: String) throws {
        let manager = try EvolvingDatabase.shop.manager()
        let before = try manager.storedColumn("SELECT name || ' ' || seq FROM sqlite_sequence ORDER BY name")
        try manager.alterTable(table) { $0.addCheck("1") }
        #expect(try manager.storedColumn("SELECT name || ' ' || seq FROM sqlite_sequence ORDER BY name") == before)
    }

    @Test("keeps what ANALYZE has found out", arguments: EvolvingTable.all)
    func statistics(table: EvolvingTable) throws {
        let manager = try table.database.manager()
        let sql = "SELECT tbl || ' ' || coalesce(idx, '') || ' ' || stat FROM sqlite_stat1 ORDER BY 1"
        let before = try manager.storedColumn(sql)
        try manager.alterTable(table.name) { $0.addCheck("1") }
        #expect(try manager.storedColumn(sql) == before)
    }

    @Test("runs its triggers after its tables have been recreated")
    func triggers() throws {
        let manager = try EvolvingDatabase.shop.manager()
        for table in ["product", "order_line", "employee", "log"] { try manager.alterTable(table) { $0.addCheck("1") } }
        try manager.execute("INSERT INTO order_line VALUES (8, 1, 9, NULL)")
        try manager.execute("UPDATE product SET price = 20 WHERE id = 1")
        try manager.execute("INSERT INTO staff (name) VALUES ('New')")
        #expect(try manager.stored("SELECT stock FROM product WHERE id = 1") == 28)
        #expect(try manager.stored("SELECT what FROM log") == "Chai now costs 20")
        #expect(try manager.stored("SELECT id FROM employee WHERE \"last name\" = 'New'") == 10)
    }

    @Test("keeps the temporary triggers of a table that is recreated")
    func temporaryTriggers() throws {
        let manager = try EvolvingDatabase.music.manager()
        try manager.execute(
            "CREATE TEMP TRIGGER mine AFTER INSERT ON Genre BEGIN UPDATE Artist SET Name = new.Name WHERE ArtistId = 1; END"
        )
        try manager.alterTable("Genre") { $0.addCheck("1") }
        try manager.execute("INSERT INTO Genre VALUES (3, 'Tango')")
        #expect(try manager.stored("SELECT Name FROM Artist WHERE ArtistId = 1") == "Tango")
    }

    @Test(
        "keeps the temporary triggers of a table that is recreated, where others have tables of the same name",
        arguments: ["main.Genre", "Genre"])
    func temporaryTriggersOfNamesakes(_ table: String) throws {
        let manager = try EvolvingDatabase.music.manager()
        try manager.execute("ATTACH ':memory:' AS other")
        try manager.execute("CREATE TABLE other.Genre (GenreId INTEGER PRIMARY KEY, Name TEXT)")
        try manager.execute("CREATE TEMP TABLE log (name)")
        try manager.execute(
            "CREATE TEMP TRIGGER theirs AFTER INSERT ON other.Genre BEGIN INSERT INTO log VALUES ('theirs'); END")
        let mine = "CREATE TEMP TRIGGER mine AFTER INSERT ON \(table) BEGIN INSERT INTO log VALUES ('mine'); END"
        try manager.execute(SQL(mine))
        try manager.execute("CREATE TEMP TABLE Genre (GenreId INTEGER PRIMARY KEY, Name TEXT)")
        try manager.alterTable("Genre") { $0.addCheck("1") }
        try manager.execute("INSERT INTO main.Genre VALUES (3, 'Tango')")
        try manager.execute("INSERT INTO temp.Genre VALUES (3, 'Tango')")
        try manager.execute("INSERT INTO other.Genre VALUES (3, 'Tango')")
        #expect(try manager.storedColumn("SELECT name FROM log") == ["mine", "theirs"])
    }

    @Test("is changed alone, where an attached database and a temporary one have tables of the same name")
    func attached() throws {
        let manager = try EvolvingDatabase.music.manager()
        try manager.execute("ATTACH ':memory:' AS other")
        try manager.execute("CREATE TABLE other.Genre (GenreId INTEGER PRIMARY KEY, Name TEXT)")
        try manager.execute("INSERT INTO other.Genre VALUES (8, 'theirs')")
        try manager.alterTable("Genre") { $0.rename("Name", to: "Title") }
        try manager.alterTable("Genre") { $0.addCheck("1") }
        #expect(try manager.storedColumn("SELECT Name FROM other.Genre") == ["theirs"])
        #expect(try manager.storedColumn("SELECT Title FROM main.Genre ORDER BY 1") == ["Jazz", "Rock"])
    }

    @Test(
        "is left alone when a view or a trigger would break",
        arguments: [
            "CREATE VIEW broken AS SELECT Title FROM Album JOIN Artist USING (ArtistId)",
            "CREATE TRIGGER broken AFTER DELETE ON Genre BEGIN INSERT INTO Artist VALUES (9, 'x'); END",
        ])
    func breaking(sql: String) throws {
        let manager = try EvolvingDatabase.music.manager()
        try manager.execute(SQL(sql))
        let before = try DatabaseContents(manager)
        #expect(throws: SQLiteError.self) {
            try manager.alterTable("Artist") { table in
                table.rename("ArtistId", to: "id")
                table.add("born", .date)
            }
        }
        #expect(try DatabaseContents(manager) == before)
    }

    @Test("keeps clauses that no class can declare")
    func clauses() throws {
        let manager = try EvolvingDatabase.shop.manager()
        try manager.alterTable("product") { $0.addCheck("1") }
        let sql = try manager.tableSQL("product") ?? ""
        for clause in [
            "CONSTRAINT \"never less\" CHECK (stock >= 0)", "DEFERRABLE INITIALLY DEFERRED", "AUTOINCREMENT",
            "AS (price * stock) STORED",
        ] {
            #expect(sql.contains(clause))
        }
    }
}
