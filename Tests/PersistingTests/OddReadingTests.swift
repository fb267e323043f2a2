import Foundation
import SQLiteKit
import Testing

@testable import Persisting

private enum Phase: Int, Codable, SQLiteValueConvertible { case open, closed }

private final class Stock: PersistingModel {
    var id: Int64?
    var amount = 0
    var small: Int8?
    var phase = Phase.open
    var code: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.collate(.nocase)
        return columns
    }
}

private final class Knot: PersistingModel {
    var id = UUID()
    var otherID: UUID?

    static let other = ToOne(\Knot.otherID, Knot.self)
    override class var relations: Relations { ["other": other] }
}

private class Attached: PersistingModel {
    var id: Int64?
    var title = ""

    override class var subclasses: [PersistingModel.Type] { [Picture.self] }
    override class var tableName: String { "ATTACHED" }
}

private final class Picture: Attached {
    var width = 0
}

// F52, F62
@Suite("Rare values of queries") struct OddReadingTests {
    @Test("a branch of an update that the property can't hold is an error, and nothing is changed")
    func branches() throws {
        let manager = try memoryManager(Stock.self)
        try manager.insert(Stock.self, values: ["amount": 7])
        let (row, query) = (Stock.row, Stock.where(\.amount == 7))
        let errors = [
            failure {
                try manager.update(query, \.amount, to: .if(\.amount > 10, then: row.amount, else: row.amount * 0.5))
            }, failure { try manager.update(query, \.small, to: row.small ?? 300) },
            failure { try manager.update(query, \.phase, to: .if(\.amount > 10, then: row.phase, else: row.amount)) },
        ]
        for error in errors {
            let error = try #require(error)
            #expect(error.code != .missingCondition)
        }
        #expect(try manager.storedColumn("SELECT AMOUNT || ' ' || ifnull(SMALL, 'nil') FROM STOCK") == ["7 nil"])
    }

    @Test("a branch of an update that is a constant of the property's is taken") func constants() throws {
        let manager = try memoryManager(Stock.self)
        try manager.insert(Stock.self, values: ["amount": 7])
        try manager.update(Stock.where(\.amount == 7), \.small, to: Stock.row.small ?? 30)
        #expect(try manager.fetchAll(Stock.self).map(\.small) == [30])
    }

    @Test("new objects of known keys that refer to each other are saved, where a reference may be nil")
    func circle() throws {
        let manager = try memoryManager(Knot.self)
        let (one, two) = (Knot(), Knot())
        try one.set(Knot.other, to: two)
        try two.set(Knot.other, to: one)
        try manager.save(one)
        #expect(Set(try manager.fetchAll(Knot.self).map(\.otherID)) == [one.id, two.id])
    }

    @Test("a page of a hierarchy goes on from what the row had") func pages() throws {
        let manager = try memoryManager(Attached.self)
        for title in ["a", "b", "c", "d"] { try manager.insert(Picture.self, values: ["title": title]) }
        let query = Query(Attached.self).sorted(by: \.title)
        let first = try manager.fetchPage(query, limit: 2)
        let last = try #require(first.last)
        last.title = "y"
        #expect(try manager.fetchPage(query, after: last, limit: 2).map(\.title) == ["c", "d"])
    }

    @Test("distinct values of an expression are those that compare as different") func distinct() throws {
        let manager = try memoryManager(Stock.self)
        for code in ["a", "A", "b"] { try manager.insert(Stock.self, values: ["code": code]) }
        let codes = try manager.values(
            Query(Stock.self), Stock.row.code ?? "x", as: String.self, distinct: true)
        #expect(codes.count == 2)
    }
}
