import Foundation
import Persisting
import Testing

/// FOMapping's class over a table of its own.
private final class Hitter: PersistingModel {
    var name = ""
    var avg = 0.25
    var hr = 7
    var birth: Date?
    var position: Data?
    var note: String?

    override class var tableName: String { "batter" }
    override class var naming: Naming { .snakeCase }
    override class var primaryKey: PrimaryKey { .assigned("name") }

    override class var columns: Columns {
        var columns = super.columns
        columns["note"] = .string.deferred
        return columns
    }
}

private func batters() throws -> PersistenceManager {
    try memoryManager(
        script: """
            CREATE TABLE batter (
                name TEXT NOT NULL, avg REAL, hr INTEGER, birth REAL, position BLOB, note TEXT, PRIMARY KEY(name));
            INSERT INTO batter VALUES ('Lin', 0.3, 20, 500515200.5, x'01', 'a'), ('Hu', 0.2, 1, NULL, NULL, NULL),
                ('Kao', 0.35, 30, 0, x'', 'b');
            """)
}

@Suite("Objects of the rows of SQL") struct RowsOfSQLTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try batters()
    }

    private func one(_ sql: String, partial: Bool = false) throws -> Hitter {
        try #require(try manager.fetchOne(Hitter.self, sql: SQL(sql), partial: partial))
    }

    @Test("are what a fetch makes of them") func whole() throws {
        // F85
        let batters = try manager.fetchAll(Hitter.self, sql: "SELECT * FROM batter WHERE hr > ? ORDER BY name", [10])
        #expect(batters.map(\.name) == ["Kao", "Lin"])
        let lin = try #require(batters.last)
        #expect(lin.avg == 0.3 && lin.hr == 20 && lin.position == Data([1]))
        #expect(lin.birth == Date(timeIntervalSince1970: 500_515_200.5))
        #expect(lin.isPersisted && !lin.hasChanges)
    }

    @Test("bind what is interpolated, and arguments by position and name") func arguments() throws {
        // F73, F85
        let (name, least) = ("x' OR 1 --", 10)
        #expect(try manager.fetchAll(Hitter.self, sql: "SELECT * FROM batter WHERE name = \(name)").isEmpty)
        let found = try manager.fetchAll(
            Hitter.self, sql: "SELECT * FROM batter WHERE hr > \(least) AND avg > ? AND name <> :n", [0.1], ["n": "Lin"]
        )
        #expect(found.map(\.name) == ["Kao"])
        #expect(
            failure { try manager.fetchAll(Hitter.self, sql: "SELECT * FROM batter WHERE hr > ?") }?.sqliteError?
                .extendedCode == .argumentCount)
        #expect(
            failure { try manager.fetchOne(Hitter.self, sql: "SELECT * FROM batter", ["n": 1]) }?.sqliteError?
                .extendedCode == .unknownParameter)
    }

    @Test("find columns by name in any order and case, and skip others") func byName() throws {
        // F44, F85
        let lin = try one("SELECT 1 AS x, HR, Avg, birth, name, position, 2 AS y FROM batter WHERE name = 'Lin'")
        #expect(lin.hr == 20 && lin.avg == 0.3 && lin.name == "Lin" && lin.note == nil)
        let first = try one("SELECT 8 AS HR, avg, birth, name, position, hr FROM batter WHERE name = 'Lin'")
        #expect(first.hr == 8, "the first of several columns is read, however it is spelled")
        let twice = try one("SELECT *, 8 AS hr FROM batter WHERE name = 'Lin'")
        #expect(twice.hr == 20)
    }

    @Test("read deferred columns that the SQL gives") func deferred() throws {
        // F26, F85
        let lin = try one("SELECT * FROM batter WHERE name = 'Lin'")
        #expect(lin.note == "a" && !lin.hasChanges)
        lin.note = nil
        try manager.save(lin)
        #expect(try manager.stored("SELECT note FROM batter WHERE name = 'Lin'") == .null)
    }

    @Test("throw for a column that is not there, and name it and those that are") func missing() throws {
        // F85
        let sql = "SELECT name, avg, birth, position FROM batter"
        let error = failure { try manager.fetchAll(Hitter.self, sql: SQL(sql)) }
        #expect(error?.code == .missingColumn && error?.key == "hr" && error?.sql == sql)
        #expect(error?.message == "the row has no column hr; it has: name, avg, birth, position")
        // Without a row as well.
        #expect(failure { try manager.fetchAll(Hitter.self, sql: SQL(sql + " WHERE 0")) }?.code == .missingColumn)
    }

    @Test("keep what init() gives where parts will do, and a save writes only changes") func partial() throws {
        // F85
        let lin = try one("SELECT name, avg FROM batter WHERE name = 'Lin'", partial: true)
        #expect(lin.hr == 7 && lin.birth == nil && !lin.hasChanges)
        try manager.run("UPDATE batter SET avg = 0.9")
        lin.birth = Date(timeIntervalSince1970: 1)
        #expect(lin.changedKeys == ["birth"])
        try manager.save(lin)
        #expect(try manager.storedColumn("SELECT hr FROM batter WHERE name = 'Lin'") == [20])
        #expect(try manager.storedColumn("SELECT avg FROM batter WHERE name = 'Lin'") == [0.9])
        try lin.load(\.hr)
        #expect(lin.hr == 20 && !lin.hasChanges)
        try manager.refresh(lin)
        #expect(lin.avg == 0.9 && lin.position == Data([1]))
    }

    @Test("are tracked where parts are missing, whatever was asked") func partialUntracked() throws {
        // F85
        let sql: SQL = "SELECT name FROM batter WHERE name = 'Lin'"
        let lin = try #require(try manager.fetchAll(Hitter.self, sql: sql, partial: true, tracked: false).first)
        lin.avg = 0.5
        try manager.save(lin)
        #expect(try manager.stored("SELECT hr FROM batter WHERE name = 'Lin'") == 20)
        let whole = try manager.fetchAll(Hitter.self, sql: "SELECT * FROM batter", partial: true, tracked: false)
        #expect(whole.map(\.hasChanges) == [true, true, true])
    }

    @Test("need the key, whole or in part") func key() throws {
        // F85
        for partial in [true, false] {
            let error = failure { try one("SELECT avg, hr, birth, position FROM batter", partial: partial) }
            #expect(error?.code == .missingColumn && error?.key == "name")
        }
    }

    @Test("of a class without a key may be without any column but one") func withoutKey() throws {
        // F85
        try manager.createTableIfNecessary(for: Reading.self)
        let reading = try manager.fetchOne(Reading.self, sql: "SELECT 2.5 AS value", partial: true)
        #expect(reading?.value == 2.5 && reading?.sensor == "")
        #expect(
            failure { try manager.fetchOne(Reading.self, sql: "SELECT 1 AS x", partial: true) }?.code == .missingColumn)
    }

    @Test("reject a value that a property cannot hold, never as 0") func mismatch() throws {
        // F29, F85
        try manager.run("UPDATE batter SET hr = NULL WHERE name = 'Hu'")
        let error = failure { try manager.fetchAll(Hitter.self, sql: "SELECT * FROM batter ORDER BY name") }
        #expect(
            error?.code == .typeMismatch && error?.key == "hr" && error?.sql == "SELECT * FROM batter ORDER BY name")
        // The statement is free again.
        try manager.run("DROP TABLE batter")
    }

    @Test("name the class in an error of SQLite") func sqliteErrors() throws {
        // F16
        let error = failure { try manager.fetchAll(Hitter.self, sql: "SELECT * FROM bat") }
        #expect(error?.code == .noTable && error?.model == "Hitter" && error?.sql == "SELECT * FROM bat")
        #expect(failure { try manager.fetchOne(Hitter.self, sql: "") }?.sqliteError?.extendedCode == .emptyStatement)
        #expect(
            failure { try manager.fetchOne(Hitter.self, sql: "SELECT 1; SELECT 2") }?.sqliteError?.extendedCode
                == .severalStatements)
    }

    @Test("come of no statement that writes, on a file as in memory") func writing() throws {
        // F85
        let directory = try TemporaryDirectory()
        let file = try PersistenceManager(path: directory.path())
        try file.execute(
            "CREATE TABLE batter AS SELECT 'Lin' AS name, 1.0 AS avg, 2 AS hr, 0.0 AS birth, x'' AS position")
        for manager in [manager, file] {
            let error = failure { try manager.fetchAll(Hitter.self, sql: "UPDATE batter SET hr = 0 RETURNING *") }
            #expect(error?.sqliteError?.extendedCode == .notAllowedHere)
            #expect(try manager.stored("SELECT max(hr) FROM batter") != 0)
        }
    }

    @Test("see what a transaction around has written") func inTransaction() throws {
        // F14
        try catchingTestError {
            try manager.transaction {
                try manager.execute("UPDATE batter SET hr = 99 WHERE name = 'Hu'")
                #expect(try one("SELECT * FROM batter WHERE hr = 99").name == "Hu")
                throw TestError()
            }
        }
        #expect(try manager.fetchOne(Hitter.self, sql: "SELECT * FROM batter WHERE hr = 99") == nil)
    }

    @Test("follow a table that another connection has changed") func changedSchema() throws {
        // F44
        let directory = try TemporaryDirectory()
        let (one, two) = (
            try PersistenceManager(path: directory.path()), try PersistenceManager(path: directory.path())
        )
        try one.createTableIfNecessary(for: User.self)
        try one.insert(User(name: "a", age: 3))
        #expect(try one.fetchAll(User.self, sql: "SELECT * FROM USER").first?.age == 3)
        try two.run(
            """
            ALTER TABLE USER RENAME TO OLD; CREATE TABLE USER (AGE, SCORE, IS_ACTIVE, NAME, ID INTEGER PRIMARY KEY);
            INSERT INTO USER SELECT AGE, SCORE, IS_ACTIVE, NAME, ID FROM OLD;
            """)
        let user = try #require(try one.fetchAll(User.self, sql: "SELECT * FROM USER").first)
        #expect(user.age == 3 && user.name == "a" && user.id == 1)
    }

    @Test("find names with quotes, keywords and other letters") func oddNames() throws {
        // F44
        final class Odd: PersistingModel {
            var id: Int64?
            var größe = 0
            var order = ""
            override class var naming: Naming { .identity }
            override class var columns: Columns {
                ["id": .int, "Größe \"x\"": .int.property("größe"), "order": .string]
            }
        }
        let manager = try memoryManager(Odd.self)
        try manager.insert(Odd.self, values: ["größe": 3, "order": "o"])
        let odd = try manager.fetchOne(Odd.self, sql: "SELECT * FROM Odd")
        #expect(odd?.größe == 3 && odd?.order == "o")
    }

    @Test("exist on the class, and for suspended tasks") func forms() async throws {
        // F85
        try manager.asCurrent {
            let many = try Hitter.all(sql: "SELECT * FROM batter WHERE hr > ?", [10])
            #expect(many.count == 2)
            let one = try Hitter.findOne(sql: "SELECT * FROM batter ORDER BY hr")
            #expect(one?.name == "Hu")
            let name = "Kao"
            let bound = try Hitter.all(sql: "SELECT name FROM batter WHERE name = \(name)", partial: true)
            #expect(bound.count == 1)
        }
        try await manager.asCurrent {
            let parts = try await Hitter.all(sql: "SELECT name FROM batter", partial: true)
            #expect(parts.count == 3)
            let name = "Kao"
            let bound = try await Hitter.all(sql: "SELECT name FROM batter WHERE name = \(name)", partial: true)
            #expect(bound.count == 1)
            let none = try await Hitter.findOne(sql: "SELECT * FROM batter WHERE hr > ?", [100])
            #expect(none == nil)
        }
        let name = "Kao"
        let kao = try await manager.fetchOne(Hitter.self, sql: "SELECT * FROM batter WHERE name = \(name)")
        kao?.hr += 1
        #expect(kao?.changedKeys == ["hr"])
        #expect(try await manager.fetchAll(Hitter.self, sql: "SELECT * FROM batter", tracked: false).count == 3)
    }
}

