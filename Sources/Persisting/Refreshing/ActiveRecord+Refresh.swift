/// Reading an object again, on the object.
extension ActiveRecord {
    /// Reads the object's row again. See `PersistenceManager.refresh(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func refresh() throws {
        try ownManager().refresh(self)
    }

    /// Reads the object's row again.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func refresh() async throws {
        try await ownManager().refresh(self)
    }
}
