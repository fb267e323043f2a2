import Foundation
import Persisting
import Testing

private final class Sample: PersistingModel {
    var id: Int64?
    var whole = 0
    var maybe: Int?
    var real = 0.0
    var fraction: Double?
    var name = ""
    var nick: String?
    var date = Date(timeIntervalSince1970: 0)
    var other: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["OTHER"] = .date.stored(as: .unixMilliseconds)
        return columns
    }

    convenience init(_ generator: inout SeededGenerator) {
        self.init()
        func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator) ?? values[0] }
        whole = pick([0, 1, -1, 7, -13, 1_000, .max, .min])
        maybe = pick([nil, 2, 0, -5, .max])
        real = pick([0, 0.5, -2.25, 3, 1e300, 12.345678, 1e-7])
        fraction = pick([nil, 0.1, -7.75, 100, 2])
        name = pick(["", "a", "Bc", "ÄÖ ü", " x ", "a\(nul)b", "12", "日本語", "-3.5e2x"])
        nick = pick([nil, "", "B", "éa", "0"])
        date = Date(timeIntervalSince1970: pick([0, -0.5, 1e9, 1_709_251_199.75, -86_400.25, 4e9]))
        other = pick([nil, Date(timeIntervalSince1970: 1.5e9), Date(timeIntervalSince1970: -1)])
    }
}

/// Expressions made by chance, of a kind that fits where they stand.
private struct RandomExpressions {
    var generator: SeededGenerator
    let row = Sample.row

    mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator) ?? values[0] }

    mutating func number(_ depth: Int) -> ModelExpression<Sample> {
        if depth == 0 {
            return pick(
                [
                    row.whole, row.maybe, row.real, row.fraction, 0, 1, -3, 0.5, 2.75, nil,
                    ModelExpression<Sample>(value: Int64(1) << 53),
                ] as [ModelExpression<Sample>])
        }
        let less = depth - 1
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return number(less) + number(less)
        case 1: return number(less) - number(less)
        case 2: return number(less) * number(less)
        case 3: return number(less) / number(less)
        case 4: return number(less) % number(less)
        case 5: return number(less).cast(to: pick([.integer, .real]))
        case 6: return text(less).cast(to: pick([.integer, .real]))
        case 7: return text(less).length
        case 8: return date(less).component(pick(DatePart.allCases), secondsFromGMT: pick([0, 3600, -86_399]))
        case 9: return number(less) ?? number(less)
        case 10: return .if(condition(less), then: number(less), else: number(less))
        default: return number(less).cast(to: .real).rounded(digits: pick([0, 1, 3]))
        }
    }

    mutating func text(_ depth: Int) -> ModelExpression<Sample> {
        if depth == 0 { return pick([row.name, row.nick, "x", "", "Éa"] as [ModelExpression<Sample>]) }
        let less = depth - 1
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return text(less) + text(less)
        case 1: return text(less).lowercased()
        case 2: return text(less).uppercased()
        case 3: return text(less).trimmed()
        case 4: return text(less).prefix(pick([0, 1, 2, 9]))
        case 5: return text(less).suffix(pick([0, 1, 3]))
        case 6: return text(less).dropFirst(pick([0, 1, 2]))
        case 7: return text(less).replacing(pick(["", "a", "Ä", "x"]), with: pick(["", "yy"]))
        case 8: return text(less) ?? text(less)
        default: return number(less).cast(to: .text)
        }
    }

    mutating func date(_ depth: Int) -> ModelExpression<Sample> {
        if depth == 0 { return pick([row.date, row.other]) }
        return date(depth - 1).start(of: pick(DateUnit.allCases), secondsFromGMT: pick([0, 7200, -1]))
    }

    mutating func condition(_ depth: Int) -> Criteria<Sample> {
        func compared(_ lhs: ModelExpression<Sample>, _ rhs: ModelExpression<Sample>, _ sign: Int) -> Criteria<Sample> {
            switch sign {
            case 0: lhs < rhs
            case 1: lhs >= rhs
            case 2: lhs == rhs
            case 3: lhs != rhs
            case 4: lhs == nil
            default: lhs > rhs
            }
        }
        let sign = Int.random(in: 0..<6, using: &generator)
        return Bool.random(using: &generator)
            ? compared(number(depth), number(depth), sign) : compared(text(depth), text(depth), sign)
    }
}

// F125
@Suite("Random expressions")
struct RandomExpressionTests {
    @Test("come to the same in SQL and in memory", .local(.textAndDateFunctions))
    func alike() throws {
        var random = RandomExpressions(generator: SeededGenerator())
        let message = Comment(rawValue: "seed \(random.generator.seed)")
        let manager = try memoryManager(Sample.self)
        try manager.insert((0..<25).map { _ in Sample(&random.generator) })
        let samples = try manager.fetchAll(Sample.self, sortedBy: "id")
        var counts = (some: 0, overflows: 0)
        for _ in 0..<Effort.times(1_000) {
            let criteria = random.condition(Int.random(in: 0...3, using: &random.generator))
            let found = try manager.fetchAll(Sample.self, where: criteria, sortedBy: "id").map(\.id)
            let known = try criteria.filter(samples).map(\.id)
            guard found == known else {
                let sql = try Sample.where(criteria).selectStatement()
                Issue.record("\(message): \(sql) takes \(found), in memory \(known)")
                return
            }
            if !found.isEmpty, found.count < samples.count { counts.some += 1 }
        }
        #expect(counts.some > Effort.times(300), message)
    }
}
