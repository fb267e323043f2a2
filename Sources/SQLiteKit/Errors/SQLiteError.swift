internal import CSystemSQLite
public import Foundation

/// An error of SQLite, or of SQLiteKit.
///
/// An error is a value: it holds what was known when it happened, and stays true when the connection has moved on.
///
/// ```swift
/// do {
///     try db.execute("INSERT INTO user (email) VALUES (?)", [email])
/// } catch {
///     guard error.isConstraint(.unique) else { throw error }
///     print(error.table, error.columns)        // Optional("user") ["email"]
/// }
/// ```
///
/// The methods of a ``Database`` and a ``Statement`` throw only this type, so in a function `error` has it. In a
/// closure, and after a call that may throw others, such as `DatabaseAccess.write(_:)`, say
/// `catch let error as SQLiteError`.
///
/// See [Result and Error Codes](https://www.sqlite.org/rescode.html).
public struct SQLiteError: Error, Sendable {
    // One reference, so that a call that can throw returns in registers.
    private let details: Details

    private final class Details: Sendable {
        let code: ResultCode
        let message: String
        let sql: String?
        let offset: Int?
        let path: String?
        let outcome: Outcome
        let mismatch: Mismatch?

        init(
            _ code: ResultCode, _ message: String, sql: String?, offset: Int?, path: String?, outcome: Outcome,
            mismatch: Mismatch? = nil
        ) {
            self.code = code
            self.message = message
            self.sql = sql
            self.offset = offset
            self.path = path
            self.outcome = outcome
            self.mismatch = mismatch
        }
    }

    /// A value that a type can't hold.
    package enum Mismatch: Sendable, Equatable {
        /// A stored value of this class.
        case stored(StorageClass)
        /// A Swift value of another type.
        case given
    }

    /// The error for a value that a type can't hold, where the message says no more than that.
    package init(_ mismatch: Mismatch, _ message: String) {
        details = Details(
            .typeMismatch, message, sql: nil, offset: nil, path: nil, outcome: .notApplied, mismatch: mismatch)
    }

    /// What the value was that a type can't hold, where the message says no more than that; nil for any other error.
    package var mismatch: Mismatch? { details.mismatch }

    /// Creates an error, for your own function, hook or conversion to throw.
    ///
    /// - Parameters:
    ///   - code: The code, primary or extended.
    ///   - message: What happened, in words.
    ///   - sql: The SQL text that was being prepared or run, if any.
    ///   - offset: Where in `sql` the mistake is, in UTF-8 bytes from its start.
    ///   - path: The database file.
    ///   - outcome: Whether the work that failed has been applied.
    public init(
        _ code: ResultCode, _ message: String, sql: String? = nil, offset: Int? = nil, path: String? = nil,
        outcome: Outcome = .notApplied
    ) {
        details = Details(code, message, sql: sql, offset: offset, path: path, outcome: outcome)
    }

    /// The primary result code.
    public var code: ResultCode { details.code.primary }

    /// The extended result code; equal to ``code`` where SQLite has nothing finer to say.
    public var extendedCode: ResultCode { details.code }

    /// What happened, in SQLite's words or in SQLiteKit's. Bytes that were not UTF-8 are repaired.
    public var message: String { details.message }

    /// The SQL text that was being prepared or run. Values bound to it are not in it.
    public var sql: String? { details.sql }

    /// Where in ``sql`` the mistake is, in UTF-8 bytes from its start, when SQLite can tell.
    public var offset: Int? { details.offset }

    /// The line of ``sql`` that holds the mistake, counted from 1, when SQLite can tell.
    public var line: Int? {
        guard let sql, let offset else { return nil }
        return 1 + sql.utf8.prefix(max(0, offset)).count { $0 == UInt8(ascii: "\n") }
    }

    /// The file of the database; nil for one in memory.
    public var path: String? { details.path }

    /// Whether the work that failed with this error has been applied.
    public var outcome: Outcome { details.outcome }

    /// The same error with what its thrower could not know. What is known already stays.
    package func adding(sql: String? = nil, path: String? = nil) -> SQLiteError {
        SQLiteError(
            Details(
                extendedCode, message, sql: self.sql ?? sql, offset: offset, path: self.path ?? path,
                outcome: outcome, mismatch: mismatch))
    }

    private init(_ details: Details) {
        self.details = details
    }
}

extension SQLiteError: Equatable {
    /// Two errors are equal when all their properties are.
    public static func == (lhs: SQLiteError, rhs: SQLiteError) -> Bool {
        lhs.extendedCode == rhs.extendedCode && lhs.message == rhs.message && lhs.sql == rhs.sql
            && lhs.offset == rhs.offset && lhs.path == rhs.path && lhs.outcome == rhs.outcome
    }
}

extension SQLiteError: CustomStringConvertible, LocalizedError {
    /// The message, the code, and the SQL with the place of the mistake.
    public var description: String {
        let isOwn = extendedCode.rawValue >> 8 >= 200
        var text =
            isOwn ? "SQLiteKit error \(extendedCode): \(message)" : "SQLite error \(extendedCode.rawValue): \(message)"
        if let sql {
            text += " - in: \(sql)"
            if let offset { text += " (at byte \(offset))" }
        }
        if let path { text += " - database: \(path)" }
        if outcome == .unknown { text += " - the commit may have been applied: read the database to find out" }
        return text
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
