// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct RowsAndSQLTextArticle: Article {
    // snippet.show
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
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Team.self)
        try manager.createTableIfNecessary(for: Player.self)
        let bears = try manager.insert(Team.self, values: ["name": "Bears"])
        try manager.insert(Player.self, values: ["name": "Kao", "teamID": bears.id, "hits": 30])
        try manager.insert(Player.self, values: ["name": "Hu", "hits": 3])
        let name = "Hu"
        // snippet.show
        let good = try manager.fetchAll(
            Player.self, sql: "SELECT * FROM PLAYER WHERE HITS > ?", [20])
        // binds name
        let one = try manager.fetchOne(
            Player.self, sql: "SELECT * FROM PLAYER WHERE NAME = \(name)")
        let names = try manager.fetchAll(
            Player.self, sql: "SELECT ID, NAME FROM PLAYER", partial: true)
        // snippet.hide
        #expect(good.map(\.name) == ["Kao"])
        #expect(one?.hits == 3)
        #expect(names.map(\.name) == ["Kao", "Hu"])

        // snippet.show
        let better = try manager.write { db in
            try manager.objects(
                Player.self,
                from: db.query(
                    "UPDATE PLAYER SET HITS = HITS + 1 WHERE HITS > 20 RETURNING *"))
        }
        try manager.read { db in
            let rows = try db.query("SELECT *, HITS * 2 AS twice FROM PLAYER")
            while let row = try rows.next() {
                let player = try manager.object(Player.self, from: row)
                let twice: Int = try row["twice"]
                print(player.name, twice)
            }
        }
        // snippet.hide
        #expect(better.map(\.hits) == [31])

        do {
            // snippet.show
            let player = try Player.selection("p"), team = try Team.selection("t")
            let pairs = try manager.fetchAll(
                player, team,
                sql: """
                    SELECT \(player), \(team) FROM PLAYER p
                    LEFT JOIN TEAM t ON t.ID = p.TEAM_ID ORDER BY p.NAME
                    """)
            for (player, team) in pairs { print(player.name, team?.name ?? "none") }
            // snippet.hide
            #expect(pairs.map(\.0.name) == ["Hu", "Kao"])
            #expect(pairs.map(\.1?.name) == [nil, "Bears"])
        }

        // snippet.show
        struct Standing: Decodable {
            var teamID: Int?
            var players: Int
            var hits: Int
        }
        // snippet.hide

        // snippet.show
        let standings = try manager.fetchAll(
            decoding: Standing.self, keys: .snakeCase,
            sql: """
                SELECT TEAM_ID, count(*) AS players, sum(HITS) AS hits
                FROM PLAYER GROUP BY TEAM_ID
                """)
        // [[String: SQLiteValue]]
        let rows = try manager.dictionaries(
            "SELECT NAME AS name1, HITS AS hits1 FROM PLAYER")
        let both = try manager.dictionaries(
            "SELECT * FROM PLAYER JOIN TEAM ON TEAM.ID = TEAM_ID", qualified: true)
        print(rows.first?["name1"] ?? .null, both.first?["TEAM.NAME"] ?? .null)
        // snippet.hide
        #expect(standings.map(\.hits) == [3, 31])
        #expect(rows.count == 2)
        #expect(both.first?["TEAM.NAME"] == "Bears")

        do {
            // snippet.show
            struct Score: Decodable, Sendable {
                var id: Int64
                var hits: Int
            }

            var scores = try manager.fetchAll(
                decoding: Score.self, keys: .snakeCase,
                sql: Player.where(\.hits > 20).selectStatement())
            scores[0].hits += 1
            try manager.transaction {
                for score in scores {
                    try manager.update(
                        Player.where(\.id == score.id), set: ["hits": score.hits])
                }
            }
            // snippet.hide
            #expect(try manager.values(Player.where(\.hits > 20), \.hits) == [32])
        }

        // snippet.show
        let hitter = Player()
        hitter.name = "O'Hara"
        let insert = try Player.insertStatement(for: hitter)
        print(insert.sql)  // INSERT INTO PLAYER (ID, NAME, TEAM_ID, HITS) VALUES (…)
        print(insert.arguments)
        print(try insert.expandedSQL)  // … VALUES (NULL, 'O''Hara', NULL, 0)
        // snippet.hide
    }
}
