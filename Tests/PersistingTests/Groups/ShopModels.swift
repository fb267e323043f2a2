import Foundation
import Persisting

/// A shop: orders of customers, with columns of every kind.
enum CornerShop {
    enum Channel: String, SQLiteValueConvertible, Codable, CaseIterable { case web, phone, store }

    final class Customer: PersistingModel {
        var id: Int64?
        var name = ""
        var city: String?
        static let orders = ToMany(inverse: Order.customer)
        override class var relations: Relations { ["orders": orders] }
    }

    final class Order: PersistingModel {
        var id: Int64?
        var customerID: Int64?
        var country: String?
        var code = ""
        var channel = Channel.web
        var price = 0.0
        var quantity = 1
        var amount: Decimal?
        var points: Int8 = 0
        var date = Date(timeIntervalSince1970: 0)
        var shipped: Date?
        var flags = 0
        var isPaid: Bool {
            get { flags & 1 != 0 }
            set { flags = newValue ? flags | 1 : flags & ~1 }
        }
        static let customer = ToOne(\Order.customerID, Customer.self)
        override class var relations: Relations { ["customer": customer] }
        override class var columns: Columns {
            var columns = super.columns
            columns["CODE"] = .string.collate(.nocase)
            columns["SHIPPED"] = .date.stored(as: .iso8601)
            return columns
        }
        override class var bitFields: [BitField] { [.init("isPaid", \Order.isPaid, in: "flags", mask: 1)] }
    }

    static func manager() throws -> PersistenceManager {
        try memoryManager(Customer.self, Order.self)
    }

    /// An order that has been inserted.
    @discardableResult
    static func order(
        in manager: PersistenceManager, _ country: String?, price: Double = 1, quantity: Int = 1,
        _ change: (Order) -> Void = { _ in }
    ) throws -> Order {
        let order = Order()
        (order.country, order.price, order.quantity) = (country, price, quantity)
        change(order)
        try manager.insert(order)
        return order
    }

    /// Three orders of France, two of Chile and one of nowhere.
    static func filled() throws -> PersistenceManager {
        let manager = try manager()
        try order(in: manager, "France", price: 10, quantity: 1)
        try order(in: manager, "France", price: 20, quantity: 2)
        try order(in: manager, "France", price: 5, quantity: 3)
        try order(in: manager, "Chile", price: 1, quantity: 7)
        try order(in: manager, "Chile", price: 2, quantity: 1)
        try order(in: manager, nil, price: 4, quantity: 1)
        return manager
    }
}
