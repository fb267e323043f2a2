public import Foundation

/// An error of the object layer.
///
/// ```swift
/// do {
///     try manager.save(user)
/// } catch let error as PersistenceError where error.code == .constraint {
///     print(error.sqliteError?.columns)        // ["EMAIL"]
/// }
/// ```
///
/// SQL text that you run yourself, by `PersistenceManager.execute(_:_:_:)` or on the connection, throws
/// ``/SQLiteKit/SQLiteError`` instead.
public struct PersistenceError: Error, Sendable {
    /// The kinds of error. The type is open: a later version may have more.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let rawValue: String

        /// A kind by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the kind.
        public var description: String { rawValue }

        /// The class can't be mapped. The message says why.
        public static let invalidModel = Code(rawValue: "invalidModel")
        /// A property of a type that no column can hold, or that does not fit the type its column declares.
        public static let unsupportedType = Code(rawValue: "unsupportedType")
        /// A key that isn't a property with a column.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// A value that the property's column can't store, or a stored value that the property can't hold.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The class has no primary key, and what was asked for needs one.
        public static let noPrimaryKey = Code(rawValue: "noPrimaryKey")
        /// An upsert has nothing to find an existing row by: no unique constraint is just on the properties that it
        /// names, or the table has none at all.
        public static let noUniqueConstraint = Code(rawValue: "noUniqueConstraint")
        /// A relation that can't be as it is declared, or that is another class's.
        public static let invalidRelation = Code(rawValue: "invalidRelation")
        /// A relation that isn't loaded, and may not be by itself: the mode is `.strict`, or no manager is known.
        public static let relationNotLoaded = Code(rawValue: "relationNotLoaded")
        /// The object's primary key is nil, and the class says that it is assigned.
        public static let missingPrimaryKeyValue = Code(rawValue: "missingPrimaryKeyValue")
        /// The object's row is no longer in the table.
        public static let notFound = Code(rawValue: "notFound")
        /// VACUUM or a change of the schema may have given rows other identifiers, by which objects of a class with
        /// ``PrimaryKey/rowID`` and streams of tables without an INTEGER PRIMARY KEY know them.
        public static let rowsMoved = Code(rawValue: "rowsMoved")
        /// The object has not been saved, or has been deleted.
        public static let notPersisted = Code(rawValue: "notPersisted")
        /// The object is already in the table.
        public static let alreadyPersisted = Code(rawValue: "alreadyPersisted")
        /// Somebody else has written the object's row since the object was read; ``PersistenceError/conflict`` says
        /// what. Of a class with a `versionKey`, and of `PersistenceManager.merge(_:preferring:)`.
        public static let conflict = Code(rawValue: "conflict")
        /// The object's `validate()` found something wrong; ``PersistenceError/failures`` says all of it.
        public static let invalidObject = Code(rawValue: "invalidObject")
        /// A key that the caller can't set, because something else writes it.
        public static let notWritable = Code(rawValue: "notWritable")
        /// The object is being saved, by an asynchronous call that has not returned or by the one that called a hook.
        public static let beingSaved = Code(rawValue: "beingSaved")
        /// No manager to use: neither the object nor its class nor the task has one, and there is no shared one.
        public static let noManager = Code(rawValue: "noManager")
        /// The table does not exist.
        public static let noTable = Code(rawValue: "noTable")
        /// The table lacks a column that the class maps.
        public static let missingColumn = Code(rawValue: "missingColumn")
        /// The table differs from the class in a way that would lose or change values: it lacks an index or a column,
        /// or a column has another type.
        public static let schemaMismatch = Code(rawValue: "schemaMismatch")
        /// A condition that cannot be made into SQL.
        public static let invalidCriteria = Code(rawValue: "invalidCriteria")
        /// An ordering that cannot be made into SQL.
        public static let invalidOrdering = Code(rawValue: "invalidOrdering")
        /// A row's kind belongs to no class of its table, or not to one that was asked for; see
        /// ``PersistingModel/unknownKind``.
        public static let unknownKind = Code(rawValue: "unknownKind")
        /// More queries ran than `expectingQueries(atMost:_:)` of PersistingDiagnostics allows.
        public static let tooManyQueries = Code(rawValue: "tooManyQueries")
        /// A limit or an offset that is negative.
        public static let invalidRange = Code(rawValue: "invalidRange")
        /// A write to many rows without a condition: use `PersistenceManager.deleteAll(_:)` or `updateAll(_:set:)`.
        public static let missingCondition = Code(rawValue: "missingCondition")
        /// The change violates a constraint; ``PersistenceError/sqliteError`` names it.
        public static let constraint = Code(rawValue: "constraint")
        /// Another connection held the lock for longer than the busy timeout.
        public static let busy = Code(rawValue: "busy")
        /// The table ignored an INSERT without an error, because of a conflict clause or a trigger.
        public static let notInserted = Code(rawValue: "notInserted")
        /// A list of migrations that can't run, whatever the database: versions that aren't positive or don't ascend,
        /// or a version table that is a table of another kind.
        public static let invalidMigrations = Code(rawValue: "invalidMigrations")
        /// A migration threw, and was rolled back; ``PersistenceError/migration`` and ``PersistenceError/underlying``
        /// say which and why.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// The database has a version that this program doesn't know yet.
        public static let newerDatabase = Code(rawValue: "newerDatabase")
        /// A migration between others that the database has seen never ran on it, or the program lacks one that did.
        public static let missingMigration = Code(rawValue: "missingMigration")
        /// The SQL of a migration differs from the SQL that ran on the database.
        public static let changedMigration = Code(rawValue: "changedMigration")
        /// A plan has steps of a greater risk than was allowed. The message ends with the plan.
        public static let unsafePlan = Code(rawValue: "unsafePlan")
        /// Rows prevent a plan: they have NULL where it isn't allowed, or duplicates, or values that can't be
        /// converted. The message names them.
        public static let unfitRows = Code(rawValue: "unfitRows")
        /// The tables have changed since the plan was made.
        public static let stalePlan = Code(rawValue: "stalePlan")
        /// A sum is beyond its type: the property's, or the 64 bits in which SQLite adds integers.
        public static let overflow = Code(rawValue: "overflow")
        /// The manager's database has been closed.
        public static let closed = Code(rawValue: "closed")
        /// The engine that the database is kept in lacks what was asked for.
        public static let unsupported = Code(rawValue: "unsupported")
        /// A row of an import can't be taken, or the import ended after some of its rows were committed;
        /// ``PersistenceError/importReport`` has the details.
        public static let importFailed = Code(rawValue: "importFailed")
        /// A file that isn't written as its format says, or a format that can't be.
        public static let invalidFormat = Code(rawValue: "invalidFormat")
        /// The class, or the database, keeps no history.
        public static let noHistory = Code(rawValue: "noHistory")
        /// What was asked for is no longer kept by the history.
        public static let historyPruned = Code(rawValue: "historyPruned")
        /// The object is of the past, or the query is, so that it can only be read.
        public static let past = Code(rawValue: "past")
        /// Any other error of SQLite.
        public static let database = Code(rawValue: "database")
    }

    /// The kind of error.
    public let code: Code
    /// What happened, in words, with the property and the key of the row that the error is about, if it is about one.
    /// It makes sense alone, as a server's response.
    public let message: String
    /// The name of the model's class.
    public let model: String?
    /// The property's key, or the column's name where no property belongs to it.
    public let key: String?
    /// The expected type.
    public let expected: String?
    /// The type that was found, or the storage class of a stored value.
    public let found: String?
    /// The primary key of the row or the object that the error is about, by the properties' names, as it is stored. Nil
    /// when the error is of no row or of a new object without a key, the class has no key, or it was not read: reading
    /// some properties reads no others.
    public let rowKey: [String: SQLiteValue]?
    /// The SQL text that was being run. Values bound to it are not in it.
    public let sql: String?
    /// The error that led to this one.
    public let underlying: (any Error)?
    /// The version of the migration that failed, or that program and database disagree about; nil for any other error.
    public let migration: Int?
    /// Whether the message names ``expected`` and ``found``.
    private let saysTypes: Bool
    /// What is wrong with an object that is not valid; empty for any other error.
    public internal(set) var failures: [ValidationFailure] = []
    /// Both sides of a conflict about a row; nil for any other error.
    public internal(set) var conflict: SaveConflict?
    /// The report of an import that failed: what was committed, and every row that failed. Nil for any other error.
    public internal(set) var importReport: ImportReport?

    package init(
        _ code: Code, _ message: String, model: String? = nil, key: String? = nil, expected: (any Any.Type)? = nil,
        found: (any Any.Type)? = nil, stored: StorageClass? = nil, rowKey: [String: SQLiteValue]? = nil,
        sql: String? = nil, saysTypes: Bool = false, underlying: (any Error)? = nil, migration: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.model = model
        self.key = key
        self.expected = expected.map { sourceName(of: $0) }
        self.found = found.map { sourceName(of: $0) } ?? stored.map { "\($0)" }
        self.rowKey = rowKey
        self.sql = sql ?? (underlying as? SQLiteError)?.sql ?? (underlying as? PersistenceError)?.sql
        self.saysTypes = saysTypes
        self.underlying = underlying
        self.migration = migration
    }

    /// The error of SQLite that led to this one.
    public var sqliteError: SQLiteError? {
        underlying as? SQLiteError ?? (underlying as? PersistenceError)?.sqliteError
    }

    /// Whether the write that failed has been applied: it hasn't, unless SQLite's error says that it is unknown.
    public var outcome: SQLiteError.Outcome { sqliteError?.outcome ?? .notApplied }
}

