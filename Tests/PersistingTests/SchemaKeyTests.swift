import Foundation
import Persisting
import Testing

/// A class without a key of its own: what the table says.
private class Player: PersistingModel {
    var name = ""
    var team = ""
    var hits: Int?
    var photo: Data?

    override class var tableName: String { "player" }
    override class var naming: Naming { .identity }
    override class var primaryKey: PrimaryKey { .fromSchema }
    override class var columns: Columns {
        var columns = super.columns
        columns["photo"] = .data.deferred
        return columns
    }

    convenience init(_ name: String, _ team: String, _ hits: Int? = nil) {
        self.init()
        self.name = name
        self.team = team
        self.hits = hits
    }
}

private final class Pitcher: Player {
    var wins = 0
}

private final class Numbered: PersistingModel {
    var number: Int64?
    var label = ""
    override class var tableName: String { "numbered" }
    override class var naming: Naming { .identity }
    override class var primaryKey: PrimaryKey { .fromSchema }
}

private final class Counted: PersistingModel {
    var number = 0
    var label = ""
    override class var tableName: String { "numbered" }
    override class var naming: Naming { .identity }
    override class var primaryKey: PrimaryKey { .fromSchema }
}

private let named = "CREATE TABLE player (name TEXT PRIMARY KEY, team TEXT, hits INT, photo BLOB)"
private let paired = "CREATE TABLE player (name TEXT, team TEXT, hits INT, photo BLOB, PRIMARY KEY (team, name))"
private let keyless = "CREATE TABLE player (name TEXT, team TEXT, hits INT, photo BLOB)"

// F39
@Suite("Keys that the table says") struct SchemaKeyTests {
    @Test("fit their table as a plan sees it", arguments: [named, named + " WITHOUT ROWID", paired])
    func plan(_ table: String) throws {
        let manager = try memoryManager(script: table)
        #expect(try manager.schemaPlan(for: [Player.self]).steps.filter { $0.reason.contains("name may be") }.isEmpty)
    }

    @Test("find, save, refresh and delete") func verbs() throws {
        let manager = try memoryManager(script: named)
        let kao = Player("Kao", "Bears", 3)
        try manager.save(kao)
        kao.hits = 4
        try manager.save(kao)
        let found = try #require(try manager.find(Player.self, "Kao"))
        #expect(found.hits == 4)
        #expect(found.isSameRow(as: kao))
        try manager.execute("UPDATE player SET hits = 5")
        try manager.refresh(found)
        #expect(found.hits == 5)
        #expect(try manager.delete(kao))
        #expect(try manager.find(Player.self, "Kao") == nil)
    }

    @Test("write a key's own change to the row of the old key") func changed() throws {
        // F40
        let manager = try memoryManager(script: named)
        let kao = try manager.insert(Player.self, values: ["name": "Kao", "team": "Bears"])
        kao.name = "Lin"
        try manager.save(kao)
        #expect(try manager.storedColumn("SELECT name FROM player") == ["Lin"])
        #expect(try manager.find(Player.self, keys: ["Lin", "Kao"]).map(\.name) == ["Lin"])
    }

    @Test("are said by an object, once it has been in the table") func keyValue() throws {
        let manager = try memoryManager(script: named)
        let kao = Player("Kao", "Bears")
        #expect(kao.primaryKeyValue == .null)
        try manager.save(kao)
        #expect(kao.primaryKeyValue == "Kao")
        #expect(kao.changedKeys == [])
    }

    @Test("are composite, in the key's order") func composite() throws {
        // F38
        let manager = try memoryManager(script: paired)
        try manager.insert([Player("Kao", "Bears", 1), Player("Kao", "Lions", 2)])
        let lion = try #require(try manager.find(Player.self, ["name": "Kao", "team": "Lions"]))
        lion.hits = 9
        try manager.save(lion)
        #expect(try manager.storedColumn("SELECT hits FROM player ORDER BY team") == [1, 9])
        #expect(try manager.asCurrent { try Player.schema().primaryKey } == ["team", "name"])
        #expect(failure { try manager.find(Player.self, "Kao") }?.code == .noPrimaryKey)
        #expect(failure { try manager.insert(Player("Kao", "Bears")) }?.sqliteError?.columns == ["team", "name"])
    }

