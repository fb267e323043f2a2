import Foundation
import Fuzzing
import SQLiteKit

/// Reads and applies changesets that libFuzzer makes up.
///
/// What isn't one is an error when it is read; what is, can be read to its end or is an error; and what is applied
/// leaves a sound database, or one as it was.
@main struct FuzzChangesets {
    static func main() throws {
        let db = try Database(.memory)
        try db.executeScript(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT NOT NULL, n);
            CREATE TABLE b (x, y, z REAL, PRIMARY KEY (x, y)) WITHOUT ROWID;
            INSERT INTO a VALUES (1, 'one', 1.5), (2, 'two', NULL), (3, 'three', x'00FF');
            INSERT INTO b VALUES (1, 'b', 0.5), ('k', 2, NULL);
            """)
        Fuzzing.run { data in
            guard let choice = data.first else { return }
            let changeset: Changeset
            do {
                changeset = try Changeset(data.dropFirst())
                try changeset.forEach { _ in }
                // Both are changesets again, which can be read.
                if !changeset.isPatchset { try changeset.inverted().forEach { _ in } }
                try changeset.appending(changeset).forEach { _ in }
            } catch is SQLiteError {
                return
            }
            let before = try contents(db)
            do {
                try db.transaction {
                    do {
                        try db.apply(changeset) { conflict in
                            switch choice & 3 {
                            case 0: .abort
                            case 1: .omit
                            default: [.data, .conflict].contains(conflict.kind) ? .replace : .omit
                            }
                        }
                    } catch let error as SQLiteError {
                        if try contents(db) != before { throw Fuzzing.Found("applied, though it threw \(error)") }
                    }
                    guard try db.scalar("PRAGMA integrity_check", as: String.self) == "ok" else {
                        throw Fuzzing.Found("the database is broken")
                    }
                    throw Undone()
                }
            } catch is Undone {}
        }
    }

    private struct Undone: Error {}

    private static func contents(_ db: Database) throws -> [String] {
        try db.column(
            "SELECT quote(id) || quote(t) || quote(n) FROM a UNION ALL SELECT quote(x) || quote(y) || quote(z) FROM b",
            as: String.self)
    }
}
