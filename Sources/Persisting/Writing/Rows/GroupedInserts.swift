internal import SQLiteKit

/// Insertions and upserts that several rows share a statement of.
///
/// SQLite takes an INSERT of 64 rows in 0.64 of the time that it takes for 64 INSERTs. New keys follow each other: each
/// is one more than the greatest, as long as that isn't the greatest there can be. See
/// [Autoincrement](https://www.sqlite.org/autoinc.html).
final class GroupedInserts: RowGroup {
    private let text: InsertText
    private let bound: ColumnSet
    private let lacksKey: Bool
    /// How many more keys are known to follow each other, and the last of those that did.
    @exclusivity(unchecked) private var keys: (left: Int, last: Int64) = (0, 0)
    private static let keysAtOnce = 1 << 32

    /// Nil where the rows of the table are to be inserted one at a time.
    init?(
        _ table: ModelTable, _ text: InsertText, lacksKey: Bool, like one: PreparedStatement, _ db: any EngineConnection
    ) throws {
        guard case .local = one, table.mapping.rowID == nil, !table.mapping.hasHooks, text.returned.isEmpty,
            !text.bound.isEmpty, try !table.effects(db).contains(.decidesByRow)
        else { return nil }
        let inspection = try table.checkForWriting(db)
        let mayUndo: Bool
        if case .update(let upsert) = text.shape.conflict {
            // An upsert leaves a row of another class as it is, and it can't be known which.
            if lacksKey || table.mapping.place != nil { return nil }
            mayUndo = try table.mayReject(updatesOf: upsert.written ?? text.bound, inspection, db)
        } else {
            mayUndo = try table.effects(db).contains(.refers)
        }
        if mayUndo, try table.hasIndexes(on: text.bound, db) { return nil }
        (self.text, bound, self.lacksKey) = (text, text.bound, lacksKey)
        // More than the first make it hardly faster, nor do fewer than the last.
        super.init(table, sizes: [64, 32, 8], mayUndo: mayUndo && !lacksKey)
    }

    /// Whether they serve the rows of another plan as well.
    func serve(_ table: ModelTable, _ text: InsertText, lacksKey: Bool) -> Bool {
        self.table === table && self.text === text && self.lacksKey == lacksKey
    }

    func forgetKeys() { keys = (0, 0) }

    override func sql(rows: Int) -> CachedSQL {
        var shape = text.shape
        shape.rows = rows
        return table.mapping.sql.insert(shape).sql
    }

    override func bind(_ write: borrowing ObjectWrite, to statement: Statement, from parameter: Int) throws -> Int {
        switch write {
        case .insertion(let insertion):
            let values = insertion.trackedValues
            try table.checkFit(bound, of: values)
            return try table.mapping.bind(values, bound, to: statement, from: parameter)
        default: return parameter
        }
    }

    /// Whether the next keys that SQLite makes are one more each.
    override func canWrite(_ count: Int, _ db: any EngineConnection) throws -> Bool {
        if !lacksKey || keys.left >= count && db.lastInsertRowID == keys.last { return true }
        guard let key = table.mapping.key.first, table.mapping.key.count == 1 else { return false }
        let sql = table.mapping.sql
        let greatest = try QueryLedger.ignoring {
            try db.scalar(SQL("SELECT max(\(sql.columns[key])) FROM \(sql.table)" as String), as: Int64.self)
        }
        guard (greatest ?? 0) < Int64.max - Int64(2 * Self.keysAtOnce) else { return false }
        keys.left = Self.keysAtOnce
        return true
    }

    override func run(_ statement: Statement, of rows: Rows, _ db: any EngineConnection) throws -> Outcome {
        let count = try statement.runInsertOrFail()
        let firstKey = lacksKey ? db.lastInsertRowID - Int64(count) + 1 : nil
        keys = (keys.left - count, db.lastInsertRowID)
        return count == rows.count ? .written(firstKey: firstKey) : .stopped(after: count, firstKey: firstKey)
    }
}

extension WriteRunner {
    /// The group that an insertion can wait in; nil for one that is to be run by itself.
    func group(of insertion: borrowing Insertion, _ db: any EngineConnection) throws -> RowGroup? {
        mayHaveNewKeys = true
        guard insertion.mapping.isOfOwnValuesAlone else { return nil }
        return try groups(for: insertion, db)
    }
}
