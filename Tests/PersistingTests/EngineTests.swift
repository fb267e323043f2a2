import Foundation
import Persisting
import Testing

@Suite("Another engine")
struct EngineTests {
    private let engine: TestEngine
    private let manager: PersistenceManager

    init() throws {
        engine = try TestEngine()
        manager = PersistenceManager(engine: engine)
        try manager.createTableIfNecessary(for: User.self)
    }

    private func isUnsupported(_ error: SQLiteError?) -> Bool {
        error?.extendedCode == .unsupported && error?.message.contains("the test engine") == true
    }

    @Test("SQLite's own statements are known as local, so that what is compiled for them is run")
    func localStatements() throws {
        let isLocal = try PersistenceManager(.memory).engine.query { db in
            if case .local = try db.statement(CachedSQL("SELECT 1")) { true } else { false }
        }
        #expect(isLocal)
    }

    @Test("What needs a local connection says so, and names the engine")
    func localConnection() throws {
        #expect(isUnsupported(sqliteFailure { try manager.read { _ in } }))
        #expect(isUnsupported(sqliteFailure { try manager.write { _ in } }))
        #expect(isUnsupported(sqliteFailure { try manager.database.withoutTransaction { _ in } }))
    }

    @Test("Nor is there one for tasks")
    func localConnectionOfTasks() async throws {
        await #expect { try await manager.read { _ in } } throws: { isUnsupported($0 as? SQLiteError) }
        await #expect { try await manager.database.write { _ in } } throws: { isUnsupported($0 as? SQLiteError) }
        for await _ in manager.changes() { Issue.record("nobody tells of commits") }
    }

    @Test("A blob needs a local connection")
    func blobs() throws {
        try manager.createTableIfNecessary(for: Album.self)
        let album = try manager.insert(Album.self, values: ["coverImageData": Data([1])])
        #expect(isUnsupported(sqliteFailure { try manager.withBlob(of: album, \.coverImageData) { _ in } }))
    }

    @Test("Raw SQL runs on it: statements, dictionaries, values of a Decodable type, objects")
    func rawSQL() throws {
        struct Name: Decodable, Equatable { let NAME: String }
        #expect(try manager.execute("INSERT INTO USER (NAME, AGE) VALUES (:name, 3)", ["name": "a"]) == 1)
        #expect(try manager.dictionaries("SELECT NAME FROM USER WHERE AGE = ?", [3]) == [["NAME": "a"]])
        #expect(try manager.fetchAll(decoding: Name.self, sql: "SELECT NAME FROM USER") == [Name(NAME: "a")])
        #expect(try manager.fetchOne(User.self, sql: "SELECT * FROM USER")?.name == "a")
        #expect(try manager.fetchAll(User.self, sql: "SELECT * FROM USER WHERE AGE < \(4)").map(\.age) == [3])
    }

    @Test("Arguments that don't fit throw as they do on SQLite")
    func arguments() {
        #expect(sqliteFailure { try manager.execute("DELETE FROM USER WHERE ID = ?") }?.extendedCode == .argumentCount)
        #expect(
            sqliteFailure { try manager.execute("DELETE FROM USER WHERE ID = :id", ["key": 1]) }?.extendedCode
                == .unknownParameter)
    }

    @Test("Tasks write and read")
    func tasks() async throws {
        let user = User(name: "a")
        try await manager.save(user)
        try await manager.transaction { [manager] in _ = try manager.insert(User.self, values: ["name": "b"]) }
        #expect(try await manager.count(User.self) == 2)
        #expect(try await manager.find(User.self, user.id)?.name == "a")
    }

    @Test("Files are imported and exported")
    func files() throws {
        try manager.importCSV(User.self, contentsOf: Data("name,age\na,1\nb,2\n".utf8))
        #expect(try manager.fetchAll(User.self, sortedBy: .ascending(\.age)).map(\.name) == ["a", "b"])
    }

    @Test("A closed engine throws until it is opened again")
    func closing() throws {
        try manager.close()
        #expect(failure { try manager.count(User.self) }?.code == .closed)
        try manager.reopen()
    }

    @Test(
        "A call that fails leaves the object as it was, and the next save succeeds",
        arguments: TestEngine.Call.allCases)
    func failures(_ call: TestEngine.Call) throws {
        var failures = 0
        for number in 1... {
            let user = User(name: "a\(number)")
            let before = engine.count(of: call)
            engine.fail(call, in: number)
            let error = sqliteFailure {
                try manager.transaction {
                    try manager.save(user)
                    user.age = 5
                    try manager.save(user)
                }
            }
            let isOver = engine.count(of: call) < before + number
            engine.fail(call, in: nil)
            if isOver { break }
            // The library goes on where it can't learn whether others have changed the tables.
            guard let error else { continue }
            failures += 1
            #expect(error.code == .ioError)
            #expect(user.id == nil && !user.isPersisted)
            user.age = 5
            try manager.save(user)
        }
        #expect(failures > 0)
        #expect(try Set(manager.fetchAll(User.self).map(\.age)) == [5])
    }
}

