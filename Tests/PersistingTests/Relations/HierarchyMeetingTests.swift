import Foundation
import Persisting
import Testing

/// Of another program's table, whose dates are texts.
private class Shot: PersistingModel {
    var id: Int64?
    var title: String?

    override class var tableName: String { "SHOT" }
    override class var kindColumn: String { "TYPE" }
    override class var unknownKind: UnknownKind { .asBase }
    override class var subclasses: [PersistingModel.Type] { [Still.self, Reel.self] }
}

private final class Still: Shot {
    var taken: Date?
    var size: Int?
    var width: Int?
    override class var kind: String { "still" }

    override class var columns: Columns {
        var columns = super.columns
        columns["STILL_SIZE"] = .int.property("size")
        return columns
    }
}

private final class Reel: Shot {
    var changedAt: Date?
    var size: Int?
    override class var kind: String { "reel" }

    override class var columns: Columns {
        var columns = super.columns
        columns["CHANGED_AT"] = .date.updated
        columns["REEL_SIZE"] = .int.property("size")
        return columns
    }
}

/// Of which a subclass defers what another fetches.
private class Paper: PersistingModel {
    var id: Int64?

    override class var subclasses: [PersistingModel.Type] { [Letter.self, Card.self] }
}

/// Of which the base fetches what a subclass defers.
private class Parcel: PersistingModel {
    var id: Int64?
    var text: String?

    override class var subclasses: [PersistingModel.Type] { [Box.self] }
}

private final class Box: Parcel {
    override class var columns: Columns {
        var columns = super.columns
        columns["TEXT"] = .string.deferred
        return columns
    }
}

private final class Letter: Paper {
    var text: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["TEXT"] = .string.deferred
        return columns
    }
}

private final class Card: Paper {
    var text: String?
}

@Suite("Class hierarchies with other features")
struct HierarchyMeetingTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(
            script: """
                CREATE TABLE SHOT (
                    ID INTEGER PRIMARY KEY, TITLE TEXT, TYPE TEXT NOT NULL, TAKEN TEXT, STILL_SIZE INTEGER,
                    CHANGED_AT TEXT, REEL_SIZE INTEGER, WIDTH INTEGER);
                INSERT INTO SHOT (ID, TYPE, TAKEN) VALUES
                    (1, 'still', '2001-01-01 00:00:00'), (2, 'still', '2024-01-01 00:00:00')
                """)
    }

    private func date(_ year: Int) throws -> Date {
        try #require(try? Date("\(year)-01-01T00:00:00Z", strategy: .iso8601))
    }

    @Test("A condition of the base by a subclass's dates finds what the subclass's own finds", .local(.valueForms))
    func dates() throws {
        let (middle, last) = (try date(2023), try date(2024))
        #expect(try manager.fetchAll(Still.self, where: .format("taken > %@", middle)).map(\.id) == [2])
        #expect(try manager.fetchAll(Shot.self, where: .format("taken > %@", middle)).map(\.id) == [2])
        #expect(try manager.fetchAll(Shot.self, where: .format("taken < %@", middle)).map(\.id) == [1])
        #expect(try manager.fetchAll(Shot.self, where: ["taken": last]).map(\.id) == [2])
        #expect(try manager.delete(Shot.where(.format("taken > %@", middle))) == 1)
        #expect(try manager.storedColumn("SELECT ID FROM SHOT") == [1])
    }

    @Test("A number that a subclass's property can't have is no row")
    func numbers() throws {
        try manager.run("UPDATE SHOT SET WIDTH = 3")
        #expect(try manager.count(Still.self, where: ["width": 1e30]) == 0)
        #expect(try manager.count(Shot.self, where: ["width": 1e30]) == 0)
        #expect(try manager.count(Shot.self, where: .format("width < 1e30")) == 2)
    }

    @Test("A row of an unknown kind is updated by an upsert of the object that it has become")
    func upsert() throws {
        try manager.run("INSERT INTO SHOT (ID, TYPE) VALUES (7, 'other')")
        let shot = try #require(try manager.find(Shot.self, 7))
        shot.title = "x"
        try manager.upsert(shot)
        #expect(try manager.storedColumn("SELECT TYPE || TITLE FROM SHOT WHERE ID = 7") == ["otherx"])
        try manager.importCSV(Shot.self, contentsOf: Data("id,title\n7,y\n".utf8), onConflict: .update(by: "id"))
        #expect(try manager.storedColumn("SELECT TYPE || TITLE FROM SHOT WHERE ID = 7") == ["othery"])
        let still = try #require(try manager.find(Still.self, 1))
        let other = Shot()
        other.id = still.id
        #expect(failure { try manager.upsert(other) }?.code == .notInserted)
    }

    @Test("An update of the base's rows sets the time in those of a subclass that has one", .local(.valueForms))
    func times() throws {
        try manager.run("INSERT INTO SHOT (ID, TYPE) VALUES (8, 'reel')")
        #expect(try manager.update(Shot.where(.format("id > 1")), set: ["title": "b"]) == 2)
        #expect(try manager.storedColumn("SELECT ID FROM SHOT WHERE CHANGED_AT IS NOT NULL") == [8])
        #expect(try #require(try manager.find(Reel.self, 8)).changedAt != nil)
    }

    @Test("The time of a subclass is written in the form that its table holds", .local(.valueForms))
    func formsOfTimes() throws {
        try manager.run("INSERT INTO SHOT (ID, TYPE, CHANGED_AT) VALUES (8, 'reel', '2024-01-01 00:00:00')")
        try manager.update(Shot.where(.format("id > 1")), set: ["title": "b"])
        #expect(
            try manager.storedColumn("SELECT CHANGED_AT GLOB '20[2-9][0-9]-*-* *:*:*' FROM SHOT WHERE ID = 8") == [1])
        #expect(try manager.storedColumn("SELECT count(*) FROM SHOT WHERE CHANGED_AT = '2024-01-01 00:00:00'") == [0])
    }

    @Test("A handler hears of a key in the columns of each subclass", .local(.connection))
    func handlers() async throws {
        try manager.run("INSERT INTO SHOT (ID, TYPE) VALUES (8, 'reel')")
        let (heard, keys) = AsyncStream.makeStream(of: SQLiteValue?.self)
        let token = manager.onChange(of: Shot.self, [.update("size")]) { keys.yield($0.key.first) }
        defer { token.cancel() }
        try await manager.update(Reel.where(\.id == 8), \.size, to: 2)
        try await manager.update(Still.where(\.id == 1), \.size, to: 3)
        var found: [SQLiteValue?] = []
        for await key in heard {
            found.append(key)
            if found.count == 2 { break }
        }
        #expect(found == [8, 1])
    }

    @Test("A column that a class defers, and a later one doesn't, is an error")
    func deferred() throws {
        let error = failure { try memoryManager(Paper.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains("defers") == true)
        let manager = try memoryManager(Parcel.self)
        try manager.insert(Box.self, values: ["text": "a"])
        #expect(try manager.fetchAll(Parcel.self).map(\.text) == ["a"])
    }
}
