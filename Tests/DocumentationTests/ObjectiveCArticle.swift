// swift-format-ignore-file
import Foundation
import Persisting

// The snippets of Coming from FOMapping, MTLFMDBAdapter and FMDBx, word for word: compiled here, and compared with the
// article by SnippetTests.

final class Batter: PersistingModel {                       // FOObject
    var name = ""
    var avg: Double?
    var hr: Int?
    var birth: Date?
    var position: Data?

    override class var tableName: String { "batter" }
    override class var naming: Naming { .identity }         // columns have the properties' names
    override class var primaryKey: PrimaryKey { .fromSchema }
}

func comingFromFOMapping(_ manager: PersistenceManager) throws -> [[String: SQLiteValue]] {
    try manager.execute("CREATE TABLE batter (name TEXT NOT NULL, avg REAL, hr INTEGER, birth REAL, position BLOB, PRIMARY KEY(name))")
    try manager.execute("INSERT INTO batter (name) VALUES ('Lin'), ('Hu')")

    let newBatter = Batter()
    newBatter.name = "Kao"
    newBatter.avg = 0.35
    newBatter.hr = 30
    newBatter.birth = Date(timeIntervalSinceNow: -496_540_800)
    try manager.save(newBatter)                                                          // save:, persist:

    for batter in try manager.fetchAll(Batter.self, sql: "SELECT * FROM batter") {       // objectWithResultSet:
        if batter.name == "Lin" {
            batter.avg = 0.3
            batter.hr = 20
            try manager.save(batter)                                                     // update:, persist:
        } else if batter.name == "Hu" {
            try manager.delete(batter)                                                   // remove:
        }
    }

    let results = try manager.dictionaries("SELECT name AS name1, avg AS avg1, hr AS hr1 FROM batter")    // dictionaryWithResultSet:
    return results
}

final class GitUser: PersistingModel {                      // MTLModel <MTLFMDBSerializing>
    var guid: String?
    var name: String?
    var age: Int?
    var repositories: Set<String> = []

    override class var tableName: String { "user" }                                  // +FMDBTableName
    override class var naming: Naming { .identity }                                  // +FMDBColumnsByPropertyKey
    override class var transientKeys: Set<String> { ["repositories"] }               // NSNull there
    override class var primaryKey: PrimaryKey { .assigned("guid") }                  // +FMDBPrimaryKeys
}

func comingFromMTLFMDBAdapter(_ manager: PersistenceManager) throws -> (SQL, GitUser?) {
    try manager.execute("CREATE TABLE IF NOT EXISTS user (guid TEXT PRIMARY KEY, name TEXT, age INTEGER)")
    let user = GitUser()
    user.guid = "myuniqueid"
    user.name = "John Doe"
    user.age = 42

    let insert = try GitUser.insertStatement(for: user)         // insertStatementForModel: and columnValues: in one
    print(insert.sql, insert.arguments)                         // INSERT INTO user (guid, name, age) VALUES (?, ?, ?)
    try manager.execute(insert)

    let resultUser = try manager.fetchOne(GitUser.self, sql: "SELECT * FROM user")       // modelOfClass:fromFMResultSet:error:
    return (insert, resultUser)
}

final class ABCUser: PersistingModel {                      // FMXModel
    var id: Int64?
    var name = ""
    var age = 0
    var isMale = false
    var createdAt: Date?
    var updatedAt: Date?

    override class var tableName: String { "users" }
    override class var naming: Naming { .snakeCase }
    override class var columns: Columns {                   // defaultTableMap:
        var columns = super.columns                         // is_male, created_at, …, each by its property's type
        columns["created_at"] = .date.created
        columns["updated_at"] = .date.updated
        return columns
    }
}

/// Returns how many users each way has found.
func comingFromFMDBx(path: String) throws -> [Int] {
    PersistenceManager.shared = try PersistenceManager(path: path)                       // registerDefaultDatabaseWithPath:migration:
    try PersistenceManager.shared?.createTableIfNecessary(for: ABCUser.self)

    let user = ABCUser()
    user.name = "Kohki Makimoto"
    user.age = 34
    try user.save()                                                                      // INSERT
    user.age = 44
    try user.save()                                                                      // UPDATE of AGE and UPDATED_AT

    let first = try ABCUser.find(1)                                                      // modelByPrimaryKey:
    let same = try ABCUser.findOne(where: .sql("name = :name", ["name": "Kohki Makimoto"]))      // modelWhere:parameters:
    let all = try ABCUser.all(where: .sql("age = :age", ["age": 44]))                    // modelsWhere:parameters:
    let count = try ABCUser.count()
    let named = try ABCUser.count(where: ["name": "Kohki Makimoto"])                     // countWhere:parameters:
    try user.delete()
    return [first == nil ? 0 : 1, same == nil ? 0 : 1, all.count, count, named, try ABCUser.count()]
}
