import Foundation
import Persisting
import Testing

private final class Sale: PersistingModel {
    enum Kind: String, SQLiteValueConvertible { case shop, mail }

    var id: Int64?
    var artist: String?
    var price: Decimal = 0
    var count = 0
    var soldAt: Date?
    var kind = Kind.shop
    var flags = 0
    var note: String?
    var rating = 3

    var isGift: Bool { flags & 2 != 0 }

    override class var columns: Columns {
        var columns = super.columns
        columns["NOTE"] = .string.deferred
        columns["RATING"] = .int.onNull(.default)
        columns["SOLD_AT"] = .date.stored(as: .iso8601)
        return columns
    }

    override class var bitFields: [BitField] { [BitField("isGift", \Sale.isGift, in: "flags", mask: 2)] }
    override class var aliases: [Alias] { [Alias("who", for: "artist")] }
}

private func sales() throws -> PersistenceManager {
    let manager = try memoryManager(Sale.self)
    let rows: [(String?, String, Int, Double?, Sale.Kind, Int)] = [
        ("Miles", "0.1", 1, 0, .shop, 0), ("Miles", "0.2", 2, 10.5, .mail, 2), (nil, "5", 3, nil, .shop, 3),
        ("Ella", "7.00", 4, 20, .shop, 0), ("ella", "1", 5, 30, .shop, 0),
    ]
    for (artist, price, count, soldAt, kind, flags) in rows {
        try manager.insert(
            Sale.self,
            values: [
                "artist": artist, "price": Decimal(string: price), "count": count,
                "soldAt": soldAt.map(Date.init(timeIntervalSince1970:)), "kind": kind, "flags": flags,
                "note": "n\(count)",
            ])
    }
    return manager
}

@Suite("Selected columns") struct SelectTests {
    private let manager: PersistenceManager
    private let all = Sale.sorted(by: \.id)

    init() throws {
        manager = try sales()
    }

    @Test("the values of a property are of its type") func values() throws {
        let artists: [String?] = try manager.values(all, \.artist)
        #expect(artists == ["Miles", "Miles", nil, "Ella", "ella"])
        let dates: [Date?] = try manager.values(all.limit(2), \.soldAt)
        #expect(dates == [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 10.5)])
        #expect(try manager.values(all, \.kind) == [.shop, .mail, .shop, .shop, .shop])
        #expect(try manager.values(all.where(\.count == 2), \.price) == [Decimal(string: "0.2")])
    }

    @Test("different values come once") func distinct() throws {
        #expect(try manager.values(Sale.sorted(by: \.kind), \.kind, distinct: true) == [.mail, .shop])
        #expect(try manager.select(Sale.sorted(by: \.artist), distinct: true, \.artist, \.kind).count == 5)
    }

    @Test("several properties are tuples") func tuples() throws {
        let rows = try manager.select(all.where(\.count > 3), \.artist, \.count, \.kind)
        #expect(rows.map { $0.0 } == ["Ella", "ella"])
        #expect(rows.map { $0.1 } == [4, 5])
        #expect(rows.map(\.2) == [.shop, .shop])
        let first = try manager.select(all.limit(1), \.artist, \.count)
        #expect(first.map { $0.0 } == ["Miles"])
        #expect(first.map { $0.1 } == [1])
    }

    @Test("a deferred property and a bit field can be read") func special() throws {
        #expect(try manager.values(all.limit(2), \.note) == ["n1", "n2"])
        #expect(try manager.values(all, \.isGift) == [false, true, true, false, false])
    }

    @Test("NULL is the default where the column says so, and throws where no value is") func null() throws {
        try manager.run(
            """
            DROP TABLE SALE;
            CREATE TABLE SALE (ID INTEGER PRIMARY KEY, ARTIST, PRICE, COUNT, SOLD_AT, KIND, FLAGS, NOTE, RATING);
            INSERT INTO SALE (ID) VALUES (1)
            """
        )
        #expect(try manager.values(all, \.rating) == [3])
        let error = failure { try manager.values(all, \.count) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "count")
        #expect(error?.model == "Sale")
    }

    @Test("dictionaries have the keys asked for, without what is NULL") func dictionaries() throws {
        let rows = try manager.dictionaries(all, keys: ["artist", "count", "isGift", "note"])
        #expect(rows.count == 5)
        #expect(rows[1]["artist"] as? String == "Miles")
        #expect(rows[1]["count"] as? Int == 2)
        #expect(rows[1]["isGift"] as? Bool == true)
        #expect(rows[1]["note"] as? String == "n2")
        #expect(rows[2].keys.contains("artist") == false)
        #expect(try manager.dictionaries(all, keys: ["who"]).first?["who"] as? String == "Miles")
        #expect(try manager.dictionaries(Sale.sorted(by: \.kind), keys: ["kind"], distinct: true).count == 2)
    }

    @Test("dictionaries without keys have all but deferred columns") func allKeys() throws {
        let row = try #require(try manager.dictionaries(all.limit(1)).first)
        #expect(row.keys.sorted() == ["artist", "count", "flags", "id", "kind", "price", "rating", "soldAt"])
        #expect(row["soldAt"] as? Date == Date(timeIntervalSince1970: 0))
        #expect(row["kind"] as? Sale.Kind == .shop)
    }

