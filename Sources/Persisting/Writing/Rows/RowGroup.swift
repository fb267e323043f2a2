internal import SQLiteKit

/// Writes of one kind to the rows of one table, of which several are run by one statement.
///
/// They are for tables where no trigger and no conflict clause decides about a row by itself. Where a statement fails,
/// the rows that it hasn't written are written one at a time, so that the one that can't be written names itself.
///
/// A statement that may have to undo several rows first copies each page that it changes, which takes longer than the
/// statements that are saved if the rows are on many pages, as those of indexes are. An INSERT OR FAIL has nothing to
/// undo, unless it updates a row or a foreign key rejects one.
class RowGroup {
    /// How many rows a statement may have in any group.
    static let mostRows = 128
    let table: ModelTable
    /// How many rows a statement may have, the most first.
    let sizes: [Int]
    /// Whether a statement may have to undo rows, so that only those are written together that are near each other.
    let mayUndo: Bool
    /// Whether a statement has failed: the next would fail for the same reason.
    @exclusivity(unchecked) private var hasFailed = false
    // One thread has it, and no access spans a call.
    @exclusivity(unchecked) private var statements: [Int: Statement] = [:]

    typealias Rows = UnsafeMutableBufferPointer<WaitingWrite>

    /// What came of several rows.
    enum Outcome {
        /// - Parameters:
        ///   - firstKey: The key of the first, where SQLite makes them.
        ///   - missing: How many of the rows weren't there.
        case written(firstKey: Int64? = nil, missing: Int = 0)
        /// The first few have been written, and the others are to be by themselves.
        case stopped(after: Int, firstKey: Int64? = nil)

        /// Each is to be written by itself.
        static var refused: Outcome { .stopped(after: 0) }
    }

    init(_ table: ModelTable, sizes: [Int], mayUndo: Bool = false) {
        (self.table, self.sizes, self.mayUndo) = (table, sizes, mayUndo)
    }

    /// The statement for a number of rows.
    func sql(rows: Int) -> CachedSQL { table.mapping.sql.insert.sql }

    /// Binds what a row needs.
    ///
    /// - Returns: The next parameter.
    func bind(_ write: borrowing ObjectWrite, to statement: Statement, from parameter: Int) throws -> Int { parameter }

    /// Whether a number of rows can be written by one statement.
    func canWrite(_ count: Int, _ db: any EngineConnection) throws -> Bool { true }

    /// Runs the statement.
    func run(_ statement: Statement, of rows: Rows, _ db: any EngineConnection) throws -> Outcome {
        _ = try statement.run()
        return .written()
    }

    /// Writes rows by one statement.
    ///
    /// - Throws: An error that isn't about a row, such as that of a full disk.
    final func write(_ rows: Rows, _ db: any EngineConnection) throws -> Outcome {
        if try hasFailed || mayUndo && !areNear(rows) { return .refused }
        do {
            return try table.whole(db, isAtomic: true) {
                guard try canWrite(rows.count, db) else { return .refused }
                let statement = try statement(rows.count, db)
                defer { statement.clear() }
                try statement.bindAll {
                    var parameter = 1
                    for index in rows.indices {
                        parameter = try rows[index].withWrite { try bind($0, to: statement, from: parameter) }
                    }
                }
                let outcome = try run(statement, of: rows, db)
                if case .stopped = outcome { hasFailed = true }
                return outcome
            }
        } catch let error as SQLiteError {
            // SQLite has undone the statement.
            guard [.constraint, .error, .mismatch, .tooBig].contains(error.code), db.isInTransaction else {
                throw error
            }
            hasFailed = true
            return .refused
        } catch is PersistenceError {
            // A value that can't be stored.
            return .refused
        }
    }

    /// Whether the keys of rows are integers of which few lie between.
    private func areNear(_ rows: Rows) throws -> Bool {
        var (least, greatest) = (Int64.max, Int64.min)
        for index in rows.indices {
            guard case .integer(let key)? = try rows[index].withWrite({ try $0.firstKey }) else { return false }
            (least, greatest) = (min(least, key), max(greatest, key))
        }
        let (range, isOverflow) = greatest.subtractingReportingOverflow(least)
        return !isOverflow && range < 8 * rows.count
    }

    private func statement(_ rows: Int, _ db: any EngineConnection) throws -> Statement {
        if let known = statements[rows] { return known }
        let sql = sql(rows: rows)
        guard case .local(let statement) = try db.statement(sql) else {
            throw PersistenceError(.database, "the statement isn't of a local database", sql: sql.text)
        }
        statements[rows] = statement
        return statement
    }
}
