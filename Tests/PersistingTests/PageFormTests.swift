import Foundation
import Persisting
import Testing

/// Rows that another writer may have stored in other forms than this class writes.
private final class Odd: PersistingModel {
    var id: Int64?
    var isOn = false
    var ratio: Float = 0
    var seen = Date(timeIntervalSince1970: 0)
    var token: UUID?
    var rank = 3
    var made = Date()
    var name: String?
    var flags = 0

    override class var columns: Columns {
        var columns = super.columns
        columns["RANK"] = .int.onNull(.default)
        columns["MADE"] = .date.onNull(.default)
        return columns
    }

    override class var bitFields: [BitField] {
        [BitField("isNew", in: "flags", mask: 1), BitField("isTop", in: "rank", mask: 1)]
    }
}

/// A key in the form that another writer gave it.
private final class Voucher: PersistingModel {
    var id = Date()
    var isOn = false
    override class var primaryKey: PrimaryKey { .assigned("id") }
}

private final class Listed: PersistingModel {
    var id: Int64?
    var tags: [String] = []
    override class var columns: Columns {
        var columns = super.columns
        columns["TAGS"] = .json
        return columns
    }
}

// F84
@Suite("Pages of rows in other forms") struct PageFormTests {
    @Test("that are ordered by JSON have each row once")
    func json() throws {
        let manager = try memoryManager(Listed.self)
        let texts = [
            #"["t","x"]"#, #"["t" , "x"]"#, #"["t","\u0078"]"#, #"["a"]"#, #"["t", "x"]"#, #"["z"]"#, #"[ "a"]"#,
        ]
        for text in texts { try manager.execute("INSERT INTO LISTED (TAGS) VALUES (\(text))") }
        var ids: [Int64?] = []
        var last: Listed?
        repeat {
            let page = try manager.fetchPage(Listed.sorted(by: \.tags), after: last, limit: 2)
            ids += page.map(\.id)
            last = page.last
        } while last != nil && ids.count < 20
        #expect(ids.compactMap(\.self).sorted() == Array(1...7))
    }

    /// A row for each tuple, with values as SQL spells them.
    private func manager(_ rows: [String: [String]]) throws -> PersistenceManager {
        let manager = try memoryManager(Odd.self)
        let count = rows.values.map(\.count).max() ?? 0
        for row in 0..<count {
            var values = ["IS_ON": "0", "RATIO": "0", "SEEN": "0", "RANK": "1", "MADE": "0", "FLAGS": "0"]
            for (column, forms) in rows { values[column] = forms[row] }
            try manager.run(
                "INSERT INTO ODD (\(values.keys.joined(separator: ", "))) VALUES (\(values.values.joined(separator: ", ")))"
            )
        }
        return manager
    }

    private func paged(_ query: Query<Odd>, _ limit: Int, _ manager: PersistenceManager) throws -> [Int64?] {
        var paged: [Int64?] = []
        var last: Odd?
        while true {
            let page = try manager.fetchPage(query, after: last, limit: limit)
            paged += page.map(\.id)
            if page.count < limit || paged.count > 500 { return paged }
            last = page.last
        }
    }

    @Test(
        "neither miss nor repeat one, whatever its form",
        arguments: [
            ("isOn", "IS_ON", ["1", "1", "0", "0", "1.0", "1", "0", "1"]),
            ("ratio", "RATIO", ["0.1", "0.10000000149011612", "0.1", "0.25", "0.09999", "1", "0.3", "0.1"]),
            ("seen", "SEEN", ["0.1", "0.1", "0.3", "1e9", "1700000000.123456", "0.7", "-0.1", "0.1"]),
            (
                "token", "TOKEN",
                (0..<8).map {
                    $0 == 3 ? "NULL" : "'E621E1F8-C36C-495A-93FC-0C247A3E6E5\(9 - $0)'"
                }
            ),
            ("rank", "RANK", ["NULL", "5", "3", "NULL", "1", "3", "NULL", "2"]),
            ("made", "MADE", ["NULL", "5", "0.1", "NULL", "0.1", "3", "NULL", "2"]),
            ("isNew", "FLAGS", ["3", "2", "1", "0", "5", "4", "7", "8"]),
        ])
    func forms(key: String, column: String, forms: [String]) throws {
        let manager = try manager([column: forms])
        for phrase in [key, "\(key) desc", "isOn, \(key) desc", "\(key) desc, name, id desc"] {
            let ordering = try Ordering<Odd>(phrase)
            for ordering in [ordering, [.ascending(key, nils: .last), ordering], [.descending(key, nils: .first)]] {
                let expected = try manager.fetchAll(Odd.self, sortedBy: [ordering, "id"]).map(\.id)
                for limit in 1...3 {
                    #expect(try paged(.init(Odd.self).sorted(by: ordering), limit, manager) == expected)
                }
            }
        }
    }

