import Foundation
import Fuzzing
import SQLiteKit

/// Reads the definition of a table, which the text ends: its columns, and whether its foreign key is deferred, for
/// which the library reads the text itself.
struct Tables: TextReader {
    private let db: Database

    init() throws {
        db = try Database(.memory)
        try db.executeScript("PRAGMA foreign_keys = ON; CREATE TABLE p (k INTEGER PRIMARY KEY, \"a b\" UNIQUE)")
    }

    func check(_ bytes: Data) throws {
        try db.execute("BEGIN")
        let outcome = Result { try create(bytes.text) }
        try db.execute("ROLLBACK")
        try outcome.get()
    }

    private func create(_ text: String) throws {
        do { try db.execute(SQL("CREATE TABLE t (c REFERENCES p \(text)")) } catch { return }
        guard let table = try db.table("t") else { throw Fuzzing.Found("\(text): there is no table") }
        try expect(haveSameBytes(table.columns.first?.name ?? "", "c"), "\(text): \(table.columns)")
        let count = try db.scalar("SELECT count(DISTINCT id) FROM pragma_foreign_key_list('t')", as: Int.self)
        try expect(table.foreignKeys.count == count, "\(text): \(table.foreignKeys)")
        guard table.foreignKeys.count == 1, let key = table.foreignKeys.first else { return }
        do {
            try db.execute("INSERT INTO t (c) VALUES (99)")
            try expect(key.isDeferred, "\(text): \(key) isn't checked at once")
        } catch let error as SQLiteError where error.isConstraint(.foreignKey) {
            try expect(!key.isDeferred, "\(text): \(key) is checked at once")
        } catch is SQLiteError {}
    }
}