@Suite("What an engine lacks")
struct EngineCapabilityTests {
    private let engine: TestEngine
    private let manager: PersistenceManager

    init() throws {
        engine = try TestEngine([])
        manager = PersistenceManager(engine: engine)
        try manager.createTableIfNecessary(for: User.self)
    }

    /// The error of what needs more than the engine has, if nothing was sent.
    private func errorMessage<T>(_ body: () throws -> T) throws -> String? {
        _ = try manager.count(User.self)
        let before = engine.count(of: .prepare)
        let error = failure(body)
        #expect(engine.count(of: .prepare) == before)
        return error?.code == .unsupported ? error?.message : nil
    }

    @Test("A regular expression is rejected by name")
    func regularExpressions() throws {
        let message = try errorMessage { try manager.fetchAll(User.self, where: .format("name MATCHES %@", "a.*")) }
        #expect(message?.contains("the test engine has no REGEXP") == true)
    }

    @Test("So is a comparison without case and diacritics")
    func folding() throws {
        let message = try errorMessage { try manager.fetchAll(User.self, where: .format("name ==[cd] %@", "a")) }
        #expect(message?.contains("the test engine has no") == true)
    }

    @Test("So is the order of the locale")
    func localized() throws {
        let message = try errorMessage { try manager.fetchAll(User.self, sortedBy: .ascending(\.name, by: .localized)) }
        #expect(message?.contains("collation LOCALIZED") == true)
    }

    @Test("Raw SQL is looked at, too, but a table may have a function's name")
    func rawSQL() throws {
        #expect(sqliteFailure { try manager.execute("SELECT fold('A')") }?.extendedCode == .unsupported)
        try manager.execute("CREATE TABLE fold (a TEXT)")
        try manager.execute("INSERT INTO fold (a) VALUES ('REGEXP')")
    }

    @Test("What needs no more than SQL goes on")
    func plain() throws {
        let user = User(name: "a", age: 3)
        try manager.save(user)
        user.age = 4
        try manager.save(user)
        #expect(try manager.fetchAll(User.self, where: \.age > 3, sortedBy: .ascending(\.name)).count == 1)
    }

    @Test("Dates that the class has written are compared, put in order and aggregated", arguments: [true, false])
    func dates(_ isWrittenFirst: Bool) throws {
        try manager.createTableIfNecessary(for: Dated.self)
        // What the table holds is looked at with its first use.
        if !isWrittenFirst { #expect(try manager.fetchAll(Dated.self, sortedBy: .ascending(\.day)).isEmpty) }
        let days = [3.0, 1, 2].map { Date(timeIntervalSince1970: $0 * 86_400) }
        for day in days { try manager.insert(Dated.self, values: ["day": day, "text": day]) }
        #expect(try manager.fetchAll(Dated.self, sortedBy: .ascending(\.day)).map(\.id) == [2, 3, 1])
        #expect(try manager.fetchAll(Dated.self, sortedBy: .descending(\.text)).map(\.id) == [1, 3, 2])
        #expect(try manager.fetchAll(Dated.self, where: \.day > days[1] && \.text < days[0]).map(\.id) == [3])
        #expect(try manager.max(Dated.rows, \.text) == days[0])
    }

    @Test("Dates in other forms are rejected, and not compared as what they aren't")
    func datesOfOthers() throws {
        try manager.createTableIfNecessary(for: Dated.self)
        try manager.execute("INSERT INTO DATED (DAY, TEXT) VALUES ('2026-01-02 03:04', '2026-01-02 03:04')")
        #expect(failure { try manager.fetchAll(Dated.self, sortedBy: .ascending(\.day)) }?.code == .unsupported)
        #expect(failure { try manager.fetchAll(Dated.self, where: \.text > .now) }?.code == .unsupported)
    }
}

private final class Dated: PersistingModel {
    var id: Int64?
    var day: Date?
    var text: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["TEXT"] = .date.stored(as: .iso8601)
        return columns
    }
}
