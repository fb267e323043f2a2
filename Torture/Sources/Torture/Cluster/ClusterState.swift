import DqliteKit

/// A row for each write, with a number of its own.
final class Entry: PersistingModel {
    var id: Int64?
    var number = 0
}

/// What money is transferred from and to.
final class Account: PersistingModel {
    var id: Int64?
    var balance = 0
}

/// What clients read, add one to, and write.
final class Counter: PersistingModel {
    var id: Int64?
    var value = 0
}

/// All rows of the check's tables.
struct ClusterState: Equatable {
    static let accounts = 8
    static let balance = 1_000

    let numbers: [Int]
    let balances: [Int]
    let counter: Int

    static func prepare(_ manager: PersistenceManager) throws {
        for type in [Entry.self, Account.self, Counter.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        try manager.insert(
            (0..<accounts).map { _ in
                let account = Account()
                account.balance = balance
                return account
            })
        try manager.insert(Counter())
    }

    init(_ manager: PersistenceManager) throws {
        self = try manager.read(.linearizable) {
            ClusterState(
                numbers: try manager.fetchAll(Entry.self, sortedBy: "number").map(\.number),
                balances: try manager.fetchAll(Account.self, sortedBy: "id").map(\.balance),
                counter: try manager.find(Counter.self, 1)?.value ?? -1)
        }
    }

    private init(numbers: [Int], balances: [Int], counter: Int) {
        (self.numbers, self.balances, self.counter) = (numbers, balances, counter)
    }
}
