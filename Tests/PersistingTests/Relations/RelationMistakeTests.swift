import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode

/// What is wrong with a class's relations is said when the class is first used.
// F123
@Suite struct RelationMistakeTests {
    private func mistake(_ type: PersistingModel.Type) throws -> String? {
        let manager = try memoryManager()
        let error = #expect(throws: PersistenceError.self) { try manager.createTableIfNecessary(for: type) }
        #expect(error?.code == .invalidRelation)
        return error?.description
    }

    @Test func `a key path without a column`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: Int64?
            var rank: Int64? { showID.map { $0 + 1 } }
            static let show = ToOne(\Item.rank, Show.self)
            override class var relations: Relations { ["show": show] }
        }
        #expect(
            try mistake(Item.self)?.hasSuffix("which isn't a property with a column; there is: id, showID") == true)
    }

    @Test func `a class without a key is related to`() throws {
        final class Keyless: PersistingModel { var name = "" }
        final class Item: PersistingModel {
            var id: Int64?
            var other: Int64?
            static let keyless = ToOne(\Item.other, Keyless.self)
            override class var relations: Relations { ["keyless": keyless] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.keyless: Keyless has no primary key: declare one, or name a unique property, ToOne(\\Item.other, "
                + "Keyless.self, references: \\Keyless.…)")
    }

    @Test func `another number of properties than the key has`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var shop: String?
            static let order = ToOne(\Item.shop, Pod.Order.self)
            override class var relations: Relations { ["order": order] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.order: the primary key of Order is shop, number, and the foreign key shop: name as many "
                + "properties, in the same order")
    }

    @Test func `another type than the key's`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: String?
            static let show = ToOne(\Item.showID, Show.self)
            override class var relations: Relations { ["show": show] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.show: showID is stored as TEXT, and Show.id as INTEGER: give both the same type")
    }

    @Test func `a property that isn't unique is referenced`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var title: String?
            static let show = ToOne(\Item.title, Show.self, references: \Show.title)
            override class var relations: Relations { ["show": show] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.show: Show.title isn't unique, so that no one row can be found by it: declare it .unique, or an "
                + "Index.unique")
    }

    @Test func `a foreign key that can't be NULL is to become NULL`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: Int64 = 0
            static let show = ToOne(\Item.showID, Show.self, onDelete: .setNull)
            override class var relations: Relations { ["show": show] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.show: onDelete: .setNull stores NULL, which showID can't hold: make it Optional, or choose "
                + "another action")
    }

    @Test func `the other class doesn't list the inverse`() throws {
        final class Part: PersistingModel {
            var id: Int64?
            var wholeID: Int64?
            static let whole = ToOne(\Part.wholeID, Whole.self)
        }
        final class Whole: PersistingModel {
            var id: Int64?
            static let parts = ToMany(inverse: Part.whole)
            override class var relations: Relations { ["parts": parts] }
        }
        #expect(
            try mistake(Whole.self)
                == "Whole.parts: its inverse isn't in Part.relations, so that the schema has neither its foreign key nor "
                + "its index: add it there, as in override class var relations: Relations { [\"whole\": …] }")
    }

    @Test func `another class's relation is listed`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            override class var relations: Relations { ["show": Episode.show] }
        }
        #expect(
            try mistake(Item.self) == "Item.show: the relation is one of Episode: list it in Episode.relations")
    }

    @Test func `a property has the relation's name`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var show: Int64?
            static let relation = ToOne(\Item.show, Show.self)
            override class var relations: Relations { ["show": relation] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.show: a property has this name, and conditions couldn't tell them apart: give the relation another"
        )
    }

    @Test func `a name with a dot`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: Int64?
            static let relation = ToOne(\Item.showID, Show.self)
            override class var relations: Relations { ["the.show": relation] }
        }
        #expect(
            try mistake(Item.self)
                == "Item.the.show: \"the.show\" can't be the name of a relation: dots, @, # and blanks mean something in "
                + "conditions")
    }

    @Test func `two relations of one name`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: Int64?
            static let relation = ToOne(\Item.showID, Show.self)
            override class var relations: Relations { ["show": relation, "show": relation] }
        }
        #expect(try mistake(Item.self) == "Item.show: relations has two of this name: give one another")
    }

    @Test func `a deferred foreign key`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: Int64?
            static let show = ToOne(\Item.showID, Show.self)
            override class var relations: Relations { ["show": show] }
            override class var columns: Columns {
                var columns = super.columns
                columns["SHOW_ID"] = .int.deferred
                return columns
            }
        }
        #expect(
            try mistake(Item.self)
                == "Item.show: showID is declared .deferred, so that objects don't know it: a foreign key is read with "
                + "its object")
    }

    @Test func `the columns say another reference`() throws {
        final class Item: PersistingModel {
            var id: Int64?
            var showID: Int64?
            static let show = ToOne(\Item.showID, Show.self)
            override class var relations: Relations { ["show": show] }
            override class var columns: Columns {
                var columns = super.columns
                columns["SHOW_ID"] = .int.references(Show.self, onDelete: .setNull)
                return columns
            }
        }
        #expect(
            try mistake(Item.self)
                == "Item.show: columns declares SHOW_ID REFERENCES SHOW ON DELETE SET NULL, and the relation REFERENCES "
                + "SHOW ON DELETE CASCADE: say it in one place")
    }

    @Test func `a class that takes its key from its table is related to`() throws {
        final class Found: PersistingModel {
            var id: Int64?
            override class var primaryKey: PrimaryKey { .fromSchema }
        }
        final class Item: PersistingModel {
            var id: Int64?
            var foundID: Int64?
            static let found = ToOne(\Item.foundID, Found.self)
            override class var relations: Relations { ["found": found] }
        }
        #expect(
            try mistake(Item.self)?.hasPrefix(
                "Item.found: Found takes its key from the table: name the property, ToOne")
                == true)
    }
}
