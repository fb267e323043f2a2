public import Foundation

/// Foundation's sort descriptors in the place of an ordering; see ``Ordering/init(_:)``.
extension Query {
    /// The rows in the order of a sort descriptor, which replaces the earlier one.
    ///
    /// - Parameter descriptor: The sort descriptor.
    public func sorted(by descriptor: SortDescriptor<Model>) -> Query {
        sorted(by: Ordering(descriptor))
    }

    /// The rows in the order of sort descriptors, which replaces the earlier one.
    ///
    /// - Parameter descriptors: The sort descriptors, the first of which counts most.
    @_disfavoredOverload
    public func sorted(by descriptors: [SortDescriptor<Model>]) -> Query {
        sorted(by: Ordering(descriptors))
    }
}
