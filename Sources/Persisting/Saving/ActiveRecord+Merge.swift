/// Reconciling an object with what others have made of its row, on the object.
extension ActiveRecord {
    /// Reads the object's row again, takes over what others have changed, and keeps the object's own changes. See
    /// `PersistenceManager.merge(_:preferring:)`.
    ///
    /// - Parameter side: Whose value a property has that both have changed; nil throws.
    /// - Throws: What the manager's method throws.
    public func merge(preferring side: MergeSide? = nil) throws {
        try ownManager().merge(self, preferring: side)
    }

    /// Reads the object's row again, takes over what others have changed, and keeps the object's own changes, while the
    /// task is suspended.
    ///
    /// - Parameter side: Whose value a property has that both have changed; nil throws.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func merge(preferring side: MergeSide? = nil) async throws {
        try await ownManager().merge(self, preferring: side)
    }
}
