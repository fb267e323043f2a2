import Foundation
import Persisting
import Testing

private let table = Migration(1, sql: "CREATE TABLE A (X UNIQUE)")
private let index = Migration(2, "A has an index", sql: "CREATE INDEX A_X ON A (X)")

// F50
@Suite("Migrations that fail") struct MigrationMistakeTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path()
    }

    @Test(
        "versions that don't ascend are rejected before the file is created",
        arguments: [[2, 2], [2, 1], [0], [-1], [1, 3, 2]])
    func declarations(versions: [Int]) throws {
        let migrations = versions.map { Migration($0, sql: "") }
        let error = failure { try PersistenceManager(path: path, migrations: migrations) }
        #expect(error?.code == .invalidMigrations)
        #expect(error?.migration == versions.last)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("an error rolls back, and names the migration, its error and its SQL")
    func failing() throws {
        let manager = try PersistenceManager(path: path)
        let error = failure {
            try manager.migrate([
                table, Migration(2, "two equal rows", sql: "INSERT INTO A VALUES (1);\nINSERT INTO A VALUES (1)"),
            ])
        }
        #expect(error?.code == .migrationFailed)
        #expect(error?.migration == 2)
        #expect(error?.sqliteError?.isConstraint(.unique) == true)
        #expect(
            error?.description
                == "migration 2 (two equal rows) failed and was rolled back: UNIQUE constraint failed: A.X"
                + " - in: INSERT INTO A VALUES (1);\nINSERT INTO A VALUES (1)")
        #expect(try manager.schemaVersion == 1)
        #expect(try manager.rowCount("A") == 0)
        #expect(try manager.appliedMigrations.map(\.version) == [1])
    }

    @Test("the error of a model inside is kept")
    func modelError() throws {
        final class Missing: PersistingModel { var id: Int64? }
        let error = failure {
            try PersistenceManager(.memory, migrations: [Migration(1) { try $0.save(Missing()) }])
        }
        #expect((error?.underlying as? PersistenceError)?.code == .noTable)
        #expect(error?.message.contains("Missing: ") == true)
    }

    @Test("after an error the migration can be tried again")
    func secondTry() throws {
        let manager = try PersistenceManager(.memory)
        _ = failure { try manager.migrate([table, Migration(2, sql: "nonsense")]) }
        #expect(try manager.migrate([table, index]) == [2])
    }

    @Test(
        "a migration can't end its transaction by SQL, and nothing of it stays",
        arguments: ["COMMIT", "END", "ROLLBACK", "COMMIT; BEGIN", "ROLLBACK; BEGIN", "RELEASE x"])
    func endedByText(_ sql: String) throws {
        let manager = try PersistenceManager(path: path, migrations: [table])
        let script: SQL = "CREATE TABLE B (X); SAVEPOINT x; \(sql: SQL(sql)); CREATE TABLE C (X)"
        let error = failure { try manager.migrate([table, Migration(2, sql: script), Migration(3, sql: "nonsense")]) }
        let isKept = sql == "RELEASE x"
        #expect(error?.migration == (isKept ? 3 : 2))
        #expect(try manager.tableExists("B") == isKept)
        #expect(try manager.tableExists("C") == isKept)
        #expect(try manager.schemaVersion == (isKept ? 2 : 1))
        try manager.transaction { try manager.execute("INSERT INTO A VALUES (1)") }
    }

    @Test("a migration that swallows the error of its COMMIT fails all the same", arguments: ["COMMIT", "ROLLBACK"])
    func swallowed(_ sql: String) throws {
        let manager = try PersistenceManager(.memory, migrations: [table])
        let error = failure {
            try manager.migrate([
                table,
                Migration(2) { manager in
                    try manager.execute("INSERT INTO A VALUES (1)")
                    _ = try? manager.execute(SQL(sql))
                    _ = try? manager.execute("BEGIN")
                },
            ])
        }
        #expect(error?.code == .migrationFailed)
        #expect(try manager.rowCount("A") == 0)
        #expect(try manager.schemaVersion == 1)
    }

    @Test("a commit hook of the user's is asked again after a migration")
    func commitHook() throws {
        let manager = try PersistenceManager(.memory, migrations: [table])
        try manager.database.withoutTransaction { try $0.setCommitHook { throw TestError() } }
        #expect(failure { try manager.migrate([table, index]) }?.migration == 2)
        #expect(throws: (any Error).self) { try manager.execute("INSERT INTO A VALUES (1)") }
        try manager.database.withoutTransaction { try $0.setCommitHook(nil) }
        try manager.execute("INSERT INTO A VALUES (1)")
    }

    @Test("a savepoint that is left open is kept with the migration")
    func leftSavepoint() throws {
        let manager = try PersistenceManager(.memory, migrations: [table])
        try manager.migrate([table, Migration(2, sql: "SAVEPOINT x; INSERT INTO A VALUES (1)")])
        #expect(try manager.rowCount("A") == 1)
    }

    @Test("a migration can't close its database")
    func closing() throws {
        let manager = try PersistenceManager(path: path)
        let error = failure { try manager.migrate([Migration(1) { try $0.close() }]) }
        #expect(error?.sqliteError?.extendedCode == .notAllowedHere)
        #expect(try manager.schemaVersion == 0)
    }

    @Test("migrations don't run inside a transaction or a read")
    func inside() throws {
        let manager = try PersistenceManager(path: path)
        #expect(
            sqliteFailure { try manager.transaction { try manager.migrate([table]) } }?.extendedCode == .notAllowedHere)
        #expect(
            sqliteFailure { try manager.read { _ in try manager.migrate([table]) } }?.extendedCode == .notAllowedHere)
    }

    @Test("a migration can't migrate")
    func nested() throws {
        let error = failure {
            try PersistenceManager(.memory, migrations: [Migration(1) { try $0.migrate([table]) }])
        }
        #expect(error?.sqliteError?.extendedCode == .notAllowedHere)
    }

    @Test("a read-only file opens when there is nothing to do, and names what there is to do")
    func readOnly() throws {
        try PersistenceManager(path: path, migrations: [table]).close()
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let manager = try PersistenceManager(path: path, configuration: configuration, migrations: [table])
        #expect(try manager.schemaVersion == 1)
        let error = failure { try manager.migrate([table, index]) }
        #expect(error?.migration == 2)
        #expect(error?.sqliteError?.code == .readOnly)
    }

    @Test(
        "a table of another kind isn't taken for the version table",
        arguments: [
            "CREATE TABLE schema_version (id INTEGER)", "CREATE VIEW schema_version AS SELECT 1 AS a",
            "CREATE TABLE schema_version (version TEXT); INSERT INTO schema_version VALUES ('1'), ('2')",
            "CREATE TABLE schema_version (version); CREATE TABLE schema_version_history (x)",
        ])
    func otherTable(_ script: String) throws {
        let manager = try memoryManager(script: script)
        #expect(failure { try manager.migrate([table]) }?.code == .invalidMigrations)
        #expect(try !manager.tableExists("A"))
    }

    @Test("a view in place of the version table names the migration")
    func view() throws {
        let manager = try memoryManager(script: "CREATE VIEW schema_version AS SELECT 0 AS version")
        #expect(failure { try manager.migrate([table]) }?.code == .migrationFailed)
        #expect(try !manager.tableExists("A"))
    }

    @Test("interpolated values are bound")
    func values() throws {
        let value = "it's"
        let manager = try PersistenceManager(
            .memory, migrations: [table, Migration(2, sql: "INSERT INTO A VALUES (\(value))")])
        #expect(try manager.stored("SELECT X FROM A") == .text("it's"))
    }
}

