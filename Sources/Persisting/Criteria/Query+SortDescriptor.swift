public import Foundation

/// Foundation's sort descriptors in the place of an ordering; see ``Ordering/init(_:)``.
extension Query {
    /// The rows in the order of sort descriptors, which replaces the earlier one.
    ///
    /// - Parameters:
    ///   - descriptor: The sort descriptor that counts most.
    ///   - others: Those that order the rows that are equal by the first.
    public func sorted(by descriptor: SortDescriptor<Model>, _ others: SortDescriptor<Model>...) -> Query {
        sorted(by: [descriptor] + others)
    }

    /// The rows in the order of sort descriptors, which replaces the earlier one.
    ///
    /// - Parameter descriptors: The sort descriptors, the first of which counts most.
    @_disfavoredOverload
    public func sorted(by descriptors: [SortDescriptor<Model>]) -> Query {
        sorted(by: Ordering(descriptors))
    }
}
