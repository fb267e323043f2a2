import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode

// F123
@Suite struct RelationDeclarationTests {
    @Test func `a to-one relation declares its foreign key, which cascades`() throws {
        #expect(
            try podManager().columnSQL("SHOW_ID", in: "EPISODE") == "SHOW_ID INTEGER REFERENCES SHOW ON DELETE CASCADE")
    }

    @Test func `a to-one relation declares an index of its foreign key`() throws {
        #expect(
            try Episode.createIndexStatements().map(\.sql) == [
                "CREATE INDEX EPISODE_SHOW_ID_INDEX ON EPISODE (SHOW_ID)"
            ])
    }

    @Test func `a foreign key that begins the primary key needs no index, and another does`() throws {
        #expect(
            try Pod.Tagging.createIndexStatements().map(\.sql) == [
                "CREATE INDEX TAGGING_TAG_ID_INDEX ON TAGGING (TAG_ID)"
            ])
    }

    @Test func `a class refers to itself`() throws {
        #expect(
            try podManager().columnSQL("MANAGER_ID", in: "WORKER")
                == "MANAGER_ID INTEGER REFERENCES WORKER ON DELETE SET NULL")
    }

    @Test func `a composite foreign key is a constraint of the table`() throws {
        #expect(
            try podManager().columnSQL("FOREIGN", in: "LINE")
                == "FOREIGN KEY (SHOP, ORDER_NUMBER) REFERENCES \"ORDER\" ON DELETE CASCADE")
    }

    @Test func `the rows of a parent go with it`() throws {
        let manager = try podManager()
        let show = Show("News")
        try manager.insert(show)
        try manager.insert(Episode("One", showID: show.id))
        try manager.delete(show)
        #expect(try manager.count(Episode.self) == 0)
    }

    @Test func `a relation that isn't enforced leaves the schema alone`() throws {
        final class Loose: PersistingModel {
            var id: Int64?
            var showID: Int64?
            static let show = ToOne(\Loose.showID, Show.self, isIndexed: false, isEnforced: false)
            override class var relations: Relations { ["show": show] }
        }
        #expect(try Loose.createTableStatement().sql.contains("REFERENCES") == false)
        #expect(try Loose.createIndexStatements().isEmpty)
    }

    @Test func `another unique property is referenced by name`() throws {
        final class Country: PersistingModel {
            var id: Int64?
            var code = ""
            override class var columns: Columns {
                var columns = super.columns
                columns["CODE"] = .string.unique
                return columns
            }
        }
        final class City: PersistingModel {
            var id: Int64?
            var countryCode: String?
            static let country = ToOne(\City.countryCode, Country.self, references: \Country.code, onUpdate: .cascade)
            override class var relations: Relations { ["country": country] }
        }
        let manager = try memoryManager(Country.self, City.self)
        #expect(
            try manager.columnSQL("COUNTRY_CODE", in: "CITY")
                == "COUNTRY_CODE TEXT REFERENCES COUNTRY (CODE) ON DELETE CASCADE ON UPDATE CASCADE")
    }

    @Test func `a plan adds foreign key and index to a table that is there, and then has nothing to do`() throws {
        let manager = try memoryManager(Show.self)
        try manager.run(
            """
            CREATE TABLE EPISODE (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '',
                SECONDS INTEGER NOT NULL DEFAULT 0, SHOW_ID INTEGER);
            INSERT INTO SHOW (ID, TITLE) VALUES (7, 'News');
            INSERT INTO EPISODE (TITLE, SHOW_ID) VALUES ('One', 7);
            """)
        try manager.apply(manager.schemaPlan(for: [Show.self, Episode.self]), allowing: .rewrites)
        #expect(try manager.schemaPlan(for: [Show.self, Episode.self]).isEmpty)
        #expect(try manager.fetchAll(Episode.self).map(\.showID) == [7])
        #expect(
            try manager.columnSQL("SHOW_ID", in: "EPISODE") == "SHOW_ID INTEGER REFERENCES SHOW ON DELETE CASCADE")
    }

    @Test func `a plan adds a composite foreign key, and names the rows without a parent`() throws {
        let manager = try memoryManager(Pod.Order.self)
        try manager.run(
            """
            CREATE TABLE LINE (ID INTEGER PRIMARY KEY, SHOP TEXT, ORDER_NUMBER INTEGER,
                ARTICLE TEXT NOT NULL DEFAULT '', QUANTITY INTEGER NOT NULL DEFAULT 1);
            INSERT INTO "ORDER" VALUES ('a', 1, '');
            INSERT INTO LINE (SHOP, ORDER_NUMBER) VALUES ('a', 1), ('a', NULL), ('b', 1);
            """)
        let error = #expect(throws: PersistenceError.self) {
            try manager.apply(manager.schemaPlan(for: [Pod.Order.self, Pod.Line.self]), allowing: .rewrites)
        }
        #expect(error?.code == .unfitRows)
        try manager.run("DELETE FROM LINE WHERE SHOP = 'b'")
        try manager.apply(manager.schemaPlan(for: [Pod.Order.self, Pod.Line.self]), allowing: .rewrites)
        #expect(try manager.schemaPlan(for: [Pod.Order.self, Pod.Line.self]).isEmpty)
        #expect(try manager.count(Pod.Line.self) == 2)
    }

    @Test func `an old table without the index is told from its class`() throws {
        let manager = try memoryManager(Show.self)
        try manager.run(
            """
            CREATE TABLE EPISODE (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '',
                SECONDS INTEGER NOT NULL DEFAULT 0, SHOW_ID INTEGER REFERENCES SHOW ON DELETE CASCADE);
            """)
        let error = #expect(throws: PersistenceError.self) { try manager.createTableIfNecessary(for: Episode.self) }
        #expect(error?.code == .schemaMismatch)
    }

    @Test func `classes whose relations lead to each other are used first by many threads at once`() async throws {
        final class Left: PersistingModel {
            var id: Int64?
            var rightID: Int64?
            static let right = ToOne(\Left.rightID, Right.self)
            static let rights = ToMany(inverse: Right.left)
            override class var relations: Relations { ["right": right, "rights": rights] }
        }
        final class Right: PersistingModel {
            var id: Int64?
            var leftID: Int64?
            static let left = ToOne(\Right.leftID, Left.self)
            static let lefts = ToMany(inverse: Left.right)
            override class var relations: Relations { ["left": left, "lefts": lefts] }
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<8 {
                group.addTask {
                    try index % 2 == 0 ? Left.createTableStatement().sql : Right.createTableStatement().sql
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts.count == 2)
    }

    @Test func `a relation with a condition on its own class stands in the list`() throws {
        final class Node: PersistingModel {
            var id: Int64?
            var size = 0
            var parentID: Int64?
            static let parent = ToOne(\Node.parentID, Node.self)
            static let large = ToMany(inverse: parent).where(\.size > 9)
            override class var relations: Relations { ["parent": parent, "large": large] }
        }
        #expect(try memoryManager(Node.self).count(Node.self) == 0)
    }

    @Test func `the schema's description has the foreign key`() throws {
        #expect(
            try Episode.schema().columns.first { $0.key == "showID" }?.definition
                == "INTEGER REFERENCES SHOW ON DELETE CASCADE")
    }
}
