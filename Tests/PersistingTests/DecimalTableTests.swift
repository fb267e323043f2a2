import Foundation
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
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = [
            directory.path(),
            "INSERT INTO PRICE (AMOUNT) VALUES ('7'); SELECT group_concat(AMOUNT) FROM (SELECT AMOUNT FROM PRICE ORDER BY AMOUNT); PRAGMA integrity_check",
        ]
        // Its own SQLite, where the tests run on another.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "-1,10,100.5,7,9\nok\n")
        #expect(try manager.fetchAll(PriceTag.self, sortedBy: "amount").map(\.amount) == [-1, 7, 9, 10, 100.5])
    }

    @Test(
        "Numbers are compared, ordered and counted as numbers, in a table of now and in one of before",
        .local(.decimals),
        arguments: ["TEXT", "TEXT COLLATE DECIMAL"])
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
