import Foundation
import SQLiteKit
import Testing

// K30
@Suite("A table in Swift") struct SequenceTableTests {
    private let db: Database
    private let asked = Asked()

    init() throws {
        db = try memory(
            "CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO word VALUES (1, 'a'), (3, 'c')")
        try db.addTable("sequence", columns: ["value INTEGER", "first HIDDEN", "last HIDDEN"]) { [asked] request in
            asked.add(request)
            let (first, last) = (try request.value("first") ?? 1, try request.value("last") ?? Int.max)
            guard first <= last else { throw SQLiteError(.error, "no sequence from \(first) to \(last)") }
            return (first...last).lazy.map { number in
                asked.count()
                return [number]
            }
        }
        try db.addTable("letters", columns: ["letter TEXT", "\"the code\" INTEGER", "any"]) { [asked] request in
            asked.add(request)
            return ["a", "b", "c"].enumerated().map { index, letter -> [SQLiteValue] in
                [.text(letter), .integer(Int64(97 + index)), .null]
            }
        }
    }

    private func numbers(_ sql: SQL) throws -> [Int] { try db.column(sql, as: Int.self) }

    @Test("is called with arguments, and filtered, joined and grouped") func queries() throws {
        #expect(try numbers("SELECT value FROM sequence(1, 10) WHERE value % 2 = 0") == [2, 4, 6, 8, 10])
        #expect(try numbers("SELECT value FROM sequence(\(3), \(4))") == [3, 4])
        #expect(try numbers("SELECT value FROM sequence WHERE first = 5 AND last = 6") == [5, 6])
        #expect(try numbers("SELECT w.id FROM sequence(1, 5) s JOIN word w ON w.id = s.value") == [1, 3])
        #expect(try numbers("SELECT s.value FROM word w, sequence(w.id, w.id + 1) s ORDER BY s.value") == [1, 2, 3, 4])
        #expect(try numbers("SELECT count(*) FROM letters a, letters b") == [9])
        #expect(try numbers("SELECT rowid FROM letters") == [1, 2, 3])
        #expect(try numbers("SELECT \"the code\" FROM letters WHERE letter IN ('c', 'a') ORDER BY 1") == [97, 99])
        #expect(
            try numbers("SELECT value FROM sequence(1, 2) UNION ALL SELECT first FROM sequence(7, 7)") == [1, 2, 7])
    }

    @Test("is read only as far as the statement is") func lazy() throws {
        #expect(try numbers("SELECT value FROM sequence LIMIT 3") == [1, 2, 3])
        #expect(asked.rows <= 4)
        #expect(try numbers("SELECT value FROM sequence(10) WHERE value > 15 LIMIT 2 OFFSET 1") == [17, 18])
    }

    @Test("knows how many rows are wanted, where no condition is left to SQLite") func limits() throws {
        func limit(_ sql: SQL) throws -> Int? {
            _ = try numbers(sql)
            return asked.last?.limit
        }
        let isKnown = SQLiteLibrary.versionNumber >= 3_038_000
        #expect(try limit("SELECT value FROM sequence(1, 9) LIMIT 3") == (isKnown ? 3 : nil))
        #expect(try limit("SELECT value FROM sequence(1, 9) LIMIT 3 OFFSET 2") == (isKnown ? 5 : nil))
        #expect(try numbers("SELECT value FROM sequence(1, 9) LIMIT 3 OFFSET 2") == [3, 4, 5])
        #expect(try limit("SELECT value FROM sequence(1, 9) WHERE value > 2 LIMIT 3") == nil)
        #expect(try limit("SELECT value FROM sequence(1, 9) WHERE value % 2 LIMIT 3") == nil)
        #expect(try limit("SELECT value FROM sequence(1, 9) ORDER BY value DESC LIMIT 3") == nil)
        #expect(try limit("SELECT DISTINCT value FROM sequence(1, 9) LIMIT 3") == nil)
        #expect(try limit("SELECT value FROM sequence(1, 9)") == nil)
    }

    @Test("is handed conditions that compare without a conversion") func conditions() throws {
        func conditions(_ condition: SQL) throws -> [TableRequest.Condition] {
            _ = try numbers("SELECT \"the code\" FROM letters WHERE \(sql: condition)")
            return asked.last?.conditions ?? []
        }
        let equal = try conditions("letter = 'b'")
        #expect(equal.map(\.column) == ["letter"] && equal.map(\.comparison) == [.equal])
        #expect(equal.map(\.value) == ["b"])
        let range = try conditions("\"the code\" > 97 AND \"the code\" <= 99.5")
        #expect(
            Set(range.map(\.comparison)) == [.greater, .lessOrEqual] && range.allSatisfy { $0.column == "the code" })
        for other in [
            "letter = 5", "letter = NULL", "letter = 'B' COLLATE NOCASE", "\"the code\" = '97'", "letter LIKE 'b'",
        ] {
            #expect(try conditions(SQL(other)).isEmpty, "\(other)")
        }
        #expect(try numbers("SELECT \"the code\" FROM letters WHERE letter = 'B' COLLATE NOCASE") == [98])
        #expect(try numbers("SELECT \"the code\" FROM letters WHERE \"the code\" = '97'") == [97])
    }

    @Test("fails with what its closure throws") func errors() throws {
        let error = failure { _ = try numbers("SELECT value FROM sequence(5, 1)") }
        #expect(error?.message.contains("no sequence from 5 to 1") == true && error?.sql != nil)
        let kind = failure { _ = try numbers("SELECT value FROM sequence('x', 1)") }
        #expect(kind?.message.contains("first of sequence") == true)
        try db.addTable("wide", columns: ["a"]) { _ in [[1, 2]] }
        #expect(failure { _ = try numbers("SELECT a FROM wide") }?.message.contains("2 values") == true)
        #expect(failure { _ = try numbers("SELECT value FROM sequence(1, 2, 3)") } != nil)
        #expect(
            failure { try db.addTable("bad", columns: ["a b c ("]) { _ in [[1]] } }?.sql?.contains("a b c (") == true)
        #expect(failure { try db.addTable("", columns: ["a"]) { _ in [[1]] } }?.code == .misuse)
        #expect(failure { try db.addTable("none", columns: []) { _ in [[1]] } } != nil)
        #expect(failure { try db.execute("INSERT INTO letters VALUES ('d', 100, 1)") } != nil)
    }

    @Test("can be created under other names, with arguments of its declaration") func named() throws {
        try db.addTable("repeated", columns: ["text"]) { request in
            request.declaration.map { [$0] }
        }
        try db.execute("CREATE VIRTUAL TABLE temp.hello USING repeated(hello, 'big world')")
        #expect(try db.column("SELECT text FROM hello", as: String.self) == ["hello", "'big world'"])
        #expect(try db.column("SELECT text FROM repeated", as: String.self) == [])
        try db.execute("DROP TABLE hello")
    }

    @Test("goes when it is removed, and can be replaced") func removed() throws {
        try db.addTable("letters", columns: ["letter"]) { _ in [["z"]] }
        #expect(try db.column("SELECT letter FROM letters", as: String.self) == ["z"])
        try db.removeTable("letters")
        #expect(failure { try db.execute("SELECT * FROM letters") }?.message.contains("no such table") == true)
        try db.removeTable("letters")
    }

    @Test("has its new rows for statements that have read the old ones") func replaced() throws {
        let sql: SQL = "SELECT letter FROM replaced"
        try db.addTable("replaced", columns: ["letter"]) { _ in [["x"]] }
        #expect(try db.column(sql, as: String.self) == ["x"])
        try db.addTable("replaced", columns: ["letter"]) { _ in [["y"]] }
        #expect(try db.column(sql, as: String.self) == ["y"])
        try db.removeTable("replaced")
        #expect(failure { try db.column(sql, as: String.self) }?.message.contains("no such table") == true)
    }

    @Test("is asked for by the authorizer, and closed to views of a file that isn't trusted") func authorizer() throws {
        let tables = Names()
        try db.setAuthorizer { request in
            if request.action == .read { tables.add(request.first ?? "") }
            return .allow
        }
        _ = try numbers("SELECT value FROM sequence(1, 2)")
        #expect(tables.all.contains("sequence"))
        try db.setAuthorizer { request in
            request.action == .read && request.first == "sequence" ? .deny : .allow
        }
        #expect(failure { _ = try numbers("SELECT value FROM sequence(1, 2)") }?.code == .authorization)
        try db.setAuthorizer(nil)
        try db.addTable("secret", columns: ["a"], .directOnly) { _ in [[1]] }
        try db.execute("CREATE VIEW shown AS SELECT a FROM secret")
        #expect(failure { _ = try numbers("SELECT a FROM shown") } != nil)
        #expect(try numbers("SELECT a FROM secret") == [1])
    }

    @Test("serves each connection of a pool that adds it") func pool() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in
            try db.addTable("three", columns: ["a"]) { _ in [[1], [2], [3]] }
        }
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 {
                group.addTask { try await pool.read { try $0.scalar("SELECT sum(a) FROM three", as: Int.self) } }
            }
            for try await sum in group { #expect(sum == 6) }
        }
    }

    @Test("releases its closure when the connection is closed") func released() throws {
        final class Held: Sendable {}
        weak var weakHeld: Held?
        do {
            let held = Held()
            weakHeld = held
            let db = try memory("")
            try db.addTable("t", columns: ["a"]) { _ in
                withExtendedLifetime(held) { [[1]] }
            }
            #expect(try db.column("SELECT a FROM t, (SELECT 1) LIMIT 1", as: Int.self) == [1])
        }
        #expect(weakHeld == nil)
    }
}

private final class Asked: @unchecked Sendable {
    private let lock = NSLock()
    private var requests: [TableRequest] = []
    private var number = 0

    var last: TableRequest? { lock.withLock { requests.last } }
    var rows: Int { lock.withLock { number } }
    func add(_ request: TableRequest) { lock.withLock { requests.append(request) } }
    func count() { lock.withLock { number += 1 } }
}

private final class Names: @unchecked Sendable {
    private let lock = NSLock()
    private var names: [String] = []

    var all: [String] { lock.withLock { names } }
    func add(_ name: String) { lock.withLock { names.append(name) } }
}
