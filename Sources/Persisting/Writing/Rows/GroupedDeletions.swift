internal import SQLiteKit

/// Deletions that several rows share a statement of.
///
/// They are for tables that no foreign key refers to: with one, the order decides what can be deleted, and a row may be
/// gone with another.
final class GroupedDeletions: RowGroup {
    /// Nil where the rows of the table are to be deleted one at a time.
    init?(_ table: ModelTable, _ db: any EngineConnection) throws {
        let mapping = table.mapping
        try table.checkForWriting(db)
        guard mapping.rowID == nil, mapping.version == nil, !mapping.hasHooks, mapping.key.count == 1,
            try table.effects(db).subtracting([.checksValues, .refers]).isEmpty
        else { return nil }
        // Below 16, SQLite is slower than by a row.
        super.init(table, sizes: [128, 32, 16])
    }

    override func sql(rows: Int) -> CachedSQL { table.mapping.sql.deletions(rows: rows) }

    override func bind(_ write: borrowing ObjectWrite, to statement: Statement, from parameter: Int) throws -> Int {
        switch write {
        case .deletion(let deletion): try deletion.row.bind(to: statement, from: parameter)
        default: parameter
        }
    }

    override func run(_ statement: Statement, of rows: Rows, _ db: any EngineConnection) throws -> Outcome {
        .written(missing: rows.count - (try statement.run()))
    }
}

extension WriteRunner {
    /// The group that a deletion can wait in; nil for one that is to be run by itself.
    func group(of deletion: borrowing Deletion, _ db: any EngineConnection) throws -> RowGroup? {
        guard deletion.mapping.isOfOwnValuesAlone else { return nil }
        let table = deletion.table
        if let known = lastDeletions, known.table === table { return known.group }
        let group = try GroupedDeletions(table, db)
        lastDeletions = (table, group)
        return group
    }
}
