import Foundation
import Persisting
import SQLiteKit
import Testing

private class Note: PersistingModel {
    var id: Int64?
    var text = ""
    override class var tableName: String { "NOTED" }
    override class var indexes: [Index] { [Index("text")] }
}

private final class OldNote: Note {
    override class var schemaName: String? { "archive" }
}

private final class WiderOldNote: Note {
    var author: String?
    var pages = 0
    override class var schemaName: String? { "archive" }
    override class var columns: Columns {
        var columns = super.columns
        columns["PAGES"] = .int.check("PAGES >= 0")
        return columns
    }
}

private final class Draft: Note {
    override class var schemaName: String? { "temp" }
}

private final class Book: PersistingModel {
    var id: Int64?
    var title = ""
    static let pages = ToMany(inverse: Page.book)
    override class var schemaName: String? { "archive" }
    override class var tableName: String { "NOTED_BOOK" }
    override class var relations: Relations { ["pages": pages] }
}

private final class Page: PersistingModel {
    var id: Int64?
    var bookID: Int64?
    var number = 0
    static let book = ToOne(\Page.bookID, Book.self, onDelete: .cascade)
    override class var schemaName: String? { "archive" }
    override class var tableName: String { "NOTED_PAGE" }
    override class var relations: Relations { ["book": book] }
}

private final class Stray: PersistingModel {
    var id: Int64?
    var bookID: Int64?
    static let book = ToOne(\Stray.bookID, Book.self)
    override class var relations: Relations { ["book": book] }
}

// F12, F46
@Suite("A table of a class's name in another database") struct AttachedTableTests {
    private func manager(_ script: String = "") throws -> PersistenceManager {
        try memoryManager(script: "ATTACH ':memory:' AS archive; " + script)
    }

    private let table = "NOTED (ID INTEGER PRIMARY KEY, TEXT TEXT NOT NULL DEFAULT '')"

    @Test(
        "isn't the class's, for any verb, and one in main is created beside it", .local(.attachedDatabases),
        arguments: ["temp", "archive"])
    func other(database: String) throws {
        let manager = try manager(
            "CREATE TABLE \(database).\(table); INSERT INTO \(database).NOTED VALUES (1, 'theirs')")
        #expect(try !manager.tableExists(for: Note.self))
        #expect(failure { try manager.count(Note.self) }?.code == .noTable)
        #expect(failure { try manager.deleteAll(Note.self) }?.code == .noTable)
        #expect(failure { try manager.save(Note()) }?.code == .noTable)
        #expect(try manager.createTableIfNecessary(for: Note.self))
        let note = try manager.insert(Note.self, values: ["text": "mine"])
        note.text = "changed"
        try manager.save(note)
        #expect(try manager.fetchAll(Note.self).map(\.text) == ["changed"])
        #expect(try manager.schemaPlan(for: [Note.self]).isEmpty)
        #expect(try manager.deleteAll(Note.self) == 1)
        #expect(try manager.storedColumn("SELECT TEXT FROM \(database).NOTED") == ["theirs"])
        #expect(try manager.dropTable(for: Note.self))
        #expect(try !manager.dropTable(for: Note.self))
        #expect(try manager.stored("SELECT count(*) FROM \(database).NOTED") == 1)
    }

    @Test(
        "that comes to be later hides nothing, also of prepared statements and inside a transaction",
        .local(.attachedDatabases))
    func later() throws {
        let manager = try manager()
        try manager.createTableIfNecessary(for: Note.self)
        try manager.transaction {
            try manager.save(Note())
            try manager.execute("CREATE TEMP TABLE \(sql: SQL(table))")
            try manager.save(Note())
        }
        try manager.save(Note())
        #expect(try manager.count(Note.self) == 3)
        #expect(try manager.stored("SELECT count(*) FROM temp.NOTED") == 0)
    }

