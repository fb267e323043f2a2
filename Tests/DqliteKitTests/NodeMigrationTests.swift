import DqliteKit
import Foundation
import NodeProcesses
import Testing

/// Migrations of a cluster.
@Suite(.realNodes) struct NodeMigrationTests {
    private func manager(_ migrations: [Migration]?) throws -> (PersistenceManager, NodeProcesses) {
        let nodes = try RealNodes.start(1)
        let cluster = try Cluster(nodes.addresses, database: "app")
        return (try PersistenceManager(cluster, migrations: migrations), nodes)
    }

    private static let first = Migration(
        1, "albums",
        sql: """
            CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist (id) ON DELETE CASCADE);
            CREATE TRIGGER named AFTER INSERT ON artist BEGIN
                UPDATE artist SET name = CASE name WHEN '' THEN 'unknown' ELSE name END WHERE id = new.id;
            END;
            INSERT INTO artist (id, name) VALUES (1, '');
            INSERT INTO album (artist_id) VALUES (1);
            """)

    @Test func aScriptOfSeveralStatementsRuns() throws {
        let (manager, nodes) = try manager([Self.first])
        defer { withExtendedLifetime(nodes) {} }
        #expect(try manager.schemaVersion == 1)
        #expect(try manager.dictionaries("SELECT name FROM artist") == [["name": "unknown"]])
    }

    // With foreign keys enforced the rows of the children would be deleted with the table.
    @Test func aTableIsRebuiltWithoutItsChildren() throws {
        let (manager, nodes) = try manager([Self.first])
        defer { withExtendedLifetime(nodes) {} }
        let second = Migration(2) { manager in
            try manager.execute("CREATE TABLE new_artist (id INTEGER PRIMARY KEY, name TEXT, born INTEGER)")
            try manager.execute("INSERT INTO new_artist SELECT id, name, 1926 FROM artist")
            try manager.execute("DROP TABLE artist")
            try manager.execute("ALTER TABLE new_artist RENAME TO artist")
        }
        #expect(try manager.migrate([Self.first, second]) == [2])
        #expect(try manager.dictionaries("SELECT count(*) AS n FROM album") == [["n": 1]])
        #expect(try manager.dictionaries("PRAGMA foreign_keys").first?["foreign_keys"] == 1)
    }

    @Test func aMigrationThatFailsIsRolledBack() throws {
        let (manager, nodes) = try manager([Self.first])
        defer { withExtendedLifetime(nodes) {} }
        let second = Migration(2, sql: "DELETE FROM artist; INSERT INTO nothing VALUES (1)")
        #expect(throws: PersistenceError.self) { try manager.migrate([Self.first, second]) }
        #expect(try manager.schemaVersion == 1)
        #expect(try manager.dictionaries("SELECT count(*) AS n FROM artist") == [["n": 1]])
    }

    @Test func brokenForeignKeysAreFound() throws {
        let (manager, nodes) = try manager([Self.first])
        defer { withExtendedLifetime(nodes) {} }
        let second = Migration(2, sql: "DELETE FROM artist")
        let error = #expect(throws: PersistenceError.self) { try manager.migrate([Self.first, second]) }
        #expect(error?.message.contains("album") == true)
    }
}
