import Foundation
import InMemoryTracing
import Persisting
import PersistingObservability
import SQLiteKit
import Testing
import Tracing

@Suite("Spans")
struct SpanTests {
    private let backends = Backends()

    @Test("A statement's span has OpenTelemetry's names for databases")
    func names() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(folder.file, configuration: backends.configuration())
        try queue.write { db in
            try db.execute("CREATE TABLE album (title TEXT, year INTEGER)")
            try db.execute("INSERT INTO album VALUES (?, 1957), ('secret', 1959)", ["Blue Train"])
        }
        _ = try queue.read { db in try db.rows("SELECT * FROM main.album WHERE title = 'secret'") }
        let insert = try #require(backends.span("INSERT album"))
        #expect(insert.kind == .client)
        #expect(insert.attribute("db.system.name") == "sqlite")
        #expect(insert.attribute("db.namespace") == "library.sqlite")
        #expect(insert.attribute("db.query.text") == "INSERT INTO album VALUES (?, ?), (?, ?)")
        #expect(insert.attribute("db.query.summary") == "INSERT album")
        #expect(insert.attribute("db.operation.name") == "INSERT")
        #expect(insert.attribute("db.collection.name") == "album")
        #expect(insert.attribute("sqlite.changes") == "2")
        #expect(insert.status == nil)
        #expect(insert.endInstant.nanosecondsSinceEpoch > insert.startInstant.nanosecondsSinceEpoch)
        let select = try #require(backends.span("SELECT album"))
        #expect(select.attribute("db.response.returned_rows") == "1")
        #expect(select.attribute("db.query.text") == "SELECT * FROM main.album WHERE title = ?")
        #expect(backends.span("COMMIT")?.attribute("sqlite.internal") == "true")
    }

    @Test("The caller's span is the parent of 1,000 concurrent statements", arguments: [true, false])
    func parents(isPool: Bool) async throws {
        let folder = try TemporaryFolder()
        let configuration = backends.configuration()
        let access: any DatabaseAccess =
            isPool
            ? try DatabasePool(folder.file, configuration: configuration)
            : try DatabaseQueue(folder.file, configuration: configuration)
        let tracer = backends.tracer
        try await withThrowingTaskGroup { group in
            for number in 1...1000 {
                group.addTask {
                    try await tracer.withSpan("caller \(number)") { _ in
                        let sql = SQL(String("SELECT 1 AS n\(number)"))
                        switch number % 4 {
                        case 0: _ = try await access.read { db in try db.scalar(sql, as: Int.self) }
                        case 1: _ = try await access.write { db in try db.scalar(sql, as: Int.self) }
                        case 2: try Self.synchronously(access) { db in _ = try db.scalar(sql, as: Int.self) }
                        default: for try await _ in access.rows(sql) {}
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let callers = Dictionary(
            uniqueKeysWithValues: tracer.finishedSpans.filter { $0.operationName.hasPrefix("caller") }
                .map { ($0.spanID, $0) })
        let selects = backends.statements.filter { $0.operationName == "SELECT" }
        #expect(callers.count == 1000 && selects.count == 1000)
        for select in selects {
            let caller = try #require(select.parentSpanID.flatMap { callers[$0] })
            let number = caller.operationName.dropFirst("caller ".count)
            #expect(select.attribute("db.query.text") == "SELECT ? AS n\(number)")
            #expect(select.traceID == caller.traceID)
        }
        // BEGIN and COMMIT too.
        #expect(backends.statements.allSatisfy { $0.parentSpanID.map { callers[$0] != nil } ?? false })
    }

    @Test("The caller's span is the parent of what a manager's methods run")
    func manager() async throws {
        let folder = try TemporaryFolder()
        let path = try #require(folder.file.path)
        let manager = try PersistenceManager(path: path, configuration: backends.configuration())
        try await manager.updateSchema(for: [Album.self])
        let tracer = backends.tracer
        tracer.clearFinishedSpans()
        try await withThrowingTaskGroup { group in
            for number in 1...250 {
                group.addTask {
                    try await tracer.withSpan("caller") { _ in
                        let album = Album()
                        album.title = "\(number)"
                        try await manager.insert(album)
                        _ = try await manager.fetchAll(Album.self, where: \.title == "\(number)")
                        _ = try await manager.count(Album.self)
                        try await manager.transaction { try manager.delete(Album.self, where: \.title == "\(number)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        let callers = Set(tracer.finishedSpans.filter { $0.operationName == "caller" }.map(\.spanID))
        let statements = backends.statements
        #expect(callers.count == 250)
        #expect(statements.allSatisfy { $0.parentSpanID.map(callers.contains) ?? false })
        for name in ["INSERT ALBUM", "DELETE ALBUM"] {
            #expect(Set(statements.filter { $0.operationName == name }.map(\.parentSpanID)).count == 250)
        }
        #expect(statements.filter { $0.operationName == "SELECT ALBUM" }.count >= 500)
    }

    @Test("An error marks its span, without values")
    func errors() throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration())
        try queue.write { db in
            try db.execute("CREATE TABLE album (title UNIQUE)")
            try db.execute("CREATE VIRTUAL TABLE note USING fts5(text)")
        }
        #expect(throws: SQLiteError.self) {
            try queue.write { db in try db.execute("INSERT INTO album VALUES (1), (1)") }
        }
        let insert = try #require(backends.span("INSERT album"))
        #expect(insert.attribute("error.type") == "constraint")
        #expect(insert.attribute("db.response.status_code") == "2067")
        #expect(insert.status == SpanStatus(code: .error, message: "UNIQUE constraint failed: album.title"))
        #expect(insert.errors.count == 1)
        #expect(backends.span("ROLLBACK")?.status == nil)
        #expect(throws: SQLiteError.self) {
            try queue.read { db in try db.rows("SELECT * FROM note WHERE note MATCH ?", ["\"secret"]) }
        }
        let select = try #require(backends.span("SELECT note"))
        #expect(select.status?.code == .error)
        #expect(!"\(select.status as Any) \(select.errors) \(select.attributes)".contains("secret"))
    }

    @Test("A cancelled statement's span is marked", arguments: [true, false])
    func cancelled(isPool: Bool) async throws {
        let folder = try TemporaryFolder()
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        var base = DatabaseConfiguration()
        base.prepare = { db in
            try db.addFunction("told", argumentCount: 0) { _ in
                continuation.finish()
                return 1
            }
        }
        let configuration = backends.configuration(base)
        let access: any DatabaseAccess =
            isPool
            ? try DatabasePool(folder.file, configuration: configuration)
            : try DatabaseQueue(folder.file, configuration: configuration)
        let sql: SQL = "WITH RECURSIVE n(i) AS (SELECT told() UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        let task = Task { try await access.read { db in try db.scalar(sql, as: Int.self) } }
        for await _ in begun {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let span = try #require(backends.span("SELECT n"))
        #expect(span.attribute("error.type") == "interrupt")
        #expect(span.status?.code == .error)
        #expect(backends.entry("SELECT n failed")?.level == .debug)
    }

    private static func synchronously(_ access: any DatabaseAccess, _ body: (Database) throws -> Void) throws {
        try access.withoutTransaction(body)
    }
}