/// FMDBx's class, read from a result set.
private final class MyUser: PersistingModel {
    var id: Int64?
    var name = ""
    var age = 0

    override class var tableName: String { "users" }
    override class var naming: Naming { .pluralSnakeCase }
}

@Suite("Objects of rows") struct RowObjectTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try batters()
    }

    @Test("one of the row a query stands on", .local(.connection)) func row() throws {
        // F85
        try manager.read { db in
            let rows = try db.query("SELECT * FROM batter ORDER BY name")
            var names: [String] = []
            while let row = try rows.next() {
                let batter = try manager.object(Hitter.self, from: row)
                #expect(batter.isPersisted && !batter.hasChanges)
                names.append(batter.name)
            }
            #expect(names == ["Hu", "Kao", "Lin"])
        }
    }

    @Test("the rest of a result set, each saved where it came from", .local(.connection)) func rest() throws {
        // F85
        try manager.write { db in
            let rows = try db.query("SELECT * FROM batter ORDER BY name")
            _ = try rows.next()
            let batters = try manager.objects(Hitter.self, from: rows)
            #expect(batters.map(\.name) == ["Kao", "Lin"])
            #expect(try rows.next() == nil)
            for batter in batters {
                batter.hr += 1
                try manager.save(batter)
            }
        }
        #expect(try manager.storedColumn("SELECT hr FROM batter ORDER BY name") == [1, 31, 21])
    }

    @Test("the rows that a write returns", .local(.connection)) func returning() throws {
        // F85
        let batters = try manager.write { db in
            try manager.objects(Hitter.self, from: db.query("UPDATE batter SET hr = hr * 2 WHERE hr > 5 RETURNING *"))
        }
        #expect(Set(batters.map(\.hr)) == [40, 60])
        #expect(try manager.stored("SELECT sum(hr) FROM batter") == 101)
    }

    @Test("a copied row, on any thread", .local(.connection)) func snapshot() async throws {
        // F85
        var names: [String] = []
        for try await row in manager.database.rows("SELECT * FROM batter ORDER BY name") {
            names.append(try manager.object(Hitter.self, from: row).name)
        }
        #expect(names == ["Hu", "Kao", "Lin"])
        let made = RowSnapshot(["NAME": "Wang", "hr": 3])
        let wang = try manager.object(Hitter.self, from: made, partial: true)
        #expect(wang.name == "Wang" && wang.hr == 3 && wang.avg == 0.25)
        #expect(failure { try manager.object(Hitter.self, from: made) }?.key == "avg")
    }

    @Test("none of a row that its query has left", .local(.connection)) func expired() throws {
        // F85
        try manager.read { db in
            let rows = try db.query("SELECT * FROM batter")
            let first = try #require(try rows.next())
            _ = try rows.next()
            #expect(sqliteFailure { try manager.object(Hitter.self, from: first) }?.extendedCode == .expired)
        }
    }

    @Test("of FMDBx's example", .local(.connection)) func example() throws {
        // F85
        let manager = try memoryManager(
            script: """
                create table users (id integer primary key autoincrement, name text not null, age integer not null);
                insert into users (name, age) values ('kohki makimoto', 33);
                """)
        let users = try manager.read { db in try manager.objects(MyUser.self, from: db.query("select * from users")) }
        #expect(users.first?.name == "kohki makimoto")
        users.first?.age = 44
        try users.first?.save()
        #expect(try manager.find(MyUser.self, 1)?.age == 44)
    }

    @Test("are many without a look-up of names for each", .local(.connection)) func manyStatements() throws {
        // F85: layouts are kept for a few statements only
        try manager.read { db in
            for number in 0..<20 {
                let row = try #require(
                    try db.rows("SELECT \(sql: SQL(String(number))) AS n, * FROM batter WHERE hr = 30").first)
                #expect(try manager.object(Hitter.self, from: row).name == "Kao")
            }
        }
    }
}
