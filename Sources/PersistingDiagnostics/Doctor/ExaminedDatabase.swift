internal import SQLiteKit

/// What the checks look at: a file, open in one transaction.
struct ExaminedDatabase {
    let path: String
    let db: Database
    let schema: DatabaseSchema

    init(path: String, db: Database) throws {
        self.path = path
        self.db = db
        schema = try db.schema()
    }

    /// The tables that programs fill, without SQLite's own and those that a virtual table keeps.
    var tables: [DatabaseSchema.Table] { schema.tables.filter { $0.kind == .table && !$0.isInternal } }

    /// A name like another one that no table, view or index has.
    func freeName(_ name: String) -> String {
        let taken = schema.tables.flatMap { [$0.name] + $0.indexes.map(\.name) }
        var name = name
        while taken.contains(where: { isSameName($0, name) }) { name += "_" }
        return name
    }

    /// How many rows match a condition.
    func count(_ table: String, where condition: SQL) throws -> Int {
        try db.scalar("SELECT count(*) FROM \(identifier: table) WHERE \(sql: condition)", as: Int.self) ?? 0
    }
}

/// Words for messages.
extension Int {
    /// `1 row of TRACK`, `2 rows of TRACK`.
    func rows(of table: String) -> String { "\(self) \(self == 1 ? "row" : "rows") of \(table)" }
}

/// Names as SQL has them.
func quoted(_ name: String) -> String { SQLText.identifier(name) }
