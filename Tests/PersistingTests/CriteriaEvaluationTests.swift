import Foundation
import Testing

@testable import Persisting

/// A row of everything that conditions compare.
final class Specimen: PersistingModel {
    enum Kind: String, SQLiteValueConvertible, CaseIterable { case full, trailer, Full }

    var id: Int64?
    var name: String?
    var nick: String?
    var code = ""
    var count: Int?
    var other = 0
    var score: Double?
    var date: Date?
    var later: Date?
    var iso: Date?
    var flag = false
    var flags: Int?
    var kind: Kind?
    var price: Decimal?
    var cost = Decimal(0)
    var uuid: UUID?
    var data: Data?
    var anything: SQLiteValue?

    override class var columns: Columns {
        var columns = super.columns
        columns["NICK"] = .string.collate(.nocase)
        columns["CODE"] = .string.collate(.rtrim)
        columns["ISO"] = .date.stored(as: .iso8601)
        return columns
    }

    override class var bitFields: [BitField] {
        [BitField("first", in: "flags", mask: 1), BitField("third", in: "flags", mask: 4)]
    }
    override class var aliases: [Alias] { [Alias("label", for: "name")] }
}

private let texts = [
    "", "a", "A", "b", "B ", "b  ", "ab", "aB", "é", "e\u{301}", "É", "e", "E", "ß", "ss", "SS", "ñandú", "NANDU",
    "Bluth", "bluth", "Bl", "Bm", "a%b", "a_b", "a*b", "a?b", "a[b", "a\\b", "x' OR '1'='1", "\u{10FFFF}",
    "\u{10FFFF}x",
    "\u{D7FF}", "\u{E000}", "日本", "1", "1.5", "10", "a\0b", "A\0c", " ", "\n", "a\nb", "ﬀ", "ff", "Σ", "ς", "σ",
]
private let integers: [Int] = [0, 1, 2, 3, 4, 5, 7, 13, -1, -7, .max, .min, 1 << 53, (1 << 53) + 1]
private let reals: [Double] = [
    0, -0.0, 0.5, 1, 2, -1.5, 3, 1e300, -1e300, .infinity, -.infinity, 9_007_199_254_740_992, 0x1p63, -0x1p63, 7,
]
private let dates = [0.0, 86400, 0.25, -1, 1_700_000_000.5].map { Date(timeIntervalSince1970: $0) }
private let decimals = ["0", "1", "1.5", "-1.5", "10", "9", "0.1", "100000000000000000001"].compactMap {
    Decimal(string: $0)
}
private let uuids = (0..<3).map { _ in UUID() }
private let blobs = [Data(), Data([0]), Data([1, 2]), Data([255])]

extension SeededGenerator {
    fileprivate mutating func maybe<T>(_ values: [T]) -> T? { chance(5) ? nil : pick(values) }

    fileprivate mutating func specimen() -> Specimen {
        let one = Specimen()
        one.name = maybe(texts)
        one.nick = maybe(texts)
        one.code = pick(texts)
        one.count = maybe(integers)
        one.other = pick(integers)
        one.score = maybe(reals)
        one.date = maybe(dates)
        one.later = maybe(dates)
        one.iso = maybe(dates)
        one.flag = chance(2)
        one.flags = maybe([0, 1, 2, 4, 5, 7, -1])
        one.kind = maybe(Specimen.Kind.allCases)
        one.price = maybe(decimals)
        one.cost = pick(decimals)
        one.uuid = maybe(uuids)
        one.data = maybe(blobs)
        one.anything = maybe([
            .integer(1), .integer(5), .real(1), .real(0.5), .text("a"), .text("1"), .text("5"), .blob(Data("a".utf8)),
            .null,
        ])
        return one
    }

