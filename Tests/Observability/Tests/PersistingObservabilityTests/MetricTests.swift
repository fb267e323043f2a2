import Foundation
import MetricsTestKit
import Persisting
import PersistingObservability
import SQLiteKit
import Testing

@Suite("Metrics")
struct MetricTests {
    private let backends = Backends()

    @Test("Statements, rows, changes and durations are counted")
    func statements() throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration())
        try queue.withoutTransaction { db in
            try db.execute("CREATE TABLE album (title)")
            try db.execute("INSERT INTO album VALUES ('a'), ('b')")
            _ = try db.rows("SELECT * FROM album")
            #expect(throws: SQLiteError.self) { try db.rows("SELECT abs(-9223372036854775807 - 1)") }
        }
        #expect(backends.total("sqlite.statements") == 4)
        #expect(backends.total("sqlite.rows") == 2)
        #expect(backends.total("sqlite.changes") == 2)
        #expect(backends.total("sqlite.busy") == 0)
        let name = ("db.system.name", "sqlite")
        let select = ("db.operation.name", "SELECT")
        let timer = try backends.metrics.expectTimer("db.client.operation.duration", [name, select])
        #expect(timer.values.count == 1 && timer.values.allSatisfy { $0 > 0 })
        let failed = try backends.metrics.expectTimer(
            "db.client.operation.duration", [name, select, ("error.type", "error")])
        #expect(failed.values.count == 1)
    }

    @Test("A lock of another connection is counted as busy")
    func busy() throws {
        let folder = try TemporaryFolder()
        var base = DatabaseConfiguration()
        base.busyTimeout = .zero
        let queue = try DatabaseQueue(folder.file, configuration: backends.configuration(base))
        let other = try Database(folder.file)
        try other.transaction {
            #expect(throws: SQLiteError.self) { try queue.write { _ in } }
        }
        #expect(backends.total("sqlite.busy") == 1)
    }

    @available(macOS 26, *)
    @Test("Waits for the writer and for a reader are measured apart")
    func waits() async throws {
        let folder = try TemporaryFolder()
        var base = DatabaseConfiguration()
        base.maximumReaders = 1
        let pool = try DatabasePool(folder.file, configuration: backends.configuration(base))
        for isReader in [true, false] {
            let (held, continuation) = AsyncStream.makeStream(of: Void.self)
            let release = DispatchSemaphore(value: 0)
            let first = Task {
                let wait: @Sendable (Database) throws -> Void = { _ in
                    continuation.finish()
                    release.wait()
                }
                if isReader { try await pool.read(wait) } else { try await pool.write(wait) }
            }
            for await _ in held {}
            let select: @Sendable (Database) throws -> Void = { db in _ = try db.rows("SELECT 1") }
            // It has asked for the connection when this returns.
            let second = Task.immediate {
                if isReader { try await pool.read(select) } else { try await pool.write(select) }
            }
            let timer = try backends.metrics.expectTimer(
                "sqlite.wait", [("connection", isReader ? "reader" : "writer")])
            release.signal()
            try await first.value
            try await second.value
            #expect(timer.values.count == 1 && timer.values.allSatisfy { $0 > 0 })
        }
    }

    @Test("Readers in use, hits of the statement cache and pages of the log are measured")
    func accesses() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(folder.file, configuration: backends.configuration())
        try pool.write { db in try db.execute("CREATE TABLE album (title)") }
        let readers = try backends.metrics.expectMeter("sqlite.readers")
        try pool.read { db in
            _ = try db.rows("SELECT * FROM album")
            _ = try db.rows("SELECT * FROM album")
            #expect(readers.lastValue == 1)
        }
        #expect(readers.lastValue == 0)
        #expect(backends.total("sqlite.cache.hits") == 1)
        #expect(backends.total("sqlite.cache.misses") == 2)
        let pages = try #require(try backends.metrics.expectGauge("sqlite.log.pages").lastValue)
        #expect(pages >= 2)
        try pool.withoutTransaction { db in _ = try db.checkpoint(.truncate) }
        #expect(try backends.metrics.expectGauge("sqlite.log.pages").lastValue == 0)
    }
}
