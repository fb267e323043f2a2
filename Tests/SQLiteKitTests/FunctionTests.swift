import Foundation
import SQLiteKit
import Testing

/// Counts itself: how many are there that have not been let go of.
final class Tracked: Sendable {
    private let count: Shared<Int>

    init(_ count: Shared<Int>) {
        self.count = count
        count.update { $0 += 1 }
    }

    deinit { count.update { $0 -= 1 } }
}

@Suite("Functions in SQL")
struct FunctionTests {
    private let db: Database

    init() throws {
        db = try memory()
    }

    private func text(_ expression: String) throws -> String? {
        try db.scalar("SELECT \(sql: SQL(expression))", as: String.self)
    }

    // K26
    @Test("a function reads its arguments as their types and returns a value")
    func example() throws {
        try db.addFunction("initial", argumentCount: 1, .deterministic) { arguments in
            let name: String? = try arguments[0]
            return name?.first.map(String.init)
        }
        #expect(try text("initial('Élodie')") == "É")
        #expect(try text("initial('')") == nil)
        #expect(try text("initial(NULL)") == nil)
    }

    // K26
    @Test("each storage class goes in and comes out as it is")
    func roundTrip() throws {
        try db.addFunction("same", argumentCount: 1) { try $0.value(at: 0, as: SQLiteValue.self) }
        let values: [SQLiteValue] = [
            .null, .integer(.min), .integer(.max), .real(0.1), .real(.infinity), .text(""), .text("a\0b ünï"),
            .blob(Data()), .blob(Data([0, 255])), .text(String(repeating: "ж", count: 100_000)),
        ]
        for value in values {
            #expect(try db.rows("SELECT same(\(value))")[0].value(at: 0) == value)
        }
    }

    // K26
    @Test("Swift types are read and returned by their own conversions")
    func types() throws {
        try db.addFunction("later", argumentCount: 2) { arguments in
            let date: Date = try arguments[0]
            return date.addingTimeInterval(try arguments[1])
        }
        let start = Date(timeIntervalSince1970: 1000)
        #expect(try db.scalar("SELECT later(\(start), 5)", as: Date.self) == start.addingTimeInterval(5))
        try db.addFunction("made", argumentCount: 0) { _ in
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        }
        #expect(try text("made()") == "01020304-0506-0708-090A-0B0C0D0E0F10")
    }

    // K26
    @Test("without a number, a function takes any number of arguments")
    func anyNumber() throws {
        try db.addFunction("count_of") { $0.count }
        #expect(try db.scalar("SELECT count_of()", as: Int.self) == 0)
        #expect(try db.scalar("SELECT count_of(1, 2, 3)", as: Int.self) == 3)
        try db.addFunction("joined") { try $0.values().map(\.description).joined(separator: " ") }
        #expect(try text("joined(1, NULL, 'x')") == "1 NULL 'x'")
    }

    // K26
    @Test("the same name can stand for functions of different numbers of arguments")
    func overloads() throws {
        try db.addFunction("f", argumentCount: 1) { _ in "one" }
        try db.addFunction("f", argumentCount: 2) { _ in "two" }
        #expect(try text("f(0) || f(0, 0)") == "onetwo")
    }