    @Test("of an INTEGER PRIMARY KEY are generated, for an Optional integer")
    func generated() throws {
        // F36
        let manager = try memoryManager(script: "CREATE TABLE numbered (label TEXT, number INTEGER PRIMARY KEY)")
        let one = Numbered()
        try manager.save(one)
        #expect(one.number == 1)
        #expect(one.copy().number == nil)
        #expect(try manager.asCurrent { try Numbered.schema().isKeyGenerated })
    }

    @Test("of an INTEGER PRIMARY KEY are assigned, for an integer that is not Optional")
    func assignedInteger() throws {
        // F37
        let manager = try memoryManager(script: "CREATE TABLE numbered (label TEXT, number INTEGER PRIMARY KEY)")
        try manager.save(Counted())
        #expect(try manager.stored("SELECT number FROM numbered") == 0)
        #expect(failure { try manager.save(Counted()) }?.sqliteError?.columns == ["number"])
    }

    @Test(
        "that SQLite does not generate need a value",
        arguments: [
            "CREATE TABLE numbered (label TEXT, number INTEGER PRIMARY KEY DESC)",
            "CREATE TABLE numbered (label TEXT, number INT PRIMARY KEY)",
            "CREATE TABLE numbered (label TEXT, number INTEGER PRIMARY KEY) WITHOUT ROWID",
        ])
    func notGenerated(table: String) throws {
        let manager = try memoryManager(script: table)
        #expect(failure { try manager.save(Numbered()) }?.code == .missingPrimaryKeyValue)
        let seven = Numbered()
        seven.number = 7
        try manager.save(seven)
        seven.label = "x"
        try manager.save(seven)
        #expect(try manager.find(Numbered.self, 7)?.label == "x")
    }

    @Test("are none for a table and a view without one, whose rows are fetched", arguments: [false, true])
    func none(isView: Bool) throws {
        // Settled 13
        let manager = try memoryManager(
            script: isView
                ? "CREATE VIEW player AS SELECT 'Kao' AS name, '' AS team, 3 AS hits, NULL AS photo"
                : "\(keyless); INSERT INTO player VALUES ('Kao', '', 3, NULL)")
        let kao = try #require(try manager.fetchOne(Player.self, where: \.name == "Kao"))
        kao.hits = 4
        for error in [
            failure { try manager.find(Player.self, "Kao") }, failure { try manager.save(kao) },
            failure { try manager.delete(kao) }, failure { try manager.refresh(kao) },
            failure { try manager.fetchPage(Query(Player.self), limit: 1) },
        ] {
            #expect(error?.code == .noPrimaryKey)
            #expect(error?.message.contains("the table player has no primary key") == true)
        }
        #expect(try manager.asCurrent { try Player.schema().primaryKey } == [])
    }

    @Test("are found though the table writes its names in another case, or in quotes") func names() throws {
        // F44
        let manager = try memoryManager(
            script: "CREATE TABLE PLAYER (\"NAME\" TEXT, [Team] TEXT PRIMARY KEY, `hits` INT, PHOTO BLOB)")
        try manager.save(Player("Kao", "Bears"))
        #expect(try manager.find(Player.self, "Bears")?.name == "Kao")
    }

