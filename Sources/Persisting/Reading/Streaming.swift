/// Going through the objects of a query without having all of them in memory.
///
/// Which rows there are, and in which order, is settled when the first is asked for. Each object is as its row is when
/// its batch is read; rows that are deleted in the meantime are skipped, and such that have come to meet the
/// condition are not there. A row that has been inserted under the number or key of a deleted one is taken for it.
/// Inside a read all are of one moment.
///
/// All rows of a table, in no order of the query's, come by the identifiers that SQLite gives them, up to the
/// greatest there is at the beginning: a row that is put between those to come, under an identifier of your own choice,
/// is among them.
///
/// The closure may save and delete the object it is given, and call the manager: no statement stands on a row, and no
/// connection is held. What stays in memory for each row that is still to come is a number, or its primary key in a
/// view or a table without row identifiers; of all rows of a table, nothing.
extension PersistenceManager {
    /// Calls `body` with each object of a query, in order. A hundred are read at a time.
    ///
    /// ```swift
    /// try manager.forEach(User.where(\.age < 18)) { user in
    ///     user.isActive = false
    ///     try user.save()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    ///   - body: What to do with an object. The methods of model classes in it use this manager.
    /// - Throws: ``PersistenceError``, or what `body` throws, which ends it.
    public func forEach<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool = true, _ body: (Model) throws -> Void
    ) throws {
        try forEachBatch(query, of: RowLookup.batch, tracked: tracked) { batch in
            for object in batch { try body(object) }
        }
    }

    /// The same, while the task is suspended between batches. `body` runs in the caller's isolation.
    public func forEach<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool = true, _ body: (Model) async throws -> Void
    ) async throws {
        try await suspendedBatches(query, of: RowLookup.batch, tracked) { batch in
            for object in batch { try await body(object) }
        }
    }

    /// The same, while the task is suspended between batches. `body` runs in the caller's isolation.
    public func forEach<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool = true, _ body: (Model) throws -> Void
    ) async throws {
        try await suspendedBatches(query, of: RowLookup.batch, tracked) { batch in
            for object in batch { try body(object) }
        }
    }

    /// Calls `body` with the objects of a query, in order, some at a time.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - size: How many at a time, 1 at least. A batch has fewer when rows have been deleted since, and the last one
    ///     when no more are left.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    ///   - body: What to do with them. The methods of model classes in it use this manager.
    /// - Throws: ``PersistenceError``, or what `body` throws, which ends it.
    public func forEachBatch<Model: PersistingModel>(
        _ query: Query<Model>, of size: Int, tracked: Bool = true, _ body: ([Model]) throws -> Void
    ) throws {
        try check(batchSize: size, query)
        var cursor = try QueryCursor(query, self, tracked: tracked)
        while let batch = try cursor.next(size, self) {
            if !batch.isEmpty { try looping { try body(batch) } }
        }
    }

    /// The same, while the task is suspended between batches. `body` runs in the caller's isolation.
    public func forEachBatch<Model: PersistingModel>(
        _ query: Query<Model>, of size: Int, tracked: Bool = true, _ body: ([Model]) async throws -> Void
    ) async throws {
        try await suspendedBatches(query, of: size, tracked) { batch in try await body(batch) }
    }

    /// The same, while the task is suspended between batches. `body` runs in the caller's isolation.
    public func forEachBatch<Model: PersistingModel>(
        _ query: Query<Model>, of size: Int, tracked: Bool = true, _ body: ([Model]) throws -> Void
    ) async throws {
        try await suspendedBatches(query, of: size, tracked) { batch in try body(batch) }
    }

    /// The objects of a query, in order, for a task to iterate over at its own pace.
    ///
    /// ```swift
    /// for try await user in manager.objects(User.where(\.age < 18)) { … }
    /// ```
    ///
    /// Nothing runs before the first object is asked for, and each loop runs the query again. A hundred objects are
    /// read at a time, on the database's side.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    public func objects<Model: PersistingModel>(_ query: Query<Model>, tracked: Bool = true) -> ObjectSequence<Model> {
        ObjectSequence(manager: self, query: query, tracked: tracked)
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// Calls `body` with each object of the query, in order. See `PersistenceManager.forEach(_:tracked:_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func forEach(_ body: (Model) throws -> Void) throws {
        try PersistenceManager.current(for: modelType).forEach(self, body)
    }

    /// The same, while the task is suspended between batches. `body` runs in the caller's isolation.
    public func forEach(_ body: (Model) async throws -> Void) async throws {
        try await PersistenceManager.current(for: modelType).forEach(self, body)
    }

    /// The same, while the task is suspended between batches. `body` runs in the caller's isolation.
    public func forEach(_ body: (Model) throws -> Void) async throws {
        try await PersistenceManager.current(for: modelType).forEach(self, body)
    }
}

extension PersistenceManager {
    func cursor<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool
    ) async throws -> QueryCursor<Model> {
        try await onReadingSide(of: query.modelType) { manager in try QueryCursor(query, manager, tracked: tracked) }
    }

    /// The objects of the next rows, and what is to come after them.
    func next<Model: PersistingModel>(
        _ size: Int, of cursor: QueryCursor<Model>
    ) async throws -> sending (batch: [Model]?, rest: QueryCursor<Model>) {
        try await onReadingSide(of: Model.self) { manager in
            var rest = cursor
            return (try rest.next(size, manager), rest)
        }
    }

    private func suspendedBatches<Model: PersistingModel>(
        _ query: Query<Model>, of size: Int, _ tracked: Bool, _ body: ([Model]) async throws -> Void
    ) async throws {
        try check(batchSize: size, query)
        var cursor = try await cursor(query, tracked: tracked)
        while case (let batch?, let rest) = try await next(size, of: cursor) {
            cursor = rest
            if !batch.isEmpty { try await looping { try await body(batch) } }
        }
    }

    private func check<Model: PersistingModel>(batchSize size: Int, _ query: Query<Model>) throws {
        guard size > 0 else {
            throw PersistenceError(
                .invalidRange, "the batch size must be at least 1, not \(size)",
                model: ModelDescription.name(of: query.modelType))
        }
    }
}
