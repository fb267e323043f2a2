import Foundation
import Persisting
import Testing

private typealias Order = CornerShop.Order

// F125
@Suite("Groups")
struct GroupTests {
    let manager: PersistenceManager

    init() throws {
        manager = try CornerShop.filled()
    }

    @Test("come in the order of their keys, NULL first")
    func order() throws {
        let groups = try manager.groups(Order.rows, by: .key(\.country), computing: .count)
        #expect(groups.map { $0.0 } == [nil, "Chile", "France"])
    }

    @Test("have several aggregates each")
    func aggregates() throws {
        let groups = try manager.groups(
            Order.where(\.country != nil), by: .key(\.country), computing: .count, .sum(\Order.price * \Order.quantity),
            .max(\.quantity))
        #expect(groups.map { $0.1 } == [2, 3])
        #expect(groups.map(\.2) == [9, 65])
        #expect(groups.map(\.3) == [7, 3])
    }

    @Test("by several keys")
    func keys() throws {
        let groups = try manager.groups(
            Order.where(\.country == "France"), by: .key(\.country), .key(\.quantity), computing: .count)
        #expect(groups.map { $0.1 } == [1, 2, 3])
    }

    @Test("by a calculation")
    func calculation() throws {
        let groups = try manager.groups(Order.rows, by: .key(\Order.quantity % 2, as: Int.self), computing: .count)
        #expect(groups.map { "\($0 ?? -1):\($1)" } == ["0:1", "1:5"])
    }

    @Test("that meet a condition of an aggregate")
    func having() throws {
        let total = Aggregate.sum(\Order.price * \Order.quantity)
        let groups = try manager.groups(Order.rows, by: .key(\.country), computing: total, having: total > 5)
        #expect(groups.map { $0.0 } == ["Chile", "France"])
    }

    @Test("that meet conditions joined, of keys too")
    func conditions() throws {
        let groups = try manager.groups(
            Order.rows, by: .key(\.country), computing: .count,
            having: !(Aggregate<Order, Int>.count == 2) && \.country != nil)
        #expect(groups.map { $0.0 } == ["France"])
    }

    @Test("that meet a condition of a calculation with aggregates")
    func calculatedCondition() throws {
        let (total, count) = (Aggregate.sum(\Order.price), Aggregate<Order, Int>.count)
        let groups = try manager.groups(
            Order.rows, by: .key(\.country), computing: count, having: total.expression / count.expression > 5)
        #expect(groups.map { $0.0 } == ["France"])
    }

    @Test("that meet a condition of an exact sum, compared as a number", .local(.decimals))
    func exactCondition() throws {
        let manager = try CornerShop.manager()
        for amount in ["9", "0.1"] { try CornerShop.order(in: manager, "a") { $0.amount = Decimal(string: amount) } }
        try CornerShop.order(in: manager, "b") { $0.amount = 10 }
        let sum = Aggregate.sum(\Order.amount)
        let groups = try manager.groups(Order.rows, by: .key(\.country), computing: sum, having: sum < 10)
        #expect(groups.map { $0.0 } == ["a"])
    }

    @Test("in the order of an exact sum, by numbers", .local(.decimals))
    func exactOrder() throws {
        let manager = try CornerShop.manager()
        for amount in ["9", "10", "-3"] {
            try CornerShop.order(in: manager, amount) { $0.amount = Decimal(string: amount) }
        }
        let sum = Aggregate.sum(\Order.amount)
        let groups = try manager.groups(Order.rows, by: .key(\.country), computing: sum, sortedBy: .descending(sum))
        #expect(groups.map { $0.0 } == ["10", "9", "-3"])
    }

    @Test("in the order of an aggregate, with a limit and an offset")
    func sorted() throws {
        let groups = try manager.groups(
            Order.rows, by: .key(\.country), computing: .count, sortedBy: .descending(.max(\.price)), limit: 1,
            offset: 1)
        #expect(groups.map { $0.0 } == [nil])
    }

    @Test("in the order of a key")
    func sortedByKey() throws {
        let groups = try manager.groups(
            Order.rows, by: .key(\.country), computing: .count, sortedBy: .descending(\.country, nils: .first))
        #expect(groups.map { $0.0 } == [nil, "France", "Chile"])
    }

    @Test("in the order of a calculated key")
    func sortedByCalculation() throws {
        let size = GroupKey<Order, Int?>.key(\Order.quantity % 2, as: Int.self)
        let groups = try manager.groups(Order.rows, by: size, computing: .count, sortedBy: .descending(size))
        #expect(groups.map { $0.0 } == [1, 0])
    }

    @Test("of a query with a limit, of those rows alone")
    func partial() throws {
        let groups = try manager.groups(
            Order.where(\.country != nil).sorted(by: \.price, .descending).limit(3), by: .key(\.country),
            computing: .count)
        #expect(groups.map { "\($0 ?? ""):\($1)" } == ["France:3"])
    }

