import Foundation
import Persisting
import Testing

private final class Boat: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class LongerBoat: PersistingModel {
    var id: Int64?
    var name = ""
    var length: Double?
    override class var tableName: String { "BOAT" }
}

private final class IndexedBoat: PersistingModel {
    var id: Int64?
    var name = ""
    override class var tableName: String { "BOAT" }
    override class var indexes: [Index] { [Index("name")] }
}

private final class Harbor: PersistingModel {
    var id: Int64?
    var town = ""
}

private final class StrictBoat: PersistingModel {
    var id: Int64?
    var name: Int?
    override class var tableName: String { "BOAT" }
}

// F49, F116
@Suite("What a start remembers of the schema") struct SchemaFingerprintTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path()
        try update([Boat.self])
    }

    /// A program's start.
    @discardableResult
    private func update(_ types: [PersistingModel.Type], keepsFingerprint: Bool = true) throws -> SchemaPlan {
        let manager = try PersistenceManager(path: path)
        defer { try? manager.close() }
        return try manager.updateSchema(for: types, keepsFingerprint: keepsFingerprint)
    }

    private func userVersion() throws -> Int32 { try Database(.file(path)).userVersion }

    @Test("lets the next one read two numbers of the header, and no schema")
    func nothingChanged() throws {
        let log = SQLLog()
        #expect(try log.manager(.file(path)).updateSchema(for: [Boat.self]).isEmpty)
        #expect(log.texts == ["PRAGMA main.schema_version", "PRAGMA main.user_version"])
    }

    @Test("isn't true any more when another program has changed the schema")
    func otherProgram() throws {
        try Database(.file(path)).execute("ALTER TABLE BOAT DROP COLUMN NAME")
        #expect(try update([Boat.self]).steps.map(\.reason) == ["it has no column NAME"])
        #expect(try update([Boat.self]).isEmpty)
    }

    @Test("isn't true any more when a class has changed")
    func otherClass() throws {
        #expect(try update([LongerBoat.self]).steps.map(\.reason) == ["it has no column LENGTH"])
    }

    @Test("isn't true any more when a class has another index")
    func otherIndex() throws {
        #expect(try update([IndexedBoat.self]).steps.count == 1)
    }

    @Test("is stored again once, when a change that no class needs has been made by someone else")
    func storedAgain() throws {
        let first = try userVersion()
        try Database(.file(path)).execute("CREATE INDEX OTHERS ON BOAT (NAME)")
        #expect(try update([Boat.self]).notes.map(\.name) == ["OTHERS"])
        #expect(try userVersion() != first)
        #expect(try update([Boat.self]).notes.isEmpty)
    }

    @Test("leaves a program's own version alone")
    func ownVersion() throws {
        try Database(.file(path)).setUserVersion(7)
        try update([Boat.self, Harbor.self])
        #expect(try userVersion() == 7)
    }

    @Test("isn't stored when that isn't wanted")
    func unwanted() throws {
        try Database(.file(path)).setUserVersion(0)
        try update([Boat.self, Harbor.self], keepsFingerprint: false)
        #expect(try userVersion() == 0)
    }

    @Test("isn't overwritten at each start by programs with other classes")
    func twoPrograms() throws {
        try update([Boat.self, Harbor.self])
        let stored = try userVersion()
        #expect(try update([Harbor.self]).isEmpty)
        #expect(try userVersion() == stored)
    }

    @Test("is undone with the transaction that it was stored in")
    func rollback() throws {
        let before = try userVersion()
        let manager = try PersistenceManager(path: path)
        #expect(throws: CancellationError.self) {
            try manager.transaction {
                try manager.updateSchema(for: [Harbor.self])
                throw CancellationError()
            }
        }
        #expect(try manager.updateSchema(for: [Harbor.self]).steps.count == 1)
        #expect(try userVersion() != before)
    }

    @Test("isn't stored in a read-only file, which is compared each time")
    func readOnly() throws {
        try Database(.file(path)).setUserVersion(0)
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let manager = try PersistenceManager(path: path, configuration: configuration)
        #expect(try manager.updateSchema(for: [Boat.self]).isEmpty)
        #expect(throws: SQLiteError.self) { try manager.updateSchema(for: [LongerBoat.self]) }
        #expect(try manager.read { try $0.userVersion } == 0)
    }
}

// F116
@Suite("The database of a prototype") struct ErasedSchemaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Boat.self, Harbor.self)
        try manager.insert(Boat.self, values: ["name": "Arkas"])
        try manager.execute("CREATE VIEW BOATS AS SELECT NAME FROM BOAT")
    }

    @Test("is emptied where a plan would do more than add, and has the classes' tables again", .local(.connection))
    func erased() throws {
        let plan = try manager.updateSchema(for: [StrictBoat.self], allowing: .erases)
        #expect(plan.risk == .erases)
        #expect(try manager.tableNames() == ["BOAT"])
        #expect(try manager.rowCount("BOAT") == 0)
        #expect(try manager.schemaPlan(for: [StrictBoat.self]).isEmpty)
    }

    #if os(Linux) || os(macOS)
        @Test(
            "is emptied with a line on the standard error that says what, how much and why, and not without",
            .local(.connection))
        func loud() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                // A trait doesn't reach another process.
                let manager = try PersistenceManager(.memory)
                try await manager.createTableIfNecessary(for: Boat.self)
                try await manager.insert(Boat.self, values: ["name": "Arkas"])
                try await manager.updateSchema(for: [LongerBoat.self], allowing: .erases)
                try await manager.updateSchema(for: [StrictBoat.self], allowing: .erases)
            }
            let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
                .filter { $0.contains("ERASES") }
            #expect(lines.count == 1)
            #expect(
                lines.first?.hasPrefix("Persisting ERASES a database in memory, with 1 row: BOAT: NAME is ") == true)
        }
    #endif

    @Test("keeps its rows where a plan only adds")
    func kept() throws {
        try manager.updateSchema(for: [LongerBoat.self], allowing: .erases)
        #expect(try manager.fetchOne(LongerBoat.self)?.name == "Arkas")
    }

    @Test("keeps its rows unless erasing is allowed")
    func rejected() throws {
        #expect(throws: PersistenceError.self) { try manager.updateSchema(for: [StrictBoat.self], allowing: .loses) }
        #expect(try manager.rowCount("BOAT") == 1)
    }
}

extension PersistenceManager {
    fileprivate func tableNames() throws -> [String] {
        try database.read { db in try db.schema().tables.map(\.name) }
    }
}
