import Foundation
import Persisting
import Testing

/// The SQL that a manager runs, with the values in it.
private final class RunLog: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var sql: [(text: String, expanded: String?)] = []

    func manager(_ types: PersistingModel.Type..., dates: DateStorage = .unixSeconds) throws -> PersistenceManager {
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace(values: .shown) { [self] event in
            lock.withLock { sql.append((event.sql, event.expandedSQL)) }
        }
        let manager = try PersistenceManager(.memory, configuration: configuration, dates: dates)
        for type in types { try manager.createTableIfNecessary(for: type) }
        return manager
    }

    /// Whether `body` runs a statement, and with these values.
    func runs(_ statement: SQL?, _ body: () throws -> Void) throws -> Bool {
        lock.withLock { sql = [] }
        try body()
        guard let statement else { return lock.withLock { sql.isEmpty } }
        // SQLite writes the digits of bytes in small letters.
        let expanded = try statement.expandedSQL.lowercased()
        return lock.withLock { sql.contains { $0.text == statement.sql && $0.expanded?.lowercased() == expanded } }
    }
}

private final class Track: PersistingModel {
    enum Kind: String, SQLiteValueConvertible { case song, talk }

    var id: Int64?
    var title = "it's"
    var length: Double? = 0.1
    var playedAt: Date?
    var cover: Data? = Data([0xCA, 0xFE])
    var kind = Kind.song
    var rating: Int?
    var lyrics: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["RATING"] = .int.default(3)
        columns["LYRICS"] = .string.deferred
        return columns
    }
    override class var indexes: [Index] { [Index("title"), .unique("kind", "title")] }
}

extension Track {
    fileprivate func withKey(_ key: Int64) -> Track {
        id = key
        return self
    }
}

/// MTLFMDBAdapter's example.
private final class GitUser: PersistingModel {
    var guid: String?
    var name: String?
    var age: Int?
    var birthday: Date?
    var banned: Bool?
    var repositories: [String] = []

    override class var tableName: String { "user" }
    override class var naming: Naming { .identity }
    override class var primaryKey: PrimaryKey { .assigned("guid") }
    override class var transientKeys: Set<String> { ["repositories"] }
}

private final class GitRepository: PersistingModel {
    var guid: String?
    var url: URL?

    override class var tableName: String { "repository" }
    override class var naming: Naming { .identity }
    override class var primaryKey: PrimaryKey { .assigned("guid") }
}

@Suite("SQL text") struct StatementTextTests {
    private let log = RunLog()

