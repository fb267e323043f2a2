/// Objects of rows that you read yourself, and that `Row` or a copy of one holds.
///
/// ```swift
/// try manager.write { db in
///     let rows = try db.query("UPDATE batter SET hr = hr + 1 RETURNING *")
///     while let row = try rows.next() {
///         let batter = try manager.object(Batter.self, from: row)
///         …
///     }
/// }
/// ```
///
/// What is said of `fetchAll(_:sql:_:_:partial:tracked:)` holds for them.
extension PersistenceManager {
    /// The object of a row.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - row: The row a query stands on.
    ///   - partial: Whether the row may lack columns, except for those of the primary key.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    /// - Throws: ``PersistenceError/Code/missingColumn``, ``PersistenceError/Code/typeMismatch``;
    ///   ``/SQLiteKit/SQLiteError`` with the code `.expired` for a row that its query has left.
    public func object<Model: PersistingModel>(
        _ type: Model.Type, from row: Row, partial: Bool = false, tracked: Bool = true
    ) throws -> Model {
        try object(type, row.columnSource(), partial, tracked)
    }

    /// The object of a copied row.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - row: The row a query stands on.
    ///   - partial: Whether the row may lack columns, except for those of the primary key.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    /// - Throws: ``PersistenceError``.
    public func object<Model: PersistingModel>(
        _ type: Model.Type, from row: RowSnapshot, partial: Bool = false, tracked: Bool = true
    ) throws -> Model {
        var rows = try rowObjects(type, row.columns, partial, tracked)
        return downcast(try rows.object(of: row), to: type)
    }

    /// The object of one class in a joined row; nil where the row has none: where its primary key is NULL, or for a
    /// class without a key all its columns.
    ///
    /// ```swift
    /// let artist = try manager.object(Artist.selection(prefix: "artist_"), from: row)
    /// ```
    ///
    /// - Parameters:
    ///   - selection: The class, and by which names its columns are in the row.
    ///   - row: The row a query stands on.
    ///   - partial: Whether the row may lack columns, except for those of the primary key.
    ///   - tracked: Whether to keep what was read.
    /// - Throws: What `object(_:from:partial:tracked:)` of a class throws.
    public func object<Model: PersistingModel>(
        _ selection: Selection<Model>, from row: Row, partial: Bool = false, tracked: Bool = true
    ) throws -> Model? {
        let statement = try row.columnSource()
        return try naming(statement) {
            var rows = try rowObjects(selection.modelType, row.columns, partial, tracked, prefix: selection.prefix)
            if rows.isAbsent(from: statement) { return nil }
            return downcast(try rows.object(of: statement), to: Model.self)
        }
    }

    /// The object of one class in a copied row that is joined; nil where the row has none.
    ///
    /// - Parameters:
    ///   - selection: The class, and by which names its columns are in the row.
    ///   - row: The row a query stands on.
    ///   - partial: Whether the row may lack columns, except for those of the primary key.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    /// - Throws: ``PersistenceError``.
    public func object<Model: PersistingModel>(
        _ selection: Selection<Model>, from row: RowSnapshot, partial: Bool = false, tracked: Bool = true
    ) throws -> Model? {
        var rows = try rowObjects(selection.modelType, row.columns, partial, tracked, prefix: selection.prefix)
        if rows.isAbsent(from: row) { return nil }
        return downcast(try rows.object(of: row), to: Model.self)
    }

    /// The objects of the rows that a query has left.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - rows: The query. It comes to its end.
    ///   - partial: Whether the rows may lack columns, except for those of the primary key.
    ///   - tracked: Whether to keep what was read.
    /// - Throws: What `object(_:from:partial:tracked:)` of a class throws; the query has ended then.
    public func objects<Model: PersistingModel>(
        _ type: Model.Type, from rows: ResultSet, partial: Bool = false, tracked: Bool = true
    ) throws -> sending [Model] {
        defer { rows.close() }
        // The objects hold nothing of the rows.
        nonisolated(unsafe) let found = try objects(type, rows.statement, partial, tracked) { try rows.next() != nil }
        return found
    }
}

extension PersistenceManager {
    /// The object of the row that a statement stands on.
    func object<Model: PersistingModel>(
        _ type: Model.Type, _ statement: some EngineStatement, _ partial: Bool, _ tracked: Bool = true
    ) throws -> Model {
        try naming(statement) {
            var rows = try rowObjects(type, statement.columns, partial, tracked)
            return downcast(try rows.object(of: statement), to: type)
        }
    }

    /// The objects of the rows that a statement goes through.
    ///
    /// - Parameter next: Goes to the next row; false when there are no more.
    @inline(__always)
    func objects<Model: PersistingModel>(
        _ type: Model.Type, _ statement: some EngineStatement, _ partial: Bool, _ tracked: Bool, next: () throws -> Bool
    ) throws -> [Model] {
        var objects: ContiguousArray<PersistingModel> = []
        var isRow = try next()
        return try naming(statement) {
            // The first step may have prepared the statement again. Without a row, a missing column is an error too.
            var fresh = try rowObjects(type, statement.columns, partial, tracked, expecting: nil, areTogether: true)
            while isRow {
                objects.append(try fresh.object(of: statement))
                isRow = try next()
            }
            return downcast(objects, to: type)
        }
    }

    /// Makes objects of rows with these columns.
    func rowObjects(
        _ type: PersistingModel.Type, _ names: ColumnNames, _ partial: Bool, _ tracked: Bool, prefix: String = "",
        expecting expected: Int? = 1, areTogether: Bool = false
    ) throws -> RowObjects {
        let mapping = try table(of: type).mapping
        let layout = try mapping.layout(in: names, prefix: prefix, partial: partial)
        let fetch = FetchTraits(isTogether: try areTogether && mapping.mayBeRelated)
        // Rows of raw SQL may be of other classes of the table.
        if let place = mapping.place, !place.subclasses.isEmpty || names.index(of: prefix + place.kindColumnName) != nil
        {
            let source = HierarchyRows.Source(
                prefix: prefix, partial: partial, tracked: tracked, expected: expected, fetch: fetch)
            return RowObjects(self, mapping, place, source, layout)
        }
        return RowObjects(self, type, mapping, layout, tracked: tracked, expecting: expected, fetch: fetch)
    }

    /// Runs `body`, and says the SQL in an error about a row of the statement.
    func naming<T>(_ statement: some EngineStatement, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PersistenceError {
            throw error.adding(sql: statement.sql)
        }
    }
}
