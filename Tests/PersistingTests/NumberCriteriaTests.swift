import Foundation
import Persisting
import Testing

private final class Limit: PersistingModel {
    var id: Int64?
    var wide: Int64?
    var small: Int8 = 0
    var unsigned: UInt = 0
    var real: Double?
    var date: Date?
    var data: Data?

    override class var indexes: [Index] { [Index("wide"), Index("data")] }

    convenience init(_ wide: Int64?, small: Int8 = 0) {
        self.init()
        self.wide = wide
        self.small = small
    }
}

// F71, F74
@Suite("Numbers with integers") struct NumberCriteriaTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Limit.self)
        for (wide, small) in [(.min, -128), (-7, -1), (0, 0), (6, 6), (7, 7), (.max, 127), (nil, 1)] as [(Int64?, Int8)]
        {
            try manager.insert(Limit(wide, small: small))
        }
    }

    private func wides(_ criteria: Criteria<Limit>) throws -> [Int64?] {
        let all = try manager.fetchAll(Limit.self, sortedBy: "id")
        let found = try manager.fetchAll(Limit.self, where: criteria, sortedBy: "id").map(\.wide)
        #expect(try criteria.filter(all).map(\.wide) == found)
        return found
    }

    @Test(
        "a number between two integers is what it says, in each form of it",
        arguments: [6.5, Decimal(string: "6.5") ?? 0, Decimal(string: "6.00000000000000000001") ?? 0, Float(6.25)]
            as [any Sendable])
    func between(number: any Sendable) throws {
        #expect(try wides(.format("wide > %@", number)) == [7, .max])
        #expect(try wides(.format("wide >= %@", number)) == [7, .max])
        #expect(try wides(.format("wide < %@", number)) == [.min, -7, 0, 6])
        #expect(try wides(.format("%@ >= wide", number)) == [.min, -7, 0, 6])
        #expect(try wides(["wide": number]) == [])
        #expect(try wides(["<NOT>wide": number]).count == 7)
        #expect(try wides(["wide": [number, 7, nil]]) == [7, nil])
    }

    @Test("a literal, a range and a negative one") func spellings() throws {
        #expect(try wides(.format("wide BETWEEN {-0.5, 6.5}")) == [0, 6])
        #expect(try wides(["wide": -7.5...0.5]) == [-7, 0])
        #expect(try wides(.format("wide < %@", Decimal(string: "-6.5"))) == [.min, -7])
        #expect(try wides(.format("wide > %@", Decimal(string: "-0.5"))) == [0, 6, 7, .max])
        #expect(try wides(.format("wide == 7.0")) == [7])
        #expect(try wides(.format("id > 5.5")) == [.max, nil])
    }

    @Test(
        "a number beyond Int64 is beyond all integers",
        arguments: [UInt64(Int64.max) + 1, 0x1p63, 1e300, Double.infinity, Decimal(string: "9223372036854775808") ?? 0]
            as [any Sendable])
    func beyond(number: any Sendable) throws {
        #expect(try wides(.format("wide < %@", number)).count == 6)
        #expect(try wides(.format("wide >= %@", number)) == [])
        #expect(try wides(["wide": number]) == [])
    }

    @Test(
        "a number below Int64 is below all integers",
        arguments: [-1e300, (-0x1p63).nextDown, -Double.infinity, Decimal(string: "-9223372036854775809") ?? 0]
            as [any Sendable])
    func below(number: any Sendable) throws {
        #expect(try wides(.format("wide > %@", number)).count == 6)
        #expect(try wides(.format("wide <= %@", number)) == [])
        #expect(try wides(["wide": number]) == [])
    }

    @Test("an integer that the property's type does not have is a number all the same") func narrow() throws {
        #expect(try wides(.format("small < 300")).count == 7)
        #expect(try wides(.format("small == 300")) == [])
        #expect(try wides(.format("unsigned > -1")).count == 7)
        #expect(try wides(\.unsigned == UInt.max) == [])
    }

    @Test("what isn't a number, and NaN, are rejected as before") func rejected() throws {
        let wrong: [any Sendable] = ["x", "6.5", Double.nan, Date(), Data()]
        for value in wrong {
            let error = failure { try manager.count(Limit.self, where: .format("wide > %@", value)) }
            #expect(error?.code == .invalidCriteria, "\(value)")
            #expect(error?.key == "wide")
        }
    }

    @Test("an index is used") func plan() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Limit.self)
        _ = try manager.fetchAll(Limit.self, where: .format("wide > 6.5"))
        let sql = try #require(log.texts.last)
        #expect(sql.hasSuffix("WHERE WIDE > ?"))
        #expect(try manager.database.read { try $0.queryPlan(of: SQL(sql)).description }.contains("(WIDE>?)"))
    }
}

