// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct ComingFromFOMappingMTLFMDBAdapterAndFMDBxArticle: Article {
    func run() throws {
        try fromFOMapping(PersistenceManager(.memory))
        try fromMTLFMDBAdapter(PersistenceManager(.memory))
        try fromFMDBx(path: "users.sqlite")
    }

    // snippet.show
    final class Batter: PersistingModel {                       // FOObject
        var name = ""
        var avg: Double?
        var hr: Int?
        var birth: Date?
        var position: Data?

        override class var tableName: String { "batter" }
        // columns have the properties' names
        override class var naming: Naming { .identity }
        override class var primaryKey: PrimaryKey { .fromSchema }
    }
    // snippet.hide

    private func fromFOMapping(_ manager: PersistenceManager) throws {
        // snippet.show
        try manager.execute(
            """
            CREATE TABLE batter (name TEXT NOT NULL, avg REAL, hr INTEGER, birth REAL,
                position BLOB, PRIMARY KEY(name))
            """)

        let newBatter = Batter()
        newBatter.name = "Kao"
        newBatter.avg = 0.35
        newBatter.hr = 30
        newBatter.birth = Date(timeIntervalSinceNow: -496_540_800)
        try manager.save(newBatter)  // save:, persist:

        // objectWithResultSet:
        for batter in try manager.fetchAll(Batter.self, sql: "SELECT * FROM batter") {
            if batter.name == "Lin" {
                batter.avg = 0.3
                batter.hr = 20
                try manager.save(batter)  // update:, persist:
            } else if batter.name == "Hu" {
                try manager.delete(batter)  // remove:
            }
        }

        // dictionaryWithResultSet:
        let results = try manager.dictionaries(
            "SELECT name AS name1, avg AS avg1, hr AS hr1 FROM batter")
        // snippet.hide
        #expect(results.map { $0["name1"] } == ["Kao"])
    }

    // snippet.show
    final class GitUser: PersistingModel {  // MTLModel <MTLFMDBSerializing>
        var guid: String?
        var name: String?
        var age: Int?
        var repositories: Set<String> = []

        override class var tableName: String { "user" }  // +FMDBTableName
        // +FMDBColumnsByPropertyKey
        override class var naming: Naming { .identity }
        // NSNull there
        override class var transientKeys: Set<String> { ["repositories"] }
        // +FMDBPrimaryKeys
        override class var primaryKey: PrimaryKey { .assigned("guid") }
    }
    // snippet.hide

    private func fromMTLFMDBAdapter(_ manager: PersistenceManager) throws {
        // snippet.show
        try manager.execute(
            """
            CREATE TABLE IF NOT EXISTS user (guid TEXT PRIMARY KEY, name TEXT,
                age INTEGER)
            """)
        let user = GitUser()
        user.guid = "myuniqueid"
        user.name = "John Doe"
        user.age = 42

        // insertStatementForModel: and columnValues: in one
        let insert = try GitUser.insertStatement(for: user)
        print(insert.sql)  // INSERT INTO user (guid, name, age) VALUES (?, ?, ?)
        try manager.execute(insert)

        // modelOfClass:fromFMResultSet:error:
        let resultUser = try manager.fetchOne(GitUser.self, sql: "SELECT * FROM user")
        // snippet.hide
        #expect(resultUser?.age == 42)
    }

    // snippet.show
    final class ABCUser: PersistingModel {                      // FMXModel
        var id: Int64?
        var name = ""
        var age = 0
        var isMale = false
        var createdAt: Date?
        var updatedAt: Date?

        override class var tableName: String { "users" }
        override class var naming: Naming { .snakeCase }
        override class var columns: Columns {  // defaultTableMap:
            // is_male, created_at, …, with the properties' types
            var columns = super.columns
            columns["created_at"] = .date.created
            columns["updated_at"] = .date.updated
            return columns
        }
    }
    // snippet.hide

    private func fromFMDBx(path: String) throws {
        // snippet.show
        // registerDefaultDatabaseWithPath:migration:
        PersistenceManager.shared = try PersistenceManager(path: path)
        try PersistenceManager.shared?.createTableIfNecessary(for: ABCUser.self)

        let user = ABCUser()
        user.name = "Kohki Makimoto"
        user.age = 34
        try user.save()  // INSERT
        user.age = 44
        try user.save()  // UPDATE of AGE and UPDATED_AT

        let first = try ABCUser.find(1)  // modelByPrimaryKey:
        // modelWhere:parameters:
        let same = try ABCUser.findOne(
            where: .sql("name = :name", ["name": "Kohki Makimoto"]))
        // modelsWhere:parameters:
        let all = try ABCUser.all(where: .sql("age = :age", ["age": 44]))
        let count = try ABCUser.count()
        // countWhere:parameters:
        let named = try ABCUser.count(where: ["name": "Kohki Makimoto"])
        try user.delete()
        // snippet.hide
        #expect(first?.age == 44)
        #expect(same?.id == 1)
        #expect(all.count == 1)
        #expect(count == 1)
        #expect(named == 1)
        #expect(try ABCUser.count() == 0)
    }
}
