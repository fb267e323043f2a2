import Foundation
import Persisting
import Testing

/// Classes with histories: a parent, a child with everything that makes following hard, and a table without row
/// identifiers.
final class PastFolder: PersistingModel {
    var id: Int64?
    var name = ""
    static let notes = ToMany(inverse: PastNote.folder)

    override class var tableName: String { "FOLDER" }
    override class var history: History? { .values() }
    override class var relations: Relations { ["notes": notes] }
}

final class PastNote: PersistingModel {
    var id: Int64?
    var title: String?
    var slug: String?
    var part: Int?
    var line: Int?
    var parent: Int64?
    var folderID: Int64?
    var draft: String?
    static let folder = ToOne(\PastNote.folderID, PastFolder.self, onUpdate: .cascade)

    override class var tableName: String { "NOTE" }
    override class var history: History? { .values(except: ["draft"]) }
    override class var relations: Relations { ["folder": folder] }
    override class var columns: Columns {
        var columns = super.columns
        columns["SLUG"] = .string.unique.collate(.nocase)
        columns["PARENT"] = .int.references(PastNote.self, onDelete: .setNull, onUpdate: .cascade)
        return columns
    }
    override class var indexes: [Index] {
        [.unique("part", "line"), .unique("title", where: "LINE > 2", name: "TITLES")]
    }
}

final class PastSeat: PersistingModel {
    var row = 0
    var letter = ""
    var guest: String?

    override class var tableName: String { "SEAT" }
    override class var primaryKey: PrimaryKey { .composite("row", "letter") }
    override class var tableOptions: TableOptions { .withoutRowID }
    override class var history: History? { .values() }
    override class var columns: Columns {
        var columns = super.columns
        columns["GUEST"] = .string.unique
        return columns
    }
}

/// All rows of the classes, as what an oracle keeps.
struct PastState: Equatable {
    let rows: [[String: String]]

    /// - Parameter number: The transaction after which the rows were so; nil is now.
    init(_ manager: PersistenceManager, asOf number: Int64? = nil) throws {
        func rows<Model: PersistingModel>(_ type: Model.Type, _ keys: [String]) throws -> [[String: String]] {
            let query = number.map { Query(type).asOf($0) } ?? Query(type)
            let found = try manager.dictionaries(query, keys: keys).map { $0.mapValues { "\($0)" } }
            return found.sorted { "\($0.sorted { $0.key < $1.key })" < "\($1.sorted { $0.key < $1.key })" }
        }
        self.rows =
            try rows(PastFolder.self, ["id", "name"])
            + rows(PastNote.self, ["id", "title", "slug", "part", "line", "parent", "folderID"])
            + rows(PastSeat.self, ["row", "letter", "guest"])
    }
}

extension PersistenceManager {
    /// The number of the last transaction of the histories.
    var lastNumber: Int64 {
        get throws {
            guard case .integer(let number)? = try stored("SELECT max(number) FROM history_transactions") else {
                return 0
            }
            return number
        }
    }
}

/// What programs do to tables with histories: all conflict clauses, several rows, upserts, changed keys, cascades.
struct PastProgram {
    var random: SeededGenerator

    private static let tables = [
        ("NOTE", ["ID", "TITLE", "SLUG", "PART", "LINE", "PARENT", "FOLDER_ID", "DRAFT"]),
        ("FOLDER", ["ID", "NAME"]), ("SEAT", ["ROW", "LETTER", "GUEST"]),
    ]

    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    mutating func value(_ column: String) -> SQLiteValue {
        switch column {
        case "ID", "PART", "LINE", "PARENT", "FOLDER_ID":
            let number = Int64.random(in: 0...7, using: &random)
            return number == 0 ? .null : .integer(number)
        case "ROW": return .integer(Int64.random(in: 1...4, using: &random))
        case "LETTER": return .text(["x", "y", "z"].randomElement(using: &random) ?? "")
        case "NAME": return .text(["p", "q", ""].randomElement(using: &random) ?? "")
        default:
            let text = [nil, "a", "A", "b", "B", "c", "ü'\""].randomElement(using: &random) ?? nil
            return text.map { .text($0) } ?? .null
        }
    }

    mutating func statement() -> SQL {
        let (table, columns) = Self.tables[[0, 0, 0, 1, 1, 2].randomElement(using: &random) ?? 0]
        let clause = ["", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT"].randomElement(using: &random) ?? ""
        let list = columns.joined(separator: ", ")
        let (column, other) = (columns.randomElement(using: &random) ?? "", columns.randomElement(using: &random) ?? "")
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9:
            let rows = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "(" + columns.map { "\(value($0))" }.joined(separator: ", ") + ")"
            }
            let upsert =
                clause.isEmpty && Bool.random(using: &random)
                ? "ON CONFLICT DO UPDATE SET \(other) = excluded.\(other)" : ""
            return SQL(
                "INSERT \(clause) INTO \(table) (\(list)) VALUES \(rows.joined(separator: ", ")) \(upsert)" as String)
        case 9..<11:
            return SQL(
                "INSERT \(clause) INTO \(table) (\(list)) SELECT \(list) FROM \(table) WHERE \(column) IS NOT "
                    + "\(value(column))" as String)
        case 11..<17:
            return SQL(
                "UPDATE \(clause) \(table) SET \(column) = \(value(column)) WHERE \(other) IS \(value(other))" as String
            )
        default: return SQL("DELETE FROM \(table) WHERE \(column) IS \(value(column))" as String)
        }
    }
}
