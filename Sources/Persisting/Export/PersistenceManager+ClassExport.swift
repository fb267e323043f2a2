/// Exporting a class's rows, without a query.
extension PersistenceManager {
    /// Writes a class's rows as CSV.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: How to write. With an absent header its names say which properties are written.
    ///   - keys: What the fields are called, and so which properties are written.
    /// - Returns: The number of rows.
    /// - Throws: What the form with a query throws.
    @discardableResult
    public func exportCSV<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) throws -> Int {
        try exportCSV(Query(type, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes a class's rows as JSON.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written.
    /// - Returns: The number of rows.
    /// - Throws: What the form with a query throws.
    @discardableResult
    public func exportJSON<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) throws -> Int {
        try exportJSON(Query(type, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes a class's rows as CSV, while the task is suspended; see the synchronous form.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: How to write. With an absent header its names say which properties are written.
    ///   - keys: What the fields are called, and so which properties are written.
    /// - Returns: The number of rows.
    /// - Throws: What the synchronous form throws, and `CancellationError` when the task is cancelled.
    @discardableResult
    public func exportCSV<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) async throws -> Int {
        try await exportCSV(Query(type, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes a class's rows as JSON, while the task is suspended; see the synchronous form.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written.
    /// - Returns: The number of rows.
    /// - Throws: What the synchronous form throws, and `CancellationError` when the task is cancelled.
    @discardableResult
    public func exportJSON<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) async throws -> Int {
        try await exportJSON(Query(type, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// A class's rows as the bytes of a CSV text.
    ///
    /// Nothing runs before the first bytes are asked for.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - format: How to write.
    ///   - keys: What the fields are called, and so which properties are written.
    public func csv<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) -> ExportSequence<Model> {
        csv(Query(type, where: criteria, sortedBy: ordering), format, keys: keys)
    }

    /// A class's rows as the bytes of a JSON text.
    ///
    /// Nothing runs before the first bytes are asked for.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written.
    public func json<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) -> ExportSequence<Model> {
        json(Query(type, where: criteria, sortedBy: ordering), format, keys: keys)
    }
}
