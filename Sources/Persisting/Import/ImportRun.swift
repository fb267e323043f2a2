internal import Foundation

/// One run of an import.
final class ImportRun<Rows: ImportRows> {
    private let rows: Rows
    private let target: ImportTarget
    private let settings: ImportSettings
    /// What is in the table for good.
    private var committed: ImportReport
    /// What will be, once the transaction under way is committed.
    private var report: ImportReport
    /// Where the row went that was inserted last; nil where an object was.
    private var lastTarget: ImportTarget?
    /// Whether there are so few rows that indexes aren't worth filling in one go.
    private let isSmall: Bool
    /// The property of the field that failed last.
    private var failedProperty: String?

    /// Thrown to undo a dry run.
    private struct Undone: Error {}

    init(_ rows: Rows, _ target: ImportTarget, _ settings: ImportSettings, byteCount: Int64?) {
        self.rows = rows
        self.target = target
        self.settings = settings
        var report = ImportReport()
        report.isDryRun = settings.isDryRun
        report.position = settings.position ?? ImportPosition()
        (self.report, committed) = (report, report)
        isSmall = byteCount.map { $0 < 50_000 } ?? false
        // Foundation traps on a total of 0.
        if let progress = settings.progress, let byteCount, byteCount > 0 { progress.totalUnitCount = byteCount }
        rows.buffer.willRead = { [progress = settings.progress] offset in
            guard let progress else { return }
            if progress.isCancelled { throw CancellationError() }
            progress.completedUnitCount = offset
        }
    }

    /// Imports all rows.
    ///
    /// - Throws: ``PersistenceError/Code/importFailed``, and other errors; an error after a commit says what is there.
    func importRows() throws -> ImportReport {
        do {
            if settings.isDryRun {
                try runDry()
            } else {
                while try write(upTo: limit) { committed = report }
            }
            if settings.progress?.isCancelled == true, settings.isDryRun { throw CancellationError() }
            settings.progress?.completedUnitCount = rows.buffer.offset
            report.ignoredKeys = rows.ignored
            return report
        } catch {
            throw failure(error)
        }
    }

    private var limit: Int {
        if case .every(let rows) = settings.commit, !settings.isDryRun { rows } else { .max }
    }

    private func runDry() throws {
        do {
            try target.manager.transaction(of: { _ in target.table.mapping }) { db in
                _ = try target.manager.running { try take(upTo: .max, db) }
                throw Undone()
            }
        } catch is Undone {}
    }

    /// Writes rows in one transaction.
    ///
    /// - Returns: Whether there may be more.
    private func write(upTo count: Int) throws -> Bool {
        try target.manager.transaction(of: { _ in target.table.mapping }) { db in
            try target.manager.running {
                let before = report
                let isMore = try target.table.mapping.naming { try take(upTo: count, db) }
                if settings.progress?.isCancelled == true { throw CancellationError() }
                try note(since: before, db)
                return isMore
            }
        }
    }

    private func take(upTo count: Int, _ db: any EngineConnection) throws -> Bool {
        lastTarget = nil
        // What REPLACE takes is set once for all rows. They are undone with the transaction.
        return try target.table.whole(db, isAtomic: true, replaces: target.conflict == .replace) {
            func take() throws -> Bool { try takeByClass(upTo: count, db) }
            return try isSmall ? take() : target.fillingIndexes(db, take)
        }
    }

    private func takeByClass(upTo count: Int, _ db: any EngineConnection) throws -> Bool {
        guard !target.members.isEmpty else {
            if target.needsObjects || rows.hasVirtualKeys(0) {
                let objects = try ImportObjects(target, db, isolatesRows: settings.errors.limit > 0)
                return try take(upTo: count) { try objects.write($0) }
            }
            lastTarget = target
            return try takeAlike(upTo: count, db)
        }
        let members = target.members + [target.keepingKind()]
        var writers: [((Rows) throws -> ImportWriter.Outcome)?] = Array(repeating: nil, count: members.count)
        return try take(upTo: count) { rows in
            let place = rows.member
            guard place != ImportKinds.skipped else { return .skipped }
            let write = try writers[place] ?? writer(members[place], place, db)
            writers[place] = write
            return try write(rows)
        }
    }

    /// Writes rows of one class without objects. Where a row that fails ends the import, several are inserted together.
    private func takeAlike(upTo count: Int, _ db: any EngineConnection) throws -> Bool {
        guard settings.errors.limit == 0 else { return try take(upTo: count, writer(target, db)) }
        let writer = try ImportWriter(target, db, isGrouping: true)
        rows.buffer.willMove = writer.insertWaiting
        defer { rows.buffer.willMove = nil }
        return try take(upTo: count, { try writer.write($0) }, writer.insertWaiting)
    }

