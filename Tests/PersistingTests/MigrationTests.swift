import Foundation
import Persisting
import Testing

private final class Tenant: PersistingModel {
    var id: Int64?
    var name = ""
    var status = "new"
}

/// The life of a program: three versions of it.
private let migrations = [
    Migration(1) { manager in
        try manager.execute("CREATE TABLE TENANT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL)")
    },
    Migration(2, "people have a status") { manager in
        try manager.execute("ALTER TABLE TENANT ADD COLUMN STATUS TEXT NOT NULL DEFAULT 'new'")
        try manager.insert(Tenant.self, values: ["name": "Ada"])
    },
    Migration(3, sql: "CREATE INDEX TENANT_NAME ON TENANT (NAME); UPDATE TENANT SET STATUS = 'old'"),
]

// F50
@Suite("Migrations") struct MigrationTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path()
    }

    @Test("a new database gets all of them, in order")
    func newDatabase() throws {
        let manager = try PersistenceManager(path: path, migrations: migrations)
        #expect(try manager.fetchAll(Tenant.self).map(\.status) == ["old"])
        #expect(try manager.schemaVersion == 3)
    }

    @Test("a database gets those that it hasn't seen")
    func laterProgram() throws {
        try PersistenceManager(path: path, migrations: Array(migrations.prefix(2))).close()
        let manager = try PersistenceManager(path: path)
        #expect(try manager.migrate(migrations) == [3])
    }

    @Test("a database that has seen all is left as it is")
    func nothingToDo() throws {
        try PersistenceManager(path: path, migrations: migrations).close()
        let manager = try PersistenceManager(path: path)
        let before = try manager.read { try $0.pragma("data_version", as: Int.self) }
        #expect(try manager.migrate(migrations).isEmpty)
        #expect(try manager.read { try $0.pragma("data_version", as: Int.self) } == before)
    }

    @Test("with nothing to do a start runs a single query")
    func cheapStart() throws {
        try PersistenceManager(path: path, migrations: migrations).close()
        let log = SQLLog()
        let manager = try log.manager(.file(path))
        let before = log.texts.count
        try manager.migrate(migrations)
        #expect(log.texts.count - before == 1)
    }

    @Test("an empty list makes no tables")
    func emptyList() throws {
        let manager = try PersistenceManager(path: path, migrations: [])
        #expect(try manager.rowCount("sqlite_schema") == 0)
        #expect(try manager.schemaVersion == 0)
    }

    @Test("gaps between versions are fine")
    func gaps() throws {
        let manager = try PersistenceManager(
            .memory, migrations: [Migration(10, sql: "CREATE TABLE A (X)"), Migration(20, sql: "CREATE TABLE B (X)")])
        #expect(try manager.schemaVersion == 20)
    }

    @Test("an open manager migrates, in memory too")
    func openManager() throws {
        let manager = try PersistenceManager(.memory)
        #expect(try manager.migrate(migrations) == [1, 2, 3])
        #expect(try manager.count(Tenant.self) == 1)
    }

    @Test("without migrations the version is 0")
    func noMigrations() throws {
        #expect(try PersistenceManager(.memory).schemaVersion == 0)
    }

    @Test("inside a migration the version is the one before")
    func versionInside() throws {
        let manager = try PersistenceManager(.memory)
        let versions = Shared<[Int]>([])
        try manager.migrate([
            Migration(4) { manager in try versions.change { $0.append(try manager.schemaVersion) } },
            Migration(7) { manager in try versions.change { $0.append(try manager.schemaVersion) } },
        ])
        #expect(versions.value == [0, 4])
    }

    @Test("the version table has FMDBx's form and one row")
    func versionTable() throws {
        let manager = try PersistenceManager(.memory, migrations: migrations)
        #expect(try manager.storedColumn("SELECT version FROM schema_version") == [.integer(3)])
        #expect(
            try manager.storedColumn("SELECT name FROM pragma_table_info('schema_version')") == [.text("version")])
    }

    @Test("the version table's name is a choice", arguments: ["my_version", "the \"version\"", "order"])
    func tableName(_ name: String) throws {
        let manager = try PersistenceManager(path: path, migrations: migrations, versionTable: name)
        #expect(try manager.rowCount(name) == 1)
        #expect(try !manager.tableExists("schema_version"))
        #expect(try PersistenceManager(path: path, versionTable: name).schemaVersion == 3)
    }

    @Test("a file of FMDBx is continued, and FMDBx can go on with it")
    func fmdbx() throws {
        try PersistenceManager(path: path).run(
            """
            create table schema_version (version INTGER PRIMARY KEY NOT NULL);
            insert into schema_version (version) values (0);
            update schema_version set version = 1;
            CREATE TABLE TENANT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL);
            """)
        let manager = try PersistenceManager(path: path, migrations: migrations)
        #expect(try manager.appliedMigrations.map(\.version) == [2, 3])
        try manager.run("update schema_version set version = 4")
        let later = migrations + [Migration(4, sql: ""), Migration(5, sql: "CREATE TABLE LAST (X)")]
        #expect(try manager.migrate(later) == [5])
        #expect(try manager.storedColumn("select version from schema_version") == [.integer(5)])
    }

    @Test("a version table without a row counts as 0")
    func emptyTable() throws {
        let manager = try memoryManager(script: "create table schema_version (version INTEGER)")
        try manager.migrate([Migration(1, sql: "CREATE TABLE A (X)")])
        #expect(try manager.storedColumn("SELECT version FROM schema_version") == [.integer(1)])
    }

    @Test("name, SQL and time of what ran are kept")
    func history() throws {
        let manager = try PersistenceManager(path: path, migrations: migrations)
        let applied = try manager.appliedMigrations
        #expect(applied.map(\.version) == [1, 2, 3])
        #expect(applied.map(\.name) == [nil, "people have a status", nil])
        #expect(applied.map { $0.sql?.hasPrefix("CREATE INDEX") } == [nil, nil, true])
        #expect(applied.allSatisfy { abs($0.date.timeIntervalSinceNow) < 3600 })
    }

    @Test("classes' own methods inside use the migration's manager")
    func classMethods() throws {
        let other = try memoryManager(Tenant.self)
        let manager = try PersistenceManager(.memory)
        _ = try other.asCurrent {
            try manager.migrate([
                Migration(1) { manager in
                    try manager.createTableIfNecessary(for: Tenant.self)
                    try Tenant.create(["name": "Ada"])
                }
            ])
        }
        #expect(try manager.count(Tenant.self) == 1)
        #expect(try other.count(Tenant.self) == 0)
    }

    // F51
    @Test("models, batches and transactions inside take part in the migration's transaction")
    func joining() throws {
        let manager = try memoryManager(Tenant.self)
        let error = failure {
            try manager.migrate([
                Migration(1) { manager in
                    try manager.insert(Tenant.self, values: ["name": "Ada"])
                    try manager.insert([Tenant(), Tenant()])
                    try manager.transaction { try manager.execute("INSERT INTO TENANT (NAME, STATUS) VALUES ('', '')") }
                    throw TestError()
                }
            ])
        }
        #expect(error?.underlying is TestError)
        #expect(try manager.count(Tenant.self) == 0)
    }

    @Test("an object that a failed migration inserted is new again")
    func objects() throws {
        let manager = try memoryManager(Tenant.self)
        let isNew = Shared<Bool?>(nil)
        _ = failure {
            try manager.migrate([
                Migration(1) { manager in
                    let person = Tenant()
                    defer { isNew.change { $0 = person.isPersisted } }
                    try manager.save(person)
                    throw TestError()
                }
            ])
        }
        #expect(isNew.value == true)
    }

    @Test("what a manager knew of a table is forgotten, and again after an error")
    func schemaChanges() throws {
        let manager = try PersistenceManager(.memory)
        try manager.run("CREATE TABLE TENANT (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL)")
        #expect(failure { try manager.count(Tenant.self, where: \.status == "new") }?.code == .missingColumn)
        try manager.migrate([Migration(1, sql: "ALTER TABLE TENANT ADD COLUMN STATUS TEXT NOT NULL DEFAULT 'new'")])
        try manager.insert(Tenant.self, values: ["name": "Ada"])
        _ = failure { try manager.migrate([Migration(1, sql: ""), Migration(2, sql: "DROP TABLE TENANT; nonsense")]) }
        #expect(try manager.count(Tenant.self, where: \.status == "new") == 1)
    }

    @Test("readers of a pool see nothing of a migration before it is committed")
    func readers() throws {
        let manager = try PersistenceManager(path: path, migrations: Array(migrations.prefix(1)))
        let count = Shared<Int?>(nil)
        try manager.migrate([
            migrations[0],
            Migration(2) { manager in
                try manager.execute("INSERT INTO TENANT (NAME) VALUES ('Ada')")
                let thread = Thread { count.change { $0 = (try? manager.rowCount("TENANT")) ?? -1 } }
                thread.start()
                while count.value == nil { Thread.sleep(forTimeInterval: 0.001) }
            },
        ])
        #expect(count.value == 0)
        #expect(try manager.rowCount("TENANT") == 1)
    }

    // F5
    @Test("a name becomes visible after the migrations have run, and not at all when one fails")
    func names() throws {
        let name = "MigrationTests.names"
        let seen = Shared<[Bool]>([])
        let look = Migration(1) { _ in seen.change { $0.append(PersistenceManager.named[name] != nil) } }
        _ = failure {
            PersistenceManager.named[name] = try PersistenceManager(
                path: path, migrations: [look, Migration(2) { _ in throw TestError() }])
        }
        #expect(PersistenceManager.named[name] == nil)
        PersistenceManager.named[name] = try PersistenceManager(path: path, migrations: [look])
        defer { PersistenceManager.named[name] = nil }
        #expect(try PersistenceManager.named[name]?.schemaVersion == 1)
        #expect(seen.value == [false])
    }
}
