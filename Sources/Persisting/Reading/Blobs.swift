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
    /// The object's property is left as it is: `load(_:)` reads what was written. A blob keeps its length; to make
    /// room, store zeros first: `UPDATE ALBUM SET COVER_IMAGE_DATA = zeroblob(?) WHERE ID = ?`.
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - keyPath: The property, usually a deferred one.
    ///   - access: Whether `body` writes, which it does in a transaction.
    ///   - body: What to do with the blob, which ends with it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``PersistenceError/Code/notPersisted``, ``PersistenceError/Code/notFound``,
    ///   ``PersistenceError/Code/typeMismatch`` when the row holds NULL or a number there, or
    ///   ``PersistenceError/Code/invalidModel`` for a table WITHOUT ROWID; ``PersistenceError/Code/database`` for a
    ///   blob to be written where nothing can be.
    @_disfavoredOverload @discardableResult
    public func withBlob<Model: PersistingModel, Value, T>(
        of object: Model, _ keyPath: KeyPath<Model, Value>, access: Blob.Access = .readOnly,
        _ body: (Blob) throws -> T
    ) throws -> T {
        try withBlob(place(of: object, table(of: type(of: object)).mapping.index(of: keyPath)), access, body)
    }

    /// The same, while the task is suspended. `body` runs on the database's side: what it captures is `Sendable` or
    /// sent.
    @discardableResult
    public func withBlob<Model: PersistingModel, Value, T>(
        of object: Model, _ keyPath: KeyPath<Model, Value>, access: Blob.Access = .readOnly,
        _ body: sending @escaping (Blob) throws -> sending T
    ) async throws -> sending T {
        try await discoverKey(of: type(of: object))
        let place = try place(of: object, table(of: type(of: object)).mapping.index(of: keyPath))
        return try await withBlob(place, access, body)
    }

    /// The same for a function, whose result stays in the caller's isolation; a closure's may go anywhere.
    @_disfavoredOverload @discardableResult
    public func withBlob<Model: PersistingModel, Value, T>(
        of object: Model, _ keyPath: KeyPath<Model, Value>, access: Blob.Access = .readOnly,
        _ body: sending @escaping (Blob) throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        try await discoverKey(of: type(of: object))
        let place = try place(of: object, table(of: type(of: object)).mapping.index(of: keyPath))
        return try await withBlob(place, access, function: body)
    }
}

extension PersistenceManager {
    private func withBlob<T>(
        _ place: BlobPlace, _ access: Blob.Access, function body: sending @escaping (Blob) throws -> T,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        let body: (Database) throws -> T = { db in try place.use(db, access, body) }
        do {
            return access == .readWrite ? try await database.write(body) : try await database.read(body)
        } catch {
            throw place.named(error)
        }
    }

    private func withBlob<T>(
        _ place: BlobPlace, _ access: Blob.Access, _ body: sending @escaping (Blob) throws -> sending T
    ) async throws -> sending T {
        do {
            guard access == .readWrite else {
                return try await database.read { db in try place.useSending(db, access, body) }
            }
            return try await database.write { db in try place.useSending(db, access, body) }
        } catch {
            throw place.named(error)
        }
    }

    private func withBlob<T>(_ place: BlobPlace, _ access: Blob.Access, _ body: (Blob) throws -> T) throws -> T {
        do {
            guard access == .readWrite, !isReadingHere else {
                // In a read, a blob to be written is rejected when it is opened.
                return try database.read { db in try place.use(db, access, body) }
            }
            return try database.write { db in try place.use(db, access, body) }
        } catch {
            throw place.named(error)
        }
    }

    /// Whether the calling thread is inside a closure that reads.
    private var isReadingHere: Bool { connections.mineToWrite?.isReading ?? database.isMine }

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

    /// What `body` has thrown, which is no error about the place.
    private struct Passed: Error {
        let error: any Error
    }

    func use<T>(_ db: Database, _ access: Blob.Access, _ body: (Blob) throws -> T) throws -> T {
        let blob = try open(db, access)
        do {
            return try body(blob)
        } catch {
            throw Passed(error: error)
        }
    }

    /// The same, with a result that may cross to another task.
    func useSending<T>(
        _ db: Database, _ access: Blob.Access, _ body: (Blob) throws -> sending T
    ) throws -> sending T {
        let blob = try open(db, access)
        do {
            return try body(blob)
        } catch {
            throw Passed(error: error)
        }
    }

    /// An error with the model and the property that it is about.
    func named(_ error: any Error) -> any Error {
        if let passed = error as? Passed { return passed.error }
        guard let error = error as? SQLiteError else { return error }
        let mapping = table.mapping
        return PersistenceError(
            PersistenceError(error, mapping).code, error.message, model: mapping.modelName,
            key: mapping.columns[index].key, underlying: error)
    }

    private func open(_ db: Database, _ access: Blob.Access) throws -> Blob {
        let (mapping, column) = (table.mapping, table.mapping.columns[index])
        let select = try mapping.sql.select("\(table.rowID(db)), typeof(\(mapping.sql.columns[index]))")
        guard let row = try db.rows(SQL(select), Arguments(key)).first else { throw mapping.notFound(key) }
        let found = try row.value(at: 1, as: String.self)
        guard ["blob", "text"].contains(found) else {
            throw PersistenceError(
                .typeMismatch,
                "the row holds \(found == "null" ? "NULL" : "a number") in \(column.name), where a blob is opened: "
                    + "store zeros for it first, zeroblob(length)", model: mapping.modelName, key: column.key)
        }
        return try db.openBlob(
            table: mapping.tableName, column: column.name, rowID: row.value(at: 0, as: Int64.self),
            database: mapping.database, access: access)
    }
}