    @Test("are an inherited class's too") func inherited() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE player (wins INT, name TEXT PRIMARY KEY, team TEXT, hits INT, photo BLOB)")
        let pitcher = Pitcher("Kao", "Bears")
        try manager.save(pitcher)
        pitcher.wins = 1
        try manager.save(pitcher)
        #expect(try manager.find(Pitcher.self, "Kao")?.wins == 1)
    }

    @Test("load deferred columns, make pages and sections, and cross to other tasks", .local(.connection)) func more()
        throws
    {
        let manager = try memoryManager(script: named)
        try manager.insert(["a", "b", "c"].map { Player($0, "x") })
        try manager.execute("UPDATE player SET photo = x'01'")
        let page = try manager.fetchPage(Query(Player.self), limit: 2)
        #expect(page.map(\.name) == ["a", "b"])
        #expect(try manager.fetchPage(Query(Player.self), after: page[1], limit: 2).map(\.name) == ["c"])
        try manager.load(page, \.photo)
        #expect(page[1].photo == Data([1]))
        try manager.withBlob(of: page[0], \.photo) { blob in #expect(blob.count == 1) }
        #expect(try manager.sections(Player.sorted(by: \.name), by: \.name).count == 3)
        let copy = try Player(page[0].snapshot())
        copy.hits = 8
        try manager.save(copy)
        #expect(try manager.storedColumn("SELECT hits FROM player ORDER BY name") == [8, .null, .null])
        var streamed: [String] = []
        try manager.forEach(Query(Player.self)) { streamed.append($0.name) }
        #expect(streamed == ["a", "b", "c"])
        #expect(try manager.lastInserted(Player.self)?.name == "c")
    }

    @Test("serve conditions in every spelling before any manager has looked") func conditions() throws {
        let spellings: [Criteria<Player>] = [
            ["name": "Kao"], \.name == "Kao", .format("name == %@", "Kao"), .sql("name = \("Kao")"),
            .predicate(#Predicate { $0.name == "Kao" }),
        ]
        let manager = try memoryManager(script: named + "; INSERT INTO player VALUES ('Kao', 'x', 1, NULL)")
        for criteria in spellings { #expect(try manager.count(Player.self, where: criteria) == 1) }
    }

    @Test("that no property stores are an error that names the column") func unmapped() throws {
        // F41
        let manager = try memoryManager(
            script: "CREATE TABLE player (Größe INT PRIMARY KEY, name TEXT, team TEXT, hits INT, photo BLOB)")
        for error in [
            failure { try manager.fetchAll(Player.self) }, failure { try manager.save(Player("a", "b")) },
        ] {
            #expect(error?.code == .invalidModel)
            #expect(error?.key == "größe")
            #expect(error?.message.contains("player") == true)
        }
    }

    @Test("that a deferred column stores are rejected") func deferred() throws {
        let manager = try memoryManager(
            script: "CREATE TABLE player (name TEXT, team TEXT, hits INT, photo BLOB PRIMARY KEY)")
        #expect(failure { try manager.fetchAll(Player.self) }?.code == .invalidModel)
    }

    @Test("need the table, which the library cannot create") func missingTable() throws {
        let manager = try memoryManager()
        for error in [
            failure { try manager.createTableIfNecessary(for: Player.self) },
            failure { try manager.fetchAll(Player.self) }, failure { try manager.save(Player("a", "b")) },
        ] {
            #expect(error?.code == .noTable)
            #expect(error?.message.contains("takes its primary key from it") == true)
        }
        #expect(try !manager.tableExists(for: Player.self))
        #expect(try !manager.dropTable(for: Player.self))
        try manager.execute(SQL(named))
        #expect(try !manager.createTableIfNecessary(for: Player.self))
        #expect(try manager.tableExists(for: Player.self))
        try manager.save(Player("a", "b"))
        #expect(try manager.dropTable(for: Player.self))
    }

    @Test("need a manager, where one asks the class alone") func withoutManager() throws {
        #expect(failure { try Player.schema() }?.code == .noManager)
        #expect(Player("a", "b").changedKeys == ["name", "team", "hits", "photo"])
    }

    @Test("of a closed manager are an error of its own") func closed() throws {
        let manager = try memoryManager(script: named)
        _ = try manager.fetchAll(Player.self)
        try manager.close()
        #expect(failure { try manager.fetchAll(Player.self) }?.code == .closed)
        #expect(failure { try manager.fetchAll(Pitcher.self) }?.code == .closed)
    }
}

// F39
@Suite("Keys that the table says, when the table changes") struct ChangedSchemaKeyTests {
    @Test("are found again, and an object of the old key is to be fetched again") func recreated() throws {
        let manager = try memoryManager(script: named)
        let old = Player("Kao", "Bears")
        try manager.save(old)
        try manager.execute("DROP TABLE player")
        try manager.execute(SQL(paired))
        try manager.execute("INSERT INTO player VALUES ('Kao', 'Bears', 1, NULL), ('Kao', 'Lions', 2, NULL)")
        old.hits = 7
        for error in [
            failure { try manager.save(old) }, failure { try manager.delete(old) },
            failure { try old.load(\.photo) }, failure { try manager.refresh(old) },
            failure { try Player.updateStatement(for: old) }, failure { try Player.deleteStatement(for: old) },
        ] {
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("has changed") == true)
        }
        let lion = try #require(try manager.find(Player.self, ["name": "Kao", "team": "Lions"]))
        lion.hits = 8
        try manager.save(lion)
        #expect(try manager.storedColumn("SELECT hits FROM player ORDER BY team") == [1, 8])
    }

    @Test("are the old ones after a rollback") func rolledBack() throws {
        let manager = try memoryManager(script: named)
        let kao = Player("Kao", "Bears")
        try manager.save(kao)
        try catchingTestError {
            try manager.transaction {
                try manager.execute("DROP TABLE player")
                try manager.execute(SQL(paired))
                try manager.save(Player("Kao", "Lions"))
                #expect(try manager.find(Player.self, ["name": "Kao", "team": "Lions"]) != nil)
                throw TestError()
            }
        }
        kao.hits = 1
        try manager.save(kao)
        #expect(try manager.find(Player.self, "Kao")?.hits == 1)
    }

    @Test("stay as they are when something else has changed") func unrelated() throws {
        let manager = try memoryManager(script: named)
        let kao = Player("Kao", "Bears")
        try manager.save(kao)
        try manager.execute("CREATE TABLE other (a)")
        kao.hits = 1
        try manager.save(kao)
        #expect(try manager.lastInserted(Player.self)?.hits == 1)
    }

    @Test("leave an insert that was rolled back as it was") func insertRolledBack() throws {
        let manager = try memoryManager(script: "CREATE TABLE numbered (label TEXT, number INTEGER PRIMARY KEY)")
        let one = Numbered()
        try catchingTestError {
            try manager.transaction {
                try manager.save(one)
                throw TestError()
            }
        }
        #expect(one.number == nil)
        #expect(!one.isPersisted)
        #expect(try manager.lastInserted(Numbered.self) == nil)
    }

    @Test("are each manager's own, and objects cross between them", arguments: [true, false])
    func twoManagers(tracked: Bool) throws {
        let one = try memoryManager(script: named)
        let two = try memoryManager(script: paired)
        let three = try memoryManager(script: keyless)
        for (position, name) in ["a", "b", "c"].enumerated() {
            try one.save(Player(name, String(repeating: "team", count: 9 - position)))
        }
        try two.save(Player("z", String(repeating: "team", count: 10)))
        let first = try #require(try one.fetchAll(Player.self, sortedBy: "name", tracked: tracked).first)
        // By the other's order, and the object's own values.
        #expect(try two.fetchPage(Query(Player.self), after: first, limit: 1).map(\.name) == ["z"])
        try two.save(first)
        try three.save(first)
        #expect(failure { try three.delete(first) }?.code == .noPrimaryKey)
        #expect(try two.find(Player.self, ["name": "a", "team": first.team]) != nil)
        #expect(try one.rowCount("player") == 3)
    }

    @Test("are found once by many tasks at the same time") func concurrent() async throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try await manager.execute(SQL(named))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    try await manager.save(Player("\(number)", "x"))
                    #expect(try await manager.find(Player.self, "\(number)") != nil)
                }
            }
            try await group.waitForAll()
        }
        #expect(try manager.rowCount("player") == 32)
    }
}

