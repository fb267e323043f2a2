internal import CSystemSQLite

/// A limit of a connection. The type is open, for limits that a later SQLite has.
///
/// See [Run-Time Limits](https://www.sqlite.org/c3ref/limit.html).
public struct Limit: RawRepresentable, Hashable, Sendable {
    /// The number SQLite gives the limit.
    public let rawValue: Int32

    /// A limit by SQLite's number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The bytes of a text, a blob or a row.
    public static let length = Limit(rawValue: SQLITE_LIMIT_LENGTH)
    /// The bytes of a statement.
    public static let sqlLength = Limit(rawValue: SQLITE_LIMIT_SQL_LENGTH)
    /// The columns of a table, an index, a result, and the terms of a clause.
    public static let columns = Limit(rawValue: SQLITE_LIMIT_COLUMN)
    /// The depth of an expression's tree.
    public static let expressionDepth = Limit(rawValue: SQLITE_LIMIT_EXPR_DEPTH)
    /// The terms of a compound SELECT.
    public static let compoundSelect = Limit(rawValue: SQLITE_LIMIT_COMPOUND_SELECT)
    /// The instructions of a compiled statement.
    public static let instructions = Limit(rawValue: SQLITE_LIMIT_VDBE_OP)
    /// The arguments of a function.
    public static let functionArguments = Limit(rawValue: SQLITE_LIMIT_FUNCTION_ARG)
    /// The attached databases.
    public static let attachedDatabases = Limit(rawValue: SQLITE_LIMIT_ATTACHED)
    /// The bytes of a pattern of LIKE and GLOB.
    public static let likePatternLength = Limit(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
    /// The highest number of a parameter.
    public static let variables = Limit(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER)
    /// The depth of triggers that fire triggers.
    public static let triggerDepth = Limit(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH)
    /// The auxiliary threads that a statement may start.
    public static let workerThreads = Limit(rawValue: SQLITE_LIMIT_WORKER_THREADS)
}

extension Database {
    /// The value of a limit; nil for one that this SQLite does not have, and for a closed connection.
    ///
    /// - Parameter limit: The limit.
    public func limit(_ limit: Limit) -> Int? {
        guard let handle = connection.handleIfAccessible else { return nil }
        let value = sqlite3_limit(handle, limit.rawValue, -1)
        return value < 0 ? nil : Int(value)
    }

    /// Sets a limit. Beyond it a statement throws ``ResultCode/tooBig`` or ``ResultCode/error``.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - value: Its value, 0 or more. One above the most that SQLite was compiled for sets that.
    /// - Throws: ``ResultCode/range`` for a negative value, or a limit that this SQLite does not have.
    public func setLimit(_ limit: Limit, to value: Int) throws(SQLiteError) {
        let handle = try connection.accessible()
        guard value >= 0, sqlite3_limit(handle, limit.rawValue, Int32(clamping: value)) >= 0 else {
            throw connection.failure(.range, "limit \(limit.rawValue) cannot be set to \(value)")
        }
    }
}
