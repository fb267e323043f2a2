import SQLiteKit
import Testing

@Suite("Tracing")
struct TraceTests {
    private let events = Shared<[Trace.Event]>([])

    private func configuration(
        _ minimumDuration: Duration = .zero, _ values: Trace.Values = .hidden
    ) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace(minimumDuration: minimumDuration, values: values) { [events] event in
            events.update { $0.append(event) }
        }
        return configuration
    }

    private var texts: [String] { events.value.map(\.sql) }

    // K14
    @Test("each statement is reported when it ends, with its time and without its values")
    func statements() throws {
        let db = try Database(.memory, configuration: configuration())
        try db.execute("CREATE TABLE t (a)")
        try db.execute("INSERT INTO t VALUES (?)", ["secret"])
        #expect(texts == ["CREATE TABLE t (a)", "INSERT INTO t VALUES (?)"])
        #expect(events.value.allSatisfy { $0.duration > .zero && $0.expandedSQL == nil })
    }

    // K14
    @Test("values are shown when they are asked for")
    func values() throws {
        let db = try Database(.memory, configuration: configuration(.zero, .shown))
        _ = try db.scalar("SELECT ? || ?", ["ü", "it's"], as: String.self)
        #expect(events.value.first?.expandedSQL == "SELECT 'ü' || 'it''s'")
    }

    // K14
    @Test("a query is reported when it has come to its end, or is abandoned")
    func queries() throws {
        let db = try Database(.memory, configuration: configuration())
        let rows = try db.query("SELECT 1 UNION ALL SELECT 2")
        _ = try rows.next()
        #expect(texts == [])
        rows.close()
        #expect(texts.count == 1)
        _ = try db.column("SELECT 3", as: Int.self)
        #expect(texts == ["SELECT 1 UNION ALL SELECT 2", "SELECT 3"])
    }

    // K14
    @Test("statements that run at once are reported each by itself, and the same one again and again")
    func interleaved() throws {
        let db = try Database(.memory, configuration: configuration())
        let outer = try db.query("SELECT 1 UNION ALL SELECT 2")
        while try outer.next() != nil { _ = try db.scalar("SELECT 'inner'", as: String.self) }
        #expect(texts == ["SELECT 'inner'", "SELECT 'inner'", "SELECT 1 UNION ALL SELECT 2"])
    }

    // K14
    @Test("a statement that fails is reported, too")
    func failing() throws {
        let db = try Database(.memory, configuration: configuration())
        try db.execute("CREATE TABLE t (a UNIQUE)")
        _ = failure { try db.execute("INSERT INTO t VALUES (1), (1)") }
        #expect(texts.last == "INSERT INTO t VALUES (1), (1)")
    }

    // K14
    @Test("only those that take as long as asked for are reported")
    func slow() throws {
        let db = try Database(.memory, configuration: configuration(.seconds(3600)))
        _ = try db.scalar("SELECT 1", as: Int.self)
        #expect(texts == [])
    }

    // K14
    @Test("transactions are reported, triggers are part of their statement, opening is left out")
    func transactions() throws {
        var configuration = configuration()
        configuration.prepare = { db in try db.execute("PRAGMA cache_size = -1000") }
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        #expect(texts == [])
        try queue.write { db in
            try db.executeScript(
                """
                CREATE TABLE t (a); CREATE TABLE log (a);
                CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END
                """)
            try db.execute("INSERT INTO t VALUES (1)")
        }
        #expect(texts.first == "BEGIN IMMEDIATE")
        #expect(texts.suffix(2) == ["INSERT INTO t VALUES (1)", "COMMIT"])
    }

    // K14
    @Test("a statement that is prepared again, since the schema has changed, is reported")
    func reprepared() throws {
        let directory = try TemporaryDirectory()
        let db = try Database(directory.file(), configuration: configuration())
        try db.execute("CREATE TABLE t (a)")
        let statement = try db.prepare("SELECT * FROM t")
        _ = try statement.execute()
        try Database(directory.file()).execute("ALTER TABLE t ADD b")
        events.update { $0 = [] }
        _ = try statement.execute()
        #expect(Set(texts) == ["SELECT * FROM t"])
    }

    // K14
    @Test("EXPLAIN is reported")
    func explain() throws {
        let db = try Database(.memory, configuration: configuration())
        _ = try db.rows("EXPLAIN QUERY PLAN SELECT 1")
        #expect(texts == ["EXPLAIN QUERY PLAN SELECT 1"])
    }

    // K14
    @Test("a statement left on a row when the connection goes is reported")
    func abandoned() throws {
        var db: Database? = try Database(.memory, configuration: configuration())
        var statement = try db?.prepare("SELECT 1 UNION ALL SELECT 2", cached: false)
        #expect(try statement?.step() == true)
        db = nil
        statement = nil
        #expect(texts == ["SELECT 1 UNION ALL SELECT 2"])
    }

    // K14
    @Test("the closure of a trace cannot use the connection")
    func useInside() throws {
        let code = Shared<ResultCode?>(nil)
        let queue = Shared<DatabaseQueue?>(nil)
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            guard event.sql == "SELECT 1" else { return }
            let error = failure { try queue.value?.read { db in try db.scalar("SELECT 2", as: Int.self) } }
            code.update { $0 = error?.extendedCode }
        }
        queue.update { $0 = try? DatabaseQueue(.memory, configuration: configuration) }
        #expect(try queue.value?.read { db in try db.scalar("SELECT 1", as: Int.self) } == 1)
        #expect(code.value == .notAllowedHere)
    }
}
