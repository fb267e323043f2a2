import Foundation
import NodeProcesses
import Persisting
import Testing

private final class PriceTag: PersistingModel {
    var id: Int64?
    var amount: Decimal = 0
    var list: Decimal?

    override class var tableName: String { "PRICE" }

    override class var indexes: [Index] { [.unique("amount")] }
}

/// SQLite's own shell.
private let program = "/usr/bin/sqlite3"

@Suite("Tables with decimal numbers")
struct DecimalTableTests {
    @Test("Another program can use the table", .enabled(if: FileManager.default.isExecutableFile(atPath: program)))
    func shell() throws {
        // Settled 16
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: PriceTag.self)
        for amount in [10, 9, -1, 100.5] as [Decimal] { try manager.insert(PriceTag.self, values: ["amount": amount]) }
        let command = [
            program, directory.path(),
            "INSERT INTO PRICE (AMOUNT) VALUES ('7'); SELECT group_concat(AMOUNT) FROM (SELECT AMOUNT FROM PRICE ORDER BY AMOUNT); PRAGMA integrity_check",
        ]
        // Its own SQLite, where the tests run on another.
        let environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
        let (_, text) = try ChildProcess.run(command, environment: environment)
        #expect(text == "-1,10,100.5,7,9\nok\n")
        #expect(try manager.fetchAll(PriceTag.self, sortedBy: "amount").map(\.amount) == [-1, 7, 9, 10, 100.5])
    }

    @Test(
        "Numbers that another program has stored as such are compared as numbers, in calculations and aggregates too",
        .local(.decimals), arguments: ["DECIMAL(10,2)", "NUMERIC", "REAL", "", "TEXT"])
    func storedNumbers(_ type: String) throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE PRICE (ID INTEGER PRIMARY KEY, AMOUNT \(type) NOT NULL, LIST \(type));
                INSERT INTO PRICE VALUES (1, 10, 1.5), (2, 9.25, NULL), (3, 1.5, 10), (4, -3, 0.1), (5, 0.1, NULL)
                """)
        func ids(_ criteria: Criteria<PriceTag>) throws -> [Int64?] {
            let found = try manager.values(PriceTag.where(criteria).sorted(by: \.id), \.id)
            let all = try manager.fetchAll(PriceTag.self)
            let inMemory = try all.filter { try criteria.matches($0) }.map(\.id)
            #expect(found == inMemory)
            return found
        }
        let row = PriceTag.row
        #expect(try ids(\.amount == 10) == [1])
        #expect(try ids(\.amount < 9.5) == [2, 3, 4, 5])
        #expect(try ids(\.amount > \.list) == [1])
        #expect(try ids(.in(\.amount, [1.5, 10])) == [1, 3])
        #expect(try ids((row.list ?? Decimal(0)) < Decimal(1)) == [2, 4, 5])
        #expect(try ids((row.list ?? Decimal(10)) == Decimal(10)) == [2, 3, 5])
        #expect(try ids(.if(\.id > 1, then: row.amount, else: row.list) > Decimal(9)) == [2])
        let sorted = try manager.values(PriceTag.sorted(by: \.amount), \.id)
        #expect(sorted == [4, 5, 3, 2, 1])
        let byCalculation = PriceTag.rows.sorted(by: .ascending(row.list ?? Decimal(5)))
        #expect(try manager.values(byCalculation, \.id).prefix(2) == [4, 1])
        #expect(try manager.values(byCalculation, \.id).last == 3)
        let greatest = try manager.compute(PriceTag.rows, .max(row.list ?? Decimal(1), as: Decimal.self))
        #expect(greatest == 10)
        #expect(try manager.min(PriceTag.rows, \.amount) == -3)
        #expect(try manager.max(PriceTag.rows, \.amount) == 10)
        #expect(try manager.sum(PriceTag.rows, \.amount)?.description == "17.85")
        let groups = try manager.groups(
            PriceTag.rows, by: .key(\.id), computing: .min(\.amount),
            having: Aggregate<PriceTag, Decimal?>.min(\.amount) < 0)
        #expect(groups.map { $0.0 } == [4])
        #expect(try manager.values(PriceTag.sorted(by: \.amount), \.amount, distinct: true).count == 5)
    }

    @Test(
        "Numbers are compared, ordered and counted as numbers, in a table of now and in one of before",
        .local(.decimals),
        arguments: ["TEXT", "TEXT COLLATE DECIMAL", "DECIMAL(10,2)", "NUMERIC", "REAL"])
    func numbers(_ type: String) throws {
        // F31, Settled 16
        let manager = try memoryManager(
            script: """
                CREATE TABLE PRICE (ID INTEGER PRIMARY KEY, AMOUNT \(type) NOT NULL, LIST \(type));
                CREATE INDEX PRICE_AMOUNT_INDEX ON PRICE (AMOUNT);
                INSERT INTO PRICE (AMOUNT, LIST) VALUES ('10', '2'), ('9', '10'), ('-1.50', '2.0'), ('100', NULL), ('9.0', '3')
                """)
        #expect(try manager.count(PriceTag.self, where: \.amount > 9) == 2)
        #expect(try manager.count(PriceTag.self, where: \.amount == 9) == 2)
        #expect(try manager.count(PriceTag.self, where: \.amount != 9) == 3)
        #expect(try manager.count(PriceTag.self, where: ["amount": [Decimal(9), Decimal(-1.5)]]) == 3)
        #expect(try manager.count(PriceTag.self, where: \.amount >= \.list) == 2)
        #expect(try manager.fetchAll(PriceTag.self, sortedBy: "amount desc, id").map(\.id) == [4, 1, 2, 5, 3])
        #expect(try manager.min(PriceTag.rows, \.amount) == -1.5)
        #expect(try manager.max(PriceTag.rows, \.amount) == 100)
        #expect(try manager.max(Query(PriceTag.self).sorted(by: \.amount).limit(4), \.amount) == 10)
        #expect(try manager.compute(Query(PriceTag.self), .count(distinct: \.list)) == 3)
        #expect(
            try manager.values(Query(PriceTag.self).sorted(by: \.amount), \.amount, distinct: true) == [
                -1.5, 9, 10, 100,
            ])
        #expect(
            groupValues(try manager.groups(Query(PriceTag.self), by: .key(\.amount), computing: .count)) == [
                1, 2, 1, 1,
            ])
        let greatest = try manager.groups(PriceTag.rows, by: .key(\.list), computing: .max(\.amount))
        #expect(greatest.map { $0.1 } == [100, 10, 9, 9])
        var ids: [Int64?] = []
        var last: PriceTag?
        while case let page = try manager.fetchPage(Query(PriceTag.self).sorted(by: \.amount), after: last, limit: 1),
            !page.isEmpty
        {
            ids += page.map(\.id)
            last = page[0]
        }
        #expect(ids == [3, 2, 5, 1, 4])
    }

    @Test(
        "Parts of a number's text, and LIKE, compare texts, also where the column holds numbers", .local(.decimals),
        arguments: ["DECIMAL(10,2)", "NUMERIC", "", "TEXT"])
    func texts(_ type: String) throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE PRICE (ID INTEGER PRIMARY KEY, AMOUNT \(type) NOT NULL, LIST \(type));
                INSERT INTO PRICE (AMOUNT) VALUES (12), (12.5), (123), (1234.5), (3)
                """)
        let all = try manager.fetchAll(PriceTag.sorted(by: \.id))
        let conditions: [(Criteria<PriceTag>, [Int64])] = [
            (.hasPrefix(\.amount, "12"), [1, 2, 3, 4]), (.like(\.amount, "12*"), [1, 2, 3, 4]),
            (.hasPrefix(\.amount, "12.0"), []), (.hasSuffix(\.amount, "3"), [3, 5]),
            (.like(\.amount, "12"), [1]), (.like(\.amount, "12.5"), [2]), (.like(\.amount, "12.0"), []),
            (!.like(\.amount, "012"), [1, 2, 3, 4, 5]),
        ]
        for (condition, ids) in conditions {
            #expect(try manager.values(PriceTag.where(condition).sorted(by: \.id), \.id) == ids)
            #expect(try condition.filter(all).map(\.id) == ids)
        }
    }

    @Test("Equal numbers are one text, so that a unique index knows them")
    func unique() throws {
        // Settled 16
        let manager = try memoryManager(PriceTag.self)
        let one = try #require(Decimal(string: "1.00"))
        try manager.insert(PriceTag.self, values: ["amount": one])
        #expect(
            failure { try manager.insert(PriceTag.self, values: ["amount": Decimal(1)]) }?.sqliteError?.isConstraint(
                .unique) == true)
        #expect(try manager.stored("SELECT AMOUNT FROM PRICE") == "1")
        try manager.insert(PriceTag.self, values: ["amount": Decimal(sign: .minus, exponent: -3, significand: 2500)])
        #expect(try manager.stored("SELECT AMOUNT FROM PRICE WHERE ID = 2") == "-2.5")
        #expect(try manager.tableSQL("PRICE")?.contains("COLLATE") == false)
    }
}
