import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private class Twice: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [TwiceOne.self, TwiceTwo.self] }
}

private final class TwiceOne: Twice {
    override class var kind: String { "One" }
}

private final class TwiceTwo: Twice {
    override class var kind: String { "One" }
}

private class Foreign: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [Gallery.Book.self] }
}

private class Sized: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [SizedOne.self, SizedTwo.self] }
}

private final class SizedOne: Sized { var size = 0 }
private final class SizedTwo: Sized { var size = "" }

private class Kinded: PersistingModel {
    var id: Int64?
    var kind = ""
    override class var subclasses: [PersistingModel.Type] { [KindedOne.self] }
}

private final class KindedOne: Kinded {}

private class Keyed: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [KeyedOne.self] }
}

private final class KeyedOne: Keyed {
    var code = ""
    override class var primaryKey: PrimaryKey { .assigned("code") }
}

private class Lenient: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [LenientOne.self] }
    override class var kindColumn: String { "type" }
    override class var unknownKind: UnknownKind { .asBase }
}

private final class LenientOne: Lenient {}

private class Skipping: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [SkippingOne.self] }
    override class var unknownKind: UnknownKind { .skipped }
}

private final class SkippingOne: Skipping {}

private class Owner: PersistingModel {
    var id: Int64?
}

private class Thing: PersistingModel {
    var id: Int64?
    override class var subclasses: [PersistingModel.Type] { [Owned.self] }
}

private final class Owned: Thing {
    var ownerID: Int64?
    static let owner = ToOne(\Owned.ownerID, Owner.self)
    override class var relations: Relations { ["owner": owner] }
}

@Suite("The table of several classes")
struct HierarchySchemaTests {
    // F124

