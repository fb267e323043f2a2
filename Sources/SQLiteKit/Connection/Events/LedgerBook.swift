internal import Synchronization

/// How many ledgers are open of a database's connections. Without any, no connection notes its statements.
final class LedgerBook: Sendable {
    private let count = Atomic(0)

    var isOpen: Bool { count.load(ordering: .acquiring) > 0 }

    func add(_ number: Int) { count.wrappingAdd(number, ordering: .acquiringAndReleasing) }
}