    @Test("values of all parts of the statement are bound in their order")
    func values() throws {
        let groups = try manager.groups(
            Order.where(\.price < 15), by: .key(\Order.quantity + 100, as: Int.self),
            computing: .count.where(\Order.price > 3), having: Aggregate<Order, Int>.count > 1,
            sortedBy: .descending(.count.where(\Order.price < 2)), limit: 7)
        #expect(groups.map { "\($0 ?? 0):\($1)" } == ["101:2"])
    }

    @Test("asynchronously")
    func asynchronous() async throws {
        let groups = try await manager.groups(Order.where(\.country != nil), by: .key(\.country), computing: .count)
        #expect(groups.map { $0.1 } == [2, 3])
        let greatest = try await manager.compute(Query(Order.self), .max(\.price))
        let count = try await manager.compute(Order.where(\.country == nil), .count)
        #expect(greatest == 20)
        #expect(count == 1)
    }

    struct Sales: Decodable, Equatable {
        var country: String?
        var count: Int
        var revenue: Double?
        var last: Date?
    }

    @Test("as values of a Decodable type, dates whatever their column's form")
    func decoding() throws {
        let date = Date(timeIntervalSince1970: 86_400)
        try CornerShop.order(in: manager, "Peru", price: 3) { $0.shipped = date }
        let sales = try manager.groups(
            decoding: Sales.self, Order.where(\.country == "Peru"), by: .key(\.country), computing: .count,
            .sum(\.price).named("revenue"), .max(\.shipped).named("last"))
        #expect(sales == [Sales(country: "Peru", count: 1, revenue: 3, last: date)])
    }

    @Test("as values of a Decodable type, exact sums")
    func decodingDecimals() throws {
        struct Amount: Decodable { var sum: Decimal }
        let manager = try CornerShop.manager()
        for text in ["0.1", "0.2"] { try CornerShop.order(in: manager, nil) { $0.amount = Decimal(string: text) } }
        let amounts = try manager.groups(
            decoding: Amount.self, Query(Order.self), by: .key(\.country), computing: .sum(\.amount))
        #expect(amounts.map(\.sum) == [Decimal(string: "0.3")])
    }

    @Test("as values of a Decodable type, asynchronously")
    func decodingAsynchronously() async throws {
        let sales = try await manager.groups(
            decoding: Sales.self, Order.where(\.country == "Chile"), by: .key(\.country), computing: .count)
        #expect(sales.map(\.count) == [2])
    }
}

// F125
@Suite("Mistakes in groups")
struct GroupMistakeTests {
    let manager: PersistenceManager

    init() throws {
        manager = try CornerShop.filled()
    }

    @Test("an aggregate in a condition of rows says where it belongs")
    func condition() throws {
        let error = failure { try manager.fetchAll(Order.self, where: Aggregate<Order, Int>.count > 1) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.message.contains("having:") == true)
    }

    @Test("so it does in an ordering of rows, and in memory")
    func ordering() throws {
        let aggregate = Aggregate.max(\Order.price)
        #expect(failure { try manager.fetchAll(Order.sorted(by: .descending(aggregate))) }?.code == .invalidCriteria)
        #expect(failure { try (aggregate > 1).matches(Order()) }?.code == .invalidCriteria)
    }

    @Test("an aggregate of an aggregate is rejected")
    func nested() throws {
        let count = Aggregate<Order, Int>.count.expression
        #expect(failure { try manager.compute(Order.rows, .max(count)) }?.code == .invalidCriteria)
    }

    @Test("an aggregate as a key is rejected")
    func key() throws {
        let count = Aggregate<Order, Int>.count.expression
        let error = failure { try manager.groups(Order.rows, by: .key(count, as: Int.self), computing: .count) }
        #expect(error?.code == .invalidCriteria)
    }

    @Test("a condition of groups on a column that isn't a key is rejected, and names it")
    func otherColumn() throws {
        let error = failure {
            try manager.groups(Order.rows, by: .key(\.country), computing: .count, having: \.price > 1)
        }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.key == "price")
    }

    @Test("so is an ordering of groups by such a column")
    func otherOrder() throws {
        let error = failure {
            try manager.groups(Order.rows, by: .key(\.country), computing: .count, sortedBy: .ascending(\.price))
        }
        #expect(error?.key == "price")
    }

    @Test("a property without a column is rejected")
    func unknown() throws {
        let error = failure { try manager.groups(Order.rows, by: .key(\.isPersisted), computing: .count) }
        #expect(error?.code == .unknownKey)
    }

    @Test("two columns of one name are rejected in a Decodable type")
    func names() throws {
        let error = failure {
            try manager.groups(
                decoding: GroupTests.Sales.self, Query(Order.self), by: .key(\.country), computing: .sum(\.price),
                .sum(\.quantity))
        }
        #expect(error?.message.contains(".named") == true)
    }

    @Test("a negative limit is rejected")
    func limit() throws {
        let error = failure { try manager.groups(Order.rows, by: .key(\.country), computing: .count, limit: -1) }
        #expect(error?.code == .invalidRange)
    }
}
