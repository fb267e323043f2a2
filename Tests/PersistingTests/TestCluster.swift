import DqliteKit
import Foundation
import Persisting
import Testing

/// Suites on a cluster: where the environment variable PERSISTING_TEST_CLUSTER is the address of a node, a manager in
/// memory is a database of its own there.
enum TestCluster {
    private static let address = ProcessInfo.processInfo.environment["PERSISTING_TEST_CLUSTER"]

    /// A new database; nil where there is no cluster, or the test can't run there.
    static func manager(dates: DateStorage) throws -> PersistenceManager? {
        guard let address, case let name = nameOfTest, exceptions[name] == nil,
            suites.contains(String(name.prefix { $0 != "/" }))
        else { return nil }
        return try PersistenceManager(Cluster([address], database: UUID().uuidString), dates: dates)
    }

    /// The suite and the function of the test that runs, such as `FetchTests/order()`.
    private static var nameOfTest: String {
        guard let test = Test.current else { return "" }
        // Its identifier begins with the module, and ends with the place in the file.
        let parts = "\(test.id)".split(separator: "/").dropLast()
        return parts.joined(separator: "/").replacing("PersistingTests.", with: "", maxReplacements: 1)
    }

    /// The suites that run on a cluster.
    private static let suites: Set = [
        "AggregateTests", "AsyncTests", "BatchTests", "DeleteTests", "FetchTests", "InsertTests", "PageTests",
        "RollbackTests", "SaveTests", "StreamTests", "TransactionTests", "UpdateValueTests", "UpsertTests",
    ]

    /// Their tests that can't, each with its reason.
    private static let exceptions: [String: String] = [
        "SaveTests/noChange()": "counts on the statistics of a local connection",
        "TransactionTests/read()": "takes a Database",
        "TransactionTests/write()": "takes a Database",
        "TransactionTests/rawAccess()": "takes a Database",
        "TransactionTests/transactionInRead()": "takes a Database",
        "TransactionTests/writeInRead()": "takes a Database",
        "AsyncTests/connection()": "takes a Database",
        "PageTests/whole(query:)": "orders by fold and by LOCALIZED",
    ]
}
