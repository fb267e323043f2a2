import Foundation
import Fuzzing
import Persisting
import PersistingDiagnostics
import SQLiteKit

/// Damages a database at the places that libFuzzer makes up, and reads or writes it, as the first byte says.
///
/// Each three bytes after it are a place in the file and the byte that stands there then. What can't be read is an
/// error of the library's. What can be is the same when it is read again.
@main struct FuzzFiles {
    static func main() throws {
        let whole = try image()
        let manager = try PersistenceManager(.memory)
        Fuzzing.run { data in
            guard let choice = data.first else { return }
            do {
                let bytes = damaged(whole, by: data.dropFirst())
                try manager.database.withoutTransaction { db in try db.deserialize(bytes) }
                switch choice % 4 {
                case 0: try useObjects(manager)
                case 1: try manager.database.withoutTransaction { db in try readSchema(of: db) }
                case 2: _ = try manager.modelSource(table: ["PERSON", "pet", "tall"][Int(choice / 4) % 3])
                default: try manager.database.withoutTransaction { db in try readRows(of: db) }
                }
            } catch is SQLiteError {} catch is PersistenceError {}
        }
    }

    private static func useObjects(_ manager: PersistenceManager) throws {
        let people = try manager.fetchAll(Person.self)
        let again = try manager.fetchAll(Person.self)
        guard people.map({ "\($0)" }) == again.map({ "\($0)" }) else {
            throw Fuzzing.Found("\(people), and then \(again)")
        }
        for person in people {
            person.name += "!"
            try manager.save(person)
        }
        try manager.insert(Person())
    }

    private static func readSchema(of db: Database) throws {
        let schema = try db.schema()
        let again = try db.schema()
        guard schema == again else { throw Fuzzing.Found("\(schema), and then \(again)") }
    }

    private static func readRows(of db: Database) throws {
        for table in ["PERSON", "pet", "tall"] {
            do {
                let rows = try db.query("SELECT * FROM \(identifier: table) LIMIT 100")
                while let row = try rows.next() { _ = try row.values() }
            } catch {}
        }
        _ = try db.integrityCheck(limit: 3)
        _ = try db.foreignKeyCheck()
    }

    private static func damaged(_ whole: Data, by data: Data) -> Data {
        var damaged = whole
        let bytes = Array(data)
        for start in stride(from: 0, to: bytes.count - 2, by: 3) {
            damaged[(Int(bytes[start]) << 8 | Int(bytes[start + 1])) % damaged.count] = bytes[start + 2]
        }
        return damaged
    }

    /// A database of few and small pages.
    private static func image() throws -> Data {
        let db = try Database(.memory)
        try db.executeScript(
            """
            PRAGMA page_size = 512; VACUUM;
            CREATE TABLE PERSON (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL, HEIGHT REAL, PHOTO BLOB, BORN REAL);
            CREATE INDEX by_name ON PERSON (NAME COLLATE NOCASE) WHERE HEIGHT > 1;
            CREATE TABLE pet (owner INTEGER REFERENCES PERSON DEFERRABLE INITIALLY DEFERRED, name, PRIMARY KEY (name))
                WITHOUT ROWID;
            CREATE VIEW tall AS SELECT NAME, HEIGHT * 2 AS twice FROM PERSON WHERE HEIGHT > 1.8;
            CREATE TRIGGER renamed AFTER UPDATE ON PERSON BEGIN UPDATE pet SET name = name || '!'; END;
            INSERT INTO PERSON VALUES (1, 'Ann', 1.75, x'00FF', 0), (2, 'béla', 1.9, NULL, 1e9), (3, '', 2, x'', NULL),
                (4, 'a name that is long', -1.5, zeroblob(700), 1.5);
            INSERT INTO pet VALUES (1, 'Momo'), (2, 'Ronja'), (1, 7), (4, x'61');
            """)
        return try db.serialize()
    }
}

private final class Person: PersistingModel {
    var id: Int64?
    var name = ""
    var height: Double?
    var photo: Data?
    var born: Date?
}
