import SQLiteKit
import Testing

@Suite("The statement cache")
struct StatementCacheTests {
    private func database(capacity: Int) throws -> Database {
        var configuration = DatabaseConfiguration()
        configuration.statementCacheCapacity = capacity
        let db = try Database(.memory, configuration: configuration)
        db.clearStatementCache()
        return db
    }

    // K41
    @Test("a text that is used again is prepared once")
    func reuse() throws {
        let db = try database(capacity: 10)
        let before = db.statementCacheStatistics
        for number in 1...3 { _ = try db.scalar("SELECT ?", [number], as: Int.self) }
        let after = db.statementCacheStatistics
        #expect(after.misses == before.misses + 1)
        #expect(after.hits == before.hits + 2)
        #expect(after.count == 1)
    }

    // K41, FMDB: cache
    @Test("the cache is on, and bounded")
    func byDefault() throws {
        let db = try memory()
        #expect(db.statementCacheStatistics.capacity == 128)
        for number in 0..<300 { try db.execute("SELECT \(sql: SQL(String(number)))") }
        #expect(db.statementCacheStatistics.count == 128)
    }

    // K41
    @Test("the statement used longest ago is let go first")
    func leastRecentlyUsed() throws {
        let db = try database(capacity: 2)
        for sql in ["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3"] { try db.execute(SQL(sql)) }
        let before = db.statementCacheStatistics
        try db.execute("SELECT 1")
        #expect(db.statementCacheStatistics.hits == before.hits + 1)
        try db.execute("SELECT 2")
        #expect(db.statementCacheStatistics.misses == before.misses + 1)
    }

    // K41
    @Test("random use keeps the statements used last", arguments: [1, 2, 3, 7])
    func random(_ capacity: Int) throws {
        var generator = SeededGenerator()
        let db = try database(capacity: capacity)
        var model: [Int] = []
        for _ in 0..<500 {
            let number = Int.random(in: 0..<10, using: &generator)
            let before = db.statementCacheStatistics.hits
            #expect(try db.scalar("SELECT \(sql: SQL(String(number)))", as: Int.self) == number)
            let isHit = db.statementCacheStatistics.hits > before
            #expect(isHit == model.contains(number), "seed \(generator.seed)")
            model.removeAll { $0 == number }
            model.append(number)
            model = model.suffix(capacity)
            #expect(db.statementCacheStatistics.count == model.count, "seed \(generator.seed)")
        }
    }

    // K41
    @Test("a capacity of 0, or below, keeps nothing", arguments: [0, -5])
    func none(_ capacity: Int) throws {
        let db = try database(capacity: capacity)
        #expect(try db.scalar("SELECT 1", as: Int.self) == 1)
        #expect(try db.scalar("SELECT 1", as: Int.self) == 1)
        #expect(db.statementCacheStatistics.count == 0)
        #expect(db.statementCacheStatistics.capacity == 0)
        try db.transaction { try db.execute("SELECT 1") }
    }

    // K41
    @Test("two holders of one text have two statements")
    func twoHolders() throws {
        let db = try memory()
        let first = try db.prepare("SELECT ?")
        let second = try db.prepare("SELECT ?")
        #expect(first !== second)
        try first.bind(1, at: 1)
        try second.bind(2, at: 1)
        #expect(try first.step())
        #expect(try second.step())
        #expect(first.int64(at: 0) == 1)
        #expect(second.int64(at: 0) == 2)
    }

    // K41
    @Test("a statement from the cache has no values bound and stands before its first row")
    func asNew() throws {
        let db = try memory()
        do {
            let statement = try db.prepare("SELECT ?")
            try statement.bind(1, at: 1)
            _ = try statement.step()
        }
        let hits = db.statementCacheStatistics.hits
        let statement = try db.prepare("SELECT ?")
        #expect(db.statementCacheStatistics.hits == hits + 1)
        #expect(!statement.isBusy)
        #expect(try statement.step())
        #expect(statement.storageClass(at: 0) == .null)
    }

    // K41
    @Test("a row that is held keeps its statement from being handed out")
    func heldRow() throws {
        let db = try memory()
        let rows = try db.query("VALUES (1), (2)")
        let row = try #require(try rows.next())
        #expect(try db.column("VALUES (1), (2)", as: Int.self) == [1, 2])
        #expect(try row.value(at: 0, as: Int.self) == 1)
    }

    // K41
    @Test("a statement that is not to be cached is not")
    func uncached() throws {
        let db = try database(capacity: 10)
        let before = db.statementCacheStatistics
        _ = try db.prepare("SELECT 1", cached: false)
        #expect(db.statementCacheStatistics == before)
    }

    // K41
    @Test("the cache can be emptied while a statement is held")
    func clear() throws {
        let db = try memory()
        let held = try db.prepare("SELECT 4")
        db.clearStatementCache()
        #expect(db.statementCacheStatistics.count == 0)
        #expect(try held.step())
        #expect(held.int64(at: 0) == 4)
    }

    // K41
    @Test("a text that does not compile leaves nothing in the cache")
    func mistake() throws {
        let db = try database(capacity: 10)
        _ = failure { try db.execute("nonsense") }
        _ = failure { try db.execute("SELECT 1; SELECT 2") }
        #expect(db.statementCacheStatistics.count == 0)
    }

    // K41
    @Test("values that one user of a statement bound aren't arguments of the next")
    func valuesOfAnother() throws {
        let db = try Database(.memory)
        try db.execute("CREATE TABLE t (a)")
        try db.execute("INSERT INTO t VALUES (1)")
        do {
            let statement = try db.prepare("DELETE FROM t WHERE a = ?")
            try statement.bind(int64: 1, at: 1)
        }
        let error = #expect(throws: SQLiteError.self) { try db.execute("DELETE FROM t WHERE a = ?") }
        #expect(error?.extendedCode == .argumentCount)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 1)
    }
}
