import Foundation
import Persisting
import Testing

private typealias Order = CornerShop.Order

// F125
@Suite("Aggregates of every kind")
struct AggregateKindTests {
    let manager: PersistenceManager

    init() throws {
        manager = try CornerShop.manager()
    }

    @Test("of no rows there are counts of 0, totals of 0, and nil")
    func noRows() throws {
        let (rows, values, total) = try manager.compute(Order.rows, .count, .count(\.country), .total(\.price))
        let (sum, average, least, text) = try manager.compute(
            Order.rows, .sum(\.price), .average(\.quantity), .min(\.date), .joined(\.code))
        #expect(rows == 0 && values == 0 && total == 0)
        #expect(sum == nil && average == nil && least == nil && text == nil)
    }

    @Test("of no rows there are no groups")
    func noGroups() throws {
        #expect(try manager.groups(Order.rows, by: .key(\.country), computing: .count).isEmpty)
    }

    @Test("NULL counts for nothing but a count of rows")
    func nulls() throws {
        try CornerShop.order(in: manager, nil)
        try CornerShop.order(in: manager, "France")
        let (rows, countries) = try manager.compute(Order.rows, .count, .count(\.country))
        #expect(rows == 2 && countries == 1)
    }

    @Test("a distinct count goes by the column's collation")
    func distinct() throws {
        for code in ["a", "A", "b"] { try CornerShop.order(in: manager, nil) { $0.code = code } }
        let value = try manager.compute(Order.rows, .count(distinct: \.code))
        #expect(value == 2)
    }

    @Test("groups go by the column's collation")
    func collation() throws {
        for code in ["a", "A", "b"] { try CornerShop.order(in: manager, nil) { $0.code = code } }
        let groups = try manager.groups(Order.rows, by: .key(\.code), computing: .count)
        #expect(groups.map { $0.1 } == [2, 1])
    }

    @Test("a sum of Decimals is exact")
    func decimals() throws {
        for text in ["0.1", "0.2", "12345678901234567890.05"] {
            try CornerShop.order(in: manager, nil) { $0.amount = Decimal(string: text) }
        }
        let value = try manager.compute(Order.rows, .sum(\.amount))
        #expect(value == Decimal(string: "12345678901234567890.35"))
    }

    @Test("a distinct count of Decimals counts numbers and not texts", .local(.decimals))
    func distinctDecimals() throws {
        for _ in 0..<2 { try CornerShop.order(in: manager, nil) { $0.amount = 1 } }
        try manager.run("UPDATE \"ORDER\" SET AMOUNT = '1.0' WHERE ID = 2")
        let value = try manager.compute(Order.rows, .count(distinct: \.amount))
        #expect(value == 1)
    }

    @Test("a sum of a calculation as a Decimal")
    func calculatedDecimal() throws {
        try CornerShop.order(in: manager, nil, price: 0.25, quantity: 3)
        try CornerShop.order(in: manager, nil, price: 0.5, quantity: 1)
        let value = try manager.compute(Order.rows, .sum(\Order.price * \Order.quantity, as: Decimal.self))
        #expect(value == Decimal(string: "1.25"))
    }

    @Test("a sum of a calculation as an integer")
    func calculatedInteger() throws {
        try CornerShop.order(in: manager, nil, quantity: 3)
        try CornerShop.order(in: manager, nil, quantity: 4)
        let value = try manager.compute(Order.rows, .sum(\Order.quantity * 2, as: Int.self))
        #expect(value == 14)
    }

    @Test("a sum of a calculation of integers is a floating point number unless said")
    func calculatedDouble() throws {
        try CornerShop.order(in: manager, nil, quantity: 1 << 55 + 1)
        let value = try manager.compute(Order.rows, .sum(\Order.quantity * 1))
        #expect(value == Double(1 << 55 + 1))
    }

    @Test("the extremes of dates, enums and texts are as their columns decode them")
    func extremes() throws {
        let early = Date(timeIntervalSince1970: 10)
        try CornerShop.order(in: manager, nil) { ($0.date, $0.shipped, $0.channel) = (early, early, .phone) }
        try CornerShop.order(in: manager, nil) { ($0.date, $0.channel) = (Date(timeIntervalSince1970: 20), .store) }
        let (date, shipped, channel) = try manager.compute(Order.rows, .min(\.date), .max(\.shipped), .max(\.channel))
        #expect(date == early && shipped == early && channel == .store)
    }