    @Test("It has the columns of all classes, nullable those of subclasses, and the kind")
    func createTable() throws {
        let schema = try Gallery.Attachment.schema()
        #expect(
            schema.createTable == """
                CREATE TABLE ATTACHMENT (
                    ID INTEGER PRIMARY KEY,
                    TITLE TEXT NOT NULL DEFAULT '',
                    KIND TEXT NOT NULL DEFAULT 'Attachment',
                    WIDTH INTEGER,
                    CAMERA TEXT,
                    SECONDS REAL,
                    ANGLE REAL
                )
                """)
        #expect(
            schema.createIndexes == [
                "CREATE INDEX ATTACHMENT_KIND_INDEX ON ATTACHMENT (KIND)",
                "CREATE INDEX ATTACHMENT_WIDTH_INDEX ON ATTACHMENT (WIDTH)",
            ])
    }

    @Test(
        "Each class says the same table",
        arguments: [Gallery.Attachment.self, Gallery.Photo.self, Gallery.Panorama.self, Gallery.Clip.self])
    func sameTable(type: PersistingModel.Type) throws {
        let manager = try memoryManager(type)
        let all = [Gallery.Attachment.self, Gallery.Photo.self, Gallery.Panorama.self, Gallery.Clip.self]
        for other in all {
            #expect(try manager.schemaPlan(for: [other]).isEmpty)
            #expect(try !manager.createTableIfNecessary(for: other))
        }
        #expect(try manager.schemaPlan(for: all).isEmpty)
        #expect(type.tableName == "ATTACHMENT")
    }

    @Test("A table without the kind is rejected with the remedy, which gives its rows the kind of the base class")
    func existingTable() throws {
        let manager = try memoryManager(Gallery.Plain.self)
        let plain = try manager.insert(Gallery.Plain.self, values: ["title": "a"])
        let error = failure { try manager.createTableIfNecessary(for: Gallery.Book.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("it has no column KIND (ALTER TABLE ITEM ADD COLUMN KIND") == true)
        let fetch = failure { try manager.fetchAll(Gallery.Item.self) }
        #expect(fetch?.code == .missingColumn && fetch?.message.contains("schemaPlan") == true)
        let plan = try manager.schemaPlan(for: [Gallery.Book.self])
        #expect(plan.steps.allSatisfy { $0.risk == .adds })
        try manager.apply(plan)
        #expect(try manager.find(Gallery.Item.self, plain.id)?.title == "a")
    }

    @Test("A subclass that comes later adds its columns")
    func laterSubclass() throws {
        let manager = try memoryManager(Gallery.Item.self)
        try manager.insert(Gallery.Book.self, values: ["title": "a", "pages": 3])
        let plan = try manager.schemaPlan(for: [Gallery.LaterItem.self])
        #expect(plan.steps.flatMap(\.sql) == ["ALTER TABLE ITEM ADD COLUMN TRACKS INTEGER"])
        #expect(plan.steps.allSatisfy { $0.risk == .adds })
        try manager.apply(plan)
        #expect((try manager.fetchAll(Gallery.LaterItem.self).first as? Gallery.LaterBook)?.pages == 3)
    }

    @Test("Two classes of one kind are rejected")
    func sameKind() throws {
        let error = failure { try Twice.schema() }
        #expect(error?.code == .invalidModel)
        #expect(error?.message == "the kind \"One\" is that of TwiceOne, too: override kind in one of them")
    }

    @Test("A listed class that doesn't inherit is rejected")
    func notInheriting() throws {
        let error = failure { try Foreign.schema() }
        #expect(error?.message == "subclasses lists Book, which doesn't inherit from Foreign")
    }

    @Test("Columns of one name that are declared differently are rejected")
    func differentColumns() throws {
        let error = failure { try SizedOne.schema() }
        #expect(error?.model == "SizedTwo" && error?.key == "size")
        #expect(
            error?.message
                == "another subclass of Sized declares the column SIZE as SIZE INTEGER: declare the property in Sized, or "
                + "give it a column of its own")
    }

    @Test("A property with the kind's column is rejected")
    func kindProperty() throws {
        #expect(failure { try Kinded.schema() }?.key == "kind")
    }

    @Test("A subclass with another key is rejected")
    func otherKey() throws {
        #expect(
            failure { try Keyed.schema() }?.message
                == "the primary key isn't that of Keyed, in whose table the class is kept: leave it to Keyed")
    }

    @Test("Rows of unknown kinds become objects of the base class, which keep their kind")
    func asBase() throws {
        let manager = try memoryManager(Lenient.self)
        try manager.run("INSERT INTO LENIENT (ID, type) VALUES (1, 'Other'), (2, 'LenientOne')")
        let all = try manager.fetchAll(Lenient.self, sortedBy: "id")
        #expect(all.map { type(of: $0) == LenientOne.self } == [false, true])
        try manager.refresh(all[0])
        try manager.update(all[0])
        #expect(try manager.stored("SELECT type FROM LENIENT WHERE ID = 1") == "Other")
    }

    @Test("Rows of unknown kinds are left out of fetches and counts")
    func skipped() throws {
        let manager = try memoryManager(Skipping.self)
        try manager.run("INSERT INTO SKIPPING (KIND) VALUES ('Other'), ('SkippingOne'), ('Skipping')")
        #expect(try manager.fetchAll(Skipping.self).count == 2)
        #expect(try manager.count(Skipping.self) == 2)
        #expect(try manager.find(Skipping.self, 1) == nil)
    }

    @Test("A relation of a subclass adds its foreign key to the table, whichever class is asked")
    func relations() throws {
        for type in [Thing.self, Owned.self] {
            let schema = try type.schema()
            #expect(schema.createTable.contains("OWNER_ID INTEGER REFERENCES OWNER ON DELETE CASCADE"))
            #expect(schema.createIndexes.contains("CREATE INDEX THING_OWNER_ID_INDEX ON THING (OWNER_ID)"))
        }
    }

    @Test("The classes store and read what their objects hold")
    func selfTest() throws {
        #expect(try PersistenceManager.selfTest(Gallery.Attachment.self) == [])
        #expect(try PersistenceManager.selfTest(Gallery.Photo.self) == [])
        #expect(try PersistenceManager.selfTest(Gallery.Panorama.self) == [])
        #expect(try PersistenceManager.selfTest(Gallery.Clip.self) == [])
    }

    @Test("SQLite prefers the index of a condition or an order to that of the kind", .local(.connection))
    func plans() throws {
        let manager = try Gallery.manager()
        func plan(_ query: Query<Gallery.Photo>) throws -> String {
            let sql = try query.selectStatement()
            return try manager.database.read { db in
                try db.queryPlan(of: sql).description
            }
        }
        #expect(try plan(Gallery.Photo.where(\.width == 1)).contains("ATTACHMENT_WIDTH_INDEX"))
        #expect(try plan(Gallery.Photo.where(\.width > 1)).contains("ATTACHMENT_WIDTH_INDEX"))
        #expect(try plan(Query(Gallery.Photo.self)).contains("ATTACHMENT_KIND_INDEX"))
    }

    @Test("A change of a subclass's row wakes who observes the base class", .local(.connection))
    func observation() async throws {
        let manager = try Gallery.manager()
        var values = manager.observe(Query(Gallery.Attachment.self).sorted(by: \.id)).makeAsyncIterator()
        #expect(try await values.next()?.count == 4)
        try await manager.insert(Gallery.Photo("new", width: 1))
        #expect(try await values.next()?.last is Gallery.Photo)
    }

    @Test("A change gives an object of the row's own class", .local(.heldConnection))
    func change() async throws {
        let manager = try Gallery.manager()
        let (names, words) = AsyncStream<String>.makeStream()
        let token = manager.onChange(of: Gallery.Attachment.self) { change in
            words.yield((try? change.object()).flatMap(\.self).map { "\(type(of: $0))" } ?? "none")
        }
        try await manager.insert(Gallery.Clip("new", seconds: 1))
        var iterator = names.makeAsyncIterator()
        #expect(await iterator.next() == "Clip")
        token.cancel()
    }

    @Test("A live object stands for its row, fetched by whichever class") @MainActor
    func live() throws {
        let manager = try Gallery.manager()
        let live = LiveObjects(in: manager)
        let photo = try live.find(Gallery.Photo.self, 2)
        #expect(try live.find(Gallery.Attachment.self, 2) === photo)
    }

    @Test("A results controller has objects of the classes", .local(.connection)) @MainActor
    func controller() throws {
        let manager = try Gallery.manager()
        let results = FetchedResultsController(Query(Gallery.Attachment.self).sorted(by: \.id), in: manager)
        try results.fetch()
        #expect(results.objects.map { "\(type(of: $0))" } == ["Attachment", "Photo", "Panorama", "Clip"])
    }
}
