import Foundation
import GRDB

/// An order, read by the columns' names.
struct PurchaseRecord {
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

    enum Columns {
        static let id = Column("ID")
        static let customerKey = Column("CUSTOMER_KEY")
        static let employeeID = Column("EMPLOYEE_ID")
        static let orderDate = Column("ORDER_DATE")
        static let requiredDate = Column("REQUIRED_DATE")
        static let shippedDate = Column("SHIPPED_DATE")
        static let shipVia = Column("SHIP_VIA")
        static let freight = Column("FREIGHT")
        static let shipName = Column("SHIP_NAME")
        static let shipAddress = Column("SHIP_ADDRESS")
        static let shipCity = Column("SHIP_CITY")
        static let shipRegion = Column("SHIP_REGION")
        static let shipPostalCode = Column("SHIP_POSTAL_CODE")
        static let shipCountry = Column("SHIP_COUNTRY")
    }
}

extension PurchaseRecord: FetchableRecord, TableRecord {
    static let databaseTableName = "PURCHASE"

    init(row: Row) {
        id = row[Columns.id]
        customerKey = row[Columns.customerKey]
        employeeID = row[Columns.employeeID]
        orderDate = row[Columns.orderDate]
        requiredDate = row[Columns.requiredDate]
        shippedDate = row[Columns.shippedDate]
        shipVia = row[Columns.shipVia]
        freight = row[Columns.freight]
        shipName = row[Columns.shipName]
        shipAddress = row[Columns.shipAddress]
        shipCity = row[Columns.shipCity]
        shipRegion = row[Columns.shipRegion]
        shipPostalCode = row[Columns.shipPostalCode]
        shipCountry = row[Columns.shipCountry]
    }
}

extension PurchaseRecord: Summed {
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

/// The same read by the columns' places.
struct PurchaseByIndex: FetchableRecord, TableRecord, Summed {
    static let databaseTableName = "PURCHASE"
    let purchase: PurchaseRecord

    init(row: Row) {
        purchase = PurchaseRecord(
            id: row[0], customerKey: row[1], employeeID: row[2], orderDate: row[3], requiredDate: row[4],
            shippedDate: row[5], shipVia: row[6], freight: row[7], shipName: row[8], shipAddress: row[9],
            shipCity: row[10], shipRegion: row[11], shipPostalCode: row[12], shipCountry: row[13])
    }

    func add(to sum: inout Checksum) {
        purchase.add(to: &sum)
    }
}