    @Test("INSERT is what an insert runs, in the order of declaration") func insert() throws {
        // F101
        let manager = try log.manager(Track.self, User.self)
        let user = User(name: "it's", age: nil)
        let statement = try User.insertStatement(for: user)
        #expect(statement.sql == "INSERT INTO USER (ID, NAME, AGE, SCORE, IS_ACTIVE) VALUES (?, ?, ?, ?, ?)")
        #expect(statement.arguments == [nil, "it's", nil, 0.0, 1])
        #expect(
            try statement.expandedSQL
                == "INSERT INTO USER (ID, NAME, AGE, SCORE, IS_ACTIVE) VALUES (NULL, 'it''s', NULL, 0.0, 1)")
        #expect(try log.runs(statement) { try manager.insert(user) })
        let track = Track()
        #expect(try log.runs(Track.insertStatement(for: track)) { try manager.insert(track) })
        #expect(!user.hasChanges && user.id == 1)
    }

    @Test("INSERT leaves out what is nil and has a default, by the class or by the table") func defaults() throws {
        // F59, F101
        let statement = try Track.insertStatement(for: Track())
        #expect(statement.sql.hasPrefix("INSERT INTO TRACK (ID, TITLE, LENGTH, PLAYED_AT, COVER, KIND, LYRICS) VALUES"))
        #expect(statement.sql.hasSuffix("RETURNING RATING"))
        let rated = Track()
        rated.rating = 5
        #expect(try Track.insertStatement(for: rated).sql.contains("RATING"))

        let manager = try log.manager()
        try manager.run("CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME, AGE DEFAULT 18, SCORE, IS_ACTIVE)")
        let user = User(name: "a")
        #expect(try manager.insertStatement(for: user).sql.hasPrefix("INSERT INTO USER (ID, NAME, SCORE, IS_ACTIVE)"))
        #expect(try log.runs(manager.insertStatement(for: user)) { try manager.insert(user) })
        #expect(user.age == 18)
    }

    @Test("INSERT on a manager asks the table, while a task is suspended too") func asynchronousInsert() async throws {
        // F101
        let manager = try memoryManager(Track.self)
        let track = Track()
        #expect(try await manager.insertStatement(for: track).sql == Track.insertStatement(for: track).sql)
        #expect(failure { try manager.insertStatement(for: User()) }?.code == .noTable)
    }

    @Test("UPDATE is what a save runs: the columns that changed, or none") func update() throws {
        // F102
        let manager = try log.manager(Track.self)
        let track = Track()
        try manager.insert(track)
        #expect(try Track.updateStatement(for: track) == nil)
        #expect(try log.runs(nil) { try manager.save(track) })
        track.title = "o'clock"
        track.playedAt = Date(timeIntervalSince1970: 0.5)
        let statement = try #require(try Track.updateStatement(for: track))
        #expect(statement.sql == "UPDATE TRACK SET TITLE = ?, PLAYED_AT = ? WHERE ID = ?")
        #expect(statement.arguments == ["o'clock", 0.5, 1])
        #expect(try log.runs(statement) { try manager.save(track) })
    }

    @Test("UPDATE of a changed key finds the row by the old one") func changedKey() throws {
        // F40, F102
        let manager = try log.manager(Country.self, Enrolment.self)
        let country = Country("fr", "France")
        try manager.insert(country)
        country.code = "FR"
        let statement = try Country.updateStatement(for: country)
        #expect(try statement?.expandedSQL == "UPDATE COUNTRY SET CODE = 'FR' WHERE CODE = 'fr'")
        #expect(try Country.deleteStatement(for: country).arguments == ["fr"])
        #expect(try log.runs(statement) { try manager.save(country) })

        let enrolment = Enrolment(7, "SQL", nil)
        try manager.insert(enrolment)
        enrolment.course = "C"
        #expect(
            try Enrolment.updateStatement(for: enrolment)?.expandedSQL
                == "UPDATE ENROLMENT SET COURSE = 'C' WHERE STUDENT = 7 AND COURSE = 'SQL'")
    }

    @Test("UPDATE of named properties writes them, changed or not, once each") func namedKeys() throws {
        // F61, F102
        let manager = try log.manager(Track.self)
        let track = Track()
        try manager.insert(track)
        #expect(
            try Track.updateStatement(for: track, keys: ["kind", "title", "kind"])?.expandedSQL
                == "UPDATE TRACK SET TITLE = 'it''s', KIND = 'song' WHERE ID = 1")
        #expect(try Track.updateStatement(for: track, keys: []) == nil)
        #expect(failure { try Track.updateStatement(for: track, keys: ["titel"]) }?.code == .unknownKey)
    }

    @Test("UPDATE of an untracked object writes all, but for what was not loaded") func untracked() throws {
        // F102
        let manager = try log.manager(Track.self)
        try manager.insert(Track())
        let track = try #require(try manager.fetchAll(Track.self, tracked: false).first)
        let statement = try Track.updateStatement(for: track)
        #expect(statement?.sql.contains("LYRICS") == false)
        #expect(try log.runs(statement) { try manager.save(track) })
    }

    @Test("DELETE and WHERE have the key") func delete() throws {
        // F103
        let manager = try log.manager(User.self, Enrolment.self)
        let user = User(name: "a")
        try manager.insert(user)
        #expect(try User.whereClause(for: user) == SQL("WHERE ID = ?", [1]))
        #expect(try User.deleteStatement(for: user).sql == "DELETE FROM USER WHERE ID = ?")
        #expect(try log.runs(User.deleteStatement(for: user)) { try manager.delete(user) })
        let enrolment = Enrolment(7, "SQL", nil)
        #expect(
            try Enrolment.deleteStatement(for: enrolment).expandedSQL
                == "DELETE FROM ENROLMENT WHERE STUDENT = 7 AND COURSE = 'SQL'")
    }

    @Test("A statement can be run: it is the row's") func run() throws {
        // F101, F103
        let manager = try log.manager(Country.self)
        let country = Country("fr", "France")
        try manager.execute(Country.insertStatement(for: country))
        #expect(try manager.find(Country.self, "fr")?.name == "France")
        country.name = "République"
        try manager.execute(try #require(try Country.updateStatement(for: country)))
        #expect(try manager.find(Country.self, "fr")?.name == "République")
        try manager.execute(Country.deleteStatement(for: country))
        #expect(try manager.count(Country.self) == 0)
    }

    @Test("A class without key, and a key that is nil, have no row to name") func withoutKey() throws {
        // F17
        #expect(failure { try Reading.updateStatement(for: Reading()) }?.code == .noPrimaryKey)
        #expect(failure { try Reading.deleteStatement(for: Reading()) }?.code == .noPrimaryKey)
        #expect(failure { try User.whereClause(for: User()) }?.code == .missingPrimaryKeyValue)
        #expect(failure { try Country.insertStatement(for: Country(nil, "")) }?.code == .missingPrimaryKeyValue)
        #expect(
            try Reading.insertStatement(for: Reading()).sql == "INSERT INTO READING (SENSOR, VALUE) VALUES (?, ?)")
    }

    @Test("SELECT and its count are what a fetch runs") func select() throws {
        // F72, F104
        let manager = try log.manager(Track.self)
        let query = Track.where(\.title == "it's" && \.length > 1).sorted(by: \.title).limit(3).offset(1)
        #expect(
            try query.selectStatement().sql == """
                SELECT ID, TITLE, LENGTH, PLAYED_AT, COVER, KIND, RATING FROM TRACK \
                WHERE (TITLE = ? AND LENGTH > ?) ORDER BY TITLE LIMIT ? OFFSET ?
                """)
        #expect(try log.runs(query.selectStatement()) { _ = try manager.fetchAll(query) })
        #expect(try log.runs(query.countStatement()) { _ = try manager.count(query) })
        let named: Criteria<Track> = .sql("LENGTH > :least AND TITLE <> ':least'", ["least": 0.5])
        #expect(
            try Track.where(named).countStatement().expandedSQL
                == "SELECT count(*) FROM TRACK WHERE (LENGTH > 0.5 AND TITLE <> ':least'\n)")
        #expect(
            try log.runs(Track.where(named).selectStatement()) { _ = try manager.fetchAll(Track.self, where: named) })
        #expect(try Track.rows.selectStatement().sql.hasSuffix("FROM TRACK"))
        #expect(failure { try Track.where(["titel": 1]).selectStatement() }?.code == .unknownKey)
        #expect(failure { try Track.limit(-1).selectStatement() }?.code == .invalidRange)
    }

    @Test("CREATE TABLE and CREATE INDEX are what makes the table") func create() throws {
        // F45
        let manager = try log.manager()
        let statements = try [Track.createTableStatement()] + Track.createIndexStatements()
        #expect(statements.count == 3)
        for statement in statements {
            #expect(
                try log.runs(statement) {
                    try manager.dropTable(for: Track.self)
                    try manager.createTableIfNecessary(for: Track.self)
                })
        }
        #expect(try manager.tableSQL("TRACK") == statements[0].sql)
        #expect(statements[2].sql == "CREATE UNIQUE INDEX TRACK_KIND_TITLE_INDEX ON TRACK (KIND, TITLE)")
    }

    @Test("Dates are in the manager's form, or the one that is said") func dates() throws {
        // F31
        let date = Date(timeIntervalSince1970: 0.25)
        #expect(try Track.createTableStatement(dates: .iso8601).sql.contains("PLAYED_AT TEXT"))
        let statement = try Track.where(\.playedAt == date).selectStatement(dates: .iso8601)
        #expect(statement.arguments == ["1970-01-01T00:00:00.250000Z"])
        let manager = try log.manager(Track.self, dates: .iso8601)
        let track = Track()
        track.playedAt = date
        let insert = try Track.insertStatement(for: track, dates: .iso8601)
        #expect(try insert.sql == manager.insertStatement(for: track).sql)
        #expect(
            try Track.updateStatement(for: track.withKey(1), dates: .iso8601)?.arguments.positional.contains {
                try $0?.sqliteValue() == "1970-01-01T00:00:00.250000Z"
            } == true)
        track.id = nil
        #expect(try log.runs(manager.insertStatement(for: track)) { try manager.insert(track) })
        track.playedAt = date + 1
        #expect(try log.runs(Track.updateStatement(for: track)) { try manager.save(track) })
    }

    @Test("Values are written by SQLite's rules: quotes, bytes, NULL, NUL and extremes") func literals() throws {
        // F105
        let manager = try log.manager(Track.self)
        let track = Track()
        track.title = "O'Neill\0\u{1F600}"
        track.length = .leastNonzeroMagnitude
        track.cover = Data([0, 255])
        try manager.run(Track.insertStatement(for: track).expandedSQL)
        let found = try #require(try manager.find(Track.self, 1))
        #expect(found.title == track.title && found.length == track.length && found.cover == track.cover)
        #expect(found.playedAt == nil && found.rating == 3)
    }
}

