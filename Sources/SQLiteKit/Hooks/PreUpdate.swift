internal import CSystemSQLite
internal import Foundation

/// A row that is about to be changed, with its values before and after.
///
/// It is good for the call of the hook alone, so it cannot be copied or kept: what is read from it can.
public struct PreUpdate: ~Copyable {
    fileprivate let handle: OpaquePointer?
    fileprivate let calls: PreUpdateCalls
    fileprivate let repairsText: Bool

    /// What is done to the row. A write to a blob in place is a ``RowChangeKind/delete``; see ``blobColumn``.
    public let kind: RowChangeKind
    /// The database: `main`, `temp`, or the name one was attached as.
    public let database: String
    /// The table.
    public let table: String
    /// The row's identifier before the change; without meaning for an insert and in a WITHOUT ROWID table.
    public let oldRowID: Int64
    /// The row's identifier after the change; without meaning for a delete and in a WITHOUT ROWID table.
    public let newRowID: Int64

    /// The number of columns.
    public var columnCount: Int { Int(calls.count(handle)) }

    /// How deep in triggers the change is: 0 for a statement's own, 1 for that of a trigger it fires.
    public var depth: Int { Int(calls.depth(handle)) }

    /// The column that is written to in place, without a statement; nil for a change by a statement.
    public var blobColumn: Int? {
        guard let column = calls.blobColumn?(handle), column >= 0 else { return nil }
        return Int(column)
    }

    /// The value of a column, counted from 0, before the change.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - type: The type to read.
    /// - Throws: ``ResultCode/misuse`` for an insert, ``ResultCode/range`` for a column that is not there,
    ///   ``ResultCode/typeMismatch``.
    public func old<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value {
        try read(calls.old, kind != .insert, at: index, "no old values: it is inserted")
    }

    /// The value of a column, counted from 0, after the change.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - type: The type to read.
    /// - Throws: ``ResultCode/misuse`` for a delete, ``ResultCode/range`` for a column that is not there,
    ///   ``ResultCode/typeMismatch``.
    public func new<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value {
        try read(calls.new, kind != .delete, at: index, "no new values: it is deleted")
    }

    private func read<Value: SQLiteValueConvertible>(
        _ call: PreUpdateCalls.Read, _ hasValues: Bool, at index: Int, _ reason: String
    ) throws(SQLiteError) -> Value {
        guard hasValues else { throw SQLiteError(.misuse, "a row of \(table) has \(reason)") }
        guard (0..<columnCount).contains(index) else {
            throw SQLiteError(.range, "\(table) has no column \(index); there are \(columnCount), counted from 0")
        }
        var pointer: OpaquePointer?
        let code = call(handle, Int32(clamping: index), &pointer)
        guard code == SQLITE_OK else {
            throw SQLiteError(ResultCode(rawValue: code), "column \(index) of \(table) cannot be read")
        }
        return try StoredValue(pointer: pointer, repairsText: repairsText)
            .read(as: Value.self, what: "column \(index) of \(table)")
    }
}

/// The calls of the pre-update hook, which the library may lack.
private struct PreUpdateCalls: Sendable {
    typealias Callback =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64, Int64
        ) -> Void
    typealias Hook = @convention(c) (OpaquePointer?, Callback?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    typealias Number = @convention(c) (OpaquePointer?) -> Int32
    typealias Read = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

    let hook: Hook
    let count: Number
    let depth: Number
    let old: Read
    let new: Read
    let blobColumn: Number?

    static let available = PreUpdateCalls()

    private init?() {
        guard let hook = SQLiteLibrary.symbol("sqlite3_preupdate_hook"),
            let count = SQLiteLibrary.symbol("sqlite3_preupdate_count"),
            let depth = SQLiteLibrary.symbol("sqlite3_preupdate_depth"),
            let old = SQLiteLibrary.symbol("sqlite3_preupdate_old"),
            let new = SQLiteLibrary.symbol("sqlite3_preupdate_new")
        else { return nil }
        // The symbols have these types wherever they exist: https://www.sqlite.org/c3ref/preupdate_blobwrite.html
        self.hook = unsafeBitCast(hook, to: Hook.self)
        self.count = unsafeBitCast(count, to: Number.self)
        self.depth = unsafeBitCast(depth, to: Number.self)
        self.old = unsafeBitCast(old, to: Read.self)
        self.new = unsafeBitCast(new, to: Read.self)
        blobColumn = SQLiteLibrary.symbol("sqlite3_preupdate_blobwrite").map { unsafeBitCast($0, to: Number.self) }
    }
}

