internal import CSystemSQLite

/// The functions of SQLite's session extension, which a library may have been built without.
///
/// See [The Session Extension](https://www.sqlite.org/sessionintro.html).
struct SessionFunctions {
    typealias Handle = OpaquePointer?
    typealias OutHandle = UnsafeMutablePointer<OpaquePointer?>?
    typealias OutNumber = UnsafeMutablePointer<Int32>?
    typealias OutBytes = UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    typealias Text = UnsafePointer<CChar>?
    typealias Bytes = UnsafeRawPointer?
    typealias Filter = @convention(c) (UnsafeMutableRawPointer?, Text) -> Int32
    typealias ConflictHandler = @convention(c) (UnsafeMutableRawPointer?, Int32, Handle) -> Int32

    let create: @convention(c) (Handle, Text, OutHandle) -> Int32
    let delete: @convention(c) (Handle) -> Void
    let attach: @convention(c) (Handle, Text) -> Int32
    let enable: @convention(c) (Handle, Int32) -> Int32
    let indirect: @convention(c) (Handle, Int32) -> Int32
    let isEmpty: @convention(c) (Handle) -> Int32
    let changeset: @convention(c) (Handle, OutNumber, OutBytes) -> Int32
    let patchset: @convention(c) (Handle, OutNumber, OutBytes) -> Int32

    let start: @convention(c) (OutHandle, Int32, Bytes) -> Int32
    let next: @convention(c) (Handle) -> Int32
    let operation: @convention(c) (Handle, UnsafeMutablePointer<Text>?, OutNumber, OutNumber, OutNumber) -> Int32
    let primaryKey: @convention(c) (Handle, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, OutNumber) -> Int32
    let old: @convention(c) (Handle, Int32, OutHandle) -> Int32
    let new: @convention(c) (Handle, Int32, OutHandle) -> Int32
    let conflict: @convention(c) (Handle, Int32, OutHandle) -> Int32
    let finalize: @convention(c) (Handle) -> Int32

    let invert: @convention(c) (Int32, Bytes, OutNumber, OutBytes) -> Int32
    let concatenate: @convention(c) (Int32, Bytes, Int32, Bytes, OutNumber, OutBytes) -> Int32
    let apply: @convention(c) (Handle, Int32, Bytes, Filter?, ConflictHandler?, UnsafeMutableRawPointer?) -> Int32

    private static let found: Result<SessionFunctions, SQLiteError> = Result { () throws(SQLiteError) in
        try SessionFunctions()
    }

    /// The functions of this process's library.
    ///
    /// - Throws: ``ResultCode/missingFeature`` when it lacks one of them.
    static func load() throws(SQLiteError) -> SessionFunctions { try found.get() }

    private init() throws(SQLiteError) {
        create = try Self.function("sqlite3session_create")
        delete = try Self.function("sqlite3session_delete")
        attach = try Self.function("sqlite3session_attach")
        enable = try Self.function("sqlite3session_enable")
        indirect = try Self.function("sqlite3session_indirect")
        isEmpty = try Self.function("sqlite3session_isempty")
        changeset = try Self.function("sqlite3session_changeset")
        patchset = try Self.function("sqlite3session_patchset")
        start = try Self.function("sqlite3changeset_start")
        next = try Self.function("sqlite3changeset_next")
        operation = try Self.function("sqlite3changeset_op")
        primaryKey = try Self.function("sqlite3changeset_pk")
        old = try Self.function("sqlite3changeset_old")
        new = try Self.function("sqlite3changeset_new")
        conflict = try Self.function("sqlite3changeset_conflict")
        finalize = try Self.function("sqlite3changeset_finalize")
        invert = try Self.function("sqlite3changeset_invert")
        concatenate = try Self.function("sqlite3changeset_concat")
        apply = try Self.function("sqlite3changeset_apply")
    }

    /// A function by its name, as the type of the property it is for.
    static func function<Function>(_ name: String) throws(SQLiteError) -> Function {
        guard let symbol = SQLiteLibrary.symbol(name) else {
            throw SQLiteError(
                .missingFeature,
                "this system's SQLite \(SQLiteLibrary.version) has no \(name): it was built without the session extension"
            )
        }
        // The symbols have these types wherever they exist: https://www.sqlite.org/session/funclist.html
        return unsafeBitCast(symbol, to: Function.self)
    }
}
