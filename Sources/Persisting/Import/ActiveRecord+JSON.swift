/// Objects from JSON. Each method throws what the manager's method of the name throws.
extension ActiveRecord {
    /// Inserts or updates the object of a JSON object, and returns it.
    ///
    /// - Parameters:
    ///   - json: The JSON, an object.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func upsert(json: some JSONSource, invalidValues: InvalidValues = .fail) throws -> Self {
        try PersistenceManager.current(for: self).upsert(self, json: json, invalidValues: invalidValues)
    }

    /// Inserts or updates the objects of a JSON array: all of them, or none.
    ///
    /// - Parameters:
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func upsertAll(
        json: some JSONSource, invalidValues: InvalidValues = .fail, _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> [Self] {
        try PersistenceManager.current(for: self).upsertAll(self, json: json, invalidValues: invalidValues, setUp)
    }

    /// Brings the table up to date with a JSON array whose elements say their status: those whose status is `"D"` are
    /// deleted, and all others inserted or updated.
    ///
    /// - Parameters:
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - statusKey: The key of the status.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func synchronize(
        json: some JSONSource, statusKey: String = "status", invalidValues: InvalidValues = .fail,
        _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> SynchronizationResult<Self> {
        try PersistenceManager.current(for: self).synchronize(
            self, json: json, statusKey: statusKey, invalidValues: invalidValues, setUp)
    }

    /// Inserts or updates the object of a JSON object, while the task is suspended.
    ///
    /// - Parameters:
    ///   - json: The JSON, an object.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func upsert(
        json: sending some JSONSource, invalidValues: InvalidValues = .fail
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).upsert(self, json: json, invalidValues: invalidValues)
    }

    /// Inserts or updates the objects of a JSON array, while the task is suspended: all of them, or none.
    ///
    /// - Parameters:
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func upsertAll(
        json: sending some JSONSource, invalidValues: InvalidValues = .fail,
        _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self).upsertAll(self, json: json, invalidValues: invalidValues, setUp)
    }

    /// Brings the table up to date with a JSON array whose elements say their status, while the task is suspended.
    ///
    /// - Parameters:
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - statusKey: The key of the status.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func synchronize(
        json: sending some JSONSource, statusKey: String = "status", invalidValues: InvalidValues = .fail,
        _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending SynchronizationResult<Self> {
        try await PersistenceManager.current(for: self).synchronize(
            self, json: json, statusKey: statusKey, invalidValues: invalidValues, setUp)
    }
}
