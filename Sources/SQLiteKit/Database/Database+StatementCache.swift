extension Database {
    /// What the statement cache holds and how well it serves.
    public struct StatementCacheStatistics: Sendable, Hashable {
        /// The number of statements kept.
        public let count: Int
        /// The number of statements that can be kept.
        public let capacity: Int
        /// How many times a statement was found in the cache.
        public let hits: Int
        /// How many times one had to be prepared.
        public let misses: Int
    }

    /// What the statement cache holds and how well it serves.
    public var statementCacheStatistics: StatementCacheStatistics {
        StatementCacheStatistics(
            count: statements.count, capacity: statements.capacity, hits: statements.hits, misses: statements.misses)
    }

    /// Lets go of all the statements kept, for example when memory is short. Outside an access it does nothing.
    public func clearStatementCache() {
        guard connection.isAccessible else { return }
        statements.removeAll()
    }
}
