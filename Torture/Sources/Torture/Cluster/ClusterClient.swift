import DqliteKit
import Foundation
import RandomTables

/// A client that writes and reads until the time is over, through objects and with connections of its own.
final class ClusterClient: Sendable {
    private let number: Int
    private let manager: PersistenceManager
    private let history: ClusterHistory
    private let seed: UInt64

    init(_ number: Int, _ addresses: [String], _ history: ClusterHistory, _ seed: UInt64) throws {
        self.number = number
        manager = try PersistenceManager(ClusterCheck.cluster(addresses))
        self.history = history
        self.seed = seed &+ UInt64(number)
    }

    func run(until end: ContinuousClock.Instant) {
        var random = SeededGenerator(seed: seed)
        var write = number * 10_000_000
        while .now < end {
            write += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: add(write)
            case 3..<5: transfer(write, &random)
            case 5..<7: increment(write)
            case 7: readLinearizably()
            case 8: readCounter()
            default: sumBalances()
            }
        }
    }

    private func add(_ number: Int) {
        let entry = Entry()
        entry.number = number
        history.begin(number)
        do {
            try manager.insert(entry)
            history.acknowledge(number)
        } catch {
            if entry.id != nil { history.note(Fault(.object, "the entry \(number) has a key after \(error)")) }
            fail(number, error)
        }
    }

    private func transfer(_ number: Int, _ random: inout SeededGenerator) {
        let places = Array(0..<ClusterState.accounts).shuffled(using: &random)
        let transfer = ClusterHistory.Transfer(
            from: places[0], to: places[1], amount: Int.random(in: 1...100, using: &random))
        history.begin(number, transfer: transfer)
        do {
            try manager.transaction {
                let (from, to) = (try account(transfer.from), try account(transfer.to))
                from.balance -= transfer.amount
                to.balance += transfer.amount
                try manager.save([from, to])
                try insert(number)
            }
            history.acknowledge(number)
        } catch {
            fail(number, error)
        }
    }

    private func increment(_ number: Int) {
        history.begin(number, isIncrement: true)
        do {
            let value = try manager.transaction {
                guard let counter = try manager.find(Counter.self, 1) else { throw Complaint("there is no counter") }
                counter.value += 1
                try manager.save(counter)
                try insert(number)
                return counter.value
            }
            history.acknowledge(number, counter: value)
        } catch {
            fail(number, error)
        }
    }

    private func insert(_ number: Int) throws {
        let entry = Entry()
        entry.number = number
        try manager.insert(entry)
    }

    private func account(_ place: Int) throws -> Account {
        guard let account = try manager.find(Account.self, place + 1) else {
            throw Complaint("account \(place) is gone")
        }
        return account
    }

    private func readLinearizably() {
        let known = history.greatestCounter
        // A read that fails has told nothing.
        guard let value = try? manager.read(.linearizable, { try manager.find(Counter.self, 1)?.value }) else { return }
        history.countRead(linearizable: true, isOlder: value < known)
        if value < known {
            history.note(Fault(.stale, "the counter was \(value) after \(known) had been acknowledged"))
        }
    }

    private func readCounter() {
        let known = history.greatestCounter
        guard let value = try? manager.find(Counter.self, 1)?.value else { return }
        history.countRead(linearizable: false, isOlder: value < known)
    }

    private func sumBalances() {
        guard let sum = try? manager.read(.snapshot, { try manager.fetchAll(Account.self).map(\.balance).reduce(0, +) })
        else { return }
        let expected = ClusterState.accounts * ClusterState.balance
        if sum != expected { history.note(Fault(.half, "the accounts had \(sum) of \(expected) in one read")) }
    }

    private func fail(_ number: Int, _ error: any Error) {
        history.fail(number, error)
        usleep(5_000)
    }
}
