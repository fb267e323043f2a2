/// Exporting a class's rows. Each method throws what the manager's method of the name throws.
extension ActiveRecord {
    /// Writes the class's rows that match a condition as CSV. See `PersistenceManager.exportCSV(_:to:_:keys:)`.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: How to write. With an absent header its names say which properties are written.
    ///   - keys: What the fields are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    /// - Returns: The number of rows.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func exportCSV(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) throws -> Int {
        try PersistenceManager.current(for: self).exportCSV(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes the class's rows that match a condition as JSON. See `PersistenceManager.exportJSON(_:to:_:keys:)`.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    /// - Returns: The number of rows.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func exportJSON(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) throws -> Int {
        try PersistenceManager.current(for: self).exportJSON(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes the class's rows that match a condition as CSV, while the task is suspended.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: How to write. With an absent header its names say which properties are written.
    ///   - keys: What the fields are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    /// - Returns: The number of rows.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func exportCSV(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) async throws -> Int {
        try await PersistenceManager.current(for: self).exportCSV(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes the class's rows that match a condition as JSON, while the task is suspended.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - destination: The `URL` of a file, which takes the place of an existing one once it is whole, or a
    ///     `FileHandle`.
    ///   - format: Whether to write an array of objects, or an object on each line. By default an array.
    ///   - keys: What the keys are called, and so which properties are written. By default as the class's
    ///     ``PersistingModel/remoteMapping`` says, and without one like its properties.
    /// - Returns: The number of rows.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func exportJSON(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) async throws -> Int {
        try await PersistenceManager.current(for: self).exportJSON(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }
}
