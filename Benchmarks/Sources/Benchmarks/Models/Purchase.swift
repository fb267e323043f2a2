import Foundation
import Persisting

/// An order: 14 columns, seven of them texts, and three dates that are stored as text.
final class Purchase: PersistingModel {
    var id: Int64?
    var customerKey: String?
    var employeeID: Int?
    var orderDate: Date?
    var requiredDate: Date?
    var shippedDate: Date?
    var shipVia: Int?
    var freight: Double?
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?

    static let create = """
        CREATE TABLE PURCHASE (
            ID INTEGER PRIMARY KEY, CUSTOMER_KEY TEXT, EMPLOYEE_ID INTEGER, ORDER_DATE TEXT, REQUIRED_DATE TEXT,
            SHIPPED_DATE TEXT, SHIP_VIA INTEGER, FREIGHT REAL, SHIP_NAME TEXT, SHIP_ADDRESS TEXT, SHIP_CITY TEXT,
            SHIP_REGION TEXT, SHIP_POSTAL_CODE TEXT, SHIP_COUNTRY TEXT
        )
        """
    static let insert = "INSERT INTO PURCHASE VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    static let select = """
        SELECT ID, CUSTOMER_KEY, EMPLOYEE_ID, ORDER_DATE, REQUIRED_DATE, SHIPPED_DATE, SHIP_VIA, FREIGHT, SHIP_NAME, \
        SHIP_ADDRESS, SHIP_CITY, SHIP_REGION, SHIP_POSTAL_CODE, SHIP_COUNTRY FROM PURCHASE
        """

    /// Fills a table by chance.
    static func fill(_ db: FloorConnection, _ count: Int, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func date() -> String {
            let parts = [4, 12, 28, 24, 60, 60, 1000].map { Int(random.next() % $0) }
            return String(
                format: "%04d-%02d-%02d %02d:%02d:%02d.%03d", 1996 + parts[0], 1 + parts[1], 1 + parts[2], parts[3],
                parts[4], parts[5], parts[6])
        }
        try db.transaction {
            let statement = try db.prepare(insert)
            defer { statement.finalize() }
            for number in 1...count {
                try statement.bind(number, 1)
                try statement.bind(random.text(5...5), 2)
                try statement.bind(Int(random.next() % 9) + 1, 3)
                try statement.bind(date(), 4)
                try statement.bind(date(), 5)
                try statement.bind(random.one(in: 20) ? nil : date(), 6)
                try statement.bind(Int(random.next() % 3) + 1, 7)
                try statement.bind(Double(random.next() % 100_000) / 100, 8)
                try statement.bind(random.text(8...30), 9)
                try statement.bind(random.text(10...40), 10)
                try statement.bind(random.text(5...15), 11)
                try statement.bind(random.one(in: 2) ? nil : random.text(2...10), 12)
                try statement.bind(random.text(5...10), 13)
                try statement.bind(random.text(3...12), 14)
                try statement.run()
            }
        }
    }
}

extension Purchase: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(customerKey)
        sum.add(employeeID)
        sum.add(orderDate)
        sum.add(requiredDate)
        sum.add(shippedDate)
        sum.add(shipVia)
        sum.add(freight)
        sum.add(shipName)
        sum.add(shipAddress)
        sum.add(shipCity)
        sum.add(shipRegion)
        sum.add(shipPostalCode)
        sum.add(shipCountry)
    }
}

extension FloorStatement {
    /// The object of a row of `Purchase.select`.
    @inline(__always)
    func purchase() throws -> Purchase {
        let purchase = Purchase()
        purchase.id = int64(0)
        purchase.customerKey = try text(1)
        purchase.employeeID = int(2)
        purchase.orderDate = try dateText(3)
        purchase.requiredDate = try dateText(4)
        purchase.shippedDate = try dateText(5)
        purchase.shipVia = int(6)
        purchase.freight = double(7)
        purchase.shipName = try text(8)
        purchase.shipAddress = try text(9)
        purchase.shipCity = try text(10)
        purchase.shipRegion = try text(11)
        purchase.shipPostalCode = try text(12)
        purchase.shipCountry = try text(13)
        return purchase
    }
}
