internal import SQLiteKit

/// An insertion that waits to be run with others of its plan, by one statement.
struct WaitingInsertion {
    let target: InsertionTarget
    let slot: Int
    let special: Insertion.Special?
    /// The object; nil on the database's side.
    let object: PersistingModel?
    /// The place among the writes of its batch.
    let position: Int
}

/// The INSERTs of several rows that go with that of one.
///
/// SQLite takes an INSERT of 32 rows in two thirds of the time that it takes for 32 INSERTs. They are for a table where
/// no trigger and no conflict clause decides about a row by itself: a statement inserts all of its rows or none, under
/// keys that follow each other. A new key is one more than the greatest, as long as that isn't the greatest there can be:
/// see [Autoincrement](https://www.sqlite.org/autoinc.html).
final class GroupedInserts {
    /// How many rows a statement may have, the most first. More make it no faster, and fewer hardly.
    static let sizes = [32, 8]
    let table: ModelTable
    private let text: InsertText
    private let lacksKey: Bool
    // One thread has it, and no access spans a call.
    @exclusivity(unchecked) private var statements: [Int: Statement] = [:]
    /// How many more keys are known to follow each other, and the last of those that did.
    @exclusivity(unchecked) private var keys: (left: Int, last: Int64) = (0, 0)
    private static let keysAtOnce = 1 << 32

    /// What came of several rows.
    enum Outcome {
        /// - Parameter firstKey: The key of the first, where SQLite makes them.
        case inserted(firstKey: Int64?)
        /// Each is to be inserted by itself: one of them can't be, or their keys might not follow each other.
        case refused
    }

    /// Nil where the rows of the table are to be inserted one at a time.
    init?(
        _ table: ModelTable, _ text: InsertText, lacksKey: Bool, like one: PreparedStatement, _ db: any EngineConnection
    ) throws {
        guard case .local = one, table.mapping.rowID == nil, !table.mapping.hasHooks, text.returned.isEmpty,
            !text.bound.isEmpty, try !table.effects(db).contains(.decidesByRow)
        else { return nil }
        (self.table, self.text, self.lacksKey) = (table, text, lacksKey)
    }

    /// Whether they serve the rows of another plan as well.
    func serve(_ table: ModelTable, _ text: InsertText, lacksKey: Bool) -> Bool {
        self.table === table && self.text === text && self.lacksKey == lacksKey
    }

    /// Inserts rows by one statement.
    ///
    /// - Throws: An error that isn't about a row, such as that of a full disk.
    func insert(_ rows: ArraySlice<WaitingInsertion>, _ db: any EngineConnection) throws -> Outcome {
        do {
            guard try !lacksKey || keysFollow(rows.count, db) else { return .refused }
            let statement = try statement(rows.count, db)
            defer { statement.clear() }
            try bind(rows, to: statement)
            _ = try statement.run()
        } catch let error as SQLiteError {
            // SQLite has undone the statement. Run one at a time, the row that can't be inserted names itself.
            guard [.constraint, .error, .mismatch, .tooBig].contains(error.code), db.isInTransaction else {
                throw error
            }
            return .refused
        } catch is PersistenceError {
            // A value that can't be stored.
            return .refused
        }
        guard lacksKey else { return .inserted(firstKey: nil) }
        keys = (keys.left - rows.count, db.lastInsertRowID)
        return .inserted(firstKey: keys.last - Int64(rows.count) + 1)
    }

    private func bind(_ rows: ArraySlice<WaitingInsertion>, to statement: Statement) throws {
        for row in rows { try table.checkFit(text.bound, of: row.target.trackedRows[row.slot]) }
        try statement.bindAll {
            var parameter = 1
            for row in rows {
                parameter = try table.mapping.bind(
                    row.target.trackedRows[row.slot], text.bound, to: statement, from: parameter)
            }
        }
    }

    private func statement(_ rows: Int, _ db: any EngineConnection) throws -> Statement {
        if let known = statements[rows] { return known }
        var shape = text.shape
        shape.rows = rows
        let sql = table.mapping.sql.insert(shape).sql
        guard case .local(let statement) = try db.statement(sql) else {
            throw PersistenceError(.notInserted, "the statement isn't of a local database", sql: sql.text)
        }
        statements[rows] = statement
        return statement
    }

