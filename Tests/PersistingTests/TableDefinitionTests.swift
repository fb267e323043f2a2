import Foundation
import Persisting
import Testing

/// What CREATE TABLE can say.
private let texts = [
    "CREATE TABLE a (x)",
    "CREATE TABLE \"a b\" ([x y] INTEGER PRIMARY KEY AUTOINCREMENT, 'z' TEXT DEFAULT 'it''s, (so)')",
    "CREATE TABLE a (x INT NOT NULL ON CONFLICT REPLACE DEFAULT -1, y VARCHAR(20, 3) COLLATE NOCASE UNIQUE)",
    "CREATE TABLE a (x TEXT CONSTRAINT short CHECK (length(x) < 5) /* , y */ DEFAULT NULL, y -- , z\n)",
    "CREATE TABLE a (x REFERENCES b (id) ON DELETE SET NULL ON UPDATE SET DEFAULT NOT DEFERRABLE, y NULL)",
    "CREATE TABLE a (x REFERENCES b ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED NOT NULL DEFAULT 1)",
    "CREATE TABLE a (x, y AS (x + 1), z INT GENERATED ALWAYS AS (x * (2)) STORED NOT NULL)",
    "CREATE TABLE a (x, y, z, PRIMARY KEY (x, y DESC) UNIQUE (z), FOREIGN KEY (x, y) REFERENCES b (c, d)) WITHOUT ROWID",
    "CREATE TABLE a (x INT, y ANY, CONSTRAINT k PRIMARY KEY (x), CHECK (x > 0) CHECK (y <> '')) STRICT, WITHOUT ROWID",
    "CREATE TABLE a (x DEFAULT (1 + 1), y DEFAULT CURRENT_TIMESTAMP, z DEFAULT +3.5 CHECK (z IN (1, 2)))",
    "CREATE TABLE a (\"check\" TEXT, \"unique\" INTEGER PRIMARY KEY DESC)",
]

@Suite("A table's definition, as a value") struct TableDefinitionTests {
    // F45, F116
    @Test("read from a database and written as SQL makes the same table", arguments: texts)
    func roundTrip(_ text: String) throws {
        let first = try Database(.memory)
        try first.execute(SQL(text))
        let table = try #require(try first.schema().tables.first { !$0.isInternal })
        let definition = try TableDefinition(table)
        let second = try Database(.memory)
        try second.execute(SQL(definition.sql))
        let other = try #require(try second.schema().tables.first { !$0.isInternal })
        #expect(other.columns == table.columns)
        #expect(other.indexes == table.indexes)
        #expect(other.foreignKeys == table.foreignKeys)
        #expect(other.isStrict == table.isStrict && other.isWithoutRowID == table.isWithoutRowID)
    }

    @Test("keeps each constraint with its words")
    func clauses() throws {
        let definition = try #require(TableDefinition(sql: texts[3]))
        #expect(definition.columns[0].clause(.check)?.sql == "CONSTRAINT short CHECK (length(x) < 5)")
        #expect(definition.columns.map(\.name) == ["x", "y"])
    }

    @Test("tells the key as the pragmas do", arguments: texts)
    func keys(_ text: String) throws {
        let db = try Database(.memory)
        try db.execute(SQL(text))
        let table = try #require(try db.schema().tables.first { !$0.isInternal })
        let definition = try TableDefinition(table)
        #expect(definition.primaryKey == table.primaryKey)
        #expect(definition.hasRowIDKey == (table.rowIDColumn != nil))
    }
}
