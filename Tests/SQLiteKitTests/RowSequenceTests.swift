import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("Rows as an asynchronous sequence", .timeLimit(.minutes(20)))
struct RowSequenceTests {
    private let directory: TemporaryDirectory
    private let databases: [any DatabaseAccess]
    private static let count = 5000

    init() throws {
        directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.maximumReaders = 1
        databases = [
            try DatabasePool(directory.file(), configuration: configuration),
            try DatabaseQueue(directory.file("queue.sqlite")), try DatabaseQueue(.memory),
        ]
        for database in databases {
            try database.write { db in
                try db.execute("CREATE TABLE t (a)")
                try db.execute(
                    """
                    INSERT INTO t WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 5000)
                    SELECT i FROM n
                    """)
            }
        }
    }

    private func all(_ rows: RowSequence) async throws -> [Int] {
        var values: [Int] = []
        for try await row in rows { values.append(try row["a"]) }
        return values
    }

    // K7
    @Test("all rows come, in order", arguments: 0..<3)
    func all(_ index: Int) async throws {
        #expect(try await all(databases[index].rows("SELECT a FROM t ORDER BY a")) == Array(1...Self.count))
    }

    // K7
    @Test("arguments, interpolated values and text made at run time", arguments: 0..<3)
    func arguments(_ index: Int) async throws {
        let database = databases[index]
        let (text, seven) = ("SELECT a FROM t WHERE a = :a", 7)
        #expect(try await all(database.rows("SELECT a FROM t WHERE a = \(seven)")) == [7])
        #expect(try await all(database.rows(SQL(text), ["a": 8])) == [8])
        #expect(try await all(database.rows("SELECT a FROM t WHERE a < ?", [1])) == [])
    }

    // K7
    @Test("each loop runs the query again, and an iterator at its end stays there")
    func again() async throws {
        let rows = databases[0].rows("SELECT a FROM t WHERE a <= 2")
        #expect(try await all(rows) == [1, 2])
        try await databases[0].write { db in _ = try db.execute("DELETE FROM t WHERE a = 1") }
        #expect(try await all(rows) == [2])
        var iterator = rows.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    // K7
    @Test("the body of the loop may call the same database, and the rows stay of one moment", arguments: 0..<3)
    func callsInLoop(_ index: Int) async throws {
        let database = databases[index]
        var seen = 0
        for try await row in database.rows("SELECT a FROM t ORDER BY a") {
            seen += 1
            #expect(try row["a"] as Int == seen)
            if seen.isMultiple(of: 1000) {
                try await database.write { db in _ = try db.execute("DELETE FROM t WHERE a > 4000") }
                let left = try await onThread {
                    try database.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) }
                }
                #expect(left == 4000)
            }
        }
        #expect(seen == Self.count)
    }

    // K7
    @Test("loops inside each other, more than there are readers", arguments: 0..<3)
    func loopsInLoops(_ index: Int) async throws {
        let database = databases[index]
        var count = 0
        for try await _ in database.rows("SELECT a FROM t WHERE a <= 300") {
            for try await _ in database.rows("SELECT a FROM t WHERE a <= 3") { count += 1 }
        }
        #expect(count == 900)
    }

    // K7
    @Test("a pool's sequence holds one reader: a concurrent write does not wait")
    func besideWrite() async throws {
        var iterator = databases[0].rows("SELECT a FROM t ORDER BY a").makeAsyncIterator()
        #expect(try await iterator.next()?["a"] == 1)
        try await databases[0].write { db in _ = try db.execute("DELETE FROM t") }
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == Self.count - 1)
    }

    // K7
    @Test("rows are read as they are used: a query without end can be left", arguments: 0..<3)
    func leaving(_ index: Int) async throws {
        let database = databases[index]
        var seen = 0
        for try await _ in database.rows(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        {
            seen += 1
            if seen == 1000 { break }
        }
        #expect(seen == 1000)
        #expect(try await database.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == Self.count)
        try await database.write { db in _ = try db.execute("DELETE FROM t") }
    }

    // K7
    @Test("the connection is held at the loop's pace, and given back when it is wanted")
    func backPressure() async throws {
        var configuration = DatabaseConfiguration()
        configuration.accessTimeout = .zero
        let queue = try DatabaseQueue(directory.file("queue.sqlite"), configuration: configuration)
        var iterator = queue.rows("SELECT a FROM t").makeAsyncIterator()
        _ = try await iterator.next()
        // Time enough to read all the rows, were they not read at the loop's pace.
        try await Task.sleep(for: .milliseconds(50))
        #expect(await failure { try await queue.read { _ in } }?.extendedCode == .accessTimeout)
        while await failure({ try await queue.read { _ in } }) != nil { await Task.yield() }
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == Self.count - 1)
    }

    // K7
    @Test("a cancelled task stops, and the connection is usable", arguments: 0..<3)
    func cancelled(_ index: Int) async throws {
        let database = databases[index]
        let hasBegun = Signal()
        let task = Task {
            for try await _ in database.rows(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
            {
                hasBegun.send()
            }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == Self.count)
    }

    // K7
    @Test("a task that is cancelled while it waits for a row interrupts the statement", arguments: 0..<3)
    func cancelledInStatement(_ index: Int) async throws {
        let database = databases[index]
        let hasBegun = Signal()
        let task = Task {
            for try await _ in database.rows("SELECT 1 UNION ALL SELECT * FROM (\(sql: endlessQuery))") {
                hasBegun.send()
            }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await database.read { _ in }
    }

    // K7
    @Test("a mistake in the SQL, and too few arguments, are thrown at the first row", arguments: 0..<3)
    func mistakes(_ index: Int) async throws {
        var rows = databases[index].rows("SELECT nonsense FROM t").makeAsyncIterator()
        #expect(await failure { try await rows.next() }?.message.contains("nonsense") == true)
        #expect(try await rows.next() == nil)
        var missing = databases[index].rows("SELECT ?").makeAsyncIterator()
        #expect(await failure { try await missing.next() }?.extendedCode == .argumentCount)
    }

    // K7
    @Test("rows before an error come, and then the error", arguments: 0..<3)
    func errorAfterRows(_ index: Int) async throws {
        var seen = 0
        var error: SQLiteError?
        do {
            for try await _ in databases[index].rows(
                "SELECT CASE WHEN a < 400 THEN a ELSE abs(t.a * 0 - 9223372036854775807 - 1) END AS a FROM t"
            ) {
                seen += 1
            }
        } catch let thrown as SQLiteError {
            error = thrown
        }
        #expect(seen == 399)
        #expect(error?.message.contains("overflow") == true)
    }

    // K7
    @Test("a sequence cannot write", arguments: 0..<3)
    func write(_ index: Int) async throws {
        let error = await failure { try await all(databases[index].rows("DELETE FROM t RETURNING a")) }
        #expect(error?.code == .readOnly)
        #expect(
            try await databases[index].read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) }
                == Self.count)
    }

    // K7
    @Test("a database that is closed meanwhile has handed its rows over; a closed one throws", arguments: 0..<3)
    func closing(_ index: Int) async throws {
        let database = databases[index]
        var iterator = database.rows("SELECT a FROM t ORDER BY a").makeAsyncIterator()
        _ = try await iterator.next()
        try await database.close()
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == Self.count - 1)
        #expect(await failure { try await all(database.rows("SELECT a FROM t")) }?.extendedCode == .closed)
    }
}
