extension Database {
    /// Statistics of the statement cache.
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

    /// Statistics of the statement cache.
    public var statementCacheStatistics: StatementCacheStatistics {
        StatementCacheStatistics(
            count: statements.count, capacity: statements.capacity, hits: statements.hits, misses: statements.misses)
    }

    /// Releases all cached statements, for example when memory is short. Outside an access it does nothing.
    public func clearStatementCache() {
        guard connection.isAccessible else { return }
        statements.removeAll()
    }
}
