import Foundation
import Persisting
import SQLiteKit

/// Compares what classes read of other programs' databases with what is stored, cell by cell, and what they write back.
///
/// `CompareFiles FOLDER`: the folder that `databases.py` has filled, for the classes that `PrintModels` has printed. It
/// ends with 1 if there is a finding.
@main struct CompareFiles {
    static func main() throws {
        let checks = try Checks(folder: URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "."))
        try checkAll(checks)
        for finding in checks.findings { print(finding) }
        print(
            "R21", "\(checks.files.count) files, \(checks.tables) tables, \(checks.cells) cells,",
            "\(checks.rows) rows written back, \(checks.findings.count) findings")
        if !checks.findings.isEmpty { exit(1) }
    }
}

/// The checks of all tables, and what they have found.
final class Checks {
    let folder: URL
    /// For each file, table and column, the time of each row's value, in seconds since 1970.
    let times: [String: [String: [String: [Double?]]]]
    private(set) var findings: [String] = []
    private(set) var files: Set<String> = []
    private(set) var tables = 0
    private(set) var cells = 0
    private(set) var rows = 0

    init(folder: URL) throws {
        self.folder = folder
        let data = try Data(contentsOf: folder.appending(path: "expected.json"))
        times = try JSONDecoder().decode([String: [String: [String: [Double?]]]].self, from: data)
    }

    /// Checks a table: the plan of its class is empty, each cell reads as what is stored, and rows that are written
    /// back leave the file's content as it was.
    func check<Model: PersistingModel>(_ type: Model.Type, _ file: String, _ table: String) throws {
        files.insert(file)
        tables += 1
        // As these programs do: SQLite enforces foreign keys only when it's asked to.
        var configuration = DatabaseConfiguration()
        configuration.foreignKeys = false
        let manager = try PersistenceManager(
            path: folder.appending(path: file + ".sqlite").path, configuration: configuration)
        let place = "\(file).\(table)"
        do {
            let isView = try manager.read { db in try db.table(table)?.kind == .view }
            if !isView {
                let plan = try manager.schemaPlan(for: [type])
                if !plan.isEmpty {
                    findings.append("\(place): the plan isn't empty: \(plan.steps.first?.reason ?? "\(plan)")")
                }
            }
            let before = try content(manager)
            let stored = try manager.dictionaries("SELECT * FROM \(identifier: table)")
            let objects = try manager.fetchAll(type)
            guard objects.count == stored.count else {
                return findings.append("\(place): \(objects.count) objects of \(stored.count) rows")
            }
            for (number, (object, row)) in zip(objects, stored).enumerated() {
                try compare(object, row, place, times[file]?[table]?.mapValues { $0[number] } ?? [:])
            }
            if isView { return }
            for object in objects {
                do {
                    try writeBack(object, manager)
                    rows += 1
                } catch let error as PersistenceError where error.code == .noPrimaryKey {}
            }
            let after = try content(manager)
            for (old, new) in zip(before, after) where old != new {
                findings.append("\(place): written back, \(old) became \(new)")
            }
            if before.count != after.count { findings.append("\(place): \(before.count) rows became \(after.count)") }
        } catch {
            findings.append("\(place): \(error)")
        }
    }

    /// Updates all columns of a row with the object's values, and inserts or updates it.
    private func writeBack<Model: PersistingModel>(_ object: Model, _ manager: PersistenceManager) throws {
        try manager.save(object)
        try manager.update(object)
        try manager.upsert(object)
    }

    /// All rows of all tables, as SQL's literals.
    private func content(_ manager: PersistenceManager) throws -> [String] {
        try manager.read { db in
            try db.schema().tables.filter { $0.kind == .table }.flatMap { table in
                let values = table.columns.map { SQL("quote(\(identifier: $0.name))") }.joined(
                    separator: " || ', ' || ")
                return try db.column("SELECT \(sql: values) FROM \(identifier: table.name)", as: String.self)
                    .map { "\(table.name): \($0)" }
            }
        }
    }

    /// Compares an object with its row.
    private func compare(
        _ object: PersistingModel, _ row: [String: SQLiteValue], _ place: String, _ times: [String: Double?]
    ) throws {
        let values = try object.dictionary(by: .columns)
        for (column, stored) in row {
            cells += 1
            let value = values[column]
            if !isEqual(value, stored, times[column] ?? nil) {
                findings.append(
                    "\(place).\(column): \(stored) reads as \(value.map { "\(Swift.type(of: $0)) \($0)" } ?? "nil")")
            }
        }
        for column in values.keys where row[column] == nil { findings.append("\(place): \(column) isn't a column") }
    }

    /// Whether a property's value is what is stored; a date, whether it is the time that the other program means.
    private func isEqual(_ value: Any?, _ stored: SQLiteValue, _ time: Double?) -> Bool {
        switch (value, stored) {
        case (let value as SQLiteValue, _): value == stored
        case (nil, .null): true
        case (let date as Date, _): time.map { abs(date.timeIntervalSince1970 - $0) < 1e-5 } ?? false
        case (let flag as Bool, .integer(let number)): number == (flag ? 1 : 0)
        case (let number as Int64, .integer(let stored)): number == stored
        case (let number as Double, .real(let stored)): number == stored
        case (let number as Double, .integer(let stored)): number == Double(stored)
        case (let text as String, .text(let stored)): Array(text.utf8) == Array(stored.utf8)
        case (let data as Data, .blob(let stored)): data == stored
        case (let uuid as UUID, .text(let stored)):
            uuid.uuidString.replacing("-", with: "")
                == stored.uppercased().replacing("-", with: "")
        case (let uuid as UUID, .blob(let stored)): withUnsafeBytes(of: uuid.uuid) { Data($0) } == stored
        case (let number as Decimal, .integer(let stored)): number == Decimal(stored)
        case (let number as Decimal, .real(let stored)): number == Decimal(string: "\(stored)")
        case (let number as Decimal, .text(let stored)): number == Decimal(string: stored)
        default: false
        }
    }
}