    @Test("Pages of random rows, put together, are the whole in its order", .local(.textComparisons))
    func random() throws {
        var generator = SeededGenerator()
        print("pages at random: PERSISTING_TEST_SEED=\(generator.seed)")
        for _ in 0..<40 {
            var forms: [String: [String]] = [:]
            let all = [
                "IS_ON": ["0", "1"], "RATIO": ["0.1", "0.10000000149011612", "0.2", "7"],
                "SEEN": ["0.1", "0.3", "1e9", "1700000000.7"], "RANK": ["NULL", "3", "1", "4"],
                "MADE": ["NULL", "0.1", "5"], "NAME": ["NULL", "'a'", "'A'", "'é'"], "FLAGS": ["0", "1", "2", "3"],
                "TOKEN": ["NULL", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E50'"],
            ]
            for (column, values) in all.sorted(by: { $0.key < $1.key }) {
                forms[column] = (0..<20).map { _ in generator.pick(values) }
            }
            let manager = try manager(forms)
            let keys = ["isOn", "ratio", "seen", "token", "rank", "made", "name", "isNew"].shuffled(using: &generator)
            let ordering = Ordering<Odd>(
                keys.prefix(.random(in: 1...3, using: &generator)).map { key in
                    let nils: NilPlacement? = generator.pick([nil, .first, .last])
                    let comparison: TextComparison =
                        key == "name" ? generator.pick([.stored, .caseInsensitive]) : .stored
                    return generator.chance(2)
                        ? .ascending(key, by: comparison, nils: nils) : .descending(key, by: comparison, nils: nils)
                })
            let expected = try manager.fetchAll(Odd.self, sortedBy: [ordering, "id"]).map(\.id)
            let limit = Int.random(in: 1...4, using: &generator)
            #expect(
                try paged(Odd.sorted(by: ordering), limit, manager) == expected,
                "seed \(generator.seed): \(ordering), \(limit)")
        }
    }

    @Test("Bits of a property whose NULL is its default are rejected: SQL has none of them set") func bits() throws {
        let error = failure { try manager([:]).fetchPage(Odd.sorted(by: "isTop"), limit: 1) }
        #expect(error?.code == .invalidOrdering)
        #expect(error?.key == "isTop")
    }

    @Test("There is an asynchronous form") func asynchronous() async throws {
        let manager = try manager(["IS_ON": ["1", "1", "0", "1"], "RANK": ["NULL", "3", "NULL", "1"]])
        let expected = try await manager.fetchAll(Odd.self, sortedBy: "rank, isOn desc, id").map(\.id)
        var (paged, last): ([Int64?], Odd?) = ([], nil)
        for _ in expected {
            let page = try await manager.fetchPage(Odd.sorted(by: "rank, isOn desc"), after: last, limit: 1)
            paged += page.map(\.id)
            last = page.last
        }
        #expect(paged == expected)
    }

    @Test("An object that is not tracked tells its place as well") func untracked() throws {
        let manager = try manager(["IS_ON": ["1", "1", "0"], "SEEN": ["0.1", "0.1", "0.1"]])
        let objects = try manager.fetchAll(Odd.sorted(by: "seen, isOn, id"), tracked: false)
        for (place, object) in objects.enumerated() {
            let rest = try manager.fetchPage(Odd.sorted(by: "seen, isOn"), after: object, limit: 9)
            #expect(rest.map(\.id) == objects.dropFirst(place + 1).map(\.id))
        }
    }

    @Test("A row that is gone is gone on from where it was") func gone() throws {
        let manager = try manager(["RATIO": ["0.25", "0.5", "0.75"]])
        let first = try #require(try manager.fetchPage(Odd.sorted(by: \.ratio), limit: 1).first)
        try manager.run("DELETE FROM ODD WHERE ID = 1")
        #expect(try manager.fetchPage(Odd.sorted(by: \.ratio), after: first, limit: 9).map(\.id) == [2, 3])
        let second = try #require(try manager.find(Odd.self, 2))
        try manager.delete(second)
        #expect(try manager.fetchPage(Odd.sorted(by: \.ratio), after: second, limit: 9).map(\.id) == [3])
    }

    @Test("A row that has changed is gone on from where it was when it was read") func changed() throws {
        let manager = try manager(["RATIO": ["0.25", "0.5", "0.75"], "RANK": ["NULL", "3", "4"]])
        let first = try #require(try manager.fetchPage(Odd.sorted(by: \.ratio), limit: 1).first)
        for change in ["RATIO = 9", "RATIO = 'x'", "RATIO = x'00'"] {
            try manager.run("UPDATE ODD SET \(change) WHERE ID = 1")
            let next = try manager.fetchPage(Odd.sorted(by: \.ratio), after: first, limit: 1)
            #expect(next.map(\.id) == [2], "\(change)")
        }
        // Read as NULL, whose default is 3, and NULL no more.
        try manager.run("UPDATE ODD SET RANK = 9, RATIO = 0 WHERE ID = 1")
        #expect(try manager.fetchPage(Odd.sorted(by: \.rank), after: first, limit: 9).map(\.id) == [2, 3, 1])
    }

    @Test("A key in another form is a place too", .local(.textAndDateFunctions)) func key() throws {
        let manager = try memoryManager(Voucher.self)
        for (place, id) in ["5", "'1970-01-01 00:00:04'", "'1970-01-01'", "7", "'1970-01-01T00:00:06Z'"].enumerated() {
            try manager.run("INSERT INTO VOUCHER VALUES (\(id), \(place % 2))")
        }
        for ordering in ["isOn", "isOn desc", "id desc"] as [Ordering<Voucher>] {
            let expected = try manager.fetchAll(Voucher.self, sortedBy: [ordering, "id"]).map(\.primaryKeyValue)
            var (paged, last): ([SQLiteValue], Voucher?) = ([], nil)
            while let next = try manager.fetchPage(Voucher.sorted(by: ordering), after: last, limit: 1).first {
                paged.append(next.primaryKeyValue)
                last = next
                if paged.count > 9 { break }
            }
            #expect(paged == expected)
        }
    }

    @Test("The place is read by the key, and the page is one more query of the same moment") func queries() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Odd.self)
        let last = try manager.insert(Odd.self, values: ["isOn": true])
        let before = log.texts.count
        _ = try manager.fetchPage(Odd.sorted(by: \.isOn), after: last, limit: 1)
        let texts = log.texts.dropFirst(before).filter { $0.hasPrefix("SELECT") }
        #expect(texts.first == "SELECT IS_ON, ID FROM ODD WHERE ID = ?")
        #expect(texts.count == 2)
    }
}