// F39
@Suite("Keys that the table says, while tasks are suspended") struct AsyncSchemaKeyTests {
    private func fresh() throws -> PersistenceManager {
        try memoryManager(
            script: named + "; INSERT INTO player VALUES ('a', 'x', 1, x'00'), ('b', 'x', 2, x'01')")
    }

    @Test("write objects") func objects() async throws {
        let manager = try fresh()
        let new = Player("c", "x")
        try await manager.save(new)
        try await new.update(\.hits, to: 3)
        try await new.load(\.photo)
        try await manager.refresh(new)
        #expect(new.hits == 3)
        try await manager.delete(new)
        #expect(try await manager.count(Player.self) == 2)
    }

    @Test("read objects and values, each with a manager that has not looked") func reading() async throws {
        let page = try await fresh().fetchPage(Query(Player.self), limit: 1)
        #expect(page.map(\.name) == ["a"])
        let hits: [Int?] = try await fresh().select(Query(Player.self), \.hits)
        #expect(hits == [1, 2])
        #expect(try await fresh().sum(Query(Player.self), \.hits) == 3)
        let teams = try await fresh().groups(Player.rows, by: .key(\.team), computing: .sum(\.hits))
        #expect(teams.first?.1 == 3)
        #expect(try await fresh().find(Player.self, keys: ["b"]).map(\.hits) == [2])
        #expect(try await fresh().update(Player.where(\.name == "a"), \.hits, to: 7) == 1)
        #expect(try await fresh().sections(Player.sorted(by: \.hits), by: \.hits).count == 2)
        #expect(try await fresh().tableExists(for: Player.self))
    }
}