    @Test("an unknown key throws, and so do no keys") func unknown() throws {
        #expect(failure { try manager.dictionaries(all, keys: ["artst"]) }?.key == "artst")
        #expect(failure { try manager.dictionaries(all, keys: []) }?.code == .unknownKey)
    }

    @Test("each has an asynchronous form") func asynchronous() async throws {
        #expect(try await manager.values(all, \.count) == [1, 2, 3, 4, 5])
        #expect(try await manager.select(all, \.artist, \.count).map { $0.1 } == [1, 2, 3, 4, 5])
        #expect(try await manager.dictionaries(all, keys: ["count"]).count == 5)
    }
}

// F80
@Suite("Sums by groups") struct GroupedAggregateTests {
    private let manager: PersistenceManager
    private let all = Query(Sale.self)

    init() throws {
        manager = try sales()
    }

    @Test("there is a pair for each value, in its order, NULL first") func groups() throws {
        let sums = try manager.groups(all, by: .key(\.artist), computing: .sum(\.count))
        #expect(sums.map { $0.0 } == [nil, "Ella", "Miles", "ella"])
        #expect(sums.map { $0.1 } == [3, 4, 3, 5])
        let counts = try manager.groups(all, by: .key(\.kind), computing: .count)
        #expect(counts.map { $0.0 } == [.mail, .shop])
        #expect(counts.map { $0.1 } == [1, 4])
    }

    @Test("a sum of Decimals is exact") func decimals() throws {
        let sums = try manager.groups(all, by: .key(\.artist), computing: .sum(\.price))
        #expect(sums.map { $0.1 } == ["5", "7", "0.3", "1"].map { Decimal(string: $0) })
    }

    @Test("averages, and extremes as the column has them", .local(.decimals)) func others() throws {
        #expect(groupValues(try manager.groups(all, by: .key(\.kind), computing: .average(\.count))) == [2, 3.25])
        let first = try manager.groups(all, by: .key(\.artist), computing: .min(\.soldAt))
        #expect(
            first.map { $0.1 } == [
                nil, Date(timeIntervalSince1970: 20), Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 30),
            ])
        let last = try manager.groups(all, by: .key(\.artist), computing: .max(\.price)).last
        #expect(last?.1 == 1)
        let kinds = try manager.groups(all, by: .key(\.kind), computing: .max(\.kind))
        #expect(kinds.map { $0.1 } == [.mail, .shop])
    }

    @Test("a bit field groups, and so does the property that is added") func otherGroups() throws {
        let sums = try manager.groups(all, by: .key(\.isGift), computing: .sum(\.count))
        #expect(sums.map { $0.0 } == [false, true])
        #expect(sums.map { $0.1 } == [10, 5])
        #expect(groupValues(try manager.groups(all, by: .key(\.count), computing: .sum(\.count))) == [1, 2, 3, 4, 5])
    }

    @Test("a limited query groups no more than its rows") func limited() throws {
        let sums = try manager.groups(Sale.sorted(by: \.id).limit(2), by: .key(\.artist), computing: .sum(\.count))
        #expect(sums.map { $0.0 } == ["Miles"])
        #expect(sums.map { $0.1 } == [3])
        #expect(
            try manager.groups(Sale.sorted(by: \.id).limit(3), by: .key(\.count), computing: .sum(\.count)).count == 3)
        let prices = try manager.groups(
            Sale.sorted(by: \.id).limit(2), by: .key(\.isGift), computing: .sum(\.price))
        #expect(prices.map { $0.1 } == ["0.1", "0.2"].map { Decimal(string: $0) })
        #expect(groupValues(try manager.groups(Sale.limit(4), by: .key(\.isGift), computing: .count)) == [2, 2])
    }

    @Test("without rows there are no groups, and a sum of texts is rejected") func edges() throws {
        #expect(try manager.groups(Sale.where(\.count > 99), by: .key(\.artist), computing: .sum(\.count)).isEmpty)
        #expect(
            failure { try manager.groups(all, by: .key(\.kind), computing: .sum(\.artist)) }?.code == .unsupportedType)
        #expect(
            failure { try manager.groups(all, by: .key(\.kind), computing: .average(\.soldAt)) }?.code
                == .unsupportedType)
    }

    @Test("a limited query keeps the order of a column: Decimals by number", .local(.decimals)) func collation() throws
    {
        #expect(try manager.max(Sale.limit(4), \.price) == 7)
        try manager.insert(Sale.self, values: ["price": Decimal(10)])
        #expect(try manager.max(Sale.limit(99), \.price) == 10)
        let first = try manager.groups(Sale.limit(99), by: .key(\.artist), computing: .max(\.price)).first
        #expect(first?.1 == 10)
    }

    @Test("each has an asynchronous form") func asynchronous() async throws {
        #expect(
            groupValues(try await manager.groups(all, by: .key(\.artist), computing: .sum(\.count))) == [3, 4, 3, 5])
        #expect(
            groupValues(try await manager.groups(all, by: .key(\.kind), computing: .average(\.count))) == [2, 3.25])
        #expect(groupValues(try await manager.groups(all, by: .key(\.kind), computing: .min(\.count))) == [2, 1])
        #expect(
            groupValues(try await manager.groups(all, by: .key(\.kind), computing: .max(\.artist))) == [
                "Miles", "ella",
            ])
        #expect(groupValues(try await manager.groups(all, by: .key(\.artist), computing: .count)) == [1, 1, 2, 1])
    }
}
