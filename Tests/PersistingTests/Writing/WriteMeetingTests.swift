import Foundation
import Persisting
import Testing

private final class Shelf: PersistingModel {
    var id: Int64?
    var name = ""

    static let items = ToMany(inverse: Item.shelf)
    override class var relations: Relations { ["items": items] }
}

private class Item: PersistingModel {
    var id: Int64?
    var shelfID: Int64?
    var title = ""

    static let shelf = ToOne(\Item.shelfID, Shelf.self, onDelete: .setNull)
    override class var columns: Columns { ["ID": .int, "SHELF_ID": .int, "TITLE": .string] }
    override class var relations: Relations { ["shelf": shelf] }
    override class var subclasses: [PersistingModel.Type] { [Picture.self] }
}

/// Has its columns in another order than the class above it.
private final class Picture: Item {
    var width = 0

    override class var columns: Columns { ["ID": .int, "WIDTH": .int, "TITLE": .string, "SHELF_ID": .int] }
}

private enum Size: Int, SQLiteValueConvertible { case small, large }

private final class Box: PersistingModel {
    var id: Int64?
    var width = 0
    var size = Size.small

    override class var columns: Columns {
        var columns = super.columns
        columns["SIZE"] = .int.property("size").generated(as: "WIDTH / 10")
        return columns
    }
}

private final class Leaf: PersistingModel {
    var id: Int64?
    var title = ""
    var gone = 0
}

private final class Priced: PersistingModel {
    var id: Decimal = 0
    var note = ""
}

@Suite("Writes with other features")
struct WriteMeetingTests {
    @Test("A foreign key that becomes NULL with its parent is noted by the subclass's own columns")
    func foreignKeyOfSubclass() throws {
        let manager = try memoryManager(Shelf.self, Item.self)
        let shelf = Shelf()
        try manager.insert(shelf)
        try manager.insert(Item.self, values: ["shelfID": shelf.id, "title": "item"])
        let title = "the title of a picture, which is long"
        try manager.insert(Picture.self, values: ["shelfID": shelf.id, "title": title, "width": 7])
        let items = try shelf.related(Shelf.items)
        #expect(items.count == 2)
        try manager.delete(shelf)
        #expect(items.map(\.shelfID) == [nil, nil])
        #expect(items.map(\.changedKeys) == [[], []])
        #expect((items.last as? Picture)?.width == 7 && items.last?.title == title)
    }

    @Test("A generated value that an enum can't have takes the update with it", arguments: [false, true])
    func generated(_ isSuspended: Bool) async throws {
        let manager = try memoryManager(Box.self)
        let box = Box()
        box.width = 5
        try await manager.insert(box)
        box.width = 50
        let new = Box()
        let error = await #expect(throws: PersistenceError.self) {
            if isSuspended { try await manager.save([box, new]) } else { try { try manager.save([box, new]) }() }
        }
        #expect(error?.code == .typeMismatch)
        #expect(try await manager.fetchAll(Box.self).map(\.width) == [5])
        #expect(box.changedKeys == ["width"] && !new.isPersisted)
    }

    @Test("An untracked object is written as a whole with the object that it waits for", arguments: [false, true])
    func untracked(_ isSuspended: Bool) async throws {
        let manager = try memoryManager(Shelf.self, Item.self)
        try await manager.insert(Item.self, values: ["title": "old"])
        let item = try #require(try await manager.fetchAll(Item.self, tracked: false).first)
        item.title = "new"
        try item.set(Item.shelf, to: Shelf())
        #expect(item.hasChanges)
        if isSuspended { try await manager.save(item) } else { try { try manager.save(item) }() }
        let stored = try #require(try await manager.fetchOne(Item.self))
        #expect(stored.title == "new" && stored.shelfID == 1)
    }

    @Test("A new related object that waits is a change")
    func waiting() throws {
        let manager = try memoryManager(Shelf.self, Item.self)
        try manager.insert(Item.self, values: ["title": "a"])
        let item = try #require(try manager.fetchOne(Item.self))
        #expect(!item.hasChanges)
        try item.set(Item.shelf, to: Shelf())
        #expect(item.hasChanges)
        try manager.save(item)
        #expect(!item.hasChanges)
    }

    @Test("An object whose row a trigger keeps has the row's values, tracked or not", arguments: [false, true])
    func kept(_ tracked: Bool) throws {
        let manager = try memoryManager(Leaf.self)
        try manager.run(
            """
            CREATE TRIGGER SOFT BEFORE DELETE ON LEAF BEGIN
                UPDATE LEAF SET GONE = 1 WHERE ID = OLD.ID; SELECT RAISE(IGNORE);
            END
            """)
        try manager.insert(Leaf.self, values: ["title": "a"])
        let leaf = try #require(try manager.fetchAll(Leaf.self, tracked: tracked).first)
        #expect(try !manager.delete(leaf))
        #expect(leaf.gone == 1)
        leaf.title = "b"
        try manager.save(leaf)
        #expect(try manager.storedColumn("SELECT TITLE || GONE FROM LEAF") == ["b1"])
    }

    @Test("The key of an untracked object stays as it is stored")
    func storedKey() throws {
        let manager = try memoryManager(Priced.self)
        try manager.run("INSERT INTO PRICED VALUES ('1.50', 'a')")
        let priced = try #require(try manager.fetchAll(Priced.self, tracked: false).first)
        for note in ["b", "c"] {
            priced.note = note
            try manager.save(priced)
            #expect(try manager.storedColumn("SELECT ID || NOTE FROM PRICED") == [.text("1.50" + note)])
        }
        priced.id = 2
        try manager.save(priced)
        #expect(try manager.storedColumn("SELECT ID || NOTE FROM PRICED") == ["2c"])
    }

    @Test("Objects are the same row by its key, whatever the property is set to")
    func sameRow() throws {
        let manager = try memoryManager(Leaf.self)
        for title in ["a", "b"] { try manager.insert(Leaf.self, values: ["title": title]) }
        let (leaves, others) = (try manager.fetchAll(Leaf.self), try manager.fetchAll(Leaf.self, tracked: false))
        leaves[0].id = 2
        #expect(leaves[0].isSameRow(as: others[0]))
        #expect(!leaves[0].isSameRow(as: others[1]))
    }
}
