import Foundation
import Persisting
import Testing

private final class Invoice: PersistingModel {
    var id: Int64?
    var total = 0

    override class var manager: PersistenceManager? { PersistenceManager.named["NamedManagerTests.archive"] }
}

private func manager() throws -> PersistenceManager {
    let manager = try PersistenceManager(.memory)
    try manager.createTableIfNecessary(for: Invoice.self)
    return manager
}

// F5, F6, F7, F8
@Suite("Managers by name", .serialized) struct NamedManagerTests {
    @Test("a manager is found by its name, and no other")
    func registry() throws {
        let manager = try manager()
        PersistenceManager.named["NamedManagerTests.a"] = manager
        #expect(PersistenceManager.named["NamedManagerTests.a"] === manager)
        #expect(PersistenceManager.named["NamedManagerTests.b"] == nil)
        #expect(PersistenceManager.named.names.contains("NamedManagerTests.a"))
        PersistenceManager.named["NamedManagerTests.a"] = nil
        #expect(PersistenceManager.named["NamedManagerTests.a"] == nil)
        #expect(try manager.count(Invoice.self) == 0)
    }

    @Test("a class's verbs use the class's own manager, before the task's")
    func boundClass() throws {
        let archive = try manager()
        let other = try manager()
        PersistenceManager.named["NamedManagerTests.archive"] = archive
        defer { PersistenceManager.named["NamedManagerTests.archive"] = nil }
        try other.asCurrent { _ = try Invoice.create(["total": 1]) }
        #expect(try archive.count(Invoice.self) == 1)
        #expect(try other.count(Invoice.self) == 0)
    }

    @Test("inside a manager's closure they use that manager")
    func closure() throws {
        let archive = try manager()
        let other = try manager()
        PersistenceManager.named["NamedManagerTests.archive"] = archive
        defer { PersistenceManager.named["NamedManagerTests.archive"] = nil }
        try other.transaction { _ = try Invoice.create(["total": 1]) }
        #expect(try other.count(Invoice.self) == 1)
        #expect(try archive.count(Invoice.self) == 0)
    }

    @Test("without its manager, a class falls back to the task's")
    func fallback() throws {
        let other = try manager()
        try other.asCurrent { _ = try Invoice.create(["total": 1]) }
        #expect(try other.count(Invoice.self) == 1)
    }

    @Test("deleting a database removes its files and its names")
    func deletion() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.sqlite").path(percentEncoded: false)
        let manager = try PersistenceManager(path: path)
        try manager.createTableIfNecessary(for: Invoice.self)
        PersistenceManager.named["NamedManagerTests.file"] = manager
        try manager.deleteDatabase()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).isEmpty)
        #expect(PersistenceManager.named["NamedManagerTests.file"] == nil)
        #expect(failure { try manager.count(Invoice.self) }?.code == .closed)
    }

    @Test("a database with a statement that is held is not deleted")
    func heldStatement() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.sqlite").path(percentEncoded: false)
        let manager = try PersistenceManager(path: path)
        let statement = try manager.read { db in try db.prepare("SELECT 1") }
        #expect(throws: SQLiteError.self) { try manager.deleteDatabase() }
        #expect(FileManager.default.fileExists(atPath: path))
        _ = statement
    }

    @Test("application data is in a folder of the program's own, and an absolute path stays")
    func applicationData() throws {
        let path = try #require(DatabaseLocation.applicationData("library/a.sqlite").path)
        #if os(Linux)
            let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? NSHomeDirectory() + "/.local/share"
            let program = URL(filePath: CommandLine.arguments[0]).lastPathComponent
            #expect(path == "\(data)/\(program)/library/a.sqlite")
        #else
            #expect(path.contains("/Library/Application Support/"))
            #expect(path.hasSuffix("/library/a.sqlite") && !path.hasSuffix("/Application Support/library/a.sqlite"))
        #endif
        #expect(DatabaseLocation.applicationData("/tmp/a.sqlite").path == "/tmp/a.sqlite")
    }
}
