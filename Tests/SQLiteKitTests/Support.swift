import Dispatch
import Foundation
import SQLiteKit
import Testing

/// A directory of its own for each test that needs files; gone with the value.
final class TemporaryDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing can be done about a directory that stays.
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String = "test.sqlite") -> String { url.appending(path: name).path(percentEncoded: false) }

    func file(_ name: String = "test.sqlite") -> DatabaseLocation { .file(path(name)) }
}

/// A database in memory in which a script has run.
func memory(_ script: String = "", _ configuration: DatabaseConfiguration = DatabaseConfiguration()) throws -> Database
{
    let db = try Database(.memory, configuration: configuration)
    try db.executeScript(SQL(script))
    return db
}

/// The SQLiteKit error that `body` throws; nil when it throws none. Another error is an issue of the test.
func failure<T>(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T) -> SQLiteError? {
    do {
        _ = try body()
        return nil
    } catch {
        if let error = error as? SQLiteError { return error }
        Issue.record(error, "expected an SQLiteError", sourceLocation: sourceLocation)
        return nil
    }
}

/// The SQLiteKit error that `body` throws; nil when it throws none. Another error is an issue of the test.
func failure<T: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> T
) async -> SQLiteError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if let error = error as? SQLiteError { return error }
        Issue.record(error, "expected an SQLiteError", sourceLocation: sourceLocation)
        return nil
    }
}

/// What is read back after a value has been stored in a column without a type.
func roundTrip<Value: SQLiteValueConvertible>(_ value: Value) throws -> Value {
    let db = try memory("CREATE TABLE t (v)")
    try db.execute("INSERT INTO t VALUES (?)", [value])
    return try db.column("SELECT v FROM t", as: Value.self)[0]
}

/// How SQLite writes the value that was bound, as an SQL literal.
func quoted(_ value: (any SQLiteValueConvertible)?) throws -> String? {
    try Database(.memory).scalar("SELECT quote(?)", [value], as: String.self)
}

/// The value of an SQL expression, read as a type.
func read<Value: SQLiteValueConvertible>(_ expression: String, as type: Value.Type) throws -> Value {
    let rows = try Database(.memory).query("SELECT \(sql: SQL(expression)) AS v")
    guard let row = try rows.next() else { throw NoRow() }
    return try row.value(at: 0, as: type)
}

struct NoRow: Error {}

/// An error of the caller's own.
struct TestError: Error, Equatable {}

/// Runs `body` and swallows the ``TestError`` that it throws. When it throws none, that is an issue of the test.
func catchingTestError(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
    do {
        try body()
        Issue.record("expected a TestError, and nothing was thrown", sourceLocation: sourceLocation)
    } catch is TestError {}
}

/// Runs `body` on a thread of its own.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Something that happens once in one task or thread, and is awaited in another.
struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send() { continuation.yield() }

    func wait() async {
        for await _ in stream { return }
    }
}

/// A variable that several threads use.
final class Shared<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    func update(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}

/// A query that never ends by itself.
let endlessQuery: SQL = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

/// Has the tests that calculate for seconds run one after the other.
///
/// All tests share as many threads as there are cores, and begin together. Whoever is suspended goes on when those have
/// had their turn that stand before it in the queue, while the clock of its time limit runs. A test with this trait
/// stands in no queue until its turn comes.
struct OneAtATime: TestTrait, TestScoping {
    private static let turns = Turns()

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.begin()
        let result: Result<Void, any Error>
        do { result = .success(try await function()) } catch { result = .failure(error) }
        await Self.turns.end()
        try result.get()
    }

    private actor Turns {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func begin() async {
            if isTaken { await withCheckedContinuation { waiting.append($0) } }
            isTaken = true
        }

        func end() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == OneAtATime {
    static var oneAtATime: Self { OneAtATime() }
}

/// SplitMix64: the same numbers for the same seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    /// A new seed, or the one in the environment variable SQLITEKIT_TEST_SEED.
    init() {
        seed =
            ProcessInfo.processInfo.environment["SQLITEKIT_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