    // K26
    @Test("an argument of the wrong type fails the statement, with the function's name and the argument's number")
    func wrongType() throws {
        try db.addFunction("twice", argumentCount: 1) { arguments in
            let value: Int = try arguments[0]
            return value * 2
        }
        let error = failure { try text("twice('abc')") }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message == "argument 0 of twice: a stored TEXT of 3 bytes isn't a valid Int")
        #expect(error?.sql == "SELECT twice('abc')")
        #expect(failure { try text("twice(NULL)") }?.extendedCode == .typeMismatch)
        #expect(failure { try text("twice(1.5)") }?.extendedCode == .typeMismatch)
    }

    // K26
    @Test("an argument that is not there throws, below and above", arguments: [-1, 1, Int.max, Int.min])
    func noArgument(_ index: Int) throws {
        try db.addFunction("f", argumentCount: 1) { try $0.value(at: index, as: Int.self) }
        let error = failure { try text("f(1)") }
        #expect(error?.code == .range)
        #expect(error?.message == "f has no argument \(index); it has 1, counted from 0")
        try db.addFunction("g", argumentCount: 1) { $0.storageClass(at: index).description }
        #expect(try text("g(1)") == "NULL")
    }

    // K26
    @Test("a thrown error fails the statement with its message, and with its code when it is SQLite's")
    func thrown() throws {
        try db.addFunction("fail") { _ in throw SQLiteError(.constraintCheck, "not ünder 5") }
        let error = failure { try text("fail()") }
        #expect(error?.extendedCode == .constraintCheck)
        #expect(error?.message == "not ünder 5")

        try db.addFunction("reject") { _ in throw TestError() }
        let other = failure { try text("reject()") }
        #expect(other?.extendedCode == .error)
        #expect(other?.message == "TestError()")

        try db.addFunction("describe") { _ in throw Described() }
        #expect(failure { try text("describe()") }?.message == "so it is")
        #expect(try text("'still usable'") == "still usable")
    }

    private struct Described: LocalizedError { var errorDescription: String? { "so it is" } }

    // K26
    @Test(
        "a thrown code that is no error to SQLite is one all the same",
        arguments: [ResultCode.ok, .row, .done, .schema, ResultCode(rawValue: -1), ResultCode(rawValue: 100 | 7 << 8)])
    func oddCodes(_ code: ResultCode) throws {
        try db.addFunction("fail") { _ in throw SQLiteError(code, "odd") }
        let error = failure { try text("fail()") }
        #expect(error?.code == .error)
        #expect(error?.message == "odd")
    }

    // K26
    @Test("an error in the middle of a write undoes the write")
    func failingWrite() throws {
        try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        try db.addFunction("below_three", argumentCount: 1) { arguments in
            let value: Int = try arguments[0]
            guard value < 3 else { throw TestError() }
            return value
        }
        #expect(failure { try db.execute("UPDATE t SET a = below_three(a) + 10") } != nil)
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1, 2, 3])
    }

    // K26
    @Test("a value that cannot be stored fails the statement")
    func unstorable() throws {
        try db.addFunction("huge") { _ in UInt64.max }
        #expect(failure { try text("huge()") }?.extendedCode == .typeMismatch)
    }

    // K26
    @Test("a result over SQLite's limit fails the statement")
    func tooLong() throws {
        try db.setLimit(.length, to: 1000)
        try db.addFunction("long") { _ in String(repeating: "x", count: 1001) }
        #expect(failure { try text("long()") }?.code == .tooBig)
    }

    // K26
    @Test("a text argument that is not UTF-8 throws, or is repaired where the configuration says so")
    func invalidText() throws {
        try db.addFunction("f", argumentCount: 1) { try $0.value(at: 0, as: String.self) }
        #expect(failure { try text("f(CAST(x'61FF' AS TEXT))") }?.extendedCode == .invalidText)
        try db.addFunction("bytes", argumentCount: 1) { try $0.value(at: 0, as: Data.self).count }
        #expect(try db.scalar("SELECT bytes(CAST(x'61FF' AS TEXT))", as: Int.self) == 2)

        var configuration = DatabaseConfiguration()
        configuration.invalidText = .repaired
        let other = try memory("", configuration)
        try other.addFunction("f", argumentCount: 1) { try $0.value(at: 0, as: String.self) }
        #expect(try other.scalar("SELECT f(CAST(x'61FF' AS TEXT))", as: String.self) == "a\u{FFFD}")
    }

    // K26
    @Test("in a database of UTF-16 texts go in and come out as they are")
    func utf16() throws {
        let db = try memory("PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a)")
        try db.addFunction("f", argumentCount: 1) { try $0.value(at: 0, as: String.self) + "!" }
        try db.addFunction("bytes", argumentCount: 1) { Array(try $0.value(at: 0, as: Data.self)) }
        #expect(try db.scalar("SELECT f('ж𝄞')", as: String.self) == "ж𝄞!")
        #expect(try db.scalar("SELECT bytes('ж')", as: Data.self) == Data("ж".utf8))
    }

    // K26
    @Test(
        "names and numbers that cannot be are rejected",
        arguments: [("", 1), ("a\0b", 1), (String(repeating: "ж", count: 128), 1), ("f", -1), ("f", 128), ("f", .max)])
    func rejected(_ name: String, _ count: Int) throws {
        #expect(failure { try db.addFunction(name, argumentCount: count) { _ in 1 } }?.code == .misuse)
        #expect(failure { try db.removeFunction(name, argumentCount: count) }?.code == .misuse)
    }

    // K26
    @Test("names and numbers at the limits are taken")
    func limits() throws {
        let name = String(repeating: "x", count: 255)
        try db.addFunction(name, argumentCount: 127) { $0.count }
        let arguments = Array(repeating: "0", count: 127).joined(separator: ", ")
        #expect(try db.scalar("SELECT \(sql: SQL(name))(\(sql: SQL(arguments)))", as: Int.self) == 127)
    }

    // K26
    @Test("a removed function is gone; to remove what is not there does nothing")
    func removal() throws {
        try db.addFunction("f", argumentCount: 0) { _ in 1 }
        #expect(try db.scalar("SELECT f()", as: Int.self) == 1)
        try db.removeFunction("f")
        #expect(try db.scalar("SELECT f()", as: Int.self) == 1)
        try db.removeFunction("F", argumentCount: 0)
        #expect(failure { try text("f()") }?.message.contains("f") == true)
        try db.removeFunction("never", argumentCount: 2)
    }

    // K26
    @Test("a built-in function can be replaced")
    func builtIn() throws {
        try db.addFunction("upper", argumentCount: 1) { _ in "mine" }
        #expect(try text("upper('x')") == "mine")
        try db.removeFunction("upper", argumentCount: 1)
        #expect(failure { try text("upper('x')") }?.code == .error)
    }

    // K26
    @Test("the closure is let go of when the function is replaced or removed, and when the connection closes")
    func release() throws {
        let count = Shared(0)
        func add() throws {
            let tracked = Tracked(count)
            try db.addFunction("f") { _ in withExtendedLifetime(tracked) { 1 } }
        }
        try add()
        #expect(count.value == 1)
        try add()
        #expect(count.value == 1)
        try db.removeFunction("f")
        #expect(count.value == 0)
        try add()
        try db.close()
        #expect(count.value == 0)
    }

    // K26
    @Test("the closure of a function that SQLite rejects is let go of")
    func releaseOfRejected() throws {
        let count = Shared(0)
        try db.addFunction("f") { _ in 1 }
        let rows = try db.query("SELECT f() UNION ALL SELECT f()")
        _ = try rows.next()
        func replace() throws {
            let tracked = Tracked(count)
            try db.addFunction("f") { _ in withExtendedLifetime(tracked) { 2 } }
        }
        #expect(failure { try replace() }?.code == .busy)
        #expect(count.value == 0)
        #expect(try rows.next()?.value(at: 0, as: Int.self) == 1)
    }

    // K26
    @Test("what is made of a constant argument is made once for a statement")
    func kept() throws {
        let made = Shared(0)
        try db.addFunction("f", argumentCount: 2) { arguments in
            try arguments.kept(for: 0) {
                made.update { $0 += 1 }
                return try arguments.value(at: 0, as: String.self) + "!"
            }
        }
        let numbers =
            "FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT i FROM n)"
        #expect(try db.column("SELECT DISTINCT f('a', i) \(sql: SQL(numbers))", as: String.self) == ["a!"])
        #expect(made.value == 1)
        #expect(try db.column("SELECT f(i || '', 1) \(sql: SQL(numbers))", as: String.self).count == 100)
        #expect(made.value == 101)
    }

    // K26
    @Test("only a deterministic function can be indexed")
    func deterministic() throws {
        try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        try db.addFunction("half", argumentCount: 1) { try $0.value(at: 0, as: Double.self) / 2 }
        #expect(failure { try db.execute("CREATE INDEX i ON t (half(a))") }?.code == .error)
        try db.addFunction("half", argumentCount: 1, .deterministic) { try $0.value(at: 0, as: Double.self) / 2 }
        try db.execute("CREATE INDEX i ON t (half(a))")
        #expect(try db.scalar("SELECT a FROM t WHERE half(a) = 1.0", as: Int.self) == 2)
    }

    // K26
    @Test("a direct-only function cannot be used by a view")
    func directOnly() throws {
        try db.addFunction("secret", argumentCount: 0, .directOnly) { _ in 42 }
        try db.execute("CREATE VIEW v AS SELECT secret() AS a")
        #expect(try db.scalar("SELECT secret()", as: Int.self) == 42)
        #expect(failure { try db.scalar("SELECT a FROM v", as: Int.self) }?.message == "unsafe use of secret()")
    }

    // K26
    @Test("a function added in the configuration is known to every connection, and to all accesses of a queue")
    func prepare() async throws {
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.addFunction("answer") { _ in 42 } }
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        #expect(try await queue.read { db in try db.scalar("SELECT answer()", as: Int.self) } == 42)
    }

    // K26
    @Test("a function may use another connection, and through its queue its own")
    func nested() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in
            try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
            try db.addFunction("first_a", argumentCount: 0) { [weak queue] _ in
                try queue?.read { db in try db.scalar("SELECT a FROM t", as: Int.self) }
            }
        }
        #expect(try queue.read { db in try db.scalar("SELECT first_a() + 1", as: Int.self) } == 8)
    }

    // K26
    @Test("functions cannot be added to a closed connection, nor outside the access")
    func misuse() throws {
        let queue = try DatabaseQueue(.memory)
        let escaped = try queue.escaped()
        #expect(failure { try escaped.addFunction("f") { _ in 1 } }?.extendedCode == .expired)
        #expect(failure { try escaped.removeFunction("f") }?.extendedCode == .expired)
        try db.close()
        #expect(failure { try db.addFunction("f") { _ in 1 } }?.extendedCode == .closed)
        #expect(failure { try db.removeFunction("f") }?.extendedCode == .closed)
    }
}

extension DatabaseQueue {
    /// Lets a connection out of its access, which no one should do.
    func escaped() throws -> Database {
        var escaped: Database?
        try withoutTransaction { db in escaped = db }
        return try #require(escaped)
    }
}
