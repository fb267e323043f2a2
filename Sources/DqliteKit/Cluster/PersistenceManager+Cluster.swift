public import Persisting
internal import SQLiteKit

extension PersistenceManager {
    /// Stores models in a cluster.
    ///
    /// ```swift
    /// let manager = try PersistenceManager(
    ///     Cluster(["10.0.0.1:9001", "10.0.0.2:9001"], database: "app"))
    /// ```
    ///
    /// Its methods are those of a local database. What a node lacks throws ``/SQLiteKit/SQLiteError`` with the code
    /// `.unsupported` before anything is sent: functions and collations in Swift, `REGEXP`, `database`, `read` and
    /// `write` with a ``/SQLiteKit/Database``, blobs in place, observation.
    ///
    /// - Parameters:
    ///   - cluster: The cluster. Without migrations it is connected to when it is first used.
    ///   - dates: The form in which to store dates: REAL seconds since 1970 unless said.
    ///   - migrations: What to bring the schema up to date with, in ascending order; see `migrate(_:progress:)`. Nil
    ///     neither migrates nor checks.
    ///   - versionTable: The table that holds the schema's version.
    /// - Throws: What `migrate(_:progress:)` throws.
    public convenience init(
        _ cluster: Cluster, dates: DateStorage = .unixSeconds, migrations: [Migration]? = nil,
        versionTable: String = "schema_version"
    ) throws {
        self.init(engine: cluster, dates: dates, versionTable: versionTable)
        if let migrations { try migrate(migrations) }
    }
}
