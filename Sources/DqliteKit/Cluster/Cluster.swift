internal import Foundation
internal import SQLiteKit

/// A database that several nodes of dqlite keep, each a copy, and agree on: it goes on while most of them run.
///
/// ```swift
/// let cluster = try Cluster(
///     ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "app")
/// let manager = try PersistenceManager(cluster)
/// ```
///
/// One node leads: it answers all reads and writes, and a commit is on most of the nodes before it returns. When the
/// leader is lost, the others elect another, and calls wait for it. A cluster gives availability and not capacity: each
/// node has all data in memory.
///
/// Nothing that may have been applied is sent twice. A write whose answer doesn't come throws
/// ``/SQLiteKit/SQLiteError`` with the outcome `.unknown`: read the database before you repeat it.
///
/// Nodes know neither encryption nor passwords: who reaches a port can read and stop the node. Keep them in a private
/// network, or connect with ``ClusterConfiguration/connect``. See [dqlite](https://dqlite.io).
public final class Cluster: Sendable {
    /// The name of the database.
    public let database: String
    /// How the cluster is used.
    public let configuration: ClusterConfiguration
    let directory: ClusterDirectory
    let writer: ClusterLender
    let readers: ClusterLender

    /// Describes a cluster. Nothing is connected to before it is used.
    ///
    /// - Parameters:
    ///   - addresses: Where nodes listen: `host:port`, `[IPv6 address]:port`, `/path` of a Unix domain socket, or
    ///     `@name` of an abstract one. One that runs is enough: the others are learned from it.
    ///   - database: The name of the database, which the first use creates.
    ///   - configuration: Time limits, the number of connections, and how nodes are connected to.
    /// - Throws: ``/SQLiteKit/SQLiteError`` with the code `.invalidAddress` when there is no address, or one isn't
    ///   valid.
    public init(
        _ addresses: [String], database: String, configuration: ClusterConfiguration = ClusterConfiguration()
    ) throws {
        guard !addresses.isEmpty else {
            throw SQLiteError(.invalidAddress, "the cluster has no address: give that of one node at the least")
        }
        // A hook may know addresses of other forms.
        if configuration.connect == nil { for address in addresses { _ = try NodeAddress(address) } }
        guard !database.isEmpty, !database.utf8.contains(0) else {
            throw SQLiteError(.misuse, "\"\(database)\" isn't the name of a database: give one without a NUL")
        }
        self.database = database
        self.configuration = configuration
        let directory = ClusterDirectory(addresses)
        self.directory = directory
        func lender(_ name: String, _ count: Int, isReader: Bool) -> ClusterLender {
            ClusterLender(name: name, count: count, configuration.accessTimeout) {
                ClusterConnection(database, configuration, directory, isReader: isReader)
            }
        }
        writer = lender("the writer of \(ClusterConnection.engineName)", 1, isReader: false)
        readers = lender(
            "a reader of \(ClusterConnection.engineName)", max(1, configuration.readerCount), isReader: true)
    }
}
