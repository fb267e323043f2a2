import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class Plane: PersistingModel {
    var id: Int64?
    var maker = ""
    var seats = 0
    var ownerID: Int64?
}

private final class Indexed: PersistingModel {
    var id: Int64?
    var maker = ""
    var seats = 0
    override class var tableName: String { "JET" }
    override class var indexes: [Index] { [Index("maker")] }
}

private class Flight: PersistingModel {
    var id: Int64?
    var plane = 0
    var start = Date.distantPast
    var landing: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["LANDING"] = .date.stored(as: .iso8601)
        return columns
    }
}

private final class IndexedFlight: Flight {
    override class var tableName: String { "INDEXED_FLIGHT" }
    override class var indexes: [Index] { [Index("start"), Index("landing")] }
}

@Suite("Advice on queries by dates")
struct DateLintTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Flight.self, IndexedFlight.self)
        for plane in 0..<30 {
            let start = Date(timeIntervalSince1970: Double(plane) * 1_000)
            try manager.insert(
                Flight.self, values: ["plane": plane, "start": start, "landing": start.addingTimeInterval(1)])
            try manager.insert(
                IndexedFlight.self, values: ["plane": plane, "start": start, "landing": start.addingTimeInterval(1)])
        }
    }

    @Test("an index is advised, whatever the form", .local(.connection))
    func advised() throws {
        let date = Date(timeIntervalSince1970: 5_000)
        let queries = [
            (Flight.where(\.start > date), "\"start\""), (Flight.where(\.landing > date), "\"landing\""),
            (Flight.where(\.plane == 3 && \.start > date), "\"plane\", \"start\""),
            (Flight.where(\.plane == 3).sorted(by: \.start), "\"plane\", \"start\""),
        ]
        for (query, index) in queries {
            let advice = try manager.lint(query, minimumRows: 20)
            #expect(advice.first?.finding == .scan(table: "FLIGHT"))
            #expect(advice.first?.remedy == "Flight: override class var indexes: [Index] { [Index(\(index))] }")
        }
    }

    @Test("an index leaves nothing to be said, of a query and of a statement", .local(.connection))
    func indexed() throws {
        let date = Date(timeIntervalSince1970: 5_000)
        for query in [
            IndexedFlight.where(\.start > date), IndexedFlight.where(\.landing > date),
            Query(IndexedFlight.self).sorted(by: \.start).limit(3),
        ] {
            #expect(try manager.lint(query, minimumRows: 20).map(\.description) == [])
            #expect(try manager.lint(minimumRows: 20) { _ = try manager.fetchAll(query) }.map(\.description) == [])
        }
    }
}

