import Foundation
import Persisting
import Testing

@Suite("Tables")
struct SchemaTests {
    @Test("Every type has its column type; what is not Optional is NOT NULL; only simple values are defaults")
    func createTable() throws {
        // F45, F28, Settled 5, Settled 14, Settled 16
        let manager = try memoryManager(Everything.self)
        let lines = try #require(try manager.tableSQL("EVERYTHING")).split(separator: "\n").dropFirst().dropLast()
        #expect(
            lines.map { $0.trimmingCharacters(in: .whitespaces.union([","])) } == [
                "ID INTEGER PRIMARY KEY",
                "INT INTEGER NOT NULL DEFAULT 0", "INT8 INTEGER NOT NULL DEFAULT 0", "INT16 INTEGER NOT NULL DEFAULT 0",
                "INT32 INTEGER NOT NULL DEFAULT 0", "INT64 INTEGER NOT NULL DEFAULT 0",
                "UINT INTEGER NOT NULL DEFAULT 0", "UINT8 INTEGER NOT NULL DEFAULT 0",
                "UINT16 INTEGER NOT NULL DEFAULT 0", "UINT32 INTEGER NOT NULL DEFAULT 0",
                "UINT64 INTEGER NOT NULL DEFAULT 0", "BOOL INTEGER NOT NULL DEFAULT 0",
                "DOUBLE REAL NOT NULL DEFAULT 0.0", "FLOAT REAL NOT NULL DEFAULT 0.0",
                "STRING TEXT NOT NULL DEFAULT ''", "DATA BLOB NOT NULL", "BYTES BLOB NOT NULL", "DATE REAL NOT NULL",
                "UUID TEXT NOT NULL", "URL TEXT NOT NULL", "DECIMAL TEXT NOT NULL",
                "KIND TEXT NOT NULL DEFAULT 'full'", "LEVEL INTEGER NOT NULL DEFAULT 100", "TAGS TEXT NOT NULL",
                "PAIR TEXT NOT NULL",
            ])
    }

    @Test("Optional properties have the types of what they wrap, and no more")
    func optionals() throws {
        // F45, F29
        let manager = try memoryManager(Possible.self)
        let lines = try #require(try manager.tableSQL("POSSIBLE")).split(separator: "\n").dropFirst().dropLast()
        #expect(
            lines.map { $0.trimmingCharacters(in: .whitespaces.union([","])) } == [
                "ID INTEGER PRIMARY KEY", "INT INTEGER", "INT8 INTEGER", "INT16 INTEGER", "INT32 INTEGER",
                "INT64 INTEGER", "UINT INTEGER", "UINT8 INTEGER", "UINT16 INTEGER", "UINT32 INTEGER",
                "UINT64 INTEGER", "BOOL INTEGER", "DOUBLE REAL", "FLOAT REAL", "STRING TEXT", "DATA BLOB",
                "BYTES BLOB", "DATE REAL", "UUID TEXT", "URL TEXT", "DECIMAL TEXT", "KIND TEXT",
                "LEVEL INTEGER", "TAGS TEXT", "PAIR TEXT",
            ])
    }

    @Test("Columns stand in the order of the class's columns, whatever that of its properties")
    func order() throws {
        // F45
        let table = try memoryManager(Backwards.self).tableSQL("BACKWARDS")
        let names = try #require(table).split(separator: "\n").dropFirst().dropLast()
            .map { $0.split(separator: " ")[0] }
        #expect(names == ["I", "H", "G", "F", "E", "D", "C", "B", "A", "ID"])
    }

    @Test("A value that differs between two fresh objects isn't a default of the table")
    func noSharedDefault() throws {
        // Settled 14
        let manager = try memoryManager(Fresh.self)
        #expect(try manager.columnSQL("TOKEN", in: "FRESH") == "TOKEN TEXT NOT NULL")
        #expect(try manager.columnSQL("CREATED", in: "FRESH") == "CREATED REAL NOT NULL")
        #expect(try manager.columnSQL("NUMBER", in: "FRESH") == "NUMBER INTEGER NOT NULL")
        #expect(try manager.columnSQL("GREETING", in: "FRESH") == "GREETING TEXT NOT NULL DEFAULT 'it''s \"quoted\"'")
        #expect(try manager.columnSQL("ENDLESS", in: "FRESH") == "ENDLESS REAL NOT NULL")
        #expect(try manager.columnSQL("WITH_NUL", in: "FRESH") == "WITH_NUL TEXT NOT NULL")
    }

    @Test("Keywords and other unusual names are quoted, in every statement")
    func quoting() throws {
        // Settled 5
        let manager = try memoryManager(Order.self)
        #expect(
            try manager.tableSQL("ORDER") == """
                CREATE TABLE "ORDER" (
                    ID INTEGER PRIMARY KEY,
                    "GROUP" TEXT,
                    "with space" TEXT,
                    "quo""te" TEXT
                )
                """)
        let order = try manager.insert(Order.self, values: ["group": "g", "spaced": "s", "quoted": "q"])
        order.spaced = "t"
        try manager.save(order)
        let found = try manager.fetchOne(
            Order.self, where: \.group == "g" && \.spaced == "t", sortedBy: "quoted desc, group")
        #expect(found?.quoted == "q")
        #expect(try manager.delete(order))
        #expect(try manager.dropTable(for: Order.self))
    }

    @Test("A misspelt column in SQL is an error, not a text", .local(.doubleQuotes))
    func noDoubleQuotedText() throws {
        // Settled 5
        let manager = try memoryManager(User.self)
        #expect(failure { try manager.fetchAll(User.self, where: .sql("NAME = \"NAMEE\"")) }?.code == .missingColumn)
    }

    @Test("Dropping a table answers whether there was one")
    func drop() throws {
        // F47
        let manager = try memoryManager(User.self)
        #expect(try manager.dropTable(for: User.self))
        #expect(try !manager.dropTable(for: User.self))
        #expect(try !manager.tableExists(for: User.self))
    }

    @Test("Tables and columns are found whatever the case of their names")
    func exists() throws {
        // F48, F44
        let manager = try memoryManager(User.self)
        #expect(try manager.tableExists("USER") && manager.tableExists("user"))
        #expect(try manager.tableExists(for: User.self))
        #expect(try !manager.tableExists("USERS"))
        #expect(try manager.columnExists("NAME", in: "USER") && manager.columnExists("name", in: "User"))
        #expect(try !manager.columnExists("NAMES", in: "USER"))
        #expect(try !manager.columnExists("NAME", in: "USERS"))
    }

    @Test("What was asked of the schema is not stale after a change", .local(.connection))
    func notStale() throws {
        // F48
        let manager = try memoryManager(User.self)
        #expect(try !manager.columnExists("EXTRA", in: "USER"))
        try manager.execute("ALTER TABLE USER ADD COLUMN EXTRA TEXT")
        #expect(try manager.columnExists("EXTRA", in: "USER"))
        try manager.database.withoutTransaction { db in try db.execute("DROP TABLE USER") }
        #expect(try !manager.tableExists("USER"))
        #expect(try manager.createTableIfNecessary(for: User.self))
    }

    @Test("A default that was added to the table's schema later is noticed")
    func laterDefault() throws {
        // F48, F59
        let manager = try memoryManager(script: "CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, SCORE, IS_ACTIVE)")
        #expect(failure { try manager.save(User(name: "a")) }?.code == .missingColumn)
        try manager.execute("ALTER TABLE USER ADD COLUMN AGE INTEGER DEFAULT 18")
        let user = User(name: "a")
        try manager.save(user)
        #expect(user.age == 18)
    }

    @Test("A table that SQL has recreated is looked at again", .local(.connection))
    func recreatedTable() throws {
        // F48, F59
        let manager = try memoryManager(User.self)
        try manager.save(User(name: "a"))
        try manager.write { db in
            try db.executeScript(
                """
                DROP TABLE USER;
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, AGE INTEGER DEFAULT 18, SCORE, IS_ACTIVE)
                """)
        }
        let user = User(name: "b")
        try manager.save(user)
        #expect(user.age == 18)
    }

    @Test("A table that is there is left as it is")
    func leftAlone() throws {
        // F46
        let manager = try memoryManager(
            script: "CREATE TABLE user (id INTEGER PRIMARY KEY, more, is_active INT, score REAL, age INT, name CHAR(9))"
        )
        #expect(try !manager.createTableIfNecessary(for: User.self))
        #expect(try manager.tableSQL("user")?.hasSuffix("name CHAR(9))") == true)
    }

    @Test("Creating a table that SQLite rejects throws, with the SQL")
    func rejected() throws {
        // F46, F16
        let manager = try PersistenceManager(.memory)
        let error = failure { try manager.createTableIfNecessary(for: BadCheck.self) }
        #expect(error?.code == .database || error?.code == .missingColumn)
        #expect(error?.model == "BadCheck")
        #expect(error?.sql?.contains("CHECK (NO_SUCH_COLUMN > 0)") == true)
    }

    @Test("Columns of a table beyond the class's are ignored, in whatever order they stand")
    func otherColumns() throws {
        // F85, F44
        let manager = try memoryManager(
            script: "CREATE TABLE user (is_active, extra TEXT DEFAULT 'x', age, name, score, id INTEGER PRIMARY KEY)")
        let user = User(name: "a", age: 5)
        try manager.save(user)
        let found = try #require(try manager.fetchOne(User.self, where: \.age == 5, sortedBy: "name"))
        #expect(found.isSameRow(as: user))
        #expect(try manager.stored("SELECT extra FROM user") == .text("x"))
    }

    @Test("A view is read")
    func view() throws {
        // F70
        let manager = try memoryManager(
            script: """
                CREATE TABLE T (N);
                INSERT INTO T VALUES ('a'), ('b');
                CREATE VIEW USER AS SELECT rowid AS ID, N AS NAME, NULL AS AGE, 0.5 AS SCORE, 1 AS IS_ACTIVE FROM T;
                """)
        #expect(try manager.fetchAll(User.self, sortedBy: "name desc").map(\.name) == ["b", "a"])
        #expect(try manager.find(User.self, 1)?.name == "a")
    }
}

