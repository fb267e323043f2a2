import SQLiteKit
import Testing

@Suite("The authorizer, limits and untrusted files")
struct AuthorizerTests {
    private let db: Database

    init() throws {
        db = try memory(
            """
            CREATE TABLE account (owner, balance); INSERT INTO account VALUES ('a', 5);
            CREATE TABLE log (a); CREATE VIEW rich AS SELECT owner FROM account WHERE balance > 1000;
            """)
    }

    // K20
    @Test("what a statement does is asked about, with its names")
    func requests() throws {
        let seen = Shared<[String]>([])
        try db.setAuthorizer { request in
            seen.update { $0.append(request.description) }
            return .allow
        }
        _ = try db.prepare("SELECT upper(owner) FROM rich", cached: false)
        #expect(
            Set(seen.value) == [
                "SELECT", "READ of rich.owner in main", "FUNCTION of upper", "SELECT by rich",
                "READ of account.owner in main by rich", "READ of account.balance in main by rich",
            ])
        seen.update { $0 = [] }
        _ = try db.prepare("UPDATE account SET balance = 0", cached: false)
        #expect(seen.value == ["UPDATE of account.balance in main"])
    }

    // K20
    @Test("what is denied fails the statement and is named")
    func deny() throws {
        try db.setAuthorizer { request in
            request.action == .update && request.first == "account" && request.second == "balance" ? .deny : .allow
        }
        let error = failure { try db.execute("UPDATE account SET balance = 0") }
        #expect(error?.code == .authorization)
        #expect(error?.message == "the authorizer denied: UPDATE of account.balance in main")
        #expect(error?.sql == "UPDATE account SET balance = 0")
        try db.execute("UPDATE account SET owner = 'b'")
    }

    // K20
    @Test(
        "each kind of action can be denied",
        arguments: [
            ("DELETE FROM account", AuthorizerRequest.Action.delete), ("INSERT INTO log VALUES (1)", .insert),
            ("DROP TABLE log", .dropTable), ("CREATE TABLE x (a)", .createTable), ("SELECT 1", .select),
            ("SELECT a FROM log", .read), ("PRAGMA user_version = 3", .pragma), ("BEGIN", .transaction),
            ("SAVEPOINT s", .savepoint), ("ATTACH ':memory:' AS m", .attach),
            ("CREATE INDEX i ON log (a)", .createIndex), ("ALTER TABLE log ADD b", .alterTable),
            ("CREATE VIEW v AS SELECT 1", .createView), ("DROP VIEW rich", .dropView), ("ANALYZE", .analyze),
            ("CREATE TEMP TABLE x (a)", .createTempTable), ("REINDEX account", .reindex),
        ])
    func kinds(_ sql: String, _ action: AuthorizerRequest.Action) throws {
        try db.execute("CREATE INDEX j ON account (owner)")
        try db.setAuthorizer { $0.action == action ? .deny : .allow }
        let error = failure { try db.execute(SQL(sql)) }
        #expect(error?.code == .authorization)
        #expect(error?.message.hasPrefix("the authorizer denied: \(action)") == true)
        try db.setAuthorizer(nil)
        #expect(failure { try db.execute(SQL(sql)) } == nil)
    }

    // K20
    @Test("a function that is denied is named by SQLite itself")
    func function() throws {
        try db.setAuthorizer { $0.action == .function ? .deny : .allow }
        #expect(failure { try db.rows("SELECT upper('a')") }?.message == "not authorized to use function: upper")
    }

    // K20
    @Test("a column that is ignored reads as NULL, until the authorizer is removed")
    func ignore() throws {
        try db.setAuthorizer { $0.second == "balance" ? .ignore : .allow }
        #expect(try db.scalar("SELECT balance FROM account", as: Int.self) == nil)
        try db.setAuthorizer(nil)
        #expect(try db.scalar("SELECT balance FROM account", as: Int.self) == 5)
    }

    // K20
    @Test("statements that were prepared before are asked about as well")
    func preparedBefore() throws {
        let statement = try db.prepare("SELECT balance FROM account")
        #expect(try statement.query().next()?.value(at: 0, as: Int.self) == 5)
        statement.reset()
        try db.setAuthorizer { _ in .deny }
        #expect(failure { try statement.query().next() }?.code == .authorization)
    }

    // K20
    @Test("a transaction that may not begin does not run")
    func transaction() throws {
        try db.setAuthorizer { $0.action == .transaction ? .deny : .allow }
        let error = failure { try db.transaction { try db.execute("DELETE FROM account") } }
        #expect(error?.message == "the authorizer denied: TRANSACTION of BEGIN")
    }

    // K20
    @Test("an authorizer cannot use its connection")
    func useInside() throws {
        let queue = try DatabaseQueue(.memory)
        let code = Shared<ResultCode?>(nil)
        try queue.withoutTransaction { db in
            try db.setAuthorizer { [weak queue] _ in
                let error = failure { try queue?.read { db in try db.scalar("SELECT 2", as: Int.self) } }
                code.update { $0 = error?.extendedCode }
                return .allow
            }
            #expect(try db.scalar("SELECT 1", as: Int.self) == 1)
        }
        #expect(code.value == .notAllowedHere)
    }

    // K19
    @Test("the columns that a statement reads are reported, through views, in triggers and for a count, too")
    func columnsRead() throws {
        func read(_ sql: String) throws -> Set<String> {
            Set(try db.columnsRead(by: SQL(sql)).map { "\($0.database ?? "?").\($0.table).\($0.column)" })
        }
        #expect(try read("SELECT 1") == [])
        #expect(try read("SELECT a FROM log") == ["main.log.a"])
        #expect(try read("SELECT count(*) FROM log") == ["?.log."])
        #expect(try read("SELECT count(*) FROM main.log") == ["main.log."])
        #expect(try read("SELECT * FROM rich") == ["main.rich.owner", "main.account.owner", "main.account.balance"])
        try db.execute("CREATE TEMP TRIGGER r AFTER INSERT ON log BEGIN UPDATE account SET owner = balance; END")
        #expect(try read("INSERT INTO log VALUES (1)").contains("main.account.balance"))
        #expect(try db.scalar("SELECT count(*) FROM log", as: Int.self) == 0)
        #expect(try db.columnsRead(by: "SELECT a FROM log WHERE a = \(5)").count == 1)
    }

    // K19
    @Test("what another connection commits shows in data_version, what the own one does not")
    func dataVersion() throws {
        let directory = try TemporaryDirectory()
        let own = try Database(directory.file())
        let other = try Database(directory.file())
        try own.execute("CREATE TABLE t (a)")
        let before = try own.pragma("data_version", as: Int.self)
        try own.execute("INSERT INTO t VALUES (1)")
        #expect(try own.pragma("data_version", as: Int.self) == before)
        try other.execute("INSERT INTO t VALUES (2)")
        #expect(try own.pragma("data_version", as: Int.self) != before)
    }

    // K19
    @Test("what cannot be prepared throws, and the authorizer stays in force")
    func columnsReadWithAuthorizer() throws {
        #expect(failure { try db.columnsRead(by: "SELECT nothing FROM log") }?.code == .error)
        try db.setAuthorizer { $0.second == "balance" ? .deny : .allow }
        #expect(failure { try db.columnsRead(by: "SELECT balance FROM account") }?.code == .authorization)
        #expect(try db.columnsRead(by: "SELECT owner FROM account").count == 1)
        #expect(failure { try db.rows("SELECT balance FROM account") }?.code == .authorization)
    }

    // K21
    @Test("a limit can be read and set, and holds")
    func limits() throws {
        #expect((db.limit(.sqlLength) ?? 0) > 1000)
        try db.setLimit(.sqlLength, to: 50)
        #expect(db.limit(.sqlLength) == 50)
        #expect(failure { try db.rows("SELECT '12345678901234567890123456789012345678901234567890'") }?.code == .tooBig)
        try db.setLimit(.variables, to: 2)
        #expect(failure { try db.rows("SELECT ?, ?, ?", [1, 2, 3]) }?.code == .error)
        try db.setLimit(.length, to: 100)
        #expect(failure { try db.scalar("SELECT zeroblob(101)", as: Int.self) }?.code == .tooBig)
    }

    // K21
    @Test("a limit above the build's own is cut to it; what cannot be throws")
    func limitsBeyond() throws {
        let most = try #require(db.limit(.attachedDatabases))
        try db.setLimit(.attachedDatabases, to: .max)
        #expect((db.limit(.attachedDatabases) ?? 0) >= most)
        #expect((db.limit(.attachedDatabases) ?? 0) < 1000)
        #expect(failure { try db.setLimit(.length, to: -1) }?.code == .range)
        #expect(failure { try db.setLimit(Limit(rawValue: 999), to: 1) }?.code == .range)
        #expect(db.limit(Limit(rawValue: 999)) == nil)
        try db.close()
        #expect(db.limit(.length) == nil)
    }

    // K20
    @Test("views and triggers can be turned off and on")
    func flags() throws {
        try db.setFlag(.views, false)
        #expect(failure { try db.rows("SELECT * FROM rich") }?.code == .error)
        try db.setFlag(.views, true)
        #expect(try db.rows("SELECT * FROM rich").isEmpty)
        #expect(failure { try db.setFlag(ConnectionFlag(rawValue: 9999), true) }?.code == .error)
        // SQLITE_DBCONFIG_MAINDBNAME takes an address, and SQLITE_DBCONFIG_LOOKASIDE three values.
        for other in [1000, 1001] as [Int32] {
            #expect(failure { try db.setFlag(ConnectionFlag(rawValue: other), true) }?.code == .misuse)
        }
    }
}

