/// Objects from the rows of raw SQL, by the class. ``ActiveRecord`` says which manager is used.
extension ActiveRecord {
    /// The objects of a query's rows. See `PersistenceManager.fetchAll(_:sql:_:_:partial:tracked:)`.
    ///
    /// - Parameters:
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: What the manager's method throws.
    public static func all(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) throws -> [Self] {
        try PersistenceManager.current(for: self).fetchAll(self, sql: sql, arguments, more, partial: partial)
    }

    /// The object of a query's first row; nil when there is none.
    ///
    /// - Parameters:
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: What the manager's method throws.
    public static func findOne(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) throws -> Self? {
        try PersistenceManager.current(for: self).fetchOne(self, sql: sql, arguments, more, partial: partial)
    }

    /// The objects of a query's rows, while the task is suspended.
    ///
    /// - Parameters:
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public static func all(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self).fetchAll(self, sql: sql, arguments, more, partial: partial)
    }

    /// The object of a query's first row, while the task is suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - sql: The statement, whose interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: More values for its parameters.
    ///   - partial: Whether columns may be missing; their properties then keep their defaults.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public static func findOne(
        sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], partial: Bool = false
    ) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).fetchOne(self, sql: sql, arguments, more, partial: partial)
    }
}
