import Foundation
import Persisting
import Testing

private typealias Order = CornerShop.Order

@Suite("Groups have a value of their keys alone")
struct KeysOfGroupsTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try CornerShop.manager()
        for city in ["Rome", "Oslo"] { try manager.insert(CornerShop.Customer.self, values: ["city": city]) }
        for (day, customer) in [(4, 1), (24, 2), (40, 1)] {
            try CornerShop.order(in: manager, "DE") { order in
                order.date = Date(timeIntervalSince1970: Double(day) * 86_400)
                order.customerID = Int64(customer)
            }
        }
    }

    private func keyOfError(_ groups: () throws -> some Any) -> String? {
        let error = failure { _ = try groups() }
        return error?.code == .invalidCriteria ? error?.key : nil
    }

    @Test("and not of what a key is calculated from", .local(.textAndDateFunctions))
    func insideOfKey() throws {
        let later = Date(timeIntervalSince1970: 10 * 86_400)
        #expect(
            keyOfError {
                try manager.groups(Order.rows, by: .month(\.date), computing: .count, having: \.date >= later)
            }
                == "date")
        #expect(
            keyOfError {
                try manager.groups(Order.rows, by: .month(\.date), computing: .count, sortedBy: .ascending(\.date))
            } == "date")
    }

    @Test("which may be calculated", .local(.textAndDateFunctions))
    func calculatedKey() throws {
        let (row, start) = (Order.row, Date(timeIntervalSince1970: 0))
        let months = try manager.groups(
            Order.rows, by: .month(\.date), computing: .count, having: row.date.start(of: .month) == start)
        #expect(months.map(\.1) == [2])
        let sums = try manager.groups(
            Order.rows, by: .key(row.quantity + 1, as: Int.self), computing: .count,
            having: (row.quantity + 1) * 2 == 4, sortedBy: .descending(row.quantity + 1))
        #expect(sums.map(\.0) == [2])
        #expect(
            keyOfError {
                try manager.groups(
                    Order.rows, by: .key(row.quantity + 1, as: Int.self), computing: .count,
                    having: row.quantity + 2 == 3)
            } == "quantity")
    }

    @Test("but may be compared with another query's rows, which have an order of their own")
    func otherQuery() throws {
        let count = Aggregate<Order, Int>.count.expression
        let first = ModelExpression<Order>.first(of: Order.sorted(by: \.price).values(\.quantity))
        let groups = try manager.groups(Order.rows, by: .key(\.country), computing: .count, having: count > first)
        #expect(groups.map(\.1) == [3])
    }

    @Test("and not of related rows, unless a key is the reference, or their value")
    func relatedRows() throws {
        let isRoman = Order.customer[\.city] == "Rome"
        #expect(
            keyOfError { try manager.groups(Order.rows, by: .key(\.country), computing: .count, having: isRoman) }
                == "customerID")
        #expect(
            keyOfError {
                try manager.groups(
                    Order.rows, by: .key(\.country), computing: .count, having: Order.customer.matches(\.city == "Rome")
                )
            } == "customerID")
        #expect(
            keyOfError {
                try manager.groups(
                    Order.rows, by: .key(\.country), computing: .count, sortedBy: .ascending(Order.customer[\.city]))
            } == "customerID")
        let customers = try manager.groups(Order.rows, by: .key(\.customerID), computing: .count, having: isRoman)
        #expect(customers.map(\.1) == [2])
        let cities = try manager.groups(
            Order.rows, by: .key(Order.customer[\.city]), computing: .count, having: isRoman,
            sortedBy: .ascending(Order.customer[\.city]))
        #expect(cities.map(\.0) == ["Rome"])
    }

    @Test("and not of rows that are searched for, unless a key is the row's")
    func searchedRows() throws {
        let manager = try memoryManager(MemoFolder.self, Memo.self)
        for title in ["wind", "sail"] { try manager.insert(Memo.self, values: ["title": title]) }
        let found = Memo.text.matches("wind")
        #expect(
            keyOfError { try manager.groups(Memo.rows, by: .key(\.folderID), computing: .count, having: found) } == "id"
        )
        let memos = try manager.groups(Memo.rows, by: .key(\.id), computing: .count, having: found)
        #expect(memos.map(\.1) == [1])
    }
}
