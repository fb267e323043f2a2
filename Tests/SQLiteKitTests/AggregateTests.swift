import SQLiteKit
import Testing

private struct Product: AggregateFunction {
    var product = 1
    mutating func step(_ arguments: borrowing FunctionArguments) throws { product *= try arguments[0] }
    func value() -> (any SQLiteValueConvertible)? { product }
}

private struct List: WindowFunction {
    var items: [String] = []
    let life: Tracked?

    init(_ count: Shared<Int>? = nil) { life = count.map { Tracked($0) } }

    mutating func step(_ arguments: borrowing FunctionArguments) throws { items.append(try arguments[0]) }
    mutating func inverse(_ arguments: borrowing FunctionArguments) throws {
        guard try items.first == arguments[0] else { throw TestError() }
        items.removeFirst()
    }
    func value() -> (any SQLiteValueConvertible)? { items.isEmpty ? nil : items.joined(separator: ",") }
}

private struct FailingValue: AggregateFunction {
    mutating func step(_ arguments: borrowing FunctionArguments) {}
    func value() throws -> (any SQLiteValueConvertible)? { throw SQLiteError(.constraintFunction, "no value") }
}

private struct FailingInverse: WindowFunction {
    mutating func step(_ arguments: borrowing FunctionArguments) {}
    mutating func inverse(_ arguments: borrowing FunctionArguments) throws { throw TestError() }
    func value() -> (any SQLiteValueConvertible)? { 0 }
}

@Suite("Aggregates and window functions")
struct AggregateTests {
    private let db: Database

    init() throws {
        db = try memory(
            "CREATE TABLE t (g, a, b); INSERT INTO t VALUES (1, 2, 'x'), (1, 3, 'y'), (2, 5, 'z'), (2, 7, 'ü')")
    }

    // K27
    @Test("each group has a value of its own")
    func groups() throws {
        try db.addAggregate("product", argumentCount: 1, .deterministic) { Product() }
        #expect(try db.column("SELECT product(a) FROM t GROUP BY g ORDER BY g", as: Int.self) == [6, 35])
        #expect(try db.scalar("SELECT product(a) FROM t", as: Int.self) == 210)
        #expect(try db.scalar("SELECT product(a) FILTER (WHERE a > 3) FROM t", as: Int.self) == 35)
        #expect(try db.scalar("SELECT product(DISTINCT a > 0) FROM t", as: Int.self) == 1)
    }

    // K27
    @Test("a group without rows has the value of a fresh one")
    func empty() throws {
        try db.addAggregate("product", argumentCount: 1) { Product() }
        try db.addAggregate("list", argumentCount: 1) { List() }
        #expect(try db.scalar("SELECT product(a) FROM t WHERE false", as: Int.self) == 1)
        #expect(try db.scalar("SELECT list(b) IS NULL FROM t WHERE false", as: Int.self) == 1)
    }

    // K27
    @Test("an error in a step fails the statement, and its state is let go of")
    func failingStep() throws {
        let count = Shared(0)
        try db.addAggregate("list", argumentCount: 1) { List(count) }
        let error = failure { try db.scalar("SELECT list(a) FROM t", as: String.self) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message == "argument 0 of list: a stored INTEGER 2 isn't a valid String")
        #expect(count.value == 0)
        #expect(try db.scalar("SELECT list(b) FROM t", as: String.self) == "x,y,z,ü")
    }

    // K27
    @Test("an error of the value fails the statement")
    func failingValue() throws {
        try db.addAggregate("f") { FailingValue() }
        let error = failure { try db.scalar("SELECT f(a) FROM t", as: Int.self) }
        #expect(error?.extendedCode == .constraintFunction)
        #expect(error?.message == "no value")
    }

    // K27
    @Test("the state of a query that is abandoned is let go of")
    func abandoned() throws {
        let count = Shared(0)
        try db.addAggregate("list", argumentCount: 1) { List(count) }
        try db.addFunction("stop", argumentCount: 1) { arguments in
            let value: Int = try arguments[0]
            if value == 5 { throw TestError() }
            return "\(value)"
        }
        #expect(
            failure { try db.scalar("SELECT list(stop(a)) FROM t", as: String.self) }?.message.contains("TestError")
                == true)
        #expect(count.value == 0)

