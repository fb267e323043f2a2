import Foundation
import Persisting
import Testing

/// An engine that takes and gives values alone, as one on a network does, and can be made to fail at any call.
///
/// SQLite in memory answers, of which nothing is to be reached from outside.
final class TestEngine: Engine {
    /// What is counted, and can fail.
    enum Call: CaseIterable, Sendable {
        case begin, prepare, bind, step, commit
    }

    let name = "the test engine"
    let enforcesForeignKeys = true
    let capabilities: EngineCapabilities
    private let queue: DatabaseQueue
    private let state = Shared(State())
    // Used by whoever has the connection.
    nonisolated(unsafe) private var known: TestConnection?

    private struct State {
        var counts: [Call: Int] = [:]
        var failures: [Call: Int] = [:]
    }

    init(_ capabilities: EngineCapabilities = .all) throws {
        self.capabilities = capabilities
        queue = try DatabaseQueue(.memory)
    }

    /// How many calls of a kind there were.
    func count(of call: Call) -> Int { state.value.counts[call] ?? 0 }

    /// Has the call fail that is so many calls after those there were, once; nil lets all succeed.
    func fail(_ call: Call, in calls: Int?) {
        state.change { state in state.failures[call] = calls.map { (state.counts[call] ?? 0) + $0 } }
    }

    /// Counts a call.
    fileprivate func note(_ call: Call) throws(SQLiteError) {
        let fails = state.change { state in
            let count = (state.counts[call] ?? 0) + 1
            state.counts[call] = count
            return state.failures[call] == count
        }
        if fails { throw SQLiteError(.ioError, "the test engine was made to fail") }
    }

    private func connection(_ db: Database) -> TestConnection {
        if let known, known.db === db { return known }
        let new = TestConnection(db, self)
        known = new
        return new
    }

    private func writing(_ db: Database, _ body: (any EngineConnection) throws -> Void) throws {
        try body(connection(db))
        try note(.commit)
    }

    func lend(_ access: AccessKind, _ body: (any EngineConnection) throws -> Void) throws {
        try note(.begin)
        switch access {
        case .query: try queue.connections.query { try body(connection($0)) }
        case .read, .linearizableRead: try queue.read { try body(connection($0)) }
        case .write: try queue.write { try writing($0, body) }
        case .plain: try queue.withoutTransaction { try body(connection($0)) }
        }
    }

    func lend(_ access: AccessKind, _ body: sending @escaping (any EngineConnection) throws -> Void) async throws {
        try note(.begin)
        nonisolated(unsafe) let body = body
        switch access {
        case .query: try await queue.query { try body(self.connection($0)) }
        case .read, .linearizableRead: try await queue.read { try body(self.connection($0)) }
        case .write: try await queue.write { try self.writing($0, body) }
        case .plain: try await queue.withoutTransaction { try body(self.connection($0)) }
        }
    }

    var isMine: Bool { queue.isMine }
    var mineToWrite: (any EngineConnection)? { queue.connections.mineToWrite.map(connection) }

    func close() throws { try queue.close() }
    func reopen() throws { try queue.reopen() }

    /// Runs a script, which fails at no call.
    func run(_ script: String) throws {
        try queue.withoutTransaction { try $0.executeScript(SQL(script)) }
    }
}

private final class TestConnection: EngineConnection {
    let db: Database
    // The engine has the connection.
    private unowned let engine: TestEngine

    init(_ db: Database, _ engine: TestEngine) {
        self.db = db
        self.engine = engine
    }

    var engineName: String { engine.name }
    var capabilities: EngineCapabilities { engine.capabilities }

    func statement(_ sql: CachedSQL, cached: Bool) throws(SQLiteError) -> PreparedStatement {
        try capabilities.check(sql.text, engineName)
        try engine.note(.prepare)
        return .other(RemoteStatement(sql.text, TestExecution(try db.prepare(sql, cached: cached), engine)))
    }

