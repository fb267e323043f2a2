import Foundation
import SQLiteKit
import Testing

@testable import Persisting

private final class Raffle: PersistingModel {
    var id: Int64?
    var name = ""
    var score: Int?
}

private final class Record: PersistingModel {
    var id: Int64?
    var artistID: Int64?
}

private final class Subscriber: PersistingModel {
    var id: Int64?
    var email = ""
}

private class Thing: PersistingModel {
    var id: Int64?
    var title = ""

    override class var subclasses: [PersistingModel.Type] { [Tune.self, Tome.self] }
    override class var tableName: String { "THING" }
}

private final class Tune: Thing {
    var day = Date(timeIntervalSince1970: 0)
}

private final class Tome: Thing {
    var pages = 0
}

private final class Trip: PersistingModel {
    var id: Int64?
    var start = 0
}

private final class Shift: PersistingModel {
    var id: Int64?
    var done = false
}

private final class Jotting: PersistingModel {
    var id: Int64?
    var text = ""
}

private final class JottingRow: PersistingModel {
    var id: Int64?
    var text: String?

    override class var tableName: String { "JOTTING" }
}

private final class Owner: PersistingModel {
    var id: Int64?
}

private final class Owned: PersistingModel {
    var id: Int64?
    var ownerID: Int64?

    override class var columns: Columns {
        var columns = super.columns
        columns["OWNER_ID"] = .int.references(Owner.self, onDelete: .setNull)
        return columns
    }
}

// F131
@Suite("Plans of tables that others have made") struct OddTablePlanTests {
    @Test("keep the sequence of an AUTOINCREMENT that stands after the columns") func sequence() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE RAFFLE (ID INTEGER, NAME TEXT NOT NULL DEFAULT '', SCORE TEXT, PRIMARY KEY(ID AUTOINCREMENT));
                INSERT INTO RAFFLE (NAME) VALUES ('a'), ('b'), ('c');
                DELETE FROM RAFFLE WHERE ID = 3;
                """)
        try manager.updateSchema(for: [Raffle.self], allowing: .rewrites)
        let new = try manager.insert(Raffle.self, values: ["name": "d"])
        #expect(new.id == 4)
    }

    @Test("don't drop a table that another would still refer to") func referred() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE ARTIST (ID INTEGER PRIMARY KEY);
                CREATE TABLE RECORD (ID INTEGER PRIMARY KEY, ARTIST_ID INTEGER REFERENCES ARTIST (ID));
                """)
        let error = try #require(throws: PersistenceError.self) {
            try manager.updateSchema(for: [Record.self], dropping: ["ARTIST"], allowing: .loses)
        }
        #expect(error.code == .constraint)
        #expect(error.message.contains("ARTIST_ID") || error.message.contains("artist_id"))
        try manager.insert(Record.self, values: ["artistID": nil])
    }

    @Test("create a table before the one that it refers to") func parentLater() throws {
        let manager = try memoryManager()
        try manager.updateSchema(for: [Owned.self])
        try manager.updateSchema(for: [Owner.self])
        try manager.insert(Owned.self, values: [:])
        #expect(try manager.count(Owned.self) == 1)
    }

    @Test("name the rows that would have the same of what is unique") func unique() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE SUBSCRIBER (ID INTEGER PRIMARY KEY, EMAIL TEXT UNIQUE ON CONFLICT REPLACE);
                INSERT INTO SUBSCRIBER (EMAIL) VALUES (NULL), (NULL), ('a');
                """)
        let plan = try manager.schemaPlan(for: [Subscriber.self])
        #expect(plan.obstacles.map(\.rows) == [2])
        #expect(throws: PersistenceError.self) {
            try manager.updateSchema(for: [Subscriber.self], allowing: .rewrites)
        }
        #expect(try manager.stored("SELECT count(*) FROM SUBSCRIBER") == 3)
    }

    @Test("let the rows of other classes do without a column that is a subclass's now") func moved() throws {
        let manager = try memoryManager(Thing.self)
        let created = try #require(try manager.tableSQL("THING"))
        try manager.run("DROP TABLE THING")
        try manager.run(created.replacing("DAY REAL", with: "DAY REAL NOT NULL"))
        try manager.updateSchema(for: [Thing.self], allowing: .rewrites)
        try manager.insert(Tome.self, values: ["title": "a", "pages": 3])
        #expect(try manager.count(Thing.self) == 1)
        #expect(try manager.schemaPlan(for: [Thing.self]).isEmpty)
    }

    @Test("drop a column with the checks of others that name it") func check() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE TRIP (ID INTEGER PRIMARY KEY, START INTEGER NOT NULL DEFAULT 0 CHECK (START < FINISH),
                FINISH INTEGER);
                INSERT INTO TRIP (START, FINISH) VALUES (1, 2);
                """)
        try manager.updateSchema(for: [Trip.self], dropping: ["TRIP.FINISH"], allowing: .loses)
        #expect(try manager.fetchAll(Trip.self).map(\.start) == [1])
        #expect(try manager.tableSQL("TRIP")?.contains("CHECK") == false)
    }

    @Test("drop a column without the checks that merely have its name for a word") func word() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE SHIFT (ID INTEGER PRIMARY KEY, DONE INTEGER NOT NULL DEFAULT 0, "END" INTEGER, X BLOB,
                CHECK (CASE WHEN DONE THEN 1 ELSE 1 END), CHECK (DONE IS NOT x'00'));
                """)
        try manager.updateSchema(for: [Shift.self], dropping: ["SHIFT.END", "SHIFT.X"], allowing: .loses)
        let sql = try #require(try manager.tableSQL("SHIFT"))
        #expect(sql.contains("CASE WHEN DONE THEN 1 ELSE 1 END"))
        #expect(sql.contains("x'00'"))
        #expect(!sql.contains("BLOB"))
    }

    @Test("find an unquoted column END, but not the end of a CASE") func names() {
        let text = SQLTokens("START < END AND CASE WHEN A THEN END ELSE 0 END > 1")
        let found = text.tokens.indices.filter { text.columnName(at: $0).map { isSameName($0, "end") } == true }
        #expect(found.map { text.text($0..<$0 + 1) } == ["END", "END"])
        #expect(found.last.map { text.tokens[$0 + 1].isWord("ELSE") } == true)
    }

    @Test("aren't made for classes of which one takes nil and another doesn't") func contradiction() throws {
        let manager = try memoryManager()
        let error = try #require(throws: PersistenceError.self) {
            try manager.updateSchema(for: [Jotting.self, JottingRow.self])
        }
        #expect(error.code == .invalidModel)
        #expect(error.key == "text")
    }

    @Test(
        "read a foreign key that has a name or a MATCH",
        arguments: [
            "CONSTRAINT fk REFERENCES OWNER (ID) ON DELETE SET NULL",
            "REFERENCES OWNER (ID) MATCH SIMPLE ON DELETE SET NULL",
        ])
    func foreignKey(clause: String) throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE OWNER (ID INTEGER PRIMARY KEY);
                CREATE TABLE OWNED (ID INTEGER PRIMARY KEY, OWNER_ID INTEGER \(clause));
                """)
        #expect(try manager.schemaPlan(for: [Owner.self, Owned.self]).steps.map(\.reason) == [])
    }
}
