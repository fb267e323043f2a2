import Foundation
import Persisting
import Testing

private final class Painter: PersistingModel {
    var id: Int64?
}

private final class Picture: PersistingModel {
    var id: Int64?
    var data: Data?
    var painterID: Int64?

    override class var columns: Columns {
        var columns = super.columns
        columns["PAINTER_ID"] = .int.references(Painter.self)
        return columns
    }
}

@Suite("A manager's life, of a task")
struct AsyncLifecycleTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path

    // F3
    @Test("a manager is closed, opened again and deleted by a task")
    func life() async throws {
        let manager = try PersistenceManager(path: path)
        try await manager.close()
        await #expect(throws: SQLiteError.self) { try await manager.tableExists("T") }
        try await manager.reopen()
        #expect(try await !manager.tableExists("T"))
        try await manager.deleteDatabase()
        for file in [path, path + "-wal", path + "-shm"] { #expect(!FileManager.default.fileExists(atPath: file)) }
    }

    // F3
    @Test("a database that a symbolic link leads to is deleted with the link")
    func link() throws {
        let link = path + "-link"
        let manager = try PersistenceManager(path: path)
        try manager.execute("CREATE TABLE T (A)")
        try manager.close()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try PersistenceManager(path: link).deleteDatabase()
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil)
    }

    // F3
    @Test("a file without a write-ahead log has one connection when it is opened again")
    func withoutLog() async throws {
        let (manager, copy) = (try PersistenceManager(path: path), path + "-copy")
        try await manager.execute("CREATE TABLE T (A)")
        try await manager.execute(
            "INSERT INTO T SELECT value FROM (WITH n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 4999) SELECT value FROM n)"
        )
        try await manager.database.withoutTransaction { db in try db.vacuum(into: .file(copy)) }
        try await manager.close()
        for file in [path, path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: file) }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        try await manager.reopen()
        var count = 0
        for try await row in manager.database.rows("SELECT A FROM T") {
            let value: Int = try row[0]
            if value == 0 { try await manager.execute("UPDATE T SET A = -1 WHERE A = 0") }
            count += 1
        }
        #expect(count == 5_000)
        #expect(try await manager.database.read { db in try db.scalar("SELECT min(A) FROM T", as: Int.self) } == -1)
        try await manager.deleteDatabase()
    }

    // F7
    @Test("a database that was opened to be read alone isn't deleted")
    func readOnly() async throws {
        let manager = try PersistenceManager(path: path)
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let reader = try PersistenceManager(path: path, configuration: configuration)
        let error = await #expect(throws: SQLiteError.self) { try await reader.deleteDatabase() }
        #expect(error?.code == .readOnly && error?.message.contains("aren't deleted") == true)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try await !reader.tableExists("T"))
        try await reader.close()
        try await manager.deleteDatabase()
    }

    // F8
    @Test("a missing table of a new file is said to be a new file's")
    func missingTable() async throws {
        let manager = try PersistenceManager(path: path)
        let error = await #expect(throws: PersistenceError.self) { try await manager.fetchAll(Picture.self) }
        #expect(error?.code == .noTable)
        #expect(error?.message.contains("nor any other in \(path)") == true)
        try await manager.deleteDatabase()
    }

    // F15
    @Test("a blob is opened by its property's name by a task")
    func blob() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Painter.self)
        try await manager.createTableIfNecessary(for: Picture.self)
        let picture = Picture()
        picture.data = Data([1, 2, 3])
        try await manager.save(picture)
        #expect(try await manager.withBlob(of: picture, \.data) { try $0.read() } == Data([1, 2, 3]))
    }

    // F16
    @Test("a foreign key's error names the property")
    func foreignKey() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Painter.self)
        try await manager.createTableIfNecessary(for: Picture.self)
        let picture = Picture()
        picture.painterID = 7
        let error = await #expect(throws: PersistenceError.self) { try await manager.save(picture) }
        #expect(error?.code == .constraint)
        #expect(error?.key == "painterID")
        #expect(error?.sqliteError?.table == "PICTURE")
    }
}
