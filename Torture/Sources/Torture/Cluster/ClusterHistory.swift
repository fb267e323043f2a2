import DqliteKit
import Foundation

/// What the clients were told, all of them together.
final class ClusterHistory: Sendable {
    /// Money that goes from one account to another.
    struct Transfer {
        let from: Int
        let to: Int
        let amount: Int
    }

    struct Report {
        var acknowledged = 0
        var unknown = 0
        var rejected = 0
        var linearizableReads = 0
        var olderReads = 0
        /// In milliseconds.
        var longestGap = 0
    }

    private let lock = NSLock()
    // All guarded by `lock`.
    nonisolated(unsafe) private var acknowledged: Set<Int> = []
    nonisolated(unsafe) private var unknown: Set<Int> = []
    nonisolated(unsafe) private var rejected: Set<Int> = []
    nonisolated(unsafe) private var transfers: [Int: Transfer] = [:]
    nonisolated(unsafe) private var increments: Set<Int> = []
    nonisolated(unsafe) private var faultsWhileRunning: [Fault] = []
    nonisolated(unsafe) private var greatest = 0
    nonisolated(unsafe) private var counts = Report()
    nonisolated(unsafe) private var lastCommit = ContinuousClock.now

    /// Notes what a write is, before it is sent.
    func begin(_ number: Int, transfer: Transfer? = nil, isIncrement: Bool = false) {
        lock.withLock {
            transfers[number] = transfer
            if isIncrement { increments.insert(number) }
        }
    }

    func acknowledge(_ number: Int, counter: Int? = nil) {
        lock.withLock {
            acknowledged.insert(number)
            if let counter { greatest = max(greatest, counter) }
            counts.longestGap = max(counts.longestGap, Int((ContinuousClock.now - lastCommit) / .milliseconds(1)))
            lastCommit = .now
        }
    }

    func fail(_ number: Int, _ error: any Error) {
        guard let cause = error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError else {
            return note(Fault(.error, "write \(number): \(error)"))
        }
        lock.withLock { () -> Void in
            if cause.outcome == .unknown { unknown.insert(number) } else { rejected.insert(number) }
        }
    }

    func note(_ fault: Fault) { lock.withLock { faultsWhileRunning.append(fault) } }

    /// The greatest value of the counter whose commit was acknowledged.
    var greatestCounter: Int { lock.withLock { greatest } }

    func countRead(linearizable: Bool, isOlder: Bool) {
        lock.withLock {
            if linearizable { counts.linearizableReads += 1 } else if isOlder { counts.olderReads += 1 }
        }
    }

    var report: Report {
        lock.withLock {
            var report = counts
            report.acknowledged = acknowledged.count
            report.unknown = unknown.count
            report.rejected = rejected.count
            return report
        }
    }

    /// What is wrong with the rows that are there in the end.
    func faults(_ state: ClusterState) -> [Fault] {
        lock.withLock {
            var faults = faultsWhileRunning
            let present = Set(state.numbers)
            for number in acknowledged.subtracting(present) { faults.append(Fault(.lost, "write \(number)")) }
            for number in rejected.intersection(present) { faults.append(Fault(.applied, "write \(number)")) }
            let counted = Dictionary(grouping: state.numbers) { $0 }.mapValues(\.count)
            for (number, count) in counted where count > 1 {
                faults.append(Fault(.twice, "write \(number), \(count) times"))
            }
            for number in present.subtracting(acknowledged).subtracting(unknown).subtracting(rejected) {
                faults.append(Fault(.applied, "write \(number), of which nothing was said"))
            }
            var balances = [Int](repeating: ClusterState.balance, count: ClusterState.accounts)
            for (number, transfer) in transfers where present.contains(number) {
                balances[transfer.from] -= transfer.amount
                balances[transfer.to] += transfer.amount
            }
            if balances != state.balances {
                faults.append(Fault(.half, "the accounts have \(state.balances), and the transfers make \(balances)"))
            }
            let added = increments.intersection(present).count
            if added != state.counter {
                faults.append(Fault(.half, "the counter is \(state.counter) after \(added) additions"))
            }
            return faults
        }
    }
}
