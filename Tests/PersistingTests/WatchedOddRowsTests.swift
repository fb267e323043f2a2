import Foundation
import Persisting
import SQLiteKit
import Testing

private final class OddPlace: PersistingModel {
    var text = ""
    override class var tableName: String { "ODD_PLACE" }
    override class var primaryKey: PrimaryKey { .rowID }
}

private final class OddPrice: PersistingModel {
    var item = 0
    var region: String?
    var amount = 0
    override class var tableName: String { "ODD_PRICE" }
    override class var primaryKey: PrimaryKey { .composite("item", "region") }
}

private final class OddDocument: PersistingModel {
    var id = UUID()
    var title = ""
    override class var tableName: String { "ODD_DOCUMENT" }
}

@MainActor
@Suite("Rows that others move, double or replace are watched") struct WatchedOddRowsTests {
    // F67, F120, F122

    private func until(_ isSo: () throws -> Bool) async rethrows {
        while try !isSo() { await Task.yield() }
    }

    @Test("Live objects notice that VACUUM has moved their rows") func moved() async throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try await manager.createTableIfNecessary(for: OddPlace.self)
        for text in ["a", "b", "c"] { try await manager.insert(OddPlace.self, values: ["text": text]) }
        let live = LiveObjects(in: manager)
        let places = try await live.fetchAll(OddPlace.sorted(by: \.text))
        try await manager.execute("DELETE FROM ODD_PLACE WHERE TEXT = 'a'")
        try await manager.execute("VACUUM")
        await until { live.error(of: places[1]) != nil }
        #expect((live.error(of: places[1]) as? PersistenceError)?.code == .rowsMoved)
        #expect(places.map(\.text) == ["a", "b", "c"])
        #expect(try await live.fetchAll(OddPlace.sorted(by: \.text)).map(\.text) == ["b", "c"])
    }

    @Test("A live row with a NULL in its key that is there twice doesn't end the others", .local(.connection))
    func doubled() async throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE ODD_PRICE (ITEM INT, REGION TEXT, AMOUNT INT NOT NULL, PRIMARY KEY (ITEM, REGION));
                INSERT INTO ODD_PRICE (ITEM, AMOUNT) VALUES (1, 1), (2, 1)
                """)
        let live = LiveObjects(in: manager)
        let prices = try await live.fetchAll(OddPrice.sorted(by: \.item))
        try await manager.execute("INSERT INTO ODD_PRICE (ITEM, AMOUNT) VALUES (1, 5)")
        await until { live.error(of: prices[0]) != nil }
        try await manager.execute("UPDATE ODD_PRICE SET AMOUNT = 9 WHERE ITEM = 2")
        await until { prices[1].amount == 9 }
        #expect(prices[0].amount == 1)
    }

    @Test("A live object whose row is gone is a row's that gets its key", .local(.connection))
    func taken() async throws {
        let manager = try memoryManager(User.self)
        for name in ["a", "b"] { try await manager.insert(User.self, values: ["name": name]) }
        let live = LiveObjects(in: manager)
        let first = try #require(await live.find(User.self, 1))
        try await manager.execute("DELETE FROM USER WHERE ID = 1")
        await until { first.isDeleted }
        try await manager.execute("UPDATE USER SET ID = 1 WHERE ID = 2")
        await until { !first.isDeleted }
        #expect(first.name == "b")
    }

    @Test("A change gives no object of a row that has the number of a deleted one", .local(.connection))
    func numbered() async throws {
        let manager = try memoryManager(OddDocument.self)
        let changes = Shared<[ModelChange<OddDocument>]>([])
        let token = manager.onChange(of: OddDocument.self) { change in changes.change { $0.append(change) } }
        let document = try await manager.insert(OddDocument.self, values: ["title": "a"])
        try await manager.execute("DELETE FROM ODD_DOCUMENT")
        try await manager.insert(OddDocument.self, values: ["title": "b"])
        await until { changes.value.count == 3 }
        #expect(try changes.value.map { try $0.object()?.title } == [nil, nil, "b"])
        token.cancel()
        _ = document
    }

    @Test("A handler that another one adds is heard by that one", .local(.connection)) func nested() async throws {
        let manager = try memoryManager(User.self, OddDocument.self)
        let (count, inner) = (Shared(0), Shared<ChangeToken?>(nil))
        let outer = manager.onChange(of: User.self) { _ in
            count.change { $0 += 1 }
            guard inner.value == nil else { return }
            let token = manager.onChange(of: OddDocument.self) { _ in
                try? manager.run("INSERT INTO USER (NAME, IS_ACTIVE, SCORE) VALUES ('b', 1, 0)")
            }
            inner.change { $0 = token }
        }
        try await manager.insert(User(name: "a"))
        await until { inner.value != nil }
        try await manager.insert(OddDocument())
        await until { count.value == 2 }
        outer.cancel()
    }

    @Test("A commit in the access of its ATTACH is heard by others of the file, under each name")
    func attached() async throws {
        let directory = try TemporaryDirectory()
        let other = try PersistenceManager(path: directory.path("b.sqlite"))
        try await other.createTableIfNecessary(for: User.self)
        let (heard, named) = (Shared(0), Shared(0))
        let token = other.onChange(of: User.self) { _ in heard.change { $0 += 1 } }
        let path = directory.path("a.sqlite")
        let managers = try [PersistenceManager(path: path), PersistenceManager(path: path)]
        try await managers[0].database.withoutTransaction { db in
            try db.execute("ATTACH \(directory.path("b.sqlite")) AS x")
            try db.execute("INSERT INTO x.USER (NAME, IS_ACTIVE, SCORE) VALUES ('a', 1, 0)")
        }
        await until { heard.value > 0 }

        try await managers[1].execute("ATTACH \(directory.path("b.sqlite")) AS y")
        let commits = managers[1].changes()
        let loop = Task {
            for try await commit in commits where commit.tables?.values.contains(where: { $0.schema == "y" }) ?? true {
                named.change { $0 += 1 }
            }
        }
        while named.value == 0 {
            try await managers[0].execute("INSERT INTO x.USER (NAME, IS_ACTIVE, SCORE) VALUES ('b', 1, 0)")
            await Task.yield()
        }
        loop.cancel()
        token.cancel()
    }
}