extension PersistenceError: ErrorOfSQLite {}

extension PersistenceError: CustomStringConvertible, LocalizedError {
    /// The model with its key, the message and the SQL.
    public var description: String {
        statement + (sql.map { " - in: \($0)" } ?? "")
    }

    /// What went wrong with what, without the SQL.
    var statement: String {
        // A message may begin with the key.
        let saysKey = key.map { message.hasPrefix("\($0): ") } ?? false
        let place = (model ?? "") + (saysKey ? "" : key.map { (model == nil ? "" : ".") + $0 } ?? "")
        let types =
            saysTypes ? "" : expected.map { " - expected \($0)" + (found.map { ", found \($0)" } ?? "") } ?? ""
        let unknown = outcome == .unknown ? " - the commit may have been applied: read the database to find out" : ""
        let separator = place.isEmpty ? "" : saysKey ? "." : ": "
        return place + separator + message + types + unknown
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension PersistenceError {
    /// The same error with the SQL that was being run, where it was not known.
    func adding(sql: String) -> PersistenceError {
        PersistenceError(copying: self, message, rowKey: rowKey, sql: self.sql ?? sql)
    }

    init(copying error: PersistenceError, _ message: String, rowKey: [String: SQLiteValue]?, sql: String?) {
        code = error.code
        self.message = message
        self.rowKey = rowKey
        model = error.model
        key = error.key
        expected = error.expected
        found = error.found
        saysTypes = error.saysTypes
        underlying = error.underlying
        migration = error.migration
        failures = error.failures
        conflict = error.conflict
        importReport = error.importReport
        self.sql = sql
    }
}
