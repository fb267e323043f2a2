/// Large values, piece by piece.
extension PersistenceManager {
    /// Opens one column of an object's row as a blob, for `body` to read or write piece by piece.
    ///
    /// ```swift
    /// try manager.withBlob(of: album, \.coverImageData) { blob in
    ///     try blob.forEachChunk { piece in try file.write(contentsOf: piece) }
    /// }
    /// ```
    ///
    /// The object's property is left as it is: `load(_:_:)` reads what was written. A blob keeps its length; to make
    /// room, store zeros first: `UPDATE ALBUM SET COVER_IMAGE_DATA = zeroblob(?) WHERE ID = ?`.
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - keyPath: The property, a deferred one as a rule.
    ///   - access: Whether `body` writes, which it does in a transaction.
    ///   - body: What to do with the blob, which ends with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``PersistenceError/Code/notPersisted``, ``PersistenceError/Code/notFound``, or
    ///   ``PersistenceError/Code/invalidModel`` for a table WITHOUT ROWID; SQLite's error when the row holds NULL or a
    ///   number there.
    @discardableResult
    public func withBlob<Model: PersistingModel, Value, T>(
        of object: Model, _ keyPath: KeyPath<Model, Value>, access: Blob.Access = .readOnly,
        _ body: (Blob) throws -> T
    ) throws -> T {
        try withBlob(place(of: object, table(of: type(of: object)).mapping.index(of: keyPath)), access, body)
    }

    /// Opens one column of an object's row as a blob by its property's name.
    ///
    /// - Throws: What `withBlob(of:_:access:_:)` throws, and ``PersistenceError/Code/unknownKey``.
    @discardableResult
    public func withBlob<T>(
        of object: PersistingModel, key: String, access: Blob.Access = .readOnly, _ body: (Blob) throws -> T
    ) throws -> T {
        try withBlob(place(of: object, table(of: type(of: object)).mapping.index(ofKey: key)), access, body)
    }

    /// Opens one column of an object's row as a blob, while the task is suspended. `body` runs on the database's side:
    /// what it captures is `Sendable` or given up.
    @discardableResult
    public func withBlob<Model: PersistingModel, Value, T>(
        of object: Model, _ keyPath: KeyPath<Model, Value>, access: Blob.Access = .readOnly,
        _ body: sending @escaping (Blob) throws -> sending T
    ) async throws -> sending T {
        try await discoverKey(of: type(of: object))
        let place = try place(of: object, table(of: type(of: object)).mapping.index(of: keyPath))
        guard access == .readWrite else { return try await database.read { db in try body(place.open(db, access)) } }
        return try await database.write { db in try body(place.open(db, access)) }
    }

    private func withBlob<T>(_ place: BlobPlace, _ access: Blob.Access, _ body: (Blob) throws -> T) throws -> T {
        guard access == .readWrite else { return try database.read { db in try body(place.open(db, access)) } }
        return try database.write { db in try body(place.open(db, access)) }
    }

    private func place(of object: PersistingModel, _ index: Int) throws -> BlobPlace {
        let (table, key) = try storedKey(of: object, to: "open")
        return BlobPlace(table: table, key: key, index: index)
    }
}

/// Where a blob is: a column of the row with a key.
private struct BlobPlace: Sendable {
    let table: ModelTable
    let key: [SQLiteValue]
    let index: Int

    func open(_ db: Database, _ access: Blob.Access) throws -> Blob {
        let mapping = table.mapping
        return try mapping.naming {
            let select = try mapping.sql.selectRowID(table.rowID(db))
            guard let rowID = try db.scalar(select, Arguments(key), as: Int64.self) else {
                throw mapping.notFound(key)
            }
            return try db.openBlob(
                table: mapping.tableName, column: mapping.columns[index].name, rowID: rowID, access: access)
        }
    }
}
