import Foundation
import Persisting
import Testing

private final class Film: PersistingModel {
    var id: Int64?
    var title = ""
    var data: Data?

    override class var columns: Columns { ["ID": .int, "TITLE": .string, "DATA": .data.deferred] }
}

private final class Keyed: PersistingModel {
    var id = ""
    var data: Data?
    override class var primaryKey: PrimaryKey { .assigned("id") }
}

private final class Rowless: PersistingModel {
    var id = ""
    var data: Data?
    override class var primaryKey: PrimaryKey { .assigned("id") }
    override class var tableOptions: TableOptions { .withoutRowID }
}

private final class Summed: PersistingModel {
    var id: Int64?
    var before: Data?
    var number = 1
    var sum: Int?
    var behind: Data?
    var last: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["SUM"] = .int.generated(as: "NUMBER + 1")
        return columns
    }
}

// F26
@Suite("Blobs of objects") struct BlobTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Film.self, Keyed.self, Rowless.self)
    }

    private func film() throws -> Film {
        try manager.insert(Film.self, values: ["title": "M", "data": Data(0..<200)])
    }

    @Test("after a virtual generated column are rejected, where SQLite opens another column", .local(.blobsInPlace))
    func virtualColumn() throws {
        try manager.createTableIfNecessary(for: Summed.self)
        let object = Summed()
        (object.before, object.behind, object.last) = (Data("a".utf8), Data("b".utf8), Data("c".utf8))
        try manager.insert(object)
        // Newer versions of SQLite open none of such a table.
        let before = try? manager.withBlob(of: object, \.before) { try $0.read() }
        #expect(before == nil || before == Data("a".utf8))
        let error = failure { try manager.withBlob(of: object, \.behind, access: .readWrite) { _ in } }
        #expect(error?.message.contains("SUMMED.BEHIND") == true)
        #expect(error?.key == "behind")
    }

    @Test("are read piece by piece", .local(.blobsInPlace)) func read() throws {
        var pieces: [Data] = []
        try manager.withBlob(of: try film(), \.data) { blob in
            try blob.forEachChunk(of: 64) { pieces.append($0) }
        }
        #expect(pieces.map(\.count) == [64, 64, 64, 8])
        #expect(pieces.reduce(Data(), +) == Data(0..<200))
    }

    @Test("are written in place, and load updates the object", .local(.blobsInPlace)) func write() throws {
        let film = try film()
        try manager.withBlob(of: film, \.data, access: .readWrite) { blob in try blob.write(Data([255]), at: 199) }
        #expect(!film.hasChanges)
        try film.load(\.data)
        #expect(film.data?.last == 255)
    }

    @Test("are not written when the closure throws", .local(.blobsInPlace)) func rollback() throws {
        let film = try film()
        try catchingTestError {
            try manager.withBlob(of: film, \.data, access: .readWrite) { blob in
                try blob.write(Data([255]), at: 0)
                throw TestError()
            }
        }
        #expect(try manager.stored("SELECT substr(DATA, 1, 1) FROM FILM") == .blob(Data([0])))
    }

    @Test("are found by a key that isn't a row identifier", .local(.blobsInPlace)) func assignedKey() throws {
        let keyed = try manager.insert(Keyed.self, values: ["id": "é", "data": Data([7])])
        #expect(try manager.withBlob(of: keyed, \.data) { try $0.read() } == Data([7]))
    }

    @Test("are opened while the task is suspended", .local(.blobsInPlace)) func async() async throws {
        let film = try film()
        let count = try await manager.withBlob(of: film, \.data) { $0.count }
        #expect(count == 200)
        try await manager.withBlob(of: film, \.data, access: .readWrite) { try $0.write(Data([9])) }
        #expect(try manager.stored("SELECT substr(DATA, 1, 1) FROM FILM") == .blob(Data([9])))
    }

    @Test("of a new object, a row that is gone, a NULL, a table without row identifiers throw", .local(.blobsInPlace))
    func rejected() throws {
        #expect(failure { try manager.withBlob(of: Film(), \.data) { _ in } }?.code == .notPersisted)
        let empty = try manager.insert(Film.self, values: ["title": "N"])
        let null = failure { try manager.withBlob(of: empty, \.data) { _ in } }
        #expect(null?.code == .typeMismatch)
        #expect(null?.model == "Film" && null?.key == "data")
        #expect(null?.message.contains("NULL") == true)
        let gone = try film()
        try manager.deleteAll(Film.self)
        #expect(failure { try manager.withBlob(of: gone, \.data) { _ in } }?.code == .notFound)
        let rowless = try manager.insert(Rowless.self, values: ["id": "a", "data": Data([1])])
        #expect(failure { try manager.withBlob(of: rowless, \.data) { _ in } }?.code == .invalidModel)
    }

    /// A manager that only reads, with a film.
    private func reader(_ directory: TemporaryDirectory) throws -> PersistenceManager {
        let writer = try PersistenceManager(path: directory.path())
        try writer.createTableIfNecessary(for: Film.self)
        try writer.insert(Film.self, values: ["data": Data([1])])
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        return try PersistenceManager(path: directory.path(), configuration: configuration)
    }

    @Test("cannot be written by a read-only manager, and the error names model and key") func readOnly() async throws {
        let directory = try TemporaryDirectory()
        let reader = try reader(directory)
        let film = try #require(await reader.fetchOne(Film.self))
        #expect(try await reader.withBlob(of: film, \.data) { try $0.read() } == Data([1]))
        let error = failure { try reader.withBlob(of: film, \.data, access: .readWrite) { _ in } }
        let asyncError = await asyncFailure { try await reader.withBlob(of: film, \.data, access: .readWrite) { _ in } }
        for error in [error, asyncError] {
            #expect(error?.model == "Film" && error?.key == "data")
            #expect(error?.sqliteError?.code == .readOnly)
        }
    }

    @Test("cannot be written in a read, and the error says so", .local(.blobsInPlace)) func inRead() throws {
        // F12
        let film = try film()
        let error = failure {
            try manager.read { _ in try manager.withBlob(of: film, \.data, access: .readWrite) { _ in } }
        }
        #expect(error?.key == "data")
        #expect(error?.sqliteError?.code == .readOnly)
        let directory = try TemporaryDirectory()
        let pool = try PersistenceManager(path: directory.path())
        try pool.createTableIfNecessary(for: Film.self)
        let other = try pool.insert(Film.self, values: ["data": Data([1])])
        let inPool = failure {
            try pool.read { _ in try pool.withBlob(of: other, \.data, access: .readWrite) { _ in } }
        }
        #expect(inPool?.sqliteError?.code == .readOnly)
    }

    @Test("pass on what the closure throws as it is", .local(.blobsInPlace)) func passed() throws {
        let film = try film()
        #expect(throws: TestError.self) { try manager.withBlob(of: film, \.data) { _ in throw TestError() } }
        let error = sqliteFailure {
            try manager.withBlob(of: film, \.data) { blob in _ = try blob.read(offset: 500, count: 9) }
        }
        #expect(error?.extendedCode == .range)
    }

    @Test("pass on what the closure throws while the task is suspended", .local(.blobsInPlace)) func asyncPassed()
        async throws
    {
        let film = try film()
        await #expect(throws: SQLiteError.self) {
            try await manager.withBlob(of: film, \.data, access: .readWrite) { _ = try $0.read(offset: 500, count: 9) }
        }
    }

    @Test("end with the closure", .local(.blobsInPlace)) func expired() throws {
        let film = try film()
        var kept: Blob?
        try manager.withBlob(of: film, \.data) { kept = $0 }
        #expect(sqliteFailure { try kept?.read() }?.extendedCode == .expired)
    }
}