private final class Fresh: PersistingModel {
    private static let counter = Counter()
    var id: Int64?
    var token = UUID().uuidString
    var created = Date()
    var number = Fresh.counter.next()
    var greeting = "it's \"quoted\""
    var endless = Double.infinity
    var withNul = "a\0b"
}

private final class Counter: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var count = 0  // guarded by `lock`
    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}

private final class Backwards: PersistingModel {
    var id: Int64?
    var a = 0
    var b = 0
    var c = 0
    var d = 0
    var e = 0
    var f = 0
    var g = 0
    var h = 0
    var i = 0

    override class var columns: Columns {
        [
            "I": .int, "H": .int, "G": .int, "F": .int, "E": .int, "D": .int, "C": .int, "B": .int, "A": .int,
            "ID": .int,
        ]
    }
}

private final class Order: PersistingModel {
    var id: Int64?
    var group: String?
    var spaced: String?
    var quoted: String?

    override class var columns: Columns {
        [
            "ID": .int, "GROUP": .string, "with space": .string.property("spaced"),
            "quo\"te": .string.property("quoted"),
        ]
    }
}

private final class BadCheck: PersistingModel {
    var id: Int64?
    override class var columns: Columns { ["ID": .int.check("NO_SUCH_COLUMN > 0")] }
}