@Suite("MTLFMDBAdapter's examples") struct MTLFMDBAdapterExampleTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(
            script: """
                create table user (guid text primary key, name text, age integer, birthday integer, banned integer);
                create table repository (guid text primary key, url text);
                """)
    }

    private func john() -> GitUser {
        let user = GitUser()
        user.guid = "myuniqueid"
        user.name = "John Doe"
        user.age = 42
        return user
    }

    @Test("a model to INSERT, in the order of declaration") func insert() throws {
        // F101
        let statement = try GitUser.insertStatement(for: john())
        #expect(statement.sql == "INSERT INTO user (guid, name, age, birthday, banned) VALUES (?, ?, ?, ?, ?)")
        #expect(statement.arguments == ["myuniqueid", "John Doe", 42, nil, nil])
    }

    @Test("a model to UPDATE, its own arguments and the key's in one") func update() throws {
        // F102
        let statement = try #require(try GitUser.updateStatement(for: john()))
        #expect(statement.sql == "UPDATE user SET guid = ?, name = ?, age = ?, birthday = ?, banned = ? WHERE guid = ?")
        #expect(statement.arguments == ["myuniqueid", "John Doe", 42, nil, nil, "myuniqueid"])
    }

    @Test("a model to DELETE and WHERE") func delete() throws {
        // F103
        #expect(try GitUser.deleteStatement(for: john()) == SQL("DELETE FROM user WHERE guid = ?", ["myuniqueid"]))
        #expect(try GitUser.whereClause(for: john()) == SQL("WHERE guid = ?", ["myuniqueid"]))
    }

    @Test("a repository likewise") func repository() throws {
        // F101, F103
        let repository = GitRepository()
        repository.guid = "r1"
        repository.url = URL(string: "https://example.com/r1.git")
        try manager.execute(GitRepository.insertStatement(for: repository))
        let found = try #require(try manager.fetchOne(GitRepository.self, sql: "select * from repository"))
        #expect(found.url == repository.url)
        try manager.execute(GitRepository.deleteStatement(for: found))
        #expect(try manager.rowCount("repository") == 0)
    }

    @Test("a result set to a model, nil and dates included", .local(.connection)) func resultSet() throws {
        // F85
        let user = john()
        user.age = nil
        user.birthday = Date(timeIntervalSince1970: 331_911_043)
        user.banned = true
        try manager.execute(GitUser.insertStatement(for: user))
        let found = try manager.read { db in try manager.objects(GitUser.self, from: db.query("select * from user")) }
        #expect(found.map(\.name) == ["John Doe"])
        #expect(found.first?.age == nil && found.first?.banned == true)
        #expect(found.first?.birthday == Date(timeIntervalSince1970: 331_911_043))
    }
}