extension Database {
    /// Sets what is called before each row is inserted, updated or deleted, with its values; nil removes it.
    ///
    /// Unlike ``setUpdateHook(_:)`` it is told of WITHOUT ROWID tables, of rows that are replaced, of a `DELETE`
    /// without WHERE, and of writes to a blob in place; it is not told of virtual tables. What is said of other hooks
    /// holds here as well: one for a connection, on its thread, and it must not use the connection.
    ///
    /// See [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
    ///
    /// - Parameter hook: The closure; nil removes the hook.
    /// - Throws: ``ResultCode/missingFeature`` when SQLite was built without it; ``ResultCode/notAllowedHere`` while a
    ///   session records the connection's changes, which is done by the same hook.
    public func setPreUpdateHook(_ hook: (@Sendable (borrowing PreUpdate) -> Void)?) throws(SQLiteError) {
        _ = try connection.accessible()
        guard PreUpdateCalls.available != nil else {
            throw connection.failure(
                .missingFeature, "this system's SQLite has no pre-update hook (SQLITE_ENABLE_PREUPDATE_HOOK)")
        }
        guard connection.hooks.sessionCount == 0 else {
            throw connection.failure(
                .notAllowedHere, "a session records changes by the pre-update hook; there cannot be another")
        }
        connection.hooks.preUpdate = hook
        connection.installPreUpdateHook()
    }
}

extension Connection {
    /// Has SQLite call the pre-update hook, as long as someone wants to know.
    ///
    /// - Returns: False when SQLite was built without it.
    @discardableResult
    func installPreUpdateHook() -> Bool {
        guard let calls = PreUpdateCalls.available else { return false }
        // A session has taken its place.
        guard hooks.sessionCount == 0 else { return true }
        guard hooks.preUpdate != nil || hooks.recorder != nil else {
            _ = calls.hook(handle, nil, nil)
            return true
        }
        _ = calls.hook(
            handle,
            { context, handle, operation, database, table, oldRowID, newRowID in
                guard let calls = PreUpdateCalls.available, let kind = RowChangeKind(operation), let database, let table
                else { return }
                Connection.hook(context) { connection in
                    let hooks = connection.hooks
                    if let user = hooks.preUpdate {
                        user(
                            PreUpdate(
                                handle: handle, calls: calls, repairsText: connection.repairsText, kind: kind,
                                database: String(cString: database), table: String(cString: table),
                                oldRowID: oldRowID, newRowID: newRowID))
                    }
                    hooks.recorder?.note(
                        PreUpdate(
                            handle: handle, calls: calls, repairsText: true, kind: kind, database: "", table: "",
                            oldRowID: oldRowID, newRowID: newRowID), database, table)
                }
            }, context)
        return true
    }

    /// Takes the hook away for a session, which would take what it finds for a session.
    func removePreUpdateHook() {
        if let calls = PreUpdateCalls.available, hooks.sessionCount == 0 { _ = calls.hook(handle, nil, nil) }
    }

    /// Has every statement prepared again: one that was prepared without the hook may delete all rows of a table
    /// without telling of them.
    func expireStatements() {
        // An authorizer that is set anew does so.
        sqlite3_set_authorizer(handle, { _, _, _, _, _, _ in SQLITE_OK }, nil)
        // Setting one can't fail.
        try? installAuthorizer()
    }
}

extension PreUpdate {
    /// Whether the value of a column is another after an update.
    func isChanged(at index: Int) -> Bool {
        var pointers: (old: OpaquePointer?, new: OpaquePointer?)
        guard calls.old(handle, Int32(clamping: index), &pointers.old) == SQLITE_OK,
            calls.new(handle, Int32(clamping: index), &pointers.new) == SQLITE_OK
        else { return true }
        let (old, new) = (ColumnContent(pointers.old), ColumnContent(pointers.new))
        guard old.storageClass == new.storageClass, old.count == new.count else { return true }
        switch old.storageClass {
        case .null: return false
        case .integer, .real: return old.bits != new.bits
        case .text, .blob:
            guard old.count > 0 else { return false }
            guard let lhs = UnsafeRawPointer(bitPattern: UInt(old.bits)),
                let rhs = UnsafeRawPointer(bitPattern: UInt(new.bits))
            else { return true }
            return memcmp(lhs, rhs, old.count) != 0
        }
    }
}
