import Foundation
import Persisting
import Testing

private typealias Order = CornerShop.Order

/// Rows in random groups, of which SQLite and Swift compute the same.
// F125
@Suite("Random groups")
struct GroupRandomTests {
    /// What is computed of a group, in Swift.
    private struct Figures: Equatable, CustomStringConvertible {
        var key: [String]
        var count = 0
        var countries = 0
        var sum: Int?
        var average: Double?
        var least: Date?
        var greatest: Double?
        var filtered = 0
        var exact: Decimal?
        var description: String {
            "\(key) \(count) \(countries) \(sum as Any) \(average as Any) \(least as Any) \(greatest as Any) "
                + "\(filtered) \(exact as Any)"
        }
    }

    @Test("are computed alike in SQL and in Swift")
    func groups() throws {
        var random = SeededGenerator()
        let seed = random.seed
        for number in 0..<Effort.times(20) {
            let manager = try CornerShop.manager()
            let orders = (0..<random.pick([0, 1, 5, 30])).map { _ in order(&random) }
            try manager.insert(orders)
            for _ in 0..<20 { try check(manager, orders, &random, "seed \(seed), table \(number)") }
        }
    }

    private func order(_ random: inout SeededGenerator) -> Order {
        let order = Order()
        order.country = random.pick(["France", "Chile", "", nil])
        order.channel = random.pick(CornerShop.Channel.allCases)
        order.quantity = random.pick([-2, 0, 1, 2, 3, 1 << 40])
        order.price = random.pick([-1.5, 0, 0.25, 8, 1e9])
        order.amount = random.pick([nil, Decimal(string: "0.1"), Decimal(string: "-7.25"), 100])
        order.date = Date(timeIntervalSince1970: random.pick([0, 0.5, 86_400, -1e9]))
        order.isPaid = random.chance(2)
        return order
    }

    private func check(
        _ manager: PersistenceManager, _ orders: [Order], _ random: inout SeededGenerator, _ place: String
    ) throws {
        let bound = random.pick([-2, 0, 1, 3])
        let condition = random.pick(conditions(bound))
        let filter = random.pick(filters(bound))
        let least = random.pick([0, 1, 2, 4])
        let kind = random.pick([0, 1, 2])
        var query = Order.where(condition)
        var rows = try orders.filter { try condition.matches($0) }
        if random.chance(3) {
            let limit = random.pick([0, 1, 4])
            query = query.sorted(by: \.id).limit(limit)
            rows = Array(rows.prefix(limit))
        }
        let groups = Dictionary(grouping: rows) { key($0, kind) }
        let expected = try groups.map { key, rows in try figures(key, rows, filter) }.filter { $0.count > least }
        let found = try computed(manager, query, kind, filter, least)
        let order = { (lhs: Figures, rhs: Figures) in lhs.key.lexicographicallyPrecedes(rhs.key) }
        #expect(found.sorted(by: order) == expected.sorted(by: order), "\(place), kind \(kind)")
    }

    private func conditions(_ bound: Int) -> [Criteria<Order>] {
        let isMore: Criteria<Order> = \.quantity > bound
        let isSomewhere: Criteria<Order> = \.country != nil
        let isPaid: Criteria<Order> = \.isPaid == true
        return [.all, isMore, isSomewhere, isPaid && !isMore]
    }

    private func filters(_ bound: Int) -> [Criteria<Order>] {
        let isDear: Criteria<Order> = \.price > 0
        let isNowhere: Criteria<Order> = \.country == nil
        let isEqual: Criteria<Order> = \.quantity == bound
        return [isDear, isNowhere, isEqual]
    }

    private func key(_ order: Order, _ kind: Int) -> [String] {
        switch kind {
        case 0: ["\(order.country as Any)"]
        case 1: ["\(order.country as Any)", "\(order.channel)"]
        default: ["\(order.quantity % 3)", "\(order.isPaid)"]
        }
    }

    private func figures(_ key: [String], _ rows: [Order], _ filter: Criteria<Order>) throws -> Figures {
        let amounts = rows.compactMap(\.amount)
        return Figures(
            key: key, count: rows.count, countries: Set(rows.compactMap(\.country)).count,
            sum: rows.reduce(0) { $0 + $1.quantity },
            average: Double(rows.reduce(0) { $0 + $1.quantity }) / Double(rows.count), least: rows.map(\.date).min(),
            greatest: rows.map { $0.price * Double($0.quantity) }.max(), filtered: try filter.filter(rows).count,
            exact: amounts.isEmpty ? nil : amounts.reduce(0, +))
    }

    private func computed(
        _ manager: PersistenceManager, _ query: Query<Order>, _ kind: Int, _ filter: Criteria<Order>, _ least: Int
    ) throws -> [Figures] {
        typealias Count = Aggregate<Order, Int>
        let product = Aggregate<Order, Double?>.max(\Order.price * \Order.quantity)
        let filtered = Count.count.where(filter)
        let enough: Criteria<Order> = Count.count > least
        func groups<First, Second>(
            _ first: GroupKey<Order, First>, _ second: GroupKey<Order, Second>, _ key: (First, Second) -> [String]
        ) throws -> [Figures] {
            let groups = try manager.groups(
                query, by: first, second, computing: Count.count, Count.count(distinct: \.country), .sum(\.quantity),
                .average(\.quantity), .min(\.date), product, filtered, .sum(\.amount), having: enough)
            return groups.map { group in
                Figures(
                    key: key(group.0, group.1), count: group.2, countries: group.3, sum: group.4, average: group.5,
                    least: group.6, greatest: group.7, filtered: group.8, exact: group.9)
            }
        }
        return switch kind {
        case 0: try groups(.key(\.country), .key(\.country)) { country, _ in ["\(country as Any)"] }
        case 1: try groups(.key(\.country), .key(\.channel)) { ["\($0 as Any)", "\($1)"] }
        default:
            try groups(.key(\Order.quantity % 3, as: Int.self), .key(\.isPaid)) { ["\($0 ?? -99)", "\($1)"] }
        }
    }
}
