internal import CSystemSQLite
public import Foundation

/// Compares the bytes of two texts: below 0, 0 or above, as the first comes before, with or after the second.
typealias ByteComparison = @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int32

private final class BoxedCollation: Boxed {
    let compare: ByteComparison

    init(_ compare: @escaping ByteComparison) {
        self.compare = compare
    }
}

/// Orders of text for use in SQL.
extension Database {
    /// Adds a collation, an order of texts for `COLLATE`, or replaces that of the same name.
    ///
    /// ```swift
    /// try db.addCollation("FINNISH") {
    ///     $0.compare($1, locale: Locale(identifier: "fi"))
    /// }
    /// let names = try db.column(
    ///     "SELECT name FROM person ORDER BY name COLLATE FINNISH", as: String.self)
    /// ```
    ///
    /// A collation belongs to its connection: one that a schema uses is added in ``DatabaseConfiguration/prepare``, or
    /// its tables cannot be used. An index is in the order its collation had when it was written: after a change of
    /// that order, `REINDEX` is due.
    ///
    /// See [Define New Collating Sequences](https://www.sqlite.org/c3ref/create_collation.html).
    ///
    /// - Parameters:
    ///   - name: The name, without a NUL. Its case does not matter.
    ///   - compare: The order. It must be the same each time, and total: equal texts are interchangeable, and what
    ///     comes before what comes before a third comes before that. In a text whose bytes are not UTF-8, U+FFFD stands
    ///     for what is invalid.
    /// - Throws: ``ResultCode/misuse`` for a name that cannot be, ``ResultCode/busy`` when a statement that runs keeps
    ///   an earlier collation from being replaced.
    public func addCollation(
        _ name: String, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
    ) throws(SQLiteError) {
        try connection.addCollation(name, byText(compare))
    }

    /// Removes a collation. Without one of the name it does nothing.
    ///
    /// - Parameter name: The name of the collation.
    /// - Throws: ``ResultCode/misuse`` for a name that cannot be, ``ResultCode/busy`` when a statement runs.
    public func removeCollation(_ name: String) throws(SQLiteError) {
        try connection.checkCollation(name)
        try connection.check(
            sqlite3_create_collation_v2(connection.accessible(), name, SQLITE_UTF8, nil, nil, nil))
    }

    /// Sets the closure that is called when a statement needs a collation that the connection doesn't know.
    ///
    /// ```swift
    /// try db.setCollationNeeded { name in
    ///     guard name.hasPrefix("locale_") else { return nil }
    ///     let locale = Locale(identifier: String(name.dropFirst(7)))
    ///     return { $0.compare($1, locale: locale) }
    /// }
    /// ```
    ///
    /// See [Collation Needed Callbacks](https://www.sqlite.org/c3ref/collation_needed.html).
    ///
    /// - Parameter find: The order of that name, which is then added; nil when there is none, and the statement fails.
    ///   Nil for `find` itself ends the asking. It must not use the connection.
    /// - Throws: ``ResultCode/closed`` or ``ResultCode/expired``.
    public func setCollationNeeded(
        _ find: (@Sendable (_ name: String) -> (@Sendable (String, String) -> ComparisonResult)?)?
    ) throws(SQLiteError) {
        let handle = try connection.accessible()
        connection.hooks.collationNeeded = find
        try connection.check(
            sqlite3_collation_needed(handle, find == nil ? nil : connection.context) { context, _, _, name in
                guard let name = name.map({ String(cString: $0) }) else { return }
                guard let find = Connection.at(context, { $0.hooks.collationNeeded }) ?? nil,
                    let compare = Connection.hook(context, { _ in find(name) }) ?? nil
                else { return }
                // The statement fails for want of the collation, and says so.
                _ = Connection.at(context) { try? $0.addCollation(name, byText(compare)) }
            })
    }
}

/// A comparison of bytes by one of texts.
private func byText(_ compare: @escaping @Sendable (String, String) -> ComparisonResult) -> ByteComparison {
    { left, right in
        Int32(compare(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)).rawValue)
    }
}

extension Connection {
    /// Adds a collation that goes by bytes.
    func addCollation(_ name: String, _ compare: @escaping ByteComparison) throws(SQLiteError) {
        try checkCollation(name)
        let handle = try accessible()
        let box = BoxedCollation(compare).retained()
        let code = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box,
            { box, leftCount, left, rightCount, right in
                guard let box else { return 0 }
                return BoxedCollation.object(at: box).compare(
                    UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
            }, releaseBox)
        // Alone among SQLite's calls this one leaves the destructor to the caller when it fails.
        if code != SQLITE_OK { releaseBox(box) }
        try check(code)
    }

    func checkCollation(_ name: String) throws(SQLiteError) {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw failure(.misuse, "\(name.debugDescription) cannot name a collation: empty, or with a NUL")
        }
    }
}
