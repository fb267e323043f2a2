import Foundation
import Persisting
import Testing

private final class Shelf: PersistingModel {
    var room = ""
    var number = 0
    var width: Double?
    var notes: String?

    override class var primaryKey: PrimaryKey { .composite("room", "number") }
    override class var columns: Columns {
        ["WIDTH": .double, "ROOM": .string, "NOTES": .string.deferred, "NUMBER": .int]
    }
}

private final class Line: PersistingModel {
    var text = ""
}

@Suite("The row that does not fit") struct RowKeyTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Shelf.self, User.self, Line.self)
        try manager.insert((1...150).map { (number: Int) in User(name: "\(number)", age: number) })
        try manager.run("UPDATE USER SET SCORE = 'x' WHERE ID = 80")
    }

    private func expect(_ error: PersistenceError?) {
        #expect(error?.code == .typeMismatch)
        #expect(error?.key == "score")
        #expect(error?.expected == "Double")
        #expect(error?.found == "TEXT")
        #expect(error?.rowKey == ["id": 80])
        #expect(error?.message.contains("SCORE") == true)
        #expect(error?.message.contains("ID = 80") == true)
    }

    @Test("is named by every way of reading objects", arguments: [true, false]) func objects(tracked: Bool) async throws
    {
        // F16, Settled 9
        let query = User.where(\.age > 0).sorted(by: \.id)
        expect(failure { try manager.fetchAll(query, tracked: tracked) })
        expect(failure { try manager.fetchOne(User.self, where: \.age == 80) })
        expect(failure { try manager.find(User.self, 80) })
        expect(failure { try manager.find(User.self, keys: [3, 80]) })
        expect(failure { try manager.forEach(query, tracked: tracked) { _ in } })
        expect(failure { try manager.sections(query, by: \.id).count })
        expect(failure { try manager.fetchPage(query, limit: 100) })
        expect(await asyncFailure { try await manager.fetchAll(query, tracked: tracked).count })
        expect(await asyncFailure { try await manager.forEach(query) { _ in } })
        expect(
            await asyncFailure {
                for try await _ in manager.objects(query, tracked: tracked) {}
            })
    }

    @Test("is named where values are read, if its key is among them") func values() async throws {
        // F16
        let query = User.where(\.age > 0)
        expect(failure { try manager.select(query, \.score, \.id) })
        expect(failure { try manager.dictionaries(query) })
        expect(await asyncFailure { try await manager.select(query, \.id, \.score).count })
        expect(await asyncFailure { try await manager.dictionaries(query).count })
        let error = failure { try manager.values(query, \.score) }
        #expect(error?.key == "score")
        #expect(error?.rowKey == nil)
    }

    @Test("is named by a composite key, in whatever columns, deferred ones between them") func composite() throws {
        // F16, F38
        try manager.run("INSERT INTO SHELF (ROOM, NUMBER, WIDTH, NOTES) VALUES ('north', 7, X'01', 'a')")
        let error = failure { try manager.fetchAll(Shelf.self) }
        #expect(error?.key == "width")
        #expect(error?.rowKey == ["room": "north", "number": 7])
        #expect(error?.message.contains("ROOM = 'north' AND NUMBER = 7") == true)
    }

    @Test("is named when a deferred property is loaded") func load() async throws {
        // F16
        try manager.run("INSERT INTO SHELF (ROOM, NUMBER, NOTES) VALUES ('north', 7, X'01')")
        let shelf = try #require(try loaded())
        let error = failure { try shelf.load(\.notes) }
        #expect(error?.key == "notes")
        #expect(error?.rowKey == ["room": "north", "number": 7])
        #expect(await asyncFailure { try await shelf.load(\.notes) }?.rowKey == error?.rowKey)
        #expect(shelf.notes == nil)
    }

    private func loaded() throws -> Shelf? { try manager.fetchOne(Shelf.self) }

    @Test("is named by a key that does not fit itself") func key() throws {
        // F16
        try manager.run("INSERT INTO SHELF (ROOM, NUMBER) VALUES ('north', 'seven')")
        #expect(failure { try manager.fetchAll(Shelf.self) }?.rowKey == ["room": "north", "number": "seven"])
    }

    @Test("is not named where the class has no key, nor by an error of no row") func none() throws {
        // F16
        try manager.run("INSERT INTO LINE (TEXT) VALUES (X'FF')")
        let error = failure { try manager.fetchAll(Line.self) }
        #expect(error?.key == "text")
        #expect(error?.rowKey == nil)
        #expect(failure { try manager.count(User.self, where: ["nothing": 1]) }?.rowKey == nil)
    }
}