    /// A key with values that it may be compared with.
    fileprivate mutating func keyAndValue() -> (key: String, value: (any Sendable)?) {
        if chance(8) { return (pick(["name", "count", "date", "kind", "price", "anything", "first"]), nil) }
        switch Int.random(in: 0..<17, using: &self) {
        case 0, 1: return (pick(["name", "label"]), pick(texts))
        case 2, 3: return ("nick", pick(texts))
        case 4: return ("code", pick(texts))
        case 5: return ("count", pick(integers))
        case 6: return ("other", pick(integers))
        case 7: return ("score", pick(reals))
        case 8: return (pick(["date", "later", "iso"]), pick(dates))
        case 9: return ("flag", chance(2))
        case 10: return (pick(["first", "third"]), chance(2))
        case 11: return ("kind", pick(Specimen.Kind.allCases))
        case 12, 13: return (pick(["price", "cost"]), pick(decimals))
        case 14: return ("uuid", pick(uuids))
        case 15: return ("data", pick(blobs))
        default: return ("anything", pick([.integer(1), .real(0.5), .text("a"), .text("5")] as [SQLiteValue]))
        }
    }

    fileprivate mutating func options() -> TextOptions { TextOptions(rawValue: Int.random(in: 0..<4, using: &self)) }
    fileprivate mutating func textKey() -> CriteriaTerm {
        .key(pick(["name", "nick", "code", "label", "kind", "anything"]))
    }
    fileprivate mutating func comparison() -> CriteriaNode.Comparison {
        pick([.equal, .equal, .less, .lessOrEqual, .greater, .greaterOrEqual])
    }

    fileprivate mutating func number(_ depth: Int) -> CriteriaTerm {
        if depth > 0, chance(2) {
            return .arithmetic(
                number(depth - 1), pick([.add, .subtract, .multiply, .divide, .remainder]), number(depth - 1))
        }
        if chance(6) { return .conditional(node(1), .key(pick(["count", "other"])), .value(pick(integers))) }
        return chance(3)
            ? (chance(2) ? .value(pick(integers)) : .value(pick(reals)))
            : .key(pick(["count", "other", "score", "flags", "first", "price", "date"]))
    }

    fileprivate mutating func node(_ depth: Int) -> CriteriaNode {
        if depth > 0, chance(2) {
            switch Int.random(in: 0..<5, using: &self) {
            case 0, 1: return .and((0..<Int.random(in: 0..<4, using: &self)).map { _ in node(depth - 1) })
            case 2, 3: return .or((0..<Int.random(in: 0..<4, using: &self)).map { _ in node(depth - 1) })
            default: return .not(node(depth - 1))
            }
        }
        switch Int.random(in: 0..<14, using: &self) {
        case 0, 1, 2:
            let (key, value) = keyAndValue()
            return .compares(.key(key), comparison(), .value(value), [])
        case 3:
            let (key, value) = keyAndValue()
            return .not(.compares(.value(value), comparison(), .key(key), []))
        case 4:
            let keys = pick([
                ["name", "nick", "code", "kind"], ["count", "other", "score", "flags", "first"], ["date", "later"],
                ["price", "cost", "count", "score"], ["anything", "name", "count", "score", "data", "nick"],
            ])
            return .compares(.key(pick(keys)), comparison(), .key(pick(keys)), [])
        case 5:
            let (key, value) = keyAndValue()
            var values = [value]
            for _ in 0..<30 {
                let (other, value) = keyAndValue()
                if other == key { values.append(value) }
            }
            if chance(5) { values = [] }
            return .isIn(.key(key), values.map { .value($0) }, [])
        case 6: return .compares(textKey(), comparison(), chance(3) ? textKey() : .value(pick(texts)), options())
        case 7: return .isIn(textKey(), [.value(pick(texts)), .value(pick(texts)), textKey()], options())
        case 8: return .isIn(textKey(), [.value(pick(texts)), .value(pick(texts)), .value(nil)], options())
        case 9, 10:
            return .matches(
                textKey(), pick([.contains, .hasPrefix, .hasSuffix]), chance(3) ? textKey() : .value(pick(texts)),
                options())
        case 11:
            let pattern = (0..<Int.random(in: 0..<4, using: &self)).map { _ in
                pick(["*", "?", "a", "b", "e", "\\*", "\\", "["])
            }
            return .matches(textKey(), .like, .value(pattern.joined()), options())
        case 12:
            let pattern = pick(["", ".*", "a|ab", "[aeé].*", "\\w+", "B.*", "e\u{301}", ".", "(?s).*b", "é"])
            return .matches(textKey(), .regularExpression, .value(pattern), options())
        default: return .compares(number(2), comparison(), number(2), [])
        }
    }
}