        let rows = try db.query("SELECT list(b) OVER (ORDER BY a) FROM t")
        _ = try rows.next()
        #expect(count.value == 1)
        rows.close()
        #expect(count.value == 0)
    }

    // K27
    @Test("the state of a query that ends with its access is let go of")
    func abandonedInQueue() throws {
        let count = Shared(0)
        let queue = try DatabaseQueue(.memory)
        var left: ResultSet?
        try queue.write { db in
            try db.executeScript("CREATE TABLE t (b); INSERT INTO t VALUES ('x'), ('y')")
            try db.addAggregate("list", argumentCount: 1) { List(count) }
            left = try db.query("SELECT list(b) OVER (ORDER BY b) FROM t")
            _ = try left?.next()
            #expect(count.value == 1)
        }
        #expect(count.value == 0)
        left = nil
    }

    // K27
    @Test("a window function takes rows in and out")
    func window() throws {
        let count = Shared(0)
        try db.addAggregate("list", argumentCount: 1) { List(count) }
        let moving = "SELECT list(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t"
        #expect(try db.column(SQL(moving), as: String.self) == ["x,y", "x,y,z", "y,z,ü", "z,ü"])
        let partitions = "SELECT list(b) OVER (PARTITION BY g ORDER BY a ROWS 1 PRECEDING) FROM t"
        #expect(try db.column(SQL(partitions), as: String.self) == ["x", "x,y", "z", "z,ü"])
        #expect(try db.column("SELECT list(b) FROM t GROUP BY g", as: String.self) == ["x,y", "z,ü"])
        #expect(count.value == 0)
    }

    // K27
    @Test("a window without rows has the value of a fresh one")
    func emptyWindow() throws {
        let count = Shared(0)
        try db.addAggregate("list", argumentCount: 1) { List(count) }
        let sql = "SELECT list(b) OVER (ORDER BY a ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) FROM t"
        #expect(try db.column(SQL(sql), as: String?.self) == ["z,ü", "ü", nil, nil])
        #expect(count.value == 0)
    }

    // K27
    @Test("an error in taking a row out fails the statement")
    func failingInverse() throws {
        try db.addAggregate("f", argumentCount: 1) { FailingInverse() }
        let sql = "SELECT f(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t"
        #expect(failure { try db.column(SQL(sql), as: Int.self) }?.message == "TestError()")
    }

    // K27
    @Test("an aggregate that cannot take rows out isn't a window function")
    func noWindow() throws {
        try db.addAggregate("product", argumentCount: 1) { Product() }
        let error = failure { try db.column("SELECT product(a) OVER () FROM t", as: Int.self) }
        #expect(error?.message == "product() may not be used as a window function")
    }

    // K27
    @Test("an aggregate made with parameters has them in each group")
    func parameters() throws {
        struct Top: AggregateFunction {
            let limit: Int
            var values: [Int] = []
            mutating func step(_ arguments: borrowing FunctionArguments) throws {
                values = try (values + [arguments[0]]).sorted(by: >).prefix(limit).map { $0 }
            }
            func value() -> (any SQLiteValueConvertible)? { values.map(String.init).joined(separator: ",") }
        }
        try db.addAggregate("top2", argumentCount: 1) { Top(limit: 2) }
        #expect(try db.scalar("SELECT top2(a) FROM t", as: String.self) == "7,5")
    }

    // K27
    @Test("an aggregate can be removed, and lets go of what it was made with")
    func removal() throws {
        let count = Shared(0)
        func add() throws {
            let tracked = Tracked(count)
            try db.addAggregate("f") { withExtendedLifetime(tracked) { Product() } }
        }
        try add()
        #expect(count.value == 1)
        try db.removeFunction("f")
        #expect(count.value == 0)
        #expect(failure { try db.scalar("SELECT f(a) FROM t", as: Int.self) }?.code == .error)
        try add()
        try db.close()
        #expect(count.value == 0)
    }

    // K27
    @Test("names and numbers that cannot be are rejected")
    func rejected() throws {
        #expect(failure { try db.addAggregate("") { Product() } }?.code == .misuse)
        #expect(failure { try db.addAggregate("f", argumentCount: 128) { List() } }?.code == .misuse)
    }

    // K27
    @Test("many groups at once have their own states")
    func manyGroups() throws {
        let count = Shared(0)
        try db.addAggregate("list", argumentCount: 1) { List(count) }
        let sql = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
            SELECT count(*) FROM (SELECT i % 1000 AS g, list('x') AS l FROM n GROUP BY g) WHERE length(l) = 39
            """
        #expect(try db.scalar(SQL(sql), as: Int.self) == 1000)
        #expect(count.value == 0)
    }
}
