internal import CSystemSQLite

/// A row that an FTS5 query has found, as an auxiliary function sees it. It is lent for the call alone.
///
/// See [Custom Auxiliary Functions](https://www.sqlite.org/fts5.html#custom_auxiliary_functions).
public struct FTS5MatchedRow: ~Copyable {
    private let api: UnsafePointer<Fts5ExtensionApi>
    private let context: OpaquePointer?

    /// A place where a phrase of the query stands in the row.
    public struct Instance: Sendable, Hashable {
        /// Which phrase of the query, counted from 0.
        public let phrase: Int
        /// In which column, counted from 0.
        public let column: Int
        /// The place of its first word in the column, counted from 0.
        public let offset: Int
    }

    fileprivate init(_ api: UnsafePointer<Fts5ExtensionApi>, _ context: OpaquePointer?) {
        (self.api, self.context) = (api, context)
    }

    /// The row's number.
    public var rowID: Int64 { api.pointee.xRowid(context) }
    /// The number of the table's columns.
    public var columnCount: Int { Int(api.pointee.xColumnCount(context)) }
    /// The number of the query's phrases. A word is a phrase, too.
    public var phraseCount: Int { Int(api.pointee.xPhraseCount(context)) }

    /// The number of words of a phrase of the query.
    ///
    /// - Parameter phrase: The phrase, counted from 0; another has none.
    public func wordCount(ofPhrase phrase: Int) -> Int {
        (0..<phraseCount).contains(phrase) ? Int(api.pointee.xPhraseSize(context, Int32(phrase))) : 0
    }

    /// The number of the table's rows.
    ///
    /// - Throws: ``SQLiteError``.
    public func rowCount() throws(SQLiteError) -> Int {
        Int(clamping: try value(Int64(0)) { api.pointee.xRowCount(context, &$0) })
    }

    /// The number of rows that have a phrase of the query.
    ///
    /// - Parameter phrase: The phrase, counted from 0.
    /// - Throws: ``SQLiteError``, ``ResultCode/range`` for a phrase that there isn't.
    public func rowCount(withPhrase phrase: Int) throws(SQLiteError) -> Int {
        guard (0..<phraseCount).contains(phrase) else { throw outOfRange("phrase", phrase) }
        return try value(0) { count in
            api.pointee.xQueryPhrase(context, Int32(phrase), &count) { _, _, count in
                count?.assumingMemoryBound(to: Int.self).pointee += 1
                return SQLITE_OK
            }
        }
    }

    /// The number of words in the row.
    ///
    /// - Parameter column: A column, counted from 0; nil is all of them.
    /// - Throws: ``SQLiteError``, ``ResultCode/range`` for a column that there isn't.
    public func wordCount(ofColumn column: Int? = nil) throws(SQLiteError) -> Int {
        let column = try number(column)
        return Int(try value(Int32(0)) { api.pointee.xColumnSize(context, column, &$0) })
    }

    /// The number of words in all rows of the table.
    ///
    /// - Parameter column: A column, counted from 0; nil is all of them.
    /// - Throws: ``SQLiteError``, ``ResultCode/range`` for a column that there isn't.
    public func totalWordCount(ofColumn column: Int? = nil) throws(SQLiteError) -> Int {
        let column = try number(column)
        return Int(clamping: try value(Int64(0)) { api.pointee.xColumnTotalSize(context, column, &$0) })
    }