    /// Whether the next keys that SQLite makes are one more each.
    private func keysFollow(_ count: Int, _ db: any EngineConnection) throws -> Bool {
        if keys.left >= count, db.lastInsertRowID == keys.last { return true }
        guard let key = table.mapping.key.first, table.mapping.key.count == 1 else { return false }
        let sql = table.mapping.sql
        let greatest = try QueryLedger.ignoring {
            try db.scalar(SQL("SELECT max(\(sql.columns[key])) FROM \(sql.table)" as String), as: Int64.self)
        }
        guard (greatest ?? 0) < Int64.max - Int64(2 * Self.keysAtOnce) else { return false }
        keys.left = Self.keysAtOnce
        return true
    }
}

extension InsertionRunner {
    /// Has an insertion wait for others, where its plan allows that.
    ///
    /// - Parameters:
    ///   - object: The object; nil on the database's side.
    ///   - position: The place among the writes of its batch.
    ///   - run: Runs those that wait, and can't with this one.
    func waits(
        _ insertion: borrowing Insertion, _ object: PersistingModel?, at position: Int, _ db: any EngineConnection,
        run: () throws -> Void
    ) throws -> Bool {
        let groups = try plan(for: insertion, db).groups
        if !waiting.isEmpty, groups !== waitingGroups || waiting.count == GroupedInserts.sizes[0] { try run() }
        guard let groups else { return false }
        waitingGroups = groups
        waiting.append(
            WaitingInsertion(
                target: insertion.target, slot: insertion.slot, special: insertion.special, object: object,
                position: position))
        object?.record.isBeingSaved = true
        return true
    }

    /// Forgets the insertions that wait, since another write has failed.
    func forgetWaiting() {
        for row in waiting { row.object?.record.isBeingSaved = false }
        (waiting, waitingGroups) = ([], nil)
    }

    /// Runs the insertions that wait.
    ///
    /// - Parameter tell: Is told what came of each, in their order.
    func runWaiting(
        _ db: any EngineConnection, _ tell: (WaitingInsertion, borrowing Insertion, WriteOutcome) throws -> Void
    ) throws {
        guard let groups = waitingGroups else { return }
        let rows = waiting
        (waiting, waitingGroups) = ([], nil)
        defer { for row in rows { row.object?.record.isBeingSaved = false } }
        do {
            var next = 0
            while next < rows.count {
                let size = GroupedInserts.sizes.first { $0 <= rows.count - next } ?? 1
                let some = rows[next..<next + size]
                next += size
                let outcome = size > 1 ? try groups.insert(some, db) : .refused
                for (offset, row) in some.enumerated() {
                    let insertion = Insertion(row.target, slot: row.slot, row.special)
                    // Before a log keeps the record.
                    row.object?.record.isBeingSaved = false
                    switch outcome {
                    case .inserted(let firstKey):
                        try tell(row, insertion, WriteOutcome(key: firstKey.map { $0 + Int64(offset) }))
                    case .refused:
                        guard let outcome = try executeNamedInsert(of: insertion, db) else { continue }
                        try tell(row, insertion, outcome)
                    }
                }
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, groups.table.mapping)
        }
    }
}

extension InsertionRunner {
    /// Runs the INSERT, and names the model and the row in an error.
    private func executeNamedInsert(of insertion: borrowing Insertion, _ db: any EngineConnection) throws
        -> WriteOutcome?
    {
        do {
            return try executeInsert(of: insertion, db)
        } catch let error as SQLiteError {
            throw PersistenceError(error, insertion.mapping).adding(rowOf: insertion)
        } catch let error as PersistenceError {
            throw error.adding(rowOf: insertion)
        }
    }
}

extension PersistenceManager {
    /// Whether an object can be written without running the insertions that wait: it is to wait with them.
    func joins(_ object: PersistingModel, _ runner: InsertionRunner) -> Bool {
        guard let mapping = runner.waitingGroups?.table.mapping else { return true }
        return mapping.modelType == type(of: object) && object.record.state != .persisted && !object.record.isBeingSaved
    }

    /// Has an object's insertion wait for others, where nothing is read of an object that they would change.
    func waits(
        _ insertion: borrowing Insertion, of object: PersistingModel, _ runner: InsertionRunner,
        _ db: any EngineConnection
    ) throws -> Bool {
        guard runner.isGrouping, insertion.mapping.isOfOwnValuesAlone else { return false }
        return try runner.waits(insertion, object, at: 0, db) { try insertWaiting(runner, db) }
    }

    /// Runs the insertions that wait, and tells their objects.
    func insertWaiting(_ runner: InsertionRunner, _ db: any EngineConnection) throws {
        guard !runner.waiting.isEmpty else { return }
        let context = TransactionContext.current(self, db)
        try runner.runWaiting(db) { row, insertion, outcome in
            if let object = row.object { try insertion.finish(object, outcome, context, nil) }
        }
    }
}
