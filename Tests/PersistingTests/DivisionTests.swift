import Foundation
import Persisting
import Testing

private final class Product: PersistingModel {
    var id: Int64?
    var unitPrice = 0.0
    var unitsInStock: Double?
    var pieces = 0
    var boxes: Int?
    var cost: Decimal = 0
}

// F74
@Suite("Division in conditions")
struct DivisionTests {
    private let manager: PersistenceManager
    private let products: [Product]

    init() throws {
        // Northwind's types: NUMERIC makes an INTEGER of 18.0, and REAL a REAL of 7.
        manager = try memoryManager(
            script: """
                CREATE TABLE PRODUCT (ID INTEGER PRIMARY KEY, UNIT_PRICE NUMERIC, UNITS_IN_STOCK NUMERIC, PIECES REAL,
                    BOXES NUMERIC, COST TEXT);
                INSERT INTO PRODUCT (UNIT_PRICE, UNITS_IN_STOCK, PIECES, BOXES, COST) VALUES
                    (18, 39, 7, 2, '10'), (7, 4, 9, 4, '7.5'), (10, 10, 3, 0, '4'), (2.5, NULL, -7, 2, '1'), (3, 0, 5, NULL, '2')
                """)
        products = try manager.fetchAll(Product.self, sortedBy: "id")
    }

    @Test(
        "is of the properties' types, in SQL as in memory",
        arguments: [
            ("unitPrice / unitsInStock > 1", [2]), ("unitPrice / unitsInStock == 1", [3]),
            ("unitPrice / 4 == 1.75", [2]), ("unitPrice / 4 > 2", [1, 3]), ("pieces / boxes == 3", [1]),
            ("pieces / boxes == 2", [2]), ("pieces / boxes == -3", [4]), ("pieces / 2 == 1", [3]),
            ("pieces / unitPrice > 1.2", [2, 5]), ("cost / 4 == 2.5", [1]), ("cost / pieces > 1.3", [1, 3]),
            ("(unitPrice + pieces) / 2 == 12.5", [1]), ("10 / pieces == 2", [5]), ("7 / 2 == 3", [1, 2, 3, 4, 5]),
            ("unitPrice * pieces / boxes == 63", [1]), ("boxes / 0 == nil", [1, 2, 3, 4, 5]),
        ] as [(String, [Int64])])
    func types(_ format: String, _ ids: [Int64]) throws {
        let criteria = try Criteria<Product>(format: format)
        #expect(try criteria.filter(products).map(\.id) == ids)
        #expect(try manager.fetchAll(Product.self, where: criteria, sortedBy: "id").map(\.id) == ids)
    }

    @Test("by a Decimal has a fraction")
    func decimal() throws {
        let criteria = Criteria<Product>.format("pieces / %@ == 2.25", Decimal(4))
        #expect(try criteria.filter(products).map(\.id) == [2])
        #expect(try manager.fetchAll(Product.self, where: criteria).map(\.id) == [2])
    }
}
