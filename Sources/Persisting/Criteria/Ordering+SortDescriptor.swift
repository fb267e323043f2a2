public import Foundation

/// Foundation's sort descriptors as orderings.
extension Ordering {
    /// The order of a `SortDescriptor`, `SortDescriptor(\User.lastName, order: .reverse)`.
    ///
    /// Texts are ordered by bytes where the descriptor compares them lexically, and as the current locale sorts where
    /// it says so. What Foundation does not tell of a descriptor is thrown when the ordering is used:
    /// ``PersistenceError/Code/invalidOrdering`` for one with a comparator of its own.
    ///
    /// - Parameter descriptor: The sort descriptor.
    public init(_ descriptor: SortDescriptor<Model>) {
        func invalid(_ reason: String) -> Ordering {
            Ordering(
                terms: [
                    .invalid(
                        PersistenceError(
                            .invalidOrdering,
                            "\(reason): use .ascending or .descending with the key path and a TextComparison",
                            model: ModelDescription.name(of: Model.self)))
                ])
        }
        guard let keyPath = descriptor.keyPath else {
            self = invalid("the sort descriptor has no key path")
            return
        }
        let direction: SortDirection = descriptor.order == .forward ? .ascending : .descending
        switch descriptor.stringComparator {
        case nil, .lexical?: self = Self.term(keyPath, direction, .stored, nil)
        case let comparator? where Self.isLocalized(comparator):
            self = Self.term(keyPath, direction, .localized, nil)
        case .some: self = invalid("the comparator of the sort descriptor is not known to SQLite")
        }
    }

    /// One sort descriptor after the other.
    ///
    /// - Parameter descriptors: The sort descriptors, the first of which counts most.
    public init(_ descriptors: [SortDescriptor<Model>]) {
        self.init(descriptors.map { Ordering($0) })
    }

    /// Foundation on Linux has no localized comparators.
    private static func isLocalized(_ comparator: String.StandardComparator) -> Bool {
        #if canImport(Darwin)
            comparator == .localizedStandard || comparator == .localized
        #else
            false
        #endif
    }
}
