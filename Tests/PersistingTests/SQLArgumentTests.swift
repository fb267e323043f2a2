import Persisting
import SQLiteKit
import Testing

/// SQL of the user's own, with arguments that its parameters don't ask for.
@Suite("Arguments that SQL has no parameter for")
struct SQLArgumentTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self)
        try manager.insert(User.self, values: ["name": "a"])
    }

    private func check(_ error: (any Error)?, _ sourceLocation: SourceLocation = #_sourceLocation) {
        let sqliteError = error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError
        #expect(sqliteError?.extendedCode == .unknownParameter, sourceLocation: sourceLocation)
        #expect(sqliteError?.message.contains("nobody") == true, sourceLocation: sourceLocation)
    }

    // F11
    @Test("A fetch by SQL rejects a name that isn't a parameter")
    func fetch() async throws {
        let sql: SQL = "SELECT * FROM USER WHERE NAME = :name"
        check(
            #expect(throws: (any Error).self) { try manager.fetchAll(User.self, sql: sql, ["name": "a", "nobody": 1]) })
        check(
            #expect(throws: (any Error).self) { try manager.fetchOne(User.self, sql: sql, ["name": "a", "nobody": 1]) })
        check(
            await #expect(throws: (any Error).self) {
                _ = try await manager.fetchOne(User.self, sql: sql, ["name": "a", "nobody": 1]) == nil
            })
    }

    // F11
    @Test("A statement rejects a name that isn't a parameter, and doesn't run")
    func execute() throws {
        check(
            #expect(throws: (any Error).self) {
                try manager.execute("DELETE FROM USER WHERE NAME = :name", ["name": "a", "nobody": 1])
            })
        #expect(try manager.count(User.self) == 1)
    }

    // F11
    @Test("A condition by SQL rejects a name that isn't a parameter")
    func condition() throws {
        check(
            #expect(throws: (any Error).self) {
                try manager.count(User.self, where: .sql("NAME = :name", ["name": "a", "nobody": 1]))
            })
    }
}
