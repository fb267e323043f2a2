internal import Foundation
internal import Persisting
internal import SQLiteKit

/// What `PRAGMA integrity_check` finds, with what mends it.
enum IntegrityCheck {
    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        var (indexes, others) = ([String: Int](), [String: Int]())
        let (lines, unchecked) = try check(database)
        for line in lines {
            // There is a line for each row, and one finding for all of them.
            if let index = outdatedIndex(line, database.schema) {
                indexes[index, default: 0] += 1
            } else {
                others[line, default: 0] += 1
            }
        }
        let outdated = indexes.keys.sorted().map { index in
            FileFinding(
                .integrity, database.schema.tables.first { $0.indexes.contains { $0.name == index } }?.name, [],
                "the index \(index) doesn't have the rows that its table has", remedy: ["REINDEX \(quoted(index))"])
        }
        return others.sorted { $0.key < $1.key }.map {
            finding($0.value == 1 ? $0.key : "\($0.key) (\($0.value) times)")
        } + outdated + unchecked + database.tables.flatMap { violations($0, database) }
    }

    /// What SQLite says of the file; table by table, where an index of one calls a function that isn't here.
    private static func check(_ database: ExaminedDatabase) throws -> (lines: [String], unchecked: [FileFinding]) {
        do {
            return (try database.db.integrityCheck(), [])
        } catch let error where error.code == .error {
            return try checkEachTable(database)
        }
    }

    private static func checkEachTable(
        _ database: ExaminedDatabase
    ) throws -> (lines: [String], unchecked: [FileFinding]) {
        var (lines, unchecked) = ([String](), [FileFinding]())
        for table in database.schema.tables where table.kind == .table {
            do throws(SQLiteError) {
                lines += try database.db.column(
                    "PRAGMA integrity_check(\(identifier: table.name))", as: String.self
                ).filter { $0 != "ok" }
            } catch {
                guard error.code == .error else { throw error }
                unchecked.append(
                    FileFinding(
                        .integrity, table.name, [],
                        "the table \(table.name) can't be checked here: \(error.message); check it with the "
                            + "functions of the program that made it"))
            }
        }
        return (lines, unchecked)
    }

    /// Rows that a CHECK rejects. SQLite forgets the CHECKs of a file that it opens read-only.
    private static func violations(_ table: DatabaseSchema.Table, _ database: ExaminedDatabase) -> [FileFinding] {
        let checks = table.sql.flatMap { TableDefinition(sql: $0) }?.checks ?? []
        return checks.compactMap { check in
            // A function or a collation of the program that made the file isn't here.
            let condition = "NOT (\(check.expression))"
            guard let count = try? database.count(table.name, where: SQL(condition)), count > 0 else { return nil }
            return FileFinding(
                .integrity, table.name, [check.column].compactMap { $0 },
                "\(count.rows(of: table.name)) \(count == 1 ? "breaks" : "break") CHECK (\(check.expression)); change or "
                    + "delete what SELECT * FROM \(quoted(table.name)) WHERE \(condition) finds")
        }
    }

    /// Damage that keeps SQLite from looking further.
    static func damage(_ error: SQLiteError) -> FileFinding { finding(error.message) }

    /// `row 3 missing from index BY_NAME` and `wrong # of entries in index BY_NAME`.
    private static func outdatedIndex(_ line: String, _ schema: DatabaseSchema) -> String? {
        guard line.hasPrefix("row ") || line.hasPrefix("wrong # of entries") || line.hasPrefix("rowid not at end"),
            let range = line.range(of: " index ")
        else { return nil }
        let name = line[range.upperBound...]
        return schema.tables.flatMap(\.indexes).first { $0.name == name }?.name
    }

    private static func finding(_ line: String) -> FileFinding {
        let declared = ["NULL value in ", "CHECK constraint failed in ", "non-unique entry in index "]
        if declared.contains(where: line.hasPrefix) || line.hasPrefix("non-") {
            return FileFinding(.integrity, nil, [], "\(line): a row isn't what its table declares; change or delete it")
        }
        // NUMERIC value in TRACK.TITLE
        if line.contains(" value in ") {
            return FileFinding(.integrity, nil, [], "\(line): another type than is declared")
        }
        return FileFinding(
            .integrity, nil, [],
            "the file is damaged: \(line); restore a backup, or save what can be read with the sqlite3 "
                + "shell's .recover")
    }
}