@Suite("Advice on queries")
struct QueryLintTests {
    // F126
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Plane.self, Indexed.self)
        for table in ["PLANE", "JET"] {
            try manager.run(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
                INSERT INTO \(table) (MAKER, SEATS) SELECT i, i FROM n
                """)
        }
    }

    private func advice(_ query: Query<Plane>) throws -> [QueryAdvice] { try manager.lint(query, minimumRows: 20) }

    /// Whether the remedy's index leaves nothing to be said.
    private func isCured(_ query: Query<Plane>, _ columns: String) throws -> Bool {
        try manager.run("CREATE INDEX CURE ON PLANE (\(columns))")
        return try advice(query).isEmpty
    }

    @Test("A scan for some rows is reported, with the index as the class declares it", .local(.connection))
    func scan() throws {
        let query = Plane.where(\.maker == "7")
        let advice = try advice(query)
        #expect(advice.map(\.finding) == [.scan(table: "PLANE")])
        #expect(advice.first?.remedy == "Plane: override class var indexes: [Index] { [Index(\"maker\")] }")
        #expect(advice.first?.sql == "SELECT ID, MAKER, SEATS, OWNER_ID FROM PLANE WHERE MAKER = ?")
        #expect(try isCured(query, "MAKER"))
    }

    @Test("A scan for all rows, a small table and a good index are fine", .local(.connection))
    func fine() throws {
        #expect(try advice(Query(Plane.self)).isEmpty)
        #expect(try manager.lint(Plane.where(\.maker == "7"), minimumRows: 21).isEmpty)
        #expect(try manager.lint(Plane.where(\.maker == "7")).isEmpty)
        #expect(try manager.lint(Indexed.where(\.maker == "7"), minimumRows: 0).isEmpty)
        #expect(try manager.lint(Plane.where(\.id == 7), minimumRows: 0).isEmpty)
    }

    @Test("Equal columns come before the range, and before the order, in the index that helps", .local(.connection))
    func order() throws {
        let sorted = Plane.where(\.maker == "7").sorted(by: \.seats)
        #expect(try advice(sorted).map(\.finding) == [.scan(table: "PLANE"), .sort(table: "PLANE")])
        #expect(try Set(advice(sorted).map(\.remedy)).count == 1)
        #expect(try advice(sorted).first?.remedy?.contains("[Index(\"maker\", \"seats\")]") == true)
        let ranged = Plane.where(\.seats > 3 && \.ownerID == 7)
        #expect(try advice(ranged).first?.remedy?.contains("[Index(\"ownerID\", \"seats\")]") == true)
        #expect(try isCured(sorted, "MAKER, SEATS"))
    }

    @Test("A sort of all rows is reported", .local(.connection))
    func sort() throws {
        let advice = try advice(Plane.sorted(by: \.seats))
        #expect(advice.map(\.finding) == [.sort(table: "PLANE")])
        #expect(advice.first?.remedy?.contains("[Index(\"seats\")]") == true)
    }

    @Test("Where no index helps, there is no remedy", .local(.connection))
    func noRemedy() throws {
        let advice = try advice(Plane.where(.contains("maker", "7")))
        #expect(advice.map(\.finding) == [.scan(table: "PLANE")])
        #expect(advice.first?.remedy == nil)
    }

    @Test("For a class with indexes, the advice is to add one", .local(.connection))
    func moreIndexes() throws {
        let advice = try manager.lint(Indexed.where(\.seats == 7), minimumRows: 20)
        #expect(advice.first?.remedy == "add Index(\"seats\") to Indexed.indexes")
    }

    @Test("Each statement of a closure is judged once, raw SQL too, and by its table's class", .local(.connection))
    func closure() throws {
        let advice = try manager.lint(minimumRows: 20) {
            for maker in ["1", "2"] { _ = try manager.fetchAll(Plane.self, where: \.maker == maker) }
            _ = try manager.count(Plane.self)
            try manager.execute("UPDATE PLANE SET SEATS = 1 WHERE OWNER_ID = 3")
        }
        #expect(advice.map(\.finding) == [.scan(table: "PLANE"), .scan(table: "PLANE")])
        #expect(advice.map { $0.sql.prefix(6) } == ["SELECT", "UPDATE"])
        #expect(advice.last?.remedy?.contains("Index(\"ownerID\")") == true)
    }

    @Test("A scan in a correlated subquery, and a table without a class, are reported", .local(.connection))
    func correlated() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE a (x, y); CREATE TABLE b (x, z);
                INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (1, 2);
                """)
        let advice = try manager.lint(minimumRows: 1) {
            try manager.execute("UPDATE a SET y = (SELECT max(z) FROM b AS other WHERE other.x = a.x) WHERE rowid > 0")
        }
        #expect(advice.map(\.finding) == [.correlatedScan(table: "b")])
        #expect(advice.first?.remedy == "CREATE INDEX b_x_index ON b (x)")
    }

    @Test("An index that SQLite makes each time is reported", .local(.connection))
    func automatic() throws {
        let manager = try memoryManager(script: "CREATE TABLE a (x); CREATE TABLE b (x, z);")
        let advice = try manager.lint(minimumRows: 0) {
            _ = try manager.database.read { db in try db.rows("SELECT a.x FROM a JOIN b ON b.x = a.x") }
        }
        #expect(advice.contains { if case .automaticIndex = $0.finding { true } else { false } })
        #expect(advice.allSatisfy { $0.remedy != nil })
    }

    /// A table with an index, and as many rows.
    private func fill(_ count: Int) throws {
        try manager.run(
            """
            WITH RECURSIVE n (i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO JET (MAKER, SEATS) SELECT i, i FROM n
            """)
    }

    @Test("Missing statistics of a large table with indexes are reported once, until ANALYZE", .local(.connection))
    func missingStatistics() throws {
        let query = Indexed.where(\.maker == "7")
        try fill(9_999)
        #expect(try manager.lint(query).isEmpty)
        try manager.run("INSERT INTO JET (MAKER) VALUES ('last')")
        let advice = try manager.lint {
            for maker in ["1", "2"] { _ = try manager.fetchAll(Indexed.self, where: \.maker == maker) }
            _ = try manager.fetchAll(Indexed.self, where: \.maker > "9")
        }
        #expect(advice.map(\.finding) == [.missingStatistics(table: "JET")])
        #expect(advice.first?.remedy == "ANALYZE JET")
        #expect(
            advice.first?.description == """
                guesses which index of JET to use, without statistics: SELECT ID, MAKER, SEATS FROM JET WHERE MAKER = ?
                  ANALYZE JET
                """)
        try manager.run("ANALYZE JET")
        #expect(try manager.lint(query).isEmpty)
    }

    @Test("Statistics that don't matter to a statement are not reported", .local(.connection))
    func otherStatistics() throws {
        try fill(10_000)
        #expect(try manager.lint(Query(Indexed.self)).isEmpty)
        #expect(try manager.lint(Indexed.where(\.id == 7)).isEmpty)
        #expect(try manager.lint(Plane.where(\.maker == "7")).isEmpty)
    }

    @Test("Statistics of a table that has grown or shrunk tenfold are reported", .local(.connection))
    func outdatedStatistics() throws {
        let query = Indexed.where(\.maker == "7")
        try fill(100)
        try manager.run("ANALYZE")
        try fill(990)
        // 1,000 rows are not more than ten times a hundred, by one.
        try manager.run("DELETE FROM JET WHERE ID > 1000")
        #expect(try manager.lint(query).isEmpty)
        try manager.run("INSERT INTO JET (MAKER) VALUES ('last')")
        let advice = try manager.lint(query)
        #expect(advice.map(\.finding) == [.outdatedStatistics(table: "JET")])
        #expect(advice.first?.remedy == "ANALYZE JET")
        #expect(advice.first?.description.hasPrefix("chooses an index of JET by outdated statistics: SELECT") == true)
        try manager.run("ANALYZE")
        #expect(try manager.lint(query).isEmpty)
        try manager.run("DELETE FROM JET WHERE ID > 100")
        #expect(try manager.lint(query).map(\.finding) == [.outdatedStatistics(table: "JET")])
        // Anybody may write anything there.
        try manager.run("UPDATE sqlite_stat1 SET stat = '9223372036854775807 1' WHERE tbl = 'JET'")
        #expect(try manager.lint(query).map(\.finding) == [.outdatedStatistics(table: "JET")])
        try manager.run("UPDATE sqlite_stat1 SET stat = '-9223372036854775808 1' WHERE tbl = 'JET'")
        #expect(try manager.lint(query).isEmpty)
    }

    @Test("Asynchronous statements are judged", .local(.connection))
    func asynchronous() async throws {
        let manager = manager
        let advice = try await manager.lint(minimumRows: 20) {
            _ = try await manager.fetchAll(Plane.self, where: \.maker == "1")
        }
        #expect(advice.map(\.finding) == [.scan(table: "PLANE")])
    }

    @Test("A statement that has no plan any more, since the schema has changed, is passed over", .local(.connection))
    func changedSchema() throws {
        let advice = try manager.lint(minimumRows: 20) {
            try manager.execute("CREATE TABLE LATER (A)")
            try manager.execute("CREATE VIRTUAL TABLE WORDS USING fts5(text)")
            try manager.execute("INSERT INTO LATER VALUES (1)")
            try manager.execute("DROP TABLE LATER")
            _ = try manager.fetchAll(Plane.self, where: \.maker == "1")
        }
        #expect(advice.map(\.finding) == [.scan(table: "PLANE")])
    }

    @Test("The advice says itself in a log", .local(.connection))
    func description() throws {
        #expect(
            try advice(Plane.where(\.maker == "7")).map(\.description) == [
                """
                reads all rows of PLANE: SELECT ID, MAKER, SEATS, OWNER_ID FROM PLANE WHERE MAKER = ?
                  Plane: override class var indexes: [Index] { [Index("maker")] }
                """
            ])
    }
}
