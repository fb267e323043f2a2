import Foundation
import Persisting
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
}

/// A manager in memory with the tables of some classes.
func memoryManager(
    _ types: PersistingModel.Type..., dates: DateStorage = .unixSeconds
) throws -> PersistenceManager {
    let manager = try newManager(dates: dates)
    for type in types { try manager.createTableIfNecessary(for: type) }
    return manager
}

/// A manager in memory in which a script has run.
func memoryManager(script: String) throws -> PersistenceManager {
    let manager = try newManager()
    try manager.run(script)
    return manager
}

extension PersistenceManager {
    /// The text that created a table.
    func tableSQL(_ name: String) throws -> String? {
        try engine.read { db in
            try db.scalar("SELECT sql FROM sqlite_schema WHERE name = \(name)", as: String.self)
        }
    }

    /// A line of the text that created a table: that of a column.
    func columnSQL(_ column: String, in table: String) throws -> String? {
        let lines = try tableSQL(table)?.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return lines?.first { $0 == column || $0 == column + "," || $0.hasPrefix(column + " ") }.map {
            $0.hasSuffix(",") ? String($0.dropLast()) : $0
        }
    }

    /// The first value of a query, as it is stored.
    func stored(_ sql: String) throws -> SQLiteValue? {
        try engine.read { db in try db.column(SQL(sql), as: SQLiteValue.self).first }
    }

    /// The first column of a query, as it is stored.
    func storedColumn(_ sql: String) throws -> [SQLiteValue] {
        try engine.read { db in try db.column(SQL(sql), as: SQLiteValue.self) }
    }

    /// The number of rows of a table.
    func rowCount(_ table: String) throws -> Int {
        try engine.read { db in try db.scalar("SELECT count(*) FROM \(identifier: table)", as: Int.self) ?? 0 }
    }

    /// Runs SQL whatever the class knows of it.
    func run(_ sql: String) throws {
        switch engine {
        case .local: try database.withoutTransaction { db in try db.executeScript(SQL(sql)) }
        case .other(let other):
            guard let other = other as? TestEngine else {
                return try engine.withoutTransaction { db in try db.executeScript(SQL(sql)) }
            }
            try other.run(sql)
        }
    }

    var statistics: Database.StatementCacheStatistics {
        get throws {
            try needingLocalConnection()
            return try database.withoutTransaction { $0.statementCacheStatistics }
        }
    }
}

/// The error of Persisting that `body` throws; nil when it throws none. Another error is an issue of the test.
func failure<T>(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T) -> PersistenceError? {
    do {
        _ = try body()
        return nil
    } catch {
        if let error = error as? PersistenceError { return error }
        Issue.record(error, "expected a PersistenceError", sourceLocation: sourceLocation)
        return nil
    }
}

/// The error of SQLiteKit that `body` throws, by itself or inside one of Persisting; nil when it throws none. Another
/// error is an issue of the test.
func sqliteFailure<T>(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> T) -> SQLiteError? {
    do {
        _ = try body()
        return nil
    } catch {
        if let error = error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError { return error }
        Issue.record(error, "expected an SQLiteError", sourceLocation: sourceLocation)
        return nil
    }
}

/// The error of Persisting that `body` throws; nil when it throws none. Another error is an issue of the test.
func asyncFailure<T>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> T
) async -> PersistenceError? {
    do {
        _ = try await body()
        return nil
    } catch {
        if let error = error as? PersistenceError { return error }
        Issue.record(error, "expected a PersistenceError", sourceLocation: sourceLocation)
        return nil
    }
}

/// The size of the stack of a thread of Dispatch's on Apple's systems, or enough where a sanitizer makes frames larger.
let smallStackSize: Int = {
    let program = dlopen(nil, RTLD_NOW)
    let isSanitized = dlsym(program, "__tsan_init") != nil || dlsym(program, "__asan_init") != nil
    return isSanitized ? 16 << 20 : 512 << 10
}()

/// The SQL that a manager runs.
final class SQLLog: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var sql: [String] = []  // guarded by `lock`

    var texts: [String] { lock.withLock { sql } }
    var inserts: [String] { texts.filter { $0.hasPrefix("INSERT") } }

    func manager(_ location: DatabaseLocation = .memory) throws -> PersistenceManager {
        try needingLocalConnection()
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { [self] event in lock.withLock { sql.append(event.sql) } }
        return try PersistenceManager(location, configuration: configuration)
    }
}

/// A value that several threads change.
final class Shared<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var content: Value  // guarded by `lock`

    init(_ value: Value) { content = value }

    var value: Value { lock.withLock { content } }

    func change<T>(_ body: (inout Value) throws -> T) rethrows -> T { try lock.withLock { try body(&content) } }
}

/// An error of the caller's own.
struct TestError: Error, Equatable {}

/// Runs `body` and swallows the ``TestError`` that it throws. When it throws none, that is an issue of the test.
func catchingTestError(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
    do {
        try body()
        Issue.record("expected a TestError, and nothing was thrown", sourceLocation: sourceLocation)
    } catch is TestError {}
}

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

    /// A new seed, or the one in the environment variable PERSISTING_TEST_SEED.
    init() {
        let environment = ProcessInfo.processInfo.environment
        self.init(seed: environment["PERSISTING_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max))
    }

    init(seed: UInt64) {
        self.seed = seed
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

// Inside `#expect`, the compiler doesn't take `map` of what `groups` returns.

/// The keys of groups by one key.
func groupKeys<Key, Value>(_ groups: [(Key, Value)]) -> [Key] { groups.map { $0.0 } }

/// What was computed of groups by one key.
func groupValues<Key, Value>(_ groups: [(Key, Value)]) -> [Value] { groups.map { $0.1 } }

/// What was computed of groups by one key, nil of a group without a value.
func groupValues<Key, Value>(_ groups: [(Key, Value?)]) -> [Value?] { groups.map { $0.1 } }
