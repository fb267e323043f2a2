import Foundation
import Persisting
import Testing

private final class RemoteUser: PersistingModel {
    var id: Int64?
    var remoteID = 0
    var firstName = ""
    var lastName = ""
    var luckyNumber: Int?
    var timeStamp: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["REMOTE_ID"] = .int.unique
        return columns
    }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping([
            .key("remoteID", "id", .number, isPrimaryKey: true), .key("firstName", "first_name", .string),
            .key("lastName", "last_name", .string), .key("luckyNumber", "lucky_number", .number),
            .key("timeStamp", "timestamp", .time),
        ])
    }
}

private final class Dude: PersistingModel {
    var remoteID = 0
    var firstName: String?
    var lastName: String?
    var luckyNumber: Int?
    var timeStamp: Date?

    override class var primaryKey: PrimaryKey { .assigned("remoteID") }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping(
            root: "dude",
            [
                .key("remoteID", "id", .number, isPrimaryKey: true), .key("firstName", "name.first", .string),
                .key("lastName", "name.last", .string), .key("luckyNumber", "lucky_number", .number),
                .key("timeStamp", "timestamp", .time),
            ])
    }
}

/// What Kern's README and its example app do with the JSON of a server.
@Suite("Kern's examples of data mapping") struct KernMappingExampleTests {
    private let manager: PersistenceManager
    private let gob = Data(
        """
        {
            "id": 99,
            "first_name": "Gob",
            "last_name": "Bluth",
            "lucky_number": 21,
            "timestamp": "1970-01-01T00:00:00Z"
        }
        """.utf8)

    init() throws {
        manager = try memoryManager(RemoteUser.self)
        try manager.createTableIfNecessary(for: Dude.self)
    }

    @Test("GET /users/99: the user is created, saved, and found by the key of the server") func creates() throws {
        // F88 F92 F94 F98
        let user = try manager.upsert(RemoteUser.self, json: gob)
        #expect(user.isPersisted && user.remoteID == 99 && user.luckyNumber == 21)
        #expect(user.firstName == "Gob" && user.lastName == "Bluth")
        #expect(user.timeStamp == Date(timeIntervalSince1970: 0))
    }

    @Test("The same user again is updated, from a dictionary of JSONSerialization as well") func updates() throws {
        // F88 F94
        try manager.upsert(RemoteUser.self, json: gob)
        let json = try #require(try JSONSerialization.jsonObject(with: gob) as? [String: Any])
        let user = try manager.upsert(RemoteUser.self, json: json.merging(["lucky_number": "7"]) { $1 })
        #expect(user.luckyNumber == 7)
        #expect(try manager.count(RemoteUser.self) == 1)
    }

    @Test("An array of users, with a closure for each") func batch() throws {
        // F95
        let json: [[String: Any]] = [["id": 1, "first_name": "Michael"], ["id": 2, "first_name": "Buster"]]
        let users = try manager.upsertAll(RemoteUser.self, json: json) { $0.lastName = "Bluth" }
        #expect(users.map(\.firstName) == ["Michael", "Buster"])
        #expect(try manager.count(RemoteUser.self, where: \.lastName == "Bluth") == 2)
    }

    @Test("The example app's users have a root, and a name that is an object") func nested() throws {
        // F89 F90
        let json = Data(
            #"{"dude": {"id": 99, "name": {"first": "Gob", "last": "Bluth"}, "lucky_number": 21, "timestamp": null}}"#
                .utf8)
        let dude = try manager.upsert(Dude.self, json: json)
        #expect(dude.remoteID == 99 && dude.firstName == "Gob" && dude.lastName == "Bluth")
        #expect(dude.luckyNumber == 21 && dude.timeStamp == nil)
    }
}

private final class ABCUser: PersistingModel {
    var id: Int64?
    var name = ""
    var age = 0
    var isMale = false
    var createdAt = Date(timeIntervalSince1970: 0)
    var updatedAt = Date(timeIntervalSince1970: 0)

    override class var naming: Naming { .snakeCase }
    override class var tableName: String { "users" }
    override class var columns: Columns {
        var columns = super.columns
        columns["created_at"] = .date.stored(as: .unixMilliseconds)
        columns["updated_at"] = .date.stored(as: .unixMilliseconds)
        return columns
    }
}

/// FMDBx's README: a migration that makes a table, and fills it from a file.
@Suite("FMDBx's examples of importing") struct FMDBxImportExampleTests {
    private let users = Data(
        """
        id,name,age,is_male,created_at,updated_at
        1,Kohki Makimoto1,34,1,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        2,Kohki Makimoto2,35,1,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        3,Kohki Makimoto3,36,0,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        4,Kohki Makimoto4,37,0,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        5,Kohki Makimoto5,38,1,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        6,Kohki Makimoto6,39,1,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        7,Kohki Makimoto7,40,0,2010-12-01T21:35:43+0900,2010-12-01T21:35:43+0900
        """.utf8)

    private func manager() throws -> PersistenceManager {
        try PersistenceManager(
            .memory,
            migrations: [
                Migration(1) { [users] manager in
                    try manager.execute(
                        """
                        create table users (
                          id integer primary key autoincrement,
                          name text not null,
                          age integer not null,
                          is_male BOOL not null,
                          created_at integer not null,
                          updated_at integer not null
                        )
                        """)
                    try manager.importCSV(ABCUser.self, contentsOf: users)
                }
            ])
    }

    @Test("A migration fills the table, and a user is found by the primary key") func migration() throws {
        // F106 F108
        let manager = try manager()
        let user = try #require(try manager.find(ABCUser.self, 3))
        #expect(user.name == "Kohki Makimoto3" && user.age == 36 && !user.isMale)
        #expect(user.createdAt == Date(timeIntervalSince1970: 1_291_206_943))
        #expect(try manager.count(ABCUser.self, where: \.isMale == true) == 4)
    }

    @Test("A row of the file makes an object") func createWithValues() throws {
        // F53
        let manager = try manager()
        let row: [String: Any] = [
            "id": 8, "name": "Kohki Makimoto8", "age": "41", "is_male": "YES", "created_at": "2010-12-01T21:35:43+0900",
            "updated_at": "2010-12-01",
        ]
        let user = try manager.upsert(ABCUser.self, json: row)
        #expect(user.id == 8 && user.age == 41 && user.isMale)
        #expect(user.createdAt == Date(timeIntervalSince1970: 1_291_206_943))
        #expect(user.updatedAt == Date(timeIntervalSince1970: 1_291_161_600))
    }
}
