import Foundation
import Persisting
import Testing

private final class Rank: PersistingModel {
    var id: Int64?
    var bossID: Int64?
    var steps = 0

    static let boss = ToOne(\Rank.bossID, Rank.self)
    override class var relations: Relations { ["boss": boss] }
    override class var calculations: [Calculation] {
        [
            Calculation("level", as: Rank.row["boss.level"] + 1),
            Calculation("height", as: .if(Rank.boss.matches(.format("height > 1")), then: 1, else: 0)),
            Calculation("most", as: .computed(.max(Rank.row["most"]), of: Rank.rows)),
        ]
    }
}

private final class Near: PersistingModel {
    var id: Int64?
    var n = 0
    var farID: Int64?
    var plain: Int { n + 1 }
    var double: Int { 0 }

    static let other = ToOne(\Near.farID, Far.self)
    override class var relations: Relations { ["other": other] }
    override class var calculations: [Calculation] {
        [
            Calculation("plain", \Near.plain, as: Near.row.n + 1),
            Calculation("double", \Near.double, as: Near.row[Near.other[\.twice]] * 2),
        ]
    }
}

private final class Far: PersistingModel {
    var id: Int64?
    var nearID: Int64?
    var twice: Int { 0 }

    static let other = ToOne(\Far.nearID, Near.self)
    override class var relations: Relations { ["other": other] }
    override class var calculations: [Calculation] {
        [Calculation("twice", \Far.twice, as: Far.row[Far.other[\.plain]] * 2)]
    }
}

private final class Quote: PersistingModel {
    var id: Int64?
    var amount = 0.0
}

private final class Stock: PersistingModel {
    var id: Int64?
    var small: Int8?
    var large = 0
}

private final class Ratio: PersistingModel {
    var id: Int64?
    var total = 0
    var count = 0
    var ratio: Int { total / count }

    override class var calculations: [Calculation] {
        [Calculation("ratio", \Ratio.ratio, as: Ratio.row.total / Ratio.row.count)]
    }
}

private final class Net: PersistingModel {
    var id: Int64?
    var total = 0
    var count = 0
    var share: Int { total / count }
    var double: Int { share * 2 }

    override class var calculations: [Calculation] {
        [
            Calculation("double", \Net.double, as: Net.row.share * 2),
            Calculation("share", \Net.share, as: Net.row.total / Net.row.count),
        ]
    }
}

@Suite("Calculations")
struct CalculationMeetingTests {
    @Test("made of themselves by a related row or another query are an error", arguments: ["level", "height", "most"])
    func endless(_ key: String) throws {
        let manager = try memoryManager(Rank.self)
        let error = failure { try manager.count(Rank.self, where: .format("%K > 1", key)) }
        #expect(error?.key == key)
        #expect(error?.message.contains("made of itself") == true)
    }

    @Test("of two classes may name each other's by key path")
    func twoClasses() throws {
        let manager = try memoryManager(Near.self, Far.self)
        try manager.insert(Near.self, values: ["n": 2])
        try manager.insert(Far.self, values: ["nearID": 1])
        try manager.insert(Near.self, values: ["farID": 1])
        #expect(try manager.fetchAll(Near.self, where: \.double == 12).map(\.id) == [2])
        #expect(try manager.count(Far.self, where: \.twice == 6) == 1)
        #expect(try manager.count(Near.self, where: \.plain == 3) == 1)
    }

    @Test("are found by a key path without running the property's code")
    func getter() throws {
        let manager = try memoryManager(Ratio.self)
        try manager.insert(Ratio.self, values: ["total": 8, "count": 2])
        #expect(try manager.count(Ratio.self, where: \.ratio == 4) == 1)
    }

    @Test("use another of the class by its property, whose code doesn't run")
    func ofOwnClass() throws {
        let manager = try memoryManager(Net.self)
        try manager.insert(Net.self, values: ["total": 8, "count": 2])
        #expect(try manager.count(Net.self, where: \.double == 8) == 1)
    }

    @Test("divide another query's value by its property's type")
    func division() throws {
        let manager = try memoryManager(script: "CREATE TABLE QUOTE (ID INTEGER PRIMARY KEY, AMOUNT NUMERIC)")
        try manager.insert(Quote.self, values: ["amount": 5.0])
        let halves: [ModelExpression<Quote>] = [
            .first(of: Quote.rows.values(\.amount)) / 2, .computed(.max(\.amount), of: Quote.rows) / 2,
            Quote.row.amount / 2,
        ]
        for half in halves { #expect(try manager.values(Quote.rows, half, as: Double.self) == [2.5]) }
    }

    @Test("of several integer types are read by the type that is asked for")
    func integers() throws {
        let manager = try memoryManager(Stock.self)
        for (small, large) in [(Int8?.none, 1_000), (5, 2)] {
            try manager.insert(Stock.self, values: ["small": small, "large": large])
        }
        let row = Stock.row
        #expect(try manager.values(Stock.sorted(by: \.id), row.small ?? 300, as: Int.self) == [300, 5])
        let chosen = ModelExpression<Stock>.if(\.large > 500, then: row.large, else: row.small)
        #expect(try manager.values(Stock.sorted(by: \.id), chosen, as: Int.self) == [1_000, 5])
        let (least, most) = try manager.compute(Stock.rows, .min(row.small), .max(row.small ?? 300))
        #expect(least == 5)
        #expect(most == 300)
        let groups = try manager.groups(Stock.rows, by: .key(row.small, as: Int.self), computing: .count)
        #expect(groups.map(\.0) == [nil, 5])
    }

    @Test("of sums of sums are resolved once each")
    func sums() throws {
        let phrase = String(repeating: "reports.@sum.", count: 40) + "salary"
        #expect(throws: Never.self) { try Ordering<Pod.Worker>(phrase) }
    }

    @Test("of values alone are compared as the numbers that they are")
    func numbers() throws {
        let two = ModelExpression<Quote>.if(\.amount >= 0, then: ModelExpression(value: 1) + 1, else: 2)
        #expect(try (two == ModelExpression(value: Decimal(2))).matches(Quote()))
    }

    @Test("with many choices inside each other are resolved once each", arguments: [true, false])
    func choices(_ isThen: Bool) throws {
        let object = Quote()
        let expression = (0..<60).reduce(ModelExpression<Quote>(value: 0)) { inner, index in
            .if(\.amount > Double(index), then: isThen ? inner : 1, else: isThen ? 1 : inner)
        }
        #expect(try (expression == (isThen ? 1 : 0)).matches(object))
        let nested = (0..<20).reduce(ModelExpression<Quote>(\.amount)) { inner, _ in .if(inner > 0, then: 2, else: 0) }
        #expect(try !(nested > 1).matches(object))
        let manager = try memoryManager(Quote.self)
        #expect(
            failure { try manager.count(Quote.self, where: expression == 1) }?.message.contains("nested deeper") == true
        )
    }
}
