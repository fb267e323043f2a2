// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct FunctionsHooksAndTracesArticle: Article {
    func run() async throws {
        let (configuration, changes, continuation) = settings()
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        try await functions(queue)
        try await hooks(queue)
        try await stopping(queue)
        try await tracing(configuration)
        continuation.finish()
        #expect(await changes.reduce(into: []) { $0.append($1.table) } == ["part", "part", "part"])
    }

    private func settings() -> (DatabaseConfiguration, AsyncStream<RowChange>, AsyncStream<RowChange>.Continuation) {
        // snippet.show
        var configuration = DatabaseConfiguration()
        let (changes, continuation) = AsyncStream.makeStream(of: RowChange.self)
        configuration.prepare = { db in
            try db.addFunction(
                "masked", argumentCount: 2, [.deterministic, .innocuous]
            ) { arguments in
                guard let text: String = try arguments[0] else { return nil }
                let length = try arguments.value(at: 1, as: Int.self)
                guard length >= 0 else {
                    throw SQLiteError(.range, "masked shows no \(length) letters")
                }
                return String(text.prefix(length)) + "…"
            }
            try db.addAggregate("product", argumentCount: 1, .deterministic) {
                Product()
            }
            try db.addCollation("BY_NUMBER") { $0.compare($1, options: .numeric) }
            try db.setUpdateHook { change in continuation.yield(change) }
        }
        // snippet.hide
        return (configuration, changes, continuation)
    }

    // snippet.show
    struct Product: WindowFunction {
        var factors: [Double] = []
        mutating func step(_ arguments: borrowing FunctionArguments) throws {
            factors.append(try arguments[0])
        }
        mutating func inverse(_ arguments: borrowing FunctionArguments) throws {
            factors.removeFirst()
        }
        func value() -> (any SQLiteValueConvertible)? { factors.reduce(1, *) }
    }
    // snippet.hide

    private func functions(_ queue: DatabaseQueue) async throws {
        try await queue.write { db in
            try db.executeScript(
                """
                CREATE TABLE part (name TEXT COLLATE BY_NUMBER UNIQUE, factor REAL);
                INSERT INTO part VALUES ('bolt 10', 2), ('bolt 9', 3), ('Écrou', 5);
                """)
            let rows = try db.rows(
                """
                SELECT masked(name, 2) AS name, product(factor) OVER (ORDER BY name ROWS 1 PRECEDING) AS product
                FROM part WHERE name LIKE 'bolt%' ORDER BY part.name
                """)
            #expect(try rows.map { try $0["name"] as String } == ["bo…", "bo…"])
            #expect(try rows.map { try $0["product"] as Double } == [3, 6])

            // snippet.show
            let bolts = try db.rows("SELECT * FROM part WHERE name REGEXP '^bolt \\d+$'")
            let nuts = try db.rows(
                "SELECT * FROM part WHERE fold(name) = fold(?)", ["ecrou"])
            let sorted = try db.rows(
                "SELECT * FROM part ORDER BY name COLLATE UNACCENTED_NOCASE")
            // snippet.hide
            #expect(bolts.count == 2)
            #expect(nuts.count == 1)
            #expect(sorted.count == 3)
        }
    }

    private func hooks(_ queue: DatabaseQueue) async throws {
        try await queue.withoutTransaction { db in
            // snippet.show
            try db.setCommitHook {
                if Calendar.current.isDateInWeekend(.now) {
                    throw SQLiteError(.abort, "closed at the weekend")
                }
            }
            // snippet.hide
            try db.setCommitHook(nil)

            // snippet.show
            try db.setAuthorizer { request in
                switch request.action {
                case .select, .read, .function: .allow
                default: .deny  // "the authorizer denied: DELETE of part in main"
                }
            }
            // snippet.hide
            let error = #expect(throws: SQLiteError.self) { try db.execute("DELETE FROM part") }
            #expect(error?.message.contains("the authorizer denied: DELETE of part in main") == true)
            try db.setAuthorizer(nil)

            // snippet.show
            let read = try db.columnsRead(by: "SELECT name FROM part WHERE factor > 1")
            print(read.map(\.column).sorted())
            // snippet.hide
            #expect(read.map(\.column).sorted() == ["factor", "name"])
        }
    }

    private func stopping(_ queue: DatabaseQueue) async throws {
        // snippet.show
        let interrupter = try await queue.withoutTransaction { db in db.interrupter }
        interrupter.interrupt()  // from any thread; the statement throws .interrupt
        // snippet.hide

        try await queue.withoutTransaction { db in
            // snippet.show
            let deadline = ContinuousClock.now + .seconds(1)
            try db.setProgressHandler { ContinuousClock.now < deadline }
            // snippet.hide
            #expect(try db.scalar("SELECT count(*) FROM part", as: Int.self) == 3)
        }
    }

    private func tracing(_ settings: DatabaseConfiguration) async throws {
        var configuration = settings
        // snippet.show
        // without the bound values
        configuration.trace = Trace(minimumDuration: .milliseconds(100)) { event in
            print(event.duration, event.sql)
        }
        // snippet.hide
        try await DatabaseQueue(.memory, configuration: configuration).read { db in _ = try db.rows("SELECT 1") }
    }
}