@Suite("A defensive connection")
struct DefensiveTests {
    private let directory: TemporaryDirectory
    private let leaks = Shared(0)

    init() throws {
        directory = try TemporaryDirectory()
        let db = try open(isDefensive: false)
        try db.executeScript(
            """
            CREATE TABLE t (a);
            INSERT INTO t VALUES ('x');
            CREATE VIEW v AS SELECT leak(a) FROM t;
            CREATE TRIGGER r AFTER UPDATE ON t BEGIN SELECT leak(new.a); END;
            CREATE VIEW folded AS SELECT fold(a) FROM t;
            """)
        leaks.update { $0 = 0 }
    }

    private func open(isDefensive: Bool) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.isDefensive = isDefensive
        configuration.prepare = { [leaks] db in
            try db.addFunction("leak", argumentCount: 1) { _ in
                leaks.update { $0 += 1 }
                return 1
            }
        }
        return try Database(directory.file(), configuration: configuration)
    }

    // K20
    @Test(
        "what a file brings along cannot call a function that is not innocuous",
        arguments: ["SELECT * FROM v", "UPDATE t SET a = 'y'"])
    func maliciousSchema(_ sql: String) throws {
        let db = try open(isDefensive: true)
        #expect(failure { try db.rows(SQL(sql)) }?.message == "unsafe use of leak()")
        #expect(leaks.value == 0)
        #expect(try db.scalar("SELECT leak(1)", as: Int.self) == 1)
        #expect(try db.rows("SELECT * FROM folded").count == 1)
        try db.close()
        let trusting = try open(isDefensive: false)
        _ = try trusting.rows(SQL(sql))
        #expect(leaks.value > 1)
    }

    // K20
    @Test(
        "a file whose tables are defined by such a function is rejected when it is opened",
        arguments: ["a CHECK (dull(a) > 0)", "a, b AS (dull(a))", "a DEFAULT (dull(1))"])
    func maliciousTable(_ columns: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.addFunction("dull", argumentCount: 1, .deterministic) { _ in 1 } }
        let file = directory.file("table.sqlite")
        try Database(file, configuration: configuration).execute("CREATE TABLE t (\(sql: SQL(columns)))")
        configuration.isDefensive = true
        let error = failure {
            try Database(file, configuration: configuration).execute("INSERT INTO t (rowid) VALUES (1)")
        }
        #expect(error?.message.hasSuffix("unsafe use of dull()") == true)
    }

    // K20
    @Test("the schema cannot be written by hand, limits are low, and may be raised again")
    func limits() throws {
        let db = try open(isDefensive: true)
        try db.execute("PRAGMA writable_schema = ON")
        #expect(failure { try db.execute("UPDATE sqlite_schema SET sql = 'x'") } != nil)
        #expect(db.limit(.triggerDepth) == 10)
        #expect(failure { try db.scalar("SELECT zeroblob(20000000)", as: Int.self) }?.code == .tooBig)
        let deep = String(repeating: "-(", count: 200) + "1" + String(repeating: ")", count: 200)
        #expect(failure { try db.rows("SELECT \(sql: SQL(deep))") }?.code == .error)
        try db.setLimit(.length, to: 30_000_000)
        #expect(try db.scalar("SELECT length(zeroblob(20000000))", as: Int.self) == 20_000_000)
        #expect(try db.scalar("PRAGMA cell_size_check", as: Bool.self) == true)
    }

    // K20
    @Test("a queue's connection is defensive, too, and what is sound can be read and written")
    func queue() throws {
        var configuration = DatabaseConfiguration()
        configuration.isDefensive = true
        let queue = try DatabaseQueue(directory.file("other.sqlite"), configuration: configuration)
        try queue.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.execute("INSERT INTO t VALUES (\(5))")
        }
        #expect(try queue.read { db in try db.scalar("SELECT a FROM t", as: Int.self) } == 5)
        #expect(try queue.read { db in try db.scalar("PRAGMA quick_check", as: String.self) } == "ok")
    }
}