    @Test("is copied before a plan changes it, and several aren't", .local(.attachedDatabases)) func backup() throws {
        let directory = try TemporaryDirectory()
        let manager = try manager("CREATE TABLE archive.\(table); INSERT INTO archive.NOTED VALUES (1, 'old')")
        try manager.updateSchema(for: [WiderOldNote.self], backup: directory.path("copy.sqlite"))
        let copy = try PersistenceManager(path: directory.path("copy.sqlite"))
        #expect(try copy.storedColumn("SELECT TEXT FROM NOTED") == ["old"])
        #expect(try copy.storedColumn("SELECT name FROM pragma_table_info('NOTED')") == ["ID", "TEXT"])
        let error = #expect(throws: SQLiteError.self) {
            try manager.updateSchema(for: [Book.self, Note.self], backup: directory.path("both.sqlite"))
        }
        #expect(error?.code == .error && error?.message.contains("archive and main") == true)
        // A temporary table is new at each start.
        try manager.updateSchema(for: [WiderOldNote.self, Draft.self], backup: directory.path("copy.sqlite"))
        #expect(try copy.storedColumn("SELECT TEXT FROM NOTED") == ["old"])
    }

    @Test(
        "waits for nobody in a file with a rollback journal that a pool's readers have attached",
        .local(.connection))
    func attachedToReaders() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        try await PersistenceManager(path: directory.path("archive.sqlite"), configuration: configuration)
            .createTableIfNecessary(for: Note.self)
        let path = directory.path("archive.sqlite")
        configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.attach(.file(path), as: "archive") }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<50 { _ = try await manager.count(OldNote.self) } }
            }
            group.addTask { for _ in 0..<50 { try await manager.insert(OldNote.self, values: ["text": "a"]) } }
            try await group.waitForAll()
        }
        #expect(try await manager.count(OldNote.self) == 50)
        let archive = try Database(.file(path))
        #expect(try archive.scalar("PRAGMA journal_mode", as: String.self) == "delete")
    }

    @Test("isn't looked for where a pool reads, if it is temporary", .local(.connection)) func temporaryInPool() throws
    {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        let table = table
        configuration.prepare = { db in try db.execute("CREATE TEMP TABLE \(sql: SQL(table))") }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        let draft = try manager.insert(Draft.self, values: ["text": "a"])
        #expect(try manager.transaction { try manager.count(Draft.self) } == 1)
        #expect(failure { try manager.count(Draft.self) }?.code == .noTable)
        #expect(failure { try manager.find(Draft.self, 1) }?.message.contains("transaction(_:)") == true)
        #expect(failure { try manager.refresh(draft) }?.code == .noTable)
        #expect(failure { try manager.find(Draft.self, keys: [1, 2]) }?.code == .noTable)
        #expect(failure { try manager.exists(Draft.rows) }?.code == .noTable)
    }

    @Test("gets nothing of the table of main that a plan creates", .local(.attachedDatabases)) func newBeside() throws {
        let manager = try manager("CREATE TEMP TABLE \(table)")
        try manager.updateSchema(for: [Note.self])
        #expect(
            try manager.storedColumn("SELECT name FROM main.sqlite_schema WHERE type = 'index'") == ["NOTED_TEXT_INDEX"]
        )
        #expect(try manager.storedColumn("SELECT name FROM temp.sqlite_schema") == ["NOTED"])
        try manager.updateSchema(for: [OldNote.self, Draft.self])
        #expect(try manager.schemaPlan(for: [Note.self, OldNote.self, Draft.self]).isEmpty)
    }

    @Test("isn't read when another connection drops that of main", .local(.connection)) func dropped() throws {
        let directory = try TemporaryDirectory()
        let (path, table) = (directory.path(), table)
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in
            try db.execute("ATTACH ':memory:' AS archive")
            try db.execute("CREATE TABLE archive.\(sql: SQL(table))")
        }
        let manager = try PersistenceManager(path: path, configuration: configuration)
        try manager.createTableIfNecessary(for: Note.self)
        #expect(try manager.count(Note.self) == 0)
        try Database(.file(path)).execute("DROP TABLE NOTED")
        #expect(failure { try manager.count(Note.self) }?.code == .noTable)
    }

    @Test("is checked for itself: rows of main that go hide none of its own", .local(.attachedDatabases))
    func ownOrphans() throws {
        let manager = try manager(
            "CREATE TABLE archive.CHILD (PARENT REFERENCES NOTED (ID)); CREATE TABLE archive.\(table); "
                + "PRAGMA foreign_keys = OFF; CREATE TABLE OTHER (PARENT REFERENCES GONE (ID)); "
                + "CREATE TABLE GONE (ID PRIMARY KEY); INSERT INTO OTHER VALUES (1), (2); PRAGMA foreign_keys = ON")
        let migration = Migration(1) { manager in
            try manager.execute("DROP TABLE OTHER")
            try manager.execute("INSERT INTO archive.CHILD VALUES (99)")
        }
        #expect(failure { try manager.migrate([migration]) }?.message.contains("archive.child") == true)
    }

    @Test("is checked for rows without a parent after a migration", .local(.attachedDatabases)) func orphans() throws {
        let manager = try manager(
            "CREATE TABLE archive.CHILD (PARENT REFERENCES \(table.prefix(5)) (ID)); CREATE TABLE archive.\(table)")
        let error = failure {
            try manager.migrate([Migration(1, sql: "INSERT INTO archive.CHILD VALUES (99)")])
        }
        #expect(error?.message.contains("archive.child") == true)
        #expect(try manager.stored("SELECT count(*) FROM archive.CHILD") == 0)
    }

    @Test("is what the class's statements create") func statements() throws {
        #expect(try OldNote.createTableStatement().sql.hasPrefix("CREATE TABLE archive.NOTED ("))
        #expect(
            try OldNote.createIndexStatements().map(\.sql)
                == ["CREATE INDEX archive.NOTED_TEXT_INDEX ON NOTED (TEXT)"])
        #expect(try Draft.schema().createTable.hasPrefix("CREATE TABLE \"temp\".NOTED ("))
        #expect(try Note.createTableStatement().sql.hasPrefix("CREATE TABLE NOTED ("))
    }

    @Test("is planned for alone", .local(.attachedDatabases)) func plans() throws {
        let manager = try manager(
            "CREATE TABLE main.NOTED (ID INTEGER PRIMARY KEY, TEXT INTEGER); CREATE TEMP TABLE \(table); "
                + "INSERT INTO main.NOTED VALUES (1, 7); INSERT INTO temp.NOTED VALUES (1, 'temporary')")
        try manager.updateSchema(for: [Note.self], allowing: .rewrites)
        #expect(try manager.fetchAll(Note.self).map(\.text) == ["7"])
        #expect(try manager.schemaPlan(for: [Note.self]).isEmpty)
        #expect(try manager.stored("SELECT TEXT FROM temp.NOTED") == "temporary")
        #expect(try manager.stored("SELECT count(*) FROM temp.sqlite_schema WHERE type = 'index'") == 0)
    }

    @Test("is that of another class, which names the database", .local(.attachedDatabases)) func named() throws {
        let manager = try manager()
        let types: [PersistingModel.Type] = [Note.self, OldNote.self, Draft.self]
        for type in types { #expect(try manager.createTableIfNecessary(for: type)) }
        for type in types { #expect(try !manager.createTableIfNecessary(for: type)) }
        let (note, old, draft) = (Note(), OldNote(), Draft())
        (note.text, old.text, draft.text) = ("new", "old", "draft")
        try manager.save([note, old, draft])
        #expect(try manager.fetchAll(OldNote.self, where: \.text == "old").count == 1)
        #expect(try manager.storedColumn("SELECT TEXT FROM archive.NOTED") == ["old"])
        #expect(try manager.storedColumn("SELECT TEXT FROM temp.NOTED") == ["draft"])
        #expect(try manager.storedColumn("SELECT TEXT FROM main.NOTED") == ["new"])
        try old.update(\.text, to: "older")
        try manager.delete(draft)
        #expect(try manager.find(OldNote.self, 1)?.text == "older")
        #expect(try manager.count(Draft.self) == 0 && manager.count(Note.self) == 1)
        #expect(try manager.schemaPlan(for: types).isEmpty)
        #expect(try manager.groups(OldNote.rows, by: .key(\.text), computing: .count).count == 1)
    }

    @Test("of a class that names the database is created, changed and dropped by plans", .local(.attachedDatabases))
    func namedPlans() throws {
        let manager = try manager("CREATE TABLE main.\(table); CREATE TABLE archive.OTHER (X)")
        try manager.updateSchema(for: [OldNote.self])
        try manager.insert(OldNote.self, values: ["text": "old"])
        let plan = try manager.schemaPlan(for: [WiderOldNote.self])
        #expect(Set(plan.steps.map(\.table)) == ["archive.NOTED"])
        #expect(plan.notes.map(\.name).contains("archive.OTHER"))
        try manager.apply(plan, allowing: .rewrites)
        #expect(try manager.fetchAll(WiderOldNote.self).map(\.text) == ["old"])
        #expect(try manager.schemaPlan(for: [WiderOldNote.self]).isEmpty)
        #expect(try manager.stored("SELECT count(*) FROM pragma_table_info('NOTED', 'main')") == 2)
        try manager.updateSchema(
            for: [OldNote.self], dropping: ["archive.NOTED.AUTHOR", "archive.OTHER"], allowing: .loses)
        #expect(try manager.stored("SELECT count(*) FROM archive.sqlite_schema WHERE name = 'OTHER'") == 0)
        #expect(try manager.stored("SELECT count(*) FROM pragma_table_info('NOTED', 'archive')") == 3)
    }

    @Test("may be related to others of its database", .local(.attachedDatabases)) func relations() throws {
        let manager = try manager("CREATE TEMP TABLE NOTED_PAGE (X)")
        try manager.updateSchema(for: [Page.self, Book.self])
        let book = try manager.insert(Book.self, values: ["title": "Momo"])
        for number in 1...3 { try manager.insert(Page.self, values: ["bookID": book.id, "number": number]) }
        #expect(try book.related(Book.pages).count == 3)
        #expect(try manager.fetchAll(Book.self, where: .format("ANY pages.number > 2")).count == 1)
        #expect(try manager.fetchAll(Page.self, where: .format("book.title = 'Momo'")).count == 3)
        #expect(try manager.fetchAll(Book.self, sortedBy: "pages.@count desc").count == 1)
        #expect(try manager.fetchAll(Book.with(Book.pages)).count == 1)
        try manager.delete(book)
        #expect(try manager.count(Page.self) == 0)
        #expect(try manager.schemaPlan(for: [Page.self, Book.self]).isEmpty)
    }

    @Test("can't be what a foreign key of another database refers to", .local(.attachedDatabases)) func foreignKey()
        throws
    {
        let manager = try manager()
        try manager.createTableIfNecessary(for: Book.self)
        let error = failure { try manager.createTableIfNecessary(for: Stray.self) }
        #expect(error?.code == .invalidRelation)
        #expect(error?.message.contains("archive") == true)
    }

    @Test("that isn't attached is an error that says so", .local(.attachedDatabases)) func missing() throws {
        let manager = try newManager()
        let verbs: [(PersistenceManager) throws -> Void] = [
            { _ = try $0.count(OldNote.self) }, { try $0.save(OldNote()) },
            { try $0.createTableIfNecessary(for: OldNote.self) }, { try $0.updateSchema(for: [OldNote.self]) },
        ]
        for verb in verbs {
            let error = failure { try verb(manager) }
            #expect(error?.code == .noTable)
            #expect(error?.message.contains("no database is attached as archive") == true)
        }
    }

    @Test("is another one when another file is attached", .local(.attachedDatabases)) func reattached() throws {
        let manager = try manager()
        try manager.createTableIfNecessary(for: OldNote.self)
        try manager.save(OldNote())
        try manager.execute("DETACH archive")
        #expect(failure { try manager.count(OldNote.self) }?.code == .noTable)
        try manager.execute("ATTACH ':memory:' AS archive")
        #expect(failure { try manager.count(OldNote.self) }?.code == .noTable)
        #expect(try manager.createTableIfNecessary(for: OldNote.self))
        #expect(try manager.count(OldNote.self) == 0)
    }

    @Test("is found by each connection of a pool, and a file of its name stays as it is") func pool() throws {
        let directory = try TemporaryDirectory()
        let old = try PersistenceManager(path: directory.path("old.sqlite"))
        try old.createTableIfNecessary(for: Note.self)
        try old.save([Note(), Note()])
        var configuration = DatabaseConfiguration()
        let path = directory.path("old.sqlite")
        configuration.prepare = { db in try db.execute("ATTACH DATABASE \(path) AS archive") }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        #expect(try manager.createTableIfNecessary(for: Note.self))
        try manager.save(Note())
        #expect(try manager.count(OldNote.self) == 2 && manager.count(Note.self) == 1)
        #expect(try manager.deleteAll(Note.self) == 1)
        #expect(try old.count(Note.self) == 2)
    }
}
