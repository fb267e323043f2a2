/// A connection on which tables have the rows that they had after a transaction.
///
/// It puts a common table expression in the place of each table that a SELECT reads, which has the same columns: the
/// old rows of the log, and the table's own that haven't changed since. SQLite takes both apart again, so that indexes
/// of the table and of the log are used; see [WITH](https://www.sqlite.org/lang_with.html).
final class PastConnection: EngineConnection {
    private let db: any EngineConnection
    private let tables: PastTables
    /// The transaction.
    let number: Int64
    /// Why nothing can be read, in the words of those who asked.
    private(set) var failure: PersistenceError?

    init(_ db: any EngineConnection, _ tables: PastTables, _ moment: HistoryMoment) throws {
        self.db = db
        self.tables = tables
        number = try QueryLedger.ignoring { try tables.number(of: moment, db) }
    }

    func statement(_ sql: CachedSQL, cached: Bool) throws(SQLiteError) -> PreparedStatement {
        do {
            let past = try tables.past(sql.text, db)
            for log in past.logs { try checkIsKept(log) }
            return try db.statement(CachedSQL(past.parts.joined(separator: String(number))), cached: cached)
        } catch let error as PastTables.NoHistory {
            throw failed(
                .noHistory,
                error.isVirtual
                    ? "\(error.table) is a search index or another virtual table, which has no past: search what there "
                        + "is now, or compare the property itself"
                    : "the table \(error.table) has no history, so nothing is known of its past: its class has to "
                        + "override history", sql.text)
        } catch {
            throw error as? SQLiteError ?? SQLiteError(.internal, "\(error)", sql: sql.text)
        }
    }

    private func checkIsKept(_ log: String) throws {
        guard let first = try HistoryTable.horizon(of: log, db), number < first else { return }
        throw failed(.historyPruned, "\(log) is kept from transaction \(first) on: what was before has been pruned", "")
    }

    private func failed(_ code: PersistenceError.Code, _ message: String, _ sql: String) -> SQLiteError {
        failure = PersistenceError(code, message)
        return SQLiteError(.unsupported, message, sql: sql)
    }

    var engineName: String { db.engineName }
    var capabilities: EngineCapabilities { db.capabilities }
    var lastInsertRowID: Int64 { db.lastInsertRowID }
    var path: String? { db.path }
    var isEmptyFile: Bool { db.isEmptyFile }
    var greatestParameterCount: Int { db.greatestParameterCount }
    var isInTransaction: Bool { db.isInTransaction }
    var knowsEndOfTransaction: Bool { db.knowsEndOfTransaction }
    var transactionNumber: Int { db.transactionNumber }
    var isReader: Bool { db.isReader }
    var isReading: Bool { db.isReading }
    var isReadOnly: Bool { db.isReadOnly }
    func setForeignKeys(_ isOn: Bool) throws(SQLiteError) { try db.setForeignKeys(isOn) }
    func executeScript(_ script: SQL) throws(SQLiteError) { try db.executeScript(script) }
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
    var isShared: Bool { db.isShared }
    var schemaVersion: Int64? { db.schemaVersion }
    var temporarySchemaVersion: Int64? { db.temporarySchemaVersion }
    var temporaryTableNames: [String] { db.temporaryTableNames }
    var headerNumbers: (schemaVersion: Int32, userVersion: Int32) {
        get throws(SQLiteError) { try db.headerNumbers }
    }
    func setUserVersion(_ version: Int32) throws(SQLiteError) { try db.setUserVersion(version) }
}

extension PersistenceManager {
    /// Runs one query, of now or of the past.
    func reading<T>(
        _ table: ModelTable, asOf moment: HistoryMoment?, _ body: (any EngineConnection) throws -> T
    ) throws -> T {
        guard let moment else { return try reading(table, body) }
        return try reading(table) { db in
            let past = try PastConnection(db, pastTables, moment)
            do {
                return try body(past)
            } catch {
                throw past.failure ?? error
            }
        }
    }
}
