/// Reading deferred properties of an object, on the object. Each throws what the manager's method throws.
extension ActiveRecord {
    /// Reads one column of the object's row, usually a deferred one. The property then holds what the row holds.
    ///
    /// ```swift
    /// try album.load(\.coverImageData)
    /// ```
    ///
    /// - Parameter keyPath: The property. What was set on it and not saved is lost.
    /// - Throws: What the manager's method throws.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) throws {
        try managerOfRow(to: "load").load([self], keyPath)
    }

    /// Reads one column of the object's row, while the task is suspended.
    ///
    /// - Parameter keyPath: The property. What was set on it and not saved is lost.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) async throws {
        try await managerOfRow(to: "load").load([self], keyPath)
    }
}
