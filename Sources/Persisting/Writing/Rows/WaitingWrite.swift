/// A write that waits to be run with others of its kind, by one statement.
struct WaitingWrite {
    /// An ``ObjectWrite`` as something that an array can hold.
    enum Kind {
        case insertion(InsertionTarget, slot: Int, Insertion.Special?)
        case update(UpdateTarget, slot: Int, of: TrackedRow, [AutomaticValue], isOfChanges: Bool)
        case deletion(TrackedRow)
    }

    let kind: Kind
    /// The object; nil on the database's side.
    let object: PersistingModel?
    /// The place among the writes of its batch.
    let position: Int

    /// The write again, of a row of a table.
    func write(_ table: ModelTable) throws -> ObjectWrite {
        switch kind {
        case .insertion(let target, let slot, let special): .insertion(Insertion(target, slot: slot, special))
        case .update(let target, let slot, let known, let automaticValues, let isOfChanges):
            .update(
                Update(
                    target, slot: slot, of: try KnownRow(table, known), automaticValues, isOfChanges: isOfChanges))
        case .deletion(let known): .deletion(Deletion(row: try KnownRow(table, known)))
        }
    }
}

/// Writes of one kind to the rows of one table, of which several are run by one statement.
///
/// They are for tables where no trigger and no conflict clause decides about a row by itself. A statement that fails has
/// changed nothing: its rows are then written one at a time, so that the one that can't be written names itself.
class RowGroup {
    let table: ModelTable
    /// How many rows a statement may have, the most first.
    let sizes: [Int]
    /// Whether a statement has failed: the next would fail for the same reason.
    @exclusivity(unchecked) private var hasFailed = false
    // One thread has it, and no access spans a call.
    @exclusivity(unchecked) private var statements: [Int: Statement] = [:]

    /// What came of several rows.
    enum Outcome {
        /// - Parameters:
        ///   - firstKey: The key of the first, where SQLite makes them.
        ///   - missing: How many of the rows weren't there.
        case written(firstKey: Int64? = nil, missing: Int = 0)
        /// Each is to be written by itself.
        case refused
    }

    init(_ table: ModelTable, sizes: [Int]) {
        (self.table, self.sizes) = (table, sizes)
    }

    /// The statement for a number of rows.
    func sql(rows: Int) -> CachedSQL { preconditionFailure("of a subclass") }

    /// Binds what a row needs.
    ///
    /// - Returns: The next parameter.
    func bind(_ write: WaitingWrite.Kind, to statement: Statement, from parameter: Int) throws -> Int { parameter }

    /// Whether a number of rows can be written by one statement.
    func canWrite(_ count: Int, _ db: any EngineConnection) throws -> Bool { true }

    /// Runs the statement.
    func run(_ statement: Statement, of rows: ArraySlice<WaitingWrite>, _ db: any EngineConnection) throws -> Outcome {
        _ = try statement.run()
        return .written()
    }

    /// Writes rows by one statement.
    ///
    /// - Throws: An error that isn't about a row, such as that of a full disk.
    final func write(_ rows: ArraySlice<WaitingWrite>, _ db: any EngineConnection) throws -> Outcome {
        if hasFailed { return .refused }
        do {
            return try table.whole(db, isAtomic: true) {
                guard try canWrite(rows.count, db) else { return .refused }
                let statement = try statement(rows.count, db)
                defer { statement.clear() }
                try statement.bindAll {
                    var parameter = 1
                    for row in rows { parameter = try bind(row.kind, to: statement, from: parameter) }
                }
                return try run(statement, of: rows, db)
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

extension WriteRunner {
    /// Has a write wait for others of a group, after those that wait and can't be run with it.
    ///
    /// - Parameters:
    ///   - object: The object; nil on the database's side.
    ///   - position: The place among the writes of its batch.
    ///   - run: Runs those that wait.
    func wait(
        _ write: WaitingWrite.Kind, _ object: PersistingModel?, at position: Int, in group: RowGroup,
        run: () throws -> Void
    ) throws {
        if !waiting.isEmpty, group !== waitingGroup || waiting.count == group.sizes[0] { try run() }
        waitingGroup = group
        waiting.append(WaitingWrite(kind: write, object: object, position: position))
        object?.record.isBeingSaved = true
    }

    /// Forgets the writes that wait, since another has failed.
    func forgetWaiting() {
        for row in waiting { row.object?.record.isBeingSaved = false }
        (waiting, waitingGroup) = ([], nil)
    }

    /// Runs the writes that wait.
    ///
    /// - Parameter finish: Is given each in their order, and what came of it; nil where it is still to be run.
    func runWaiting(
        _ db: any EngineConnection,
        _ finish: (WaitingWrite, borrowing ObjectWrite, WriteOutcome?) throws -> Void
    ) throws {
        guard let group = waitingGroup else { return }
        let rows = waiting
        (waiting, waitingGroup) = ([], nil)
        defer { for row in rows { row.object?.record.isBeingSaved = false } }
        do {
            var next = 0
            while next < rows.count {
                let size = group.sizes.first { $0 <= rows.count - next } ?? 1
                let some = rows[next..<next + size]
                next += size
                let outcome = size > 1 ? try group.write(some, db) : .refused
                for (offset, row) in some.enumerated() {
                    // Before a log keeps the record.
                    row.object?.record.isBeingSaved = false
                    var one: WriteOutcome?
                    if case .written(let firstKey, let missing) = outcome {
                        // Nobody can tell which of the rows weren't there, and nothing but their number counts.
                        one = WriteOutcome(
                            key: firstKey.map { $0 + Int64(offset) }, isRowThere: offset < size - missing)
                    }
                    try finish(row, try row.write(group.table), one)
                }
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, group.table.mapping)
        }
    }
}

extension PersistenceManager {
    /// Whether an object's values can be taken while the writes of others wait, since these may change nothing of it.
    func joins(_ object: PersistingModel, _ runner: WriteRunner) -> Bool {
        guard let mapping = runner.waitingGroup?.table.mapping else { return true }
        return mapping.modelType == type(of: object) && !object.record.isBeingSaved
    }

    /// Runs the writes that wait, and tells their objects.
    ///
    /// - Returns: How many rows there were or are now.
    @discardableResult
    func runWaiting(_ runner: WriteRunner, _ db: any EngineConnection) throws -> Int {
        guard !runner.waiting.isEmpty else { return 0 }
        let context = TransactionContext.current(self, db)
        var count = 0
        try runner.runWaiting(db) { row, write, outcome in
            guard let object = row.object else { return }
            if try write.finishWaiting(object, outcome, self, runner, db, context) { count += 1 }
        }
        return count
    }
}