// F71
@Suite("Long lists of any value") struct LongListTests {
    @Test("100,000 reals, dates and blobs are one parameter, and an index is used", .oneAtATime) func long() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Limit.self)
        for number in 0..<20 {
            try manager.insert(
                Limit.self,
                values: [
                    "wide": number, "real": Double(number) / 3, "date": Date(timeIntervalSince1970: Double(number) / 7),
                    "data": Data("\(number)".utf8),
                ])
        }
        let range = 5..<100_005
        func numbers(_ criteria: Criteria<Limit>) throws -> [Int64?] {
            let found = try manager.fetchAll(Limit.self, where: criteria, sortedBy: "id").map(\.wide)
            #expect(try criteria.filter(manager.fetchAll(Limit.self, sortedBy: "id")).map(\.wide) == found)
            return found
        }
        #expect(try numbers(.in(\.real, range.map { Double($0) / 3 })) == Array(5..<20))
        #expect(try numbers(.in(\.date, range.map { Date(timeIntervalSince1970: Double($0) / 7) })) == Array(5..<20))
        #expect(try numbers(!.in(\.data, range.map { Data("\($0)".utf8) })) == Array(0..<5))
        #expect(try numbers(["data": range.map { Data("\($0)".utf8) }]) == Array(5..<20))
        let sql = try #require(log.texts.last { $0.contains("json_each") })
        #expect(sql.contains("WHERE DATA IN (SELECT sqlitekit_value(value) FROM json_each(?))"))
        #expect(try manager.database.read { try $0.queryPlan(of: SQL(sql)).description }.contains("(DATA=?)"))
    }

    @Test("every value is kept to the bit", .local(.textsWithNUL)) func exact() throws {
        let manager = try memoryManager(Anything.self)
        let values: [SQLiteValue] = [
            .real(0.1), .real(-0.0), .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .real(-.infinity),
            .real(0.1 + 0.2),
            .integer(.min), .integer(9_007_199_254_740_993), .text("a\0b"), .text(""), .text("e\u{301}\"\\"),
            .text("i1"), .blob(Data()), .blob(Data(0...255)), .text("日本"),
        ]
        for value in values { try manager.insert(Anything.self, values: ["value": value]) }
        let fill = (0..<600).map { SQLiteValue.real(Double($0) + 0.7) }
        for (place, value) in values.enumerated() {
            let found = try manager.fetchAll(Anything.self, where: .in(\.value, fill + [value]))
            #expect(found.map(\.id) == [Int64(place + 1)], "\(value)")
            let withNull = try manager.count(Anything.self, where: .in(\.value, fill + [value, .null]))
            #expect(withNull == 1, "\(value)")
        }
    }

    @Test("a text that isn't an element of a list is rejected by the function") func malformed() throws {
        let manager = try PersistenceManager(.memory)
        for text in ["", "x1", "i", "i1.5", "r-1", "b0", "bzz", "tff", "i9223372036854775808"] {
            let error = sqliteFailure { try manager.stored("SELECT sqlitekit_value(\(SQLText.literal(text)))") }
            #expect(error?.message.contains("sqlitekit_value takes") == true, "\(text)")
        }
        #expect(try manager.stored("SELECT sqlitekit_value(NULL)") == .null)
    }
}

private final class Anything: PersistingModel {
    var id: Int64?
    var value: SQLiteValue?
}