    /// The row's text of a column.
    ///
    /// - Parameter column: The column, counted from 0.
    /// - Throws: ``SQLiteError``, ``ResultCode/range`` for a column that there isn't.
    public func text(ofColumn column: Int) throws(SQLiteError) -> String {
        let column = try number(column)
        var (text, count): (UnsafePointer<CChar>?, Int32) = (nil, 0)
        try check(api.pointee.xColumnText(context, column, &text, &count))
        return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(max(count, 0))), as: UTF8.self)
    }

    /// The places where the query's phrases stand in the row.
    ///
    /// - Throws: ``SQLiteError``.
    public func instances() throws(SQLiteError) -> [Instance] {
        let count = try value(Int32(0)) { api.pointee.xInstCount(context, &$0) }
        var instances: [Instance] = []
        for index in 0..<count {
            var (phrase, column, offset): (Int32, Int32, Int32) = (0, 0, 0)
            try check(api.pointee.xInst(context, index, &phrase, &column, &offset))
            instances.append(Instance(phrase: Int(phrase), column: Int(column), offset: Int(offset)))
        }
        return instances
    }

    /// What `make` makes, made once for a query, such as how rare each of its phrases is.
    ///
    /// - Parameter make: Makes the value.
    /// - Throws: What `make` throws.
    public func kept<Value>(_ make: () throws -> Value) rethrows -> Value {
        if let pointer = api.pointee.xGetAuxdata(context, 0),
            let box = Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue() as? Box<Value>
        {
            return box.value
        }
        let box = Box(try make())
        // Where FTS5 can't keep it, it calls the destructor itself.
        _ = api.pointee.xSetAuxdata(context, box.retained(), releaseBox)
        return box.value
    }

    private func number(_ column: Int?) throws(SQLiteError) -> Int32 {
        guard let column else { return -1 }
        guard (0..<columnCount).contains(column) else { throw outOfRange("column", column) }
        return Int32(column)
    }

    private func outOfRange(_ what: String, _ index: Int) -> SQLiteError {
        SQLiteError(.range, "the full-text query has no \(what) \(index)")
    }

    private func value<Value>(_ start: Value, _ read: (inout Value) -> Int32) throws(SQLiteError) -> Value {
        var value = start
        try check(read(&value))
        return value
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            throw SQLiteError(ResultCode(rawValue: code), "the full-text index could not be read")
        }
    }
}

private struct AuxiliaryFunction {
    let name: String
    let repairsText: Bool
    let body: @Sendable (borrowing FTS5MatchedRow, borrowing FunctionArguments) throws -> (any SQLiteValueConvertible)?
}

/// Auxiliary functions for FTS5.
extension Database {
    /// Adds an auxiliary function for FTS5, which is called with a table's name in a query with MATCH, as `bm25` is.
    ///
    /// ```swift
    /// try db.addAuxiliaryFunction("hit_count") { row, arguments in
    ///     try row.instances().count
    /// }
    /// try db.rows(
    ///     """
    ///     SELECT rowid FROM book WHERE book MATCH 'sail'
    ///     ORDER BY hit_count(book) DESC
    ///     """)
    /// try db.rows(
    ///     """
    ///     SELECT rowid FROM book
    ///     WHERE book MATCH 'sail' AND rank MATCH 'hit_count()' ORDER BY rank DESC
    ///     """)
    /// ```
    ///
    /// It belongs to its connection: one that all connections need is added in ``DatabaseConfiguration/prepare``. The
    /// closure is released when the connection is closed.
    ///
    /// See [Custom Auxiliary Functions](https://www.sqlite.org/fts5.html#custom_auxiliary_functions).
    ///
    /// - Parameters:
    ///   - name: The name. The last function of a name is used; its case doesn't matter.
    ///   - body: The function of a row that was found and the arguments after the table's name. Nil is NULL. What it
    ///     throws fails the statement, with its message. It must not use the connection.
    /// - Throws: ``ResultCode/misuse`` for a name that cannot be, ``ResultCode/missingFeature`` where SQLite has no
    ///   FTS5.
    public func addAuxiliaryFunction(
        _ name: String,
        _ body:
            @escaping @Sendable (borrowing FTS5MatchedRow, borrowing FunctionArguments) throws
            -> (any SQLiteValueConvertible)?
    ) throws(SQLiteError) {
        try connection.checkFTS5(name, "an auxiliary function")
        let api = try connection.fts5()
        let box = Box(AuxiliaryFunction(name: name, repairsText: connection.repairsText, body: body)).retained()
        let code = api.pointee.xCreateFunction(
            api, name, box,
            { api, row, context, count, values in
                guard let api, let function = api.pointee.xUserData(row) else { return }
                let auxiliary = Box<AuxiliaryFunction>.value(at: function)
                setResult(context) {
                    try auxiliary.body(
                        FTS5MatchedRow(api, row),
                        FunctionArguments(auxiliary.name, nil, count, values, repairsText: auxiliary.repairsText))
                }
            }, releaseBox)
        guard code == SQLITE_OK else {
            // Of what it doesn't take, FTS5 calls no destructor.
            releaseBox(box)
            throw connection.failure(code, sql: nil)
        }
    }
}