// F117
@Suite("A program and a database that have seen different migrations") struct MigrationDifferenceTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory, migrations: [table, index])
    }

    @Test("a database newer than the program is rejected", arguments: [[], [table]])
    func newer(migrations: [Migration]) throws {
        let error = failure { try manager.migrate(migrations) }
        #expect(error?.code == .newerDatabase)
        #expect(error?.migration == 2)
    }

    @Test("a migration below the database's version that never ran is rejected")
    func insertedBelow() throws {
        let manager = try PersistenceManager(
            .memory, migrations: [Migration(1, sql: ""), Migration(3, sql: "")])
        let error = failure { try manager.migrate([1, 2, 3].map { Migration($0, sql: "") }) }
        #expect(error?.code == .missingMigration)
        #expect(error?.migration == 2)
    }

    @Test("a migration before the first one that ran is rejected")
    func insertedBefore() throws {
        let manager = try PersistenceManager(.memory, migrations: [Migration(2, sql: "")])
        #expect(failure { try manager.migrate([1, 2].map { Migration($0, sql: "") }) }?.migration == 1)
    }

    @Test("a migration that ran and that the program lacks is rejected")
    func removed() throws {
        let manager = try PersistenceManager(.memory, migrations: [1, 2, 3].map { Migration($0, sql: "") })
        let error = failure { try manager.migrate([1, 3].map { Migration($0, sql: "") }) }
        #expect(error?.code == .missingMigration)
        #expect(error?.migration == 2)
    }

    @Test("the oldest migrations may go")
    func withoutOldest() throws {
        #expect(try manager.migrate([index, Migration(3, sql: "")]) == [3])
    }

    @Test("SQL that changed after it ran is rejected, with the SQL that ran")
    func changed() throws {
        let error = failure { try manager.migrate([table, Migration(2, sql: "CREATE UNIQUE INDEX A_X ON A (X)")]) }
        #expect(error?.code == .changedMigration)
        #expect(error?.migration == 2)
        #expect(error?.sql == index.sql?.sql)
    }

    @Test("SQL that changed is accepted where the migration says so")
    func allowed() throws {
        #expect(try manager.migrate([table, Migration(2, sql: "-- other", allowsChanges: true)]).isEmpty)
    }

    @Test("line endings and blank lines aren't a change", arguments: ["a", "\r\n"])
    func lineEndings(_ kind: String) throws {
        let text = "CREATE TABLE B (X);\n\nCREATE TABLE C (X);\n"
        let other =
            kind == "a"
            ? "CREATE TABLE B (X);\nCREATE TABLE C (X);" : "CREATE TABLE B (X);\r\n  \r\nCREATE TABLE C (X);\r\n"
        try manager.migrate([table, index, Migration(3, sql: SQL(text))])
        #expect(try manager.migrate([table, index, Migration(3, sql: SQL(other))]).isEmpty)
    }

    @Test("a closure in place of SQL, and SQL in place of a closure, can't be compared and pass")
    func otherForm() throws {
        #expect(try manager.migrate([table, Migration(2) { _ in }, Migration(3) { _ in }]) == [3])
        #expect(try manager.migrate([table, index, Migration(3, sql: "")]).isEmpty)
    }
}
