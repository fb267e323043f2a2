import Foundation
import Persisting
import Testing

private final class Sale: PersistingModel {
    var id: Int64?
    var count = 0
    var price: Decimal = 0
    var weight: Double?
    var label: String?
    var soldAt: Date?
}

// F80
@Suite("Sums, averages and extremes") struct AggregateTests {
    let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Sale.self)
    }

    private func fill() throws {
        for (index, price) in ["0.1", "0.2", "10.00"].enumerated() {
            try manager.insert(
                Sale.self,
                values: [
                    "count": index + 1, "price": Decimal(string: price), "weight": index == 0 ? nil : Double(index),
                    "label": "l\(index)", "soldAt": Date(timeIntervalSince1970: Double(index)),
                ])
        }
    }

    @Test("of no rows all are nil")
    func none() throws {
        #expect(try manager.sum(Sale.rows, \.count) == nil)
        #expect(try manager.average(Sale.rows, \.count) == nil)
        #expect(try manager.max(Sale.rows, \.soldAt) == nil)
        #expect(try manager.sum(Sale.rows, \.price) == nil)
    }

    @Test("a sum is of the property's type, of an Optional one too")
    func sums() throws {
        try fill()
        let count: Int? = try manager.sum(Sale.rows, \.count)
        let weight: Double? = try manager.sum(Sale.rows, \.weight)
        #expect(count == 6)
        #expect(weight == 3)
    }

    @Test("a sum of Decimals is exact")
    func decimals() throws {
        try fill()
        #expect(try manager.sum(Sale.where(\.count < 3), \.price) == Decimal(string: "0.3"))
    }

    @Test("extremes are in the column's order: Decimals by number, dates by time")
    func extremes() throws {
        try fill()
        #expect(try manager.max(Sale.rows, \.price) == Decimal(10))
        #expect(try manager.min(Sale.rows, \.soldAt) == Date(timeIntervalSince1970: 0))
        let label: String? = try manager.max(Sale.rows, \.label)
        #expect(label == "l2")
    }

    @Test("NULL counts for nothing")
    func nulls() throws {
        try fill()
        #expect(try manager.average(Sale.rows, \.weight) == 1.5)
    }

    @Test("a sum of texts is rejected, and names the property")
    func texts() throws {
        let error = failure { try manager.sum(Sale.rows, \.label) }
        #expect(error?.code == .unsupportedType)
        #expect(error?.key == "label")
    }

    @Test("a sum beyond Int64 throws")
    func overflow() throws {
        try manager.insert(Sale.self, values: ["count": Int.max])
        try manager.insert(Sale.self, values: ["count": 1])
        #expect(failure { try manager.sum(Sale.rows, \.count) }?.sqliteError?.message == "integer overflow")
    }

    @Test("each has an asynchronous form")
    func asynchronous() async throws {
        try fill()
        #expect(try await manager.sum(Sale.rows, \.count) == 6)
        #expect(try await manager.average(Sale.where(\.count > 1), \.count) == 2.5)
        #expect(try await manager.min(Sale.rows, \.weight) == 1)
        #expect(try await manager.max(Sale.rows, \.price) == Decimal(10))
    }
}
