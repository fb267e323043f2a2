internal import CSystemSQLite
public import Foundation

/// What changed in the rows of some tables: recorded by a ``ChangesetSession``, and a value that can be stored, sent,
/// inverted, joined with others and applied to another database.
///
/// ```swift
/// try other.apply(changeset) { conflict in
///     conflict.kind == .data ? .replace : .omit
/// }
/// try db.apply(try changeset.inverted())                        // undo
/// try db.execute("INSERT INTO outbox (changes) VALUES (?)", [changeset])
/// ```
///
/// A row is known by its primary key; a row that changed several times has one change. Columns have no names in a
/// changeset, but are counted from 0 as in the table. A **patchset** is a smaller changeset, which holds of the old
/// values the primary key alone: it cannot be inverted, and no conflict of the kind
/// ``Conflict/Kind/data`` is noticed when it is applied.
///
/// See [The Session Extension](https://www.sqlite.org/sessionintro.html).
public struct Changeset: Sendable, Hashable {
    /// The bytes, as SQLite makes them.
    public let data: Data
    let format: ChangesetFormat

    /// A changeset from its bytes.
    ///
    /// They are checked: what does not hold together is rejected here, and SQLite never sees it.
    ///
    /// - Parameter data: The bytes of ``data``. No bytes are the changeset without a change.
    /// - Throws: ``ResultCode/corrupt`` when they aren't a changeset, ``ResultCode/tooBig`` when they are over 2 GB.
    public init(_ data: Data) throws(SQLiteError) {
        guard data.count <= Int32.max else {
            throw SQLiteError(.tooBig, "a changeset of \(data.count) bytes is over SQLite's limit of \(Int32.max)")
        }
        guard let format = data.withUnsafeBytes({ ChangesetFormat($0) }) else {
            throw SQLiteError(.corrupt, "the \(data.count) bytes aren't a changeset")
        }
        self.data = data
        self.format = format
    }

    /// Takes what a function of SQLite's allocates and returns.
    init(
        _ make: (SessionFunctions.OutNumber, SessionFunctions.OutBytes) -> Int32,
        _ check: (Int32) throws(SQLiteError) -> Void = SessionFunctions.check
    ) throws(SQLiteError) {
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        let code = make(&count, &bytes)
        defer { sqlite3_free(bytes) }
        try check(code)
        try self.init(bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data())
    }

    /// Whether there is no change in it.
    public var isEmpty: Bool { data.isEmpty }

    /// Whether it holds only the primary key of the old values.
    public var isPatchset: Bool { format.isPatchset }

    /// The tables with changes, in their order.
    public var tables: [String] { format.tables.map(\.name) }

    /// The changeset that undoes this one.
    ///
    /// - Throws: ``ResultCode/misuse`` for a patchset, ``ResultCode/missingFeature`` when the system's SQLite has no
    ///   sessions.
    public func inverted() throws(SQLiteError) -> Changeset {
        guard !isPatchset else {
            throw SQLiteError(.misuse, "a patchset cannot be inverted, since it does not hold the old values")
        }
        let functions = try SessionFunctions.load()
        return try Changeset { count, bytes in
            data.withUnsafeBytes { functions.invert(Int32(clamping: $0.count), $0.baseAddress, count, bytes) }
        }
    }

    /// The changeset that does what this one does and then another: a row's changes in both become one.
    ///
    /// - Parameter next: What was recorded after this one.
    /// - Throws: ``ResultCode/schema`` when a table has other columns in the two, ``ResultCode/misuse`` for a changeset
    ///   and a patchset, ``ResultCode/missingFeature`` when the system's SQLite has no sessions.
    public func appending(_ next: Changeset) throws(SQLiteError) -> Changeset {
        guard !isEmpty else { return next }
        guard !next.isEmpty else { return self }
        guard isPatchset == next.isPatchset else {
            throw SQLiteError(.misuse, "a changeset and a patchset cannot be joined")
        }
        let functions = try SessionFunctions.load()
        return try Changeset { count, bytes in
            data.withUnsafeBytes { a in
                next.data.withUnsafeBytes { b in
                    functions.concatenate(
                        Int32(clamping: a.count), a.baseAddress, Int32(clamping: b.count), b.baseAddress, count, bytes)
                }
            }
        }
    }

    /// All the changes, in their order: those of a table are together.
    ///
    /// - Throws: What ``forEach(_:)`` throws.
    public func changes() throws -> [Change] {
        var changes: [Change] = []
        try forEach { changes.append($0) }
        return changes
    }

    /// Calls `body` with one change after the other.
    ///
    /// - Throws: ``ResultCode/invalidText`` when a text is not UTF-8, ``ResultCode/missingFeature`` when the system's
    ///   SQLite has no sessions; or what `body` throws, which ends it.
    public func forEach(_ body: (Change) throws -> Void) throws {
        guard !isEmpty else { return }
        let functions = try SessionFunctions.load()
        try data.withUnsafeBytes { bytes in
            var iterator: OpaquePointer?
            try SessionFunctions.check(functions.start(&iterator, Int32(clamping: bytes.count), bytes.baseAddress))
            // What it returns is the error of the last step, which was thrown then.
            defer { _ = functions.finalize(iterator) }
            while true {
                switch functions.next(iterator) {
                case SQLITE_ROW: try body(ChangeReader(functions, iterator).change())
                case SQLITE_DONE: return
                case let code: try SessionFunctions.check(code)
                }
            }
        }
    }
}

/// A changeset is stored as a BLOB.
extension Changeset: SQLiteValueConvertible {
    /// A BLOB of ``data``.
    public func sqliteValue() -> SQLiteValue { .blob(data) }

    /// The changeset of a BLOB.
    ///
    /// - Throws: ``ResultCode/corrupt`` when its bytes aren't a changeset, ``ResultCode/typeMismatch`` for another
    ///   storage class.
    public init(sqliteValue: SQLiteValue) throws {
        guard case .blob(let data) = sqliteValue else { throw sqliteValue.mismatch(Changeset.self) }
        try self.init(data)
    }

    /// ``ColumnType/blob``
    public static var columnType: ColumnType { .blob }
}

extension SessionFunctions {
    /// The check for what belongs to no connection.
    static func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            throw SQLiteError(ResultCode(rawValue: code), "the changeset: \(String(cString: sqlite3_errstr(code)))")
        }
    }
}
