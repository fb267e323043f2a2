internal import CSystemSQLite

/// A result code of SQLite, primary or extended.
///
/// An extended code carries its primary code in the low eight bits: `.constraintUnique.primary == .constraint`.
/// The type is open, so that a code a later SQLite invents is carried as it is.
/// See [Result and Error Codes](https://www.sqlite.org/rescode.html).
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The number SQLite gives the code.
    public let rawValue: Int32

    /// Wraps a number as SQLite returned it.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The primary code: the low eight bits.
    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    private init(_ primary: ResultCode, _ number: Int32) {
        rawValue = primary.rawValue | (number << 8)
    }
}

/// Primary result codes.
extension ResultCode {
    /// `SQLITE_OK`: no error.
    public static let ok = ResultCode(rawValue: 0)
    /// `SQLITE_ERROR`: an error without a code of its own; SQL that does not parse is one.
    public static let error = ResultCode(rawValue: 1)
    /// `SQLITE_INTERNAL`: a fault inside SQLite.
    public static let `internal` = ResultCode(rawValue: 2)
    /// `SQLITE_PERM`: the access mode asked for could not be given.
    public static let permission = ResultCode(rawValue: 3)
    /// `SQLITE_ABORT`: an operation was aborted before it ended, often by a rollback.
    public static let abort = ResultCode(rawValue: 4)
    /// `SQLITE_BUSY`: another connection holds the lock that was needed.
    public static let busy = ResultCode(rawValue: 5)
    /// `SQLITE_LOCKED`: a conflict within one connection or a shared cache.
    public static let locked = ResultCode(rawValue: 6)
    /// `SQLITE_NOMEM`: there wasn't enough memory.
    public static let outOfMemory = ResultCode(rawValue: 7)
    /// `SQLITE_READONLY`: a write to what can only be read.
    public static let readOnly = ResultCode(rawValue: 8)
    /// `SQLITE_INTERRUPT`: the operation was interrupted.
    public static let interrupt = ResultCode(rawValue: 9)
    /// `SQLITE_IOERR`: the operating system reported an error.
    public static let ioError = ResultCode(rawValue: 10)
    /// `SQLITE_CORRUPT`: the file is damaged.
    public static let corrupt = ResultCode(rawValue: 11)
    /// `SQLITE_NOTFOUND`: an unknown operation was asked for.
    public static let notFound = ResultCode(rawValue: 12)
    /// `SQLITE_FULL`: the disk, or the database, is full.
    public static let full = ResultCode(rawValue: 13)
    /// `SQLITE_CANTOPEN`: the file could not be opened.
    public static let cannotOpen = ResultCode(rawValue: 14)
    /// `SQLITE_PROTOCOL`: locks could not be taken in the right order.
    public static let `protocol` = ResultCode(rawValue: 15)
    /// `SQLITE_SCHEMA`: the schema changed beneath a statement, again and again.
    public static let schema = ResultCode(rawValue: 17)
    /// `SQLITE_TOOBIG`: a text, a blob or a statement over the limit.
    public static let tooBig = ResultCode(rawValue: 18)
    /// `SQLITE_CONSTRAINT`: the change violates a constraint.
    public static let constraint = ResultCode(rawValue: 19)
    /// `SQLITE_MISMATCH`: a value of the wrong type.
    public static let mismatch = ResultCode(rawValue: 20)
    /// `SQLITE_MISUSE`: the interface was used in a way it does not allow.
    public static let misuse = ResultCode(rawValue: 21)
    /// `SQLITE_AUTH`: the authorizer denied the statement.
    public static let authorization = ResultCode(rawValue: 23)
    /// `SQLITE_RANGE`: a parameter or column that doesn't exist.
    public static let range = ResultCode(rawValue: 25)
    /// `SQLITE_NOTADB`: the file is not a database.
    public static let notADatabase = ResultCode(rawValue: 26)
    /// `SQLITE_ROW`: a row is ready. Never thrown.
    public static let row = ResultCode(rawValue: 100)
    /// `SQLITE_DONE`: the statement has finished. Never thrown.
    public static let done = ResultCode(rawValue: 101)
}