    /// What writes the rows of one of the classes that share a table.
    private func writer(
        _ member: ImportTarget, _ place: Int, _ db: any EngineConnection
    ) throws -> (Rows) throws -> ImportWriter.Outcome {
        if member.needsObjects || rows.hasVirtualKeys(place) {
            let objects = try ImportObjects(member, db, isolatesRows: settings.errors.limit > 0)
            return { rows in
                let outcome = try objects.write(rows)
                if outcome == .inserted { self.lastTarget = nil }
                return outcome
            }
        }
        let write = try writer(member, db)
        return { rows in
            let outcome = try write(rows)
            if outcome == .inserted { self.lastTarget = member }
            return outcome
        }
    }

    /// What writes rows without objects. A row that fails is undone by itself where the import goes on without it.
    private func writer(
        _ target: ImportTarget, _ db: any EngineConnection
    ) throws -> (Rows) throws -> ImportWriter.Outcome {
        let writer = try ImportWriter(target, db)
        let (table, isAtomic) = (target.table, settings.errors.limit == 0)
        return { rows in try table.whole(db, isAtomic: isAtomic) { try writer.write(rows) } }
    }

    /// - Parameter finish: Writes the rows that wait.
    @inline(__always)
    private func take(
        upTo limit: Int, _ write: (Rows) throws -> ImportWriter.Outcome, _ finish: () throws -> Void = {}
    ) throws -> Bool {
        var count = 0
        var (inserted, updated, skipped) = (0, 0, 0)
        defer {
            report.inserted += inserted
            report.updated += updated
            report.skipped += skipped
        }
        while count < limit {
            count += 1
            do {
                guard try rows.next() else {
                    try finish()
                    report.position = rows.position
                    return false
                }
                switch try write(rows) {
                case .inserted: inserted += 1
                case .updated: updated += 1
                case .skipped: skipped += 1
                }
            } catch let problem as ImportProblem {
                // A row before may have one, too.
                do { try finish() } catch let fault as ImportFault { try add(fault) }
                try add(ImportFault(problem, column: nil, underlying: nil))
            } catch let fault as ImportFault {
                try add(fault)
            }
        }
        do { try finish() } catch let fault as ImportFault { try add(fault) }
        report.position = rows.position
        return true
    }

    private func add(_ fault: ImportFault) throws {
        let value = fault.column.flatMap { index -> String? in
            // Of a row that waited, the fault knows it.
            if let row = fault.row { return row.value }
            guard rows.present.contains(index) else { return nil }
            return rows.values[index].beginning
        }
        failedProperty = fault.column.map { rows.keys.property(of: $0) }
        report.failures.append(
            ImportFailure(
                line: fault.problem.line ?? fault.row?.line ?? rows.line,
                column: fault.column.map { name(of: $0) }, value: value,
                reason: fault.problem.reason))
        if fault.problem.endsImport || report.failures.count > settings.errors.limit { throw fault }
    }

    private func name(of column: Int) -> String {
        let name = rows.name(of: column)
        return name.isEmpty ? rows.keys.property(of: column) : name
    }

    /// The error that the import throws.
    private func failure(_ error: any Error) -> any Error {
        var result = committed
        result.failures = report.failures
        result.ignoredKeys = rows.ignored
        let mapping = target.table.mapping
        if let fault = error as? ImportFault, let last = report.failures.last {
            let others = report.failures.count - 1
            let earlier = others > 0 ? " after \(others) other row\(others == 1 ? "" : "s") that failed" : ""
            var failure = PersistenceError(
                .importFailed, "\(last)\(earlier)", model: mapping.modelName,
                key: failedProperty, underlying: fault.underlying)
            failure.importReport = result
            return failure
        }
        guard committed.total > 0 else { return error }
        // A task that is cancelled interrupts SQLite. It learns where to continue, and so gets this error as well.
        let isInterrupted = (error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError)?.code == .interrupt
        let isCancelled = isInterrupted || error is CancellationError
        var failure = PersistenceError(
            .importFailed,
            "the import ended after \(committed.total) rows: \(isCancelled ? "it was cancelled" : "\(error)")",
            model: mapping.modelName, underlying: isCancelled ? CancellationError() : error)
        failure.importReport = result
        return failure
    }

    /// Notes what was inserted without objects as the row that was inserted last.
    private func note(since before: ImportReport, _ db: any EngineConnection) throws {
        guard let target = lastTarget, report.inserted > before.inserted else { return }
        let key = try keyOfLastInsertion(target, db)
        TransactionContext.current(target.manager, db)?.noteInsertion(into: target.table, key)
    }

    /// The key of the row that was inserted last; none in a table without row identifiers.
    private func keyOfLastInsertion(
        _ target: ImportTarget, _ db: any EngineConnection
    ) throws -> ModelTable.InsertedKey {
        let mapping = target.table.mapping
        guard !mapping.key.isEmpty, let rowID = try target.table.rowIDIfAny(db) else { return .none }
        let columns = mapping.key.map { mapping.sql.columns[$0] }.list(", ")
        let sql = "SELECT \(columns) FROM \(mapping.sql.table) WHERE \(rowID) = \(db.lastInsertRowID)"
        let row = try db.rows(SQL(sql), cached: false).first
        return try row.map { row in .values(try mapping.key.indices.map { try row.value(at: $0, as: SQLiteValue.self) })
        }
            ?? .none
    }
}
