public import SQLiteKit

/// What is committed.
extension PersistenceManager {
    /// What is committed to the database from the beginning of the loop on, in the order of the commits: by this
    /// manager, by raw SQL, by triggers and foreign key actions, and by other managers of this process on the same
    /// file.
    ///
    /// ```swift
    /// for await commit in manager.changes() {
    ///     for row in commit.tables?["album"]?.rows ?? [] {
    ///         print(row.kind, row.key, row.columns)
    ///     }
    /// }
    /// ```
    ///
    /// Tables and columns have the names that the database has for them. The loop ends when its task is cancelled.
    ///
    /// - Parameter interval: How often to ask whether other processes have committed anything. What they have committed
    ///   since the last time is one element whose `tables` are nil, since anything may have changed. Nil doesn't ask.
    public func changes(otherProcessesEvery interval: Duration? = nil) -> ChangeSequence {
        database.changes(otherProcessesEvery: interval)
    }
}