/// Extended result codes, which are macros that Swift does not import.
extension ResultCode {
    /// `SQLITE_BUSY_RECOVERY`: another process is recovering the write-ahead log.
    public static let busyRecovery = ResultCode(.busy, 1)
    /// `SQLITE_BUSY_SNAPSHOT`: a read transaction cannot write, since others have written since it began.
    public static let busySnapshot = ResultCode(.busy, 2)
    /// `SQLITE_BUSY_TIMEOUT`: a blocking lock request ran into its timeout.
    public static let busyTimeout = ResultCode(.busy, 3)
    /// `SQLITE_CONSTRAINT_CHECK`
    public static let constraintCheck = ResultCode(.constraint, 1)
    /// `SQLITE_CONSTRAINT_COMMITHOOK`
    public static let constraintCommitHook = ResultCode(.constraint, 2)
    /// `SQLITE_CONSTRAINT_FOREIGNKEY`
    public static let constraintForeignKey = ResultCode(.constraint, 3)
    /// `SQLITE_CONSTRAINT_FUNCTION`
    public static let constraintFunction = ResultCode(.constraint, 4)
    /// `SQLITE_CONSTRAINT_NOTNULL`
    public static let constraintNotNull = ResultCode(.constraint, 5)
    /// `SQLITE_CONSTRAINT_PRIMARYKEY`
    public static let constraintPrimaryKey = ResultCode(.constraint, 6)
    /// `SQLITE_CONSTRAINT_TRIGGER`: a `RAISE` in a trigger.
    public static let constraintTrigger = ResultCode(.constraint, 7)
    /// `SQLITE_CONSTRAINT_UNIQUE`
    public static let constraintUnique = ResultCode(.constraint, 8)
    /// `SQLITE_CONSTRAINT_VTAB`
    public static let constraintVirtualTable = ResultCode(.constraint, 9)
    /// `SQLITE_CONSTRAINT_ROWID`: a row identifier that is taken.
    public static let constraintRowID = ResultCode(.constraint, 10)
    /// `SQLITE_CONSTRAINT_PINNED`
    public static let constraintPinned = ResultCode(.constraint, 11)
    /// `SQLITE_CONSTRAINT_DATATYPE`: a value of the wrong type for a column of a STRICT table.
    public static let constraintDatatype = ResultCode(.constraint, 12)
}

/// What SQLiteKit itself finds wrong.
///
/// Each is an extended code of the primary code of SQLite that says it best, numbered from 200 up, where SQLite has
/// none: `error.code == .misuse` catches all of one kind.
extension ResultCode {
    /// The connection, or what belongs to it, was used after it had been closed.
    public static let closed = ResultCode(.misuse, 200)
    /// A statement, row or connection was used outside the access, or after the execution, that it belonged to.
    public static let expired = ResultCode(.misuse, 201)
    /// A write inside a read, or another call the place does not allow.
    public static let notAllowedHere = ResultCode(.misuse, 202)
    /// The SQL text holds no statement.
    public static let emptyStatement = ResultCode(.misuse, 203)
    /// The SQL text holds more than the one statement that was expected.
    public static let severalStatements = ResultCode(.misuse, 204)
    /// The transaction a closure ran in had ended before the closure returned.
    public static let transactionEnded = ResultCode(.abort, 200)
    /// Several threads would wait for each other forever.
    public static let deadlock = ResultCode(.busy, 200)
    /// Access to the connection wasn't granted in time.
    public static let accessTimeout = ResultCode(.busy, 201)
    /// Fewer or more arguments than the statement has parameters.
    public static let argumentCount = ResultCode(.range, 200)
    /// An argument's name that the statement has no parameter for, or more than one.
    public static let unknownParameter = ResultCode(.range, 201)
    /// A column name that the row does not have.
    public static let noSuchColumn = ResultCode(.range, 202)
    /// A column index outside the row.
    public static let noSuchColumnIndex = ResultCode(.range, 203)
    /// A stored value that the Swift type cannot hold, or a Swift value that SQLite cannot.
    public static let typeMismatch = ResultCode(.mismatch, 200)
    /// Bytes in a text that are not UTF-8.
    public static let invalidText = ResultCode(.mismatch, 201)
    /// A file that the key doesn't open: it has another one, is plain, or is no database.
    public static let wrongKey = ResultCode(.notADatabase, 200)
    /// The system's SQLite is older than the version that is needed.
    public static let unsupportedVersion = ResultCode(.error, 200)
    /// The system's SQLite was built without the feature that was asked for.
    public static let missingFeature = ResultCode(.error, 201)
    /// The engine that the database is kept in lacks what was asked for, or has no local connection.
    public static let unsupported = ResultCode(.error, 202)
    /// A tokenizer in Swift has thrown an error.
    public static let tokenizerFailed = ResultCode(.error, 203)
}

extension ResultCode: CustomStringConvertible {
    /// The number with SQLite's words for it, such as `5, database is locked`; of SQLiteKit's own codes, the name.
    public var description: String {
        switch self {
        case .closed: "closed"
        case .expired: "expired"
        case .notAllowedHere: "notAllowedHere"
        case .emptyStatement: "emptyStatement"
        case .severalStatements: "severalStatements"
        case .transactionEnded: "transactionEnded"
        case .deadlock: "deadlock"
        case .accessTimeout: "accessTimeout"
        case .argumentCount: "argumentCount"
        case .unknownParameter: "unknownParameter"
        case .noSuchColumn: "noSuchColumn"
        case .noSuchColumnIndex: "noSuchColumnIndex"
        case .typeMismatch: "typeMismatch"
        case .invalidText: "invalidText"
        case .wrongKey: "wrongKey"
        case .unsupportedVersion: "unsupportedVersion"
        case .missingFeature: "missingFeature"
        case .unsupported: "unsupported"
        case .tokenizerFailed: "tokenizerFailed"
        default: "\(rawValue), \(String(cString: sqlite3_errstr(rawValue)))"
        }
    }
}