// F66
@Suite("The last object inserted") struct LastInsertedTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Film.self, Keyed.self)
    }

    @Test("is the class's own, whatever was inserted since") func own() throws {
        let film = try manager.insert(Film.self, values: ["title": "A"])
        try manager.insert(Keyed.self, values: ["id": "k"])
        try manager.execute("INSERT INTO FILM (TITLE) VALUES ('by SQL')")
        #expect(try manager.lastInserted(Film.self)?.id == film.id)
        #expect(try manager.lastInserted(Keyed.self)?.id == "k")
    }

    @Test("is nil while there is none") func none() throws {
        #expect(try manager.lastInserted(Film.self) == nil)
    }

    @Test("is the last of an asynchronous batch") func batch() async throws {
        let films = (0..<3).map { _ in Film() }
        try await manager.insert(films)
        #expect(try await manager.lastInserted(Film.self)?.id == films[2].id)
    }

    @Test("is the last of a batch") func syncBatch() throws {
        let films = (0..<3).map { _ in Film() }
        try manager.insert(films)
        #expect(try manager.lastInserted(Film.self)?.id == films[2].id)
    }

    @Test("is nil when its row is gone, or was rolled back") func gone() throws {
        try manager.delete(try manager.insert(Film.self, values: ["title": "A"]))
        #expect(try manager.lastInserted(Film.self) == nil)
        try catchingTestError {
            try manager.transaction {
                try manager.insert(Film.self, values: ["title": "B"])
                throw TestError()
            }
        }
        try manager.execute("INSERT INTO FILM (TITLE) VALUES ('by SQL')")
        #expect(try manager.lastInserted(Film.self) == nil)
    }

    @Test("is known after the schema has changed") func schema() throws {
        try manager.insert(Film.self, values: ["title": "A"])
        try manager.execute("CREATE TABLE other (a)")
        #expect(try manager.lastInserted(Film.self)?.title == "A")
    }
}
