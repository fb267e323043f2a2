internal import CSystemSQLite
internal import Synchronization

/// What reports the statements of a connection to its trace.
///
/// SQLite says that a statement ends before it says how: the code is known when `sqlite3_step` has returned. So a
/// `Statement` reports its own end, and those that SQLite and C calls run end when SQLite says so.
final class Tracer {
    let trace: Trace
    private let database: DatabaseLocation
    private let connectionNumber = Tracer.connections.add(1, ordering: .relaxed).newValue
    /// The statements that run, innermost last.
    @exclusivity(unchecked) private var runs: [Run] = []
    /// The number of the transaction that is open.
    @exclusivity(unchecked) private var transaction: Int?
    /// How long the access has waited, until a statement reports it.
    @exclusivity(unchecked) var waited = Duration.zero
    /// The slow statements of the access.
    @exclusivity(unchecked) var slow: [Trace.Event] = []
    /// What the statement cache had counted when the access began.
    @exclusivity(unchecked) var cacheCounts = (hits: 0, misses: 0)
    /// The size of the database's pages, once it has been asked for.
    @exclusivity(unchecked) var pageSize: Int?
    /// Whether the user's own C calls run statements.
    @exclusivity(unchecked) var isLent = false

    /// Whether the running task's statements are the library's own.
    @TaskLocal static var marksStatements = false

    private static let connections = Atomic(0)
    private static let transactions = Atomic(0)
    private static let isAnyInUse = Atomic(false)

    /// Whether there has been a trace in this process.
    static var isInUse: Bool { isAnyInUse.load(ordering: .relaxed) }

    private struct Run {
        let statement: OpaquePointer
        let start: ContinuousClock.Instant
        let changesBefore: Int64
        /// Whether a `Statement` reports its end.
        var isReported: Bool
        let isInternal: Bool
        var end: ContinuousClock.Instant?
        var rows = 0
        var error: SQLiteError?
    }

    init(_ trace: Trace, _ database: DatabaseLocation) {
        self.trace = trace
        self.database = database
        Tracer.isAnyInUse.store(true, ordering: .relaxed)
    }

    /// Notes that a `Statement` is about to make its first step.
    func willRun(_ statement: OpaquePointer, _ connection: Connection) {
        guard !connection.isProbing else { return }
        if let index = index(of: statement) { runs.remove(at: index) }
        begin(statement, connection, isReported: true, isInternal: connection.isUnasked || !connection.isGuarded)
    }

    /// Notes that SQLite begins to run a statement. Its triggers are reported as it goes on.
    func didBegin(_ statement: OpaquePointer, _ connection: Connection) {
        guard let index = index(of: statement) else {
            return begin(statement, connection, isReported: false, isInternal: connection.isUnasked || !isLent)
        }
        // It has been prepared again, since the schema has changed.
        runs[index].end = nil
    }

    /// Notes that a statement returns a row, after another has. The connection counts those that follow.
    func didReturnRow(_ statement: OpaquePointer, _ connection: Connection) {
        let (last, count) = connection.tracedRows
        if let index = last.flatMap(index) { runs[index].rows = count }
        guard let index = index(of: statement) else { return }
        connection.tracedRows = (statement, runs[index].rows + 1)
    }

    /// Notes that a statement has come to its end, or is being reset.
    ///
    /// - Parameter nanoseconds: SQLite's own measure, in steps of a millisecond. An EXPLAIN that a C call runs has no
    ///   other.
    func didEnd(_ statement: OpaquePointer, after nanoseconds: Int64, _ connection: Connection) {
        let now = ContinuousClock.now
        guard let index = index(of: statement) else {
            let start = now - .nanoseconds(nanoseconds)
            runs.append(
                Run(
                    statement: statement, start: start, changesBefore: 0, isReported: false,
                    isInternal: connection.isUnasked || !isLent, end: now))
            return report(statement, connection)
        }
        runs[index].end = now
        if !runs[index].isReported { report(statement, connection) }
    }

    /// Notes the error of a statement, unless it has one already.
    func didFail(_ statement: OpaquePointer, _ error: @autoclosure () -> SQLiteError) {
        if let index = index(of: statement), runs[index].error == nil { runs[index].error = error() }
    }

    /// Reports a statement that has ended.
    func report(_ statement: OpaquePointer, _ connection: Connection) {
        guard let index = index(of: statement) else { return }
        var run = runs.remove(at: index)
        if connection.tracedRows.statement == statement {
            run.rows = connection.tracedRows.count
            connection.tracedRows = (nil, 0)
        }
        let isOpen = connection.isInTransaction
        if isOpen, transaction == nil { transaction = Tracer.transactions.add(1, ordering: .relaxed).newValue }
        let number = transaction
        if !isOpen { transaction = nil }
        let duration = run.start.duration(to: run.end ?? .now)
        let isSlow = trace.accesses?.slowerThan.map { duration >= $0 } ?? false
        guard duration >= trace.minimumDuration || isSlow, let sql = sqlite3_sql(statement) else { return }
        let changesRows =
            sqlite3_stmt_readonly(statement) == 0
            && sqlite3_total_changes64(connection.handle) != run.changesBefore
        let event = Trace.Event(
            sql: String(cString: sql), expandedSQL: trace.values == .shown ? expandedText(of: statement) : nil,
            start: run.start, duration: duration, waited: waited, isReader: connection.isReader, rows: run.rows,
            changes: changesRows ? Int(sqlite3_changes64(connection.handle)) : 0, error: run.error,
            transaction: number, connection: connectionNumber, database: database,
            isInternal: run.isInternal || Tracer.marksStatements)
        waited = .zero
        let wasInHook = connection.isInHook
        connection.isInHook = true
        defer { connection.isInHook = wasInHook }
        if duration >= trace.minimumDuration { trace.handler(event) }
        guard isSlow, !event.isInternal else { return }
        if connection.holder == nil { trace.accesses?.receive(slow: event) } else { slow.append(event) }
    }

    /// Notes that a statement goes that may stand on a row: SQLite says so, and nobody else reports it.
    func willFinalize(_ statement: OpaquePointer) {
        if let index = index(of: statement) { runs[index].isReported = false }
    }

    private func begin(_ statement: OpaquePointer, _ connection: Connection, isReported: Bool, isInternal: Bool) {
        if !connection.isInTransaction { transaction = nil }
        if connection.tracedRows.statement == statement { connection.tracedRows = (nil, 0) }
        runs.append(
            Run(
                statement: statement, start: .now, changesBefore: sqlite3_total_changes64(connection.handle),
                isReported: isReported, isInternal: isInternal))
    }

    /// Most often it is the one that began last.
    private func index(of statement: OpaquePointer) -> Int? { runs.lastIndex { $0.statement == statement } }

    private func expandedText(of statement: OpaquePointer) -> String? {
        guard let text = sqlite3_expanded_sql(statement) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}

extension Connection {
    /// Notes that a statement is about to make its first step. Not inlined where few statements are traced.
    @inline(never)
    func willTrace(_ statement: OpaquePointer) {
        hooks.tracer?.willRun(statement, self)
    }

    /// Notes the error of a statement.
    @inline(never)
    func noteFailure(of statement: OpaquePointer, _ error: SQLiteError) {
        hooks.tracer?.didFail(statement, error)
    }
}