    @Test("texts are joined with a separator")
    func joined() throws {
        try CornerShop.order(in: manager, nil) { $0.code = "a" }
        try CornerShop.order(in: manager, nil) { $0.code = "b" }
        let text = try manager.compute(Order.rows, .joined(\.code, separator: " + "))
        #expect(["a + b", "b + a"].contains(text))
    }

    @Test("an aggregate of the rows that meet a condition")
    func filter() throws {
        for country in ["France", "Chile", "France"] { try CornerShop.order(in: manager, country) }
        let (all, french) = try manager.compute(Order.rows, .count, .count.where(\Order.country == "France"))
        #expect(all == 3 && french == 2)
    }

    @Test("a bit field as a key, and as a condition of an aggregate")
    func bits() throws {
        for isPaid in [true, false, true] { try CornerShop.order(in: manager, nil) { $0.isPaid = isPaid } }
        let groups = try manager.groups(Order.rows, by: .key(\.isPaid), computing: .count)
        #expect(groups.map { $0.0 } == [false, true])
        #expect(groups.map { $0.1 } == [1, 2])
    }

    @Test("a property of a related row as a key, and computed of")
    func related() throws {
        let customer = CornerShop.Customer()
        (customer.name, customer.city) = ("Ann", "Lille")
        try manager.insert(customer)
        try CornerShop.order(in: manager, nil) { $0.customerID = customer.id }
        try CornerShop.order(in: manager, nil)
        let groups = try manager.groups(
            Order.rows, by: .key(Order.customer[\.city]), computing: .count, .max(Order.customer[\.name]))
        #expect(groups.map { $0.0 } == [nil, "Lille"])
        #expect(groups.map(\.2) == [nil, "Ann"])
    }

    @Test("how many related rows there are, summed")
    func relatedCount() throws {
        let customers = try ["Ann", "Bob"].map { name in
            let customer = CornerShop.Customer()
            customer.name = name
            try manager.insert(customer)
            return customer
        }
        for index in [0, 0, 1] { try CornerShop.order(in: manager, nil) { $0.customerID = customers[index].id } }
        let value = try manager.compute(CornerShop.Customer.rows, .sum(CornerShop.Customer.orders.count))
        #expect(value == 3)
    }

    @Test("a sum of integers beyond Int64 throws, and names the property")
    func overflow() throws {
        try CornerShop.order(in: manager, nil, quantity: .max)
        try CornerShop.order(in: manager, nil, quantity: 1)
        let error = failure { try manager.groups(Order.rows, by: .key(\.country), computing: .sum(\.quantity)) }
        #expect(error?.code == .overflow)
        #expect(error?.key == "quantity")
    }

    @Test("of several sums, each that it may be is named")
    func overflowOfSeveral() throws {
        try CornerShop.order(in: manager, nil, quantity: .max)
        try CornerShop.order(in: manager, nil, quantity: 1)
        let error = failure { try manager.compute(Order.rows, .sum(\.quantity), .sum(\.flags)) }
        #expect(error?.message.contains("quantity or flags") == true)
    }

    @Test("a sum beyond the property's type throws, and names it")
    func smallOverflow() throws {
        for _ in 0..<2 { try CornerShop.order(in: manager, nil) { $0.points = 100 } }
        let error = failure { try manager.compute(Order.rows, .sum(\.points)) }
        #expect(error?.code == .overflow)
        #expect(error?.key == "points")
    }

    @Test("a sum of texts is rejected, and names the property")
    func texts() throws {
        let error = failure { try manager.compute(Order.rows, .average(\.code)) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.key == "code")
    }

    @Test("a total never overflows")
    func total() throws {
        try CornerShop.order(in: manager, nil, quantity: .max)
        try CornerShop.order(in: manager, nil, quantity: .max)
        let value = try manager.compute(Order.rows, .total(\.quantity))
        #expect(value == 2 * Double(Int.max))
    }
}
