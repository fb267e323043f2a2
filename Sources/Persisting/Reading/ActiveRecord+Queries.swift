public import Foundation

/// Queries of a class.
///
/// ```swift
/// let query = User.where(\.luckyNumber > 7).sorted(by: \.lastName).limit(20)
/// ```
extension ActiveRecord {
    /// All rows of the class, for methods that take a query: `try manager.sum(Album.rows, \.price)`.
    public static var rows: Query<Self> { Query(self) }

    /// A query of the rows that a condition matches.
    ///
    /// - Parameter criteria: The condition to add.
    public static func `where`(_ criteria: Criteria<Self>) -> Query<Self> {
        Query(self).where(criteria)
    }

    /// A query of the rows that have a `Bool` property that is true: `Album.where(\.isLoved)`.
    ///
    /// - Parameter keyPath: The property.
    public static func `where`(_ keyPath: KeyPath<Self, Bool>) -> Query<Self> { Query(self).where(keyPath) }

    /// A query of the rows that a predicate of Foundation matches: `User.where(#Predicate { $0.age > 7 })`.
    ///
    /// - Parameter predicate: The predicate.
    public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { Query(self).where(predicate) }

    /// A query of all rows with their related objects: `Show.with(Show.episodes)`.
    ///
    /// - Parameter relations: Relations of the class or one above it, and values computed of them. A relation of
    ///   another class throws when the query is used.
    public static func with(_ relations: any Loadable...) -> Query<Self> {
        relations.reduce(Query(self)) { $0.with($1) }
    }

    /// A query of all rows in an order.
    ///
    /// - Parameter ordering: The order.
    public static func sorted(by ordering: Ordering<Self>) -> Query<Self> {
        Query(self).sorted(by: ordering)
    }

    /// A query of all rows by a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - direction: From the least to the greatest value unless said.
    public static func sorted<Value>(
        by keyPath: KeyPath<Self, Value>, _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        Query(self).sorted(by: keyPath, direction)
    }

    /// A query of all rows in the order of sort descriptors of Foundation.
    ///
    /// - Parameters:
    ///   - descriptor: The sort descriptor that counts most.
    ///   - others: Those that order the rows that are equal by the first.
    public static func sorted(by descriptor: SortDescriptor<Self>, _ others: SortDescriptor<Self>...) -> Query<Self> {
        Query(self).sorted(by: [descriptor] + others)
    }

    /// A query of at most this many rows.
    ///
    /// - Parameter count: Nil is no limit, 0 no rows; a negative one throws when the query is used.
    public static func limit(_ count: Int?) -> Query<Self> {
        Query(self).limit(count)
    }
}