    var lastInsertRowID: Int64 { db.lastInsertRowID }
    var greatestParameterCount: Int { db.greatestParameterCount }
    var isInTransaction: Bool { db.isInTransaction }
    var knowsEndOfTransaction: Bool { db.knowsEndOfTransaction }
    var transactionNumber: Int { db.transactionNumber }
    var isReader: Bool { db.isReader }
    var isReading: Bool { db.isReading }
    func transaction<T>(_ kind: TransactionKind?, _ body: () throws -> T) throws -> T {
        try db.transaction(kind, body)
    }
    func beforeCommit(_ action: @escaping () throws(SQLiteError) -> Void) { db.beforeCommit(action) }
    func afterCommit(_ action: @escaping () -> Void) { db.afterCommit(action) }
    func afterRollback(_ action: @escaping () -> Void) { db.afterRollback(action) }
    var mayHaveNewSchema: Bool {
        get { db.mayHaveNewSchema }
        set { db.mayHaveNewSchema = newValue }
    }
}

/// Sends all values when it begins, and receives one row after the other.
private final class TestExecution: RemoteExecution {
    private let statement: Statement
    private let engine: TestEngine
    private var row: ReceivedRow?
    private(set) var changes = 0

    init(_ statement: Statement, _ engine: TestEngine) {
        self.statement = statement
        self.engine = engine
    }

    var isReadOnly: Bool { statement.isReadOnly }
    var parameterNames: [String?] { statement.parameterNames }
    var columns: ColumnNames { statement.columns }

    func begin(_ values: [SQLiteValue]) throws(SQLiteError) {
        changes = 0
        statement.clearBindings()
        for (index, value) in values.enumerated() {
            try engine.note(.bind)
            try statement.bind(value: value, at: index + 1)
        }
    }

    func next() throws(SQLiteError) -> RemoteRow? {
        try engine.note(.step)
        row = nil
        guard try statement.step() else {
            changes = try statement.run()
            return nil
        }
        let new = ReceivedRow(try statement.values())
        row = new
        return new.row
    }

    func end() {
        statement.clear()
        row = nil
    }
}

/// A row whose bytes stay where they are.
private final class ReceivedRow {
    let row: RemoteRow
    private let contents: UnsafeMutablePointer<ColumnContent>
    private let bytes: [UnsafeMutableRawBufferPointer]

    init(_ values: [SQLiteValue]) {
        var bytes: [UnsafeMutableRawBufferPointer] = []
        func copy(_ source: some Collection<UInt8>) -> UnsafeRawBufferPointer {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
            copy.copyBytes(from: source)
            bytes.append(copy)
            return UnsafeRawBufferPointer(copy)
        }
        contents = .allocate(capacity: values.count)
        for (index, value) in values.enumerated() {
            let content: ColumnContent =
                switch value {
                case .null: .null
                case .integer(let value): .integer(value)
                case .real(let value): .real(value)
                case .text(let value): .bytes(.text, copy(value.utf8))
                case .blob(let value): .bytes(.blob, copy(value))
                }
            (contents + index).initialize(to: content)
        }
        self.bytes = bytes
        row = RemoteRow(contents, count: values.count)
    }

    deinit {
        for bytes in bytes { bytes.deallocate() }
        contents.deallocate()
    }
}

/// Has a suite's tests run twice: on SQLite, and on the test engine.
///
/// What a test says of a local connection, after ``needingLocalConnection()``, is not asked of the engine.
struct OnBothEngines: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var isOnTestEngine = false
    var isRecursive: Bool { true }

    fileprivate struct NeedsLocalConnection: Error {}

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await function()
        do {
            try await Self.$isOnTestEngine.withValue(true) { try await function() }
        } catch is NeedsLocalConnection {}
    }
}

extension Trait where Self == OnBothEngines {
    static var onBothEngines: Self { OnBothEngines() }
}

/// Ends the test where there is no local connection.
func needingLocalConnection() throws {
    if OnBothEngines.isOnTestEngine { throw OnBothEngines.NeedsLocalConnection() }
}

/// A manager in memory, of the engine that the test runs on.
func newManager(dates: DateStorage = .unixSeconds) throws -> PersistenceManager {
    if OnBothEngines.isOnTestEngine { return PersistenceManager(engine: try TestEngine(), dates: dates) }
    return try TestCluster.manager(dates: dates) ?? PersistenceManager(.memory, dates: dates)
}
