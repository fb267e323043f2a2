internal import CSystemSQLite

/// Binding values by the index of their parameter, counted from 1.
///
/// Texts and blobs go by length, and a copy is kept. See [Binding Values To Prepared
/// Statements](https://www.sqlite.org/c3ref/bind_blob.html).
///
/// Each throws ``ResultCode/range`` for a parameter that is not there, and ``ResultCode/tooBig`` for a value over
/// SQLite's limit.
extension Statement: ParameterSink {
    /// Binds NULL.
    public func bindNull(at index: Int) throws(SQLiteError) {
        try bound { sqlite3_bind_null(handle, Int32(clamping: index)) }
    }

    /// Binds an INTEGER.
    public func bind(int64 value: Int64, at index: Int) throws(SQLiteError) {
        try bound { sqlite3_bind_int64(handle, Int32(clamping: index), value) }
    }

    /// Binds a REAL. SQLite turns NaN into NULL.
    public func bind(double value: Double, at index: Int) throws(SQLiteError) {
        try bound { sqlite3_bind_double(handle, Int32(clamping: index), value) }
    }

    /// Binds a TEXT.
    public func bind(text: String, at index: Int) throws(SQLiteError) {
        try bound { withUTF8(of: text) { bindText(UnsafeRawBufferPointer($0), at: index) } }
    }

    /// Binds a TEXT of bytes, which are UTF-8.
    public func bind(utf8: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try bound { bindText(utf8, at: index) }
    }

    @inline(__always)
    private func bindText(_ utf8: UnsafeRawBufferPointer, at index: Int) -> Int32 {
        withKept(utf8) { bytes, destructor in
            sqlite3_bind_text64(
                handle, Int32(clamping: index), bytes.assumingMemoryBound(to: CChar.self), UInt64(utf8.count),
                destructor, UInt8(SQLITE_UTF8))
        }
    }

    /// Binds a BLOB. An empty one is an empty blob, not NULL.
    public func bind(blob: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try bound {
            withKept(blob) { bytes, destructor in
                sqlite3_bind_blob64(handle, Int32(clamping: index), bytes, UInt64(blob.count), destructor)
            }
        }
    }

    /// Calls `bind` with bytes that stay where they are, or else with what has SQLite make a copy of its own.
    @inline(__always)
    private func withKept(
        _ bytes: UnsafeRawBufferPointer, _ bind: (UnsafeRawPointer, sqlite3_destructor_type?) -> Int32
    ) -> Int32 {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return bind(csqlite_empty(), nil) }
        if bytes.count >= Self.largeValue {
            isLargeBound = true
        } else if let kept = boundBytes.add(bytes) {
            // No destructor is SQLITE_STATIC.
            return bind(kept, nil)
        }
        return bind(start, csqlite_transient())
    }

    @inline(__always)
    private func bound(_ bind: () -> Int32) throws(SQLiteError) {
        if !isBindingAll { try willBindOne() }
        try connection.check(bind(), sql: sql)
    }

    private func willBindOne() throws(SQLiteError) {
        try checkIsAccessible()
        if isBoundForExecution, !isBusy { clearBindings() }
        isBound = true
        isBoundByCaller = true
    }

    /// Calls `bind`, which binds all parameters, after what must hold for each has been looked at once.
    package func bindAll(_ bind: () throws -> Void) throws {
        try checkIsAccessible()
        willBindAll()
        if parameterCount > 0 {
            isBound = true
            isBoundByCaller = true
        }
        isBindingAll = true
        defer { isBindingAll = false }
        do {
            try bind()
        } catch {
            giveUpBinding()
            throw error
        }
    }

    private func checkIsAccessible() throws(SQLiteError) {
        guard connection.isAccessible else { throw connection.notAccessible("the statement", sql: sql) }
    }
}
