// swift-format-ignore-file
import Foundation
import Persisting

// The snippets of Rows and SQL Text, word for word: compiled here, and compared with the article by SnippetTests.

final class Player: PersistingModel {
    var id: Int64?
    var name = ""
    var teamID: Int64?
    var hits = 0
}

final class Team: PersistingModel {
    var id: Int64?
    var name = ""
}

struct Standing: Decodable {
    var teamID: Int?
    var players: Int
    var hits: Int
}

func objectsOfRows(_ manager: PersistenceManager, _ name: String) throws -> [Player] {
    let good = try manager.fetchAll(Player.self, sql: "SELECT * FROM PLAYER WHERE HITS > ?", [20])
    let one = try manager.fetchOne(Player.self, sql: "SELECT * FROM PLAYER WHERE NAME = \(name)")      // binds name
    let names = try manager.fetchAll(Player.self, sql: "SELECT ID, NAME FROM PLAYER", partial: true)

    let better = try manager.write { db in
        try manager.objects(Player.self, from: db.query("UPDATE PLAYER SET HITS = HITS + 1 WHERE HITS > 20 RETURNING *"))
    }
    try manager.read { db in
        let rows = try db.query("SELECT *, HITS * 2 AS twice FROM PLAYER")
        while let row = try rows.next() {
            let player = try manager.object(Player.self, from: row)
            let twice: Int = try row["twice"]
            print(player.name, twice)
        }
    }
    return good + (one.map { [$0] } ?? []) + names + better
}

/// Returns the players' names with those of their teams.
func joining(_ manager: PersistenceManager) throws -> [String?] {
    let player = try Player.selection("p"), team = try Team.selection("t")
    let pairs = try manager.fetchAll(
        player, team, sql: "SELECT \(player), \(team) FROM PLAYER p LEFT JOIN TEAM t ON t.ID = p.TEAM_ID ORDER BY p.NAME")
    for (player, team) in pairs { print(player.name, team?.name ?? "none") }
    return pairs.flatMap { player, team in [player.name, team?.name] }
}

func valuesOfRows(_ manager: PersistenceManager) throws -> [Standing] {
    let standings = try manager.fetchAll(
        decoding: Standing.self, keys: .snakeCase,
        sql: "SELECT TEAM_ID, count(*) AS players, sum(HITS) AS hits FROM PLAYER GROUP BY TEAM_ID")
    let rows = try manager.dictionaries("SELECT NAME AS name1, HITS AS hits1 FROM PLAYER")           // [[String: SQLiteValue]]
    let both = try manager.dictionaries("SELECT * FROM PLAYER JOIN TEAM ON TEAM.ID = TEAM_ID", qualified: true)
    print(rows.first?["name1"] ?? .null, both.first?["TEAM.NAME"] ?? .null)
    return standings
}

func texts() throws -> SQL {
    let hitter = Player()
    hitter.name = "O'Hara"
    let insert = try Player.insertStatement(for: hitter)
    print(insert.sql)                                   // INSERT INTO PLAYER (ID, NAME, TEAM_ID, HITS) VALUES (?, ?, ?, ?)
    print(insert.arguments)
    print(try insert.expandedSQL)                       // … VALUES (NULL, 'O''Hara', NULL, 0)
    return insert
}