@Suite("Conditions asked of objects")
struct CriteriaEvaluationTests {
    @Test("Random conditions take the same rows by SQL and in memory", .local(.textsWithNUL), .oneAtATime)
    func random() throws {
        // F75, Settled 10
        var generator = SeededGenerator()
        let manager = try memoryManager(Specimen.self)
        try manager.insert((0..<50).map { _ in generator.specimen() })
        let objects = try manager.fetchAll(Specimen.self, sortedBy: "id")
        var rejected = 0
        for round in 0..<Effort.times(1_000) {
            let criteria = Criteria<Specimen>(generator.node(3))
            var stored: [Int64?]?
            let thrown = failure {
                stored = try manager.fetchAll(Specimen.self, where: criteria, sortedBy: "id").map(\.id)
            }
            // A value of another type than the column's is rejected by both.
            var found: [Int64?]?
            #expect(failure { found = try criteria.filter(objects).map(\.id) }?.message == thrown?.message)
            #expect(found == stored, "round \(round) of seed \(generator.seed): \(criteria.node)")
            #expect(thrown == nil || thrown?.code == .invalidCriteria)
            if thrown != nil { rejected += 1 }
        }
        #expect(rejected < Effort.times(100))
    }

    @Test("An object with a value that isn't a number matches as its row does, where it is NULL")
    func notANumber() throws {
        // F75
        let specimen = Specimen()
        specimen.score = .nan
        specimen.anything = .real(.nan)
        for key in ["score", "anything"] {
            #expect(try Criteria<Specimen>.format("%K == nil", key).matches(specimen), "\(key)")
        }
    }

    @Test("A list whose texts a collation calls equal is asked for as one of them", arguments: [3, 1_000])
    func equalTexts(count: Int) throws {
        // SQLite 3.40 calls the database malformed otherwise.
        let manager = try memoryManager(Specimen.self)
        try manager.insert(Specimen())
        let list = (0..<count).map { ["", " ", "  "][$0 % 3] } + [" "]
        #expect(try manager.count(Specimen.self, where: ["code": list]) == 1)
        #expect(try manager.count(Specimen.self, where: ["<NOT>code": list]) == 0)
    }

    @Test("Random orderings are the same by SQL and in memory", .local(.textsWithNUL), .oneAtATime)
    func randomOrdering() throws {
        // F78
        var generator = SeededGenerator()
        let manager = try memoryManager(Specimen.self)
        try manager.insert((0..<50).map { _ in generator.specimen() })
        let objects = try manager.fetchAll(Specimen.self).shuffled(using: &generator)
        let keys = [
            "name", "nick", "code", "count", "score", "date", "iso", "flag", "first", "kind", "price", "data",
            "anything",
        ]
        for round in 0..<Effort.times(100) {
            var orderings: [Ordering<Specimen>] = (0..<Int.random(in: 1..<4, using: &generator)).map { _ in
                let key = generator.pick(keys)
                let isText = ["name", "nick", "code", "kind"].contains(key)
                let comparison: TextComparison =
                    isText ? generator.pick([.stored, .caseInsensitive, .unaccented, .localized]) : .stored
                let nils = generator.pick([nil, .first, .last] as [NilPlacement?])
                return generator.chance(2)
                    ? .ascending(key, by: comparison, nils: nils) : .descending(key, by: comparison, nils: nils)
            }
            orderings.append("id")
            let ordering = Ordering(orderings)
            #expect(
                try ordering.sort(objects).map(\.id) == manager.fetchAll(Specimen.self, sortedBy: ordering).map(\.id),
                "round \(round) of seed \(generator.seed): \(ordering.terms)")
        }
    }
}
