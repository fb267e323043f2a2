/// Exporting a class's rows. Each method throws what the manager's method of the name throws.
extension ActiveRecord {
    /// Writes the class's rows that match a condition as CSV. See `PersistenceManager.exportCSV(_:to:_:keys:)`.
    ///
    /// - Returns: The number of rows.
    @discardableResult
    public static func exportCSV(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: ExportKeys = .properties
    ) throws -> Int {
        try PersistenceManager.current(for: self).exportCSV(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes the class's rows that match a condition as JSON. See `PersistenceManager.exportJSON(_:to:_:keys:)`.
    ///
    /// - Returns: The number of rows.
    @discardableResult
    public static func exportJSON(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: ExportKeys = .properties
    ) throws -> Int {
        try PersistenceManager.current(for: self).exportJSON(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes the class's rows that match a condition as CSV, while the task is suspended.
    ///
    /// - Returns: The number of rows.
    @discardableResult
    public static func exportCSV(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: ExportKeys = .properties
    ) async throws -> Int {
        try await PersistenceManager.current(for: self).exportCSV(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }

    /// Writes the class's rows that match a condition as JSON, while the task is suspended.
    ///
    /// - Returns: The number of rows.
    @discardableResult
    public static func exportJSON(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: ExportKeys = .properties
    ) async throws -> Int {
        try await PersistenceManager.current(for: self).exportJSON(
            Query(self, where: criteria, sortedBy: ordering), to: destination, format, keys: keys)
    }
}
