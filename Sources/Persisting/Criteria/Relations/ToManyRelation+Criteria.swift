extension ToManyRelation {
    /// The related objects that this condition matches as well.
    ///
    /// - Parameter criteria: The condition to add.
    public func `where`(_ criteria: Criteria<Target>) -> Self {
        refined { $0.tree = $0.tree.map { $0.joined(.and, with: criteria.tree) } ?? criteria.tree }
    }

    /// The related objects that have a `Bool` property that is true: `Show.episodes.where(\.isLoved)`.
    ///
    /// - Parameter keyPath: The property.
    public func `where`(_ keyPath: KeyPath<Target, Bool>) -> Self { `where`(keyPath == true) }

    /// The related objects in another order, which replaces the earlier one. Without one they come as SQLite finds
    /// them.
    ///
    /// - Parameter ordering: The order.
    public func sorted(by ordering: Ordering<Target>) -> Self {
        refined { $0.terms = ordering.terms }
    }

    /// The related objects by a property, in an order that replaces the earlier one.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - direction: From the least to the greatest value unless said.
    public func sorted<Value>(
        by keyPath: KeyPath<Target, Value>, _ direction: SortDirection = .ascending
    ) -> Self {
        sorted(by: direction == .ascending ? .ascending(keyPath) : .descending(keyPath))
    }
}
