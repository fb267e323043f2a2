import Foundation
import Persisting
import Testing

private final class Crate: PersistingModel {
    var id: Int64?
    var name = ""
    var weight: Int?

    static let boxes = ToMany(inverse: Box.crate)
    override class var relations: Relations { ["boxes": boxes] }
}

private final class Box: PersistingModel {
    var id: Int64?
    var crateID: Int64?
    var note: String?

    static let crate = ToOne(\Box.crateID, Crate.self)
    override class var relations: Relations { ["crate": crate] }

    override class var columns: Columns {
        var columns = super.columns
        columns["NOTE"] = .string.deferred
        return columns
    }
}

/// A verb in its asynchronous form, for an object that is in the table and a new one.
private struct AsyncVerb: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let writes: Bool
    let run: @Sendable (PersistenceManager, Crate, Box) async throws -> Void

    init(
        _ name: String, writes: Bool = false,
        _ run: @escaping @Sendable (PersistenceManager, Crate, Box) async throws -> Void
    ) {
        (testDescription, self.writes, self.run) = (name, writes, run)
    }

    static let all = [
        AsyncVerb("fetchAll") { m, _, _ in _ = try await m.fetchAll(Crate.self) },
        AsyncVerb("fetchAll(query)") { m, _, _ in _ = try await m.fetchAll(Query(Crate.self)) },
        AsyncVerb("fetchAll(sql)") { m, _, _ in _ = try await m.fetchAll(Crate.self, sql: "SELECT * FROM CRATE") },
        AsyncVerb("fetchOne") { m, _, _ in _ = try await m.fetchOne(Crate.self) },
        AsyncVerb("fetchPage") { m, _, _ in _ = try await m.fetchPage(Query(Crate.self), limit: 2) },
        AsyncVerb("find") { m, _, _ in _ = try await m.find(Crate.self, 1) },
        AsyncVerb("find(keys)") { m, _, _ in _ = try await m.find(Crate.self, keys: [1, 2]) },
        AsyncVerb("count") { m, _, _ in _ = try await m.count(Crate.self) },
        AsyncVerb("compute") { m, _, _ in _ = try await m.compute(Crate.rows, .count(distinct: \.name)) },
        AsyncVerb("exists") { m, _, _ in _ = try await m.exists(Crate.self) },
        AsyncVerb("sum") { m, _, _ in _ = try await m.sum(Query(Crate.self), \.weight) },
        AsyncVerb("average") { m, _, _ in _ = try await m.average(Query(Crate.self), \.weight) },
        AsyncVerb("max") { m, _, _ in _ = try await m.max(Query(Crate.self), \.weight) },
        AsyncVerb("values") { m, _, _ in _ = try await m.values(Query(Crate.self), \.name) },
        AsyncVerb("forEach") { m, _, _ in try await m.forEach(Query(Crate.self)) { _ in } },
        AsyncVerb("objects") { m, _, _ in for try await _ in m.objects(Query(Crate.self)) {} },
        AsyncVerb("refresh") { m, crate, _ in try await m.refresh(crate) },
        AsyncVerb("merge") { m, crate, _ in try await m.merge(crate) },
        AsyncVerb("load") { m, _, box in try await m.load([box], key: "note") },
        AsyncVerb("related") { _, crate, _ in _ = try await crate.related(Crate.boxes) },
        AsyncVerb("lastInserted") { m, _, _ in _ = try await m.lastInserted(Crate.self) },
        AsyncVerb("insert", writes: true) { m, _, _ in try await m.insert(Crate()) },
        AsyncVerb("insert(array)", writes: true) { m, _, _ in try await m.insert([Crate(), Crate()]) },
        AsyncVerb("insert(values)", writes: true) { m, _, _ in _ = try await m.insert(Crate.self, values: ["name": "a"])
        },
        AsyncVerb("insert(onConflict)", writes: true) { m, _, _ in _ = try await m.insert(Crate(), onConflict: .ignore)
        },
        AsyncVerb("save", writes: true) { m, crate, _ in
            crate.name = "b"
            try await m.save(crate)
        },
        AsyncVerb("save(array)", writes: true) { m, crate, _ in
            crate.name = "b"
            try await m.save([crate, Crate()])
        },
        AsyncVerb("update(keyPath)", writes: true) { _, crate, _ in try await crate.update(\.name, to: "b") },
        AsyncVerb("update(key)", writes: true) { _, crate, _ in try await crate.update(key: "name", to: "b") },
        AsyncVerb("update(query)", writes: true) { m, _, _ in
            _ = try await m.update(Query(Crate.self).where(\.name == "a"), set: ["name": "b"])
        },
        AsyncVerb("updateAll", writes: true) { m, _, _ in _ = try await m.updateAll(Crate.self, set: ["name": "b"]) },
        AsyncVerb("upsert", writes: true) { m, crate, _ in try await m.upsert(crate) },
        AsyncVerb("upsert(array)", writes: true) { m, crate, _ in try await m.upsert([crate]) },
        AsyncVerb("upsert(json)", writes: true) { m, _, _ in
            _ = try await m.upsertAll(Crate.self, json: Data(#"[{"id": 1, "name": "b"}]"#.utf8))
        },
        AsyncVerb("findOrCreate", writes: true) { m, _, _ in _ = try await m.findOrCreate(Crate.self, 7) },
        AsyncVerb("add", writes: true) { _, crate, _ in try await crate.add(Box(), to: Crate.boxes) },
        AsyncVerb("remove", writes: true) { _, crate, box in try await crate.remove(box, from: Crate.boxes) },
        AsyncVerb("replace", writes: true) { _, crate, _ in try await crate.replace(Crate.boxes, with: []) },
        AsyncVerb("importCSV", writes: true) { m, _, _ in
            _ = try await m.importCSV(Crate.self, contentsOf: Data("name\nb\n".utf8))
        },
        AsyncVerb("createTableIfNecessary", writes: true) { m, _, _ in
            _ = try await m.createTableIfNecessary(for: Crate.self)
        },
        AsyncVerb("delete", writes: true) { m, _, box in _ = try await m.delete(box) },
        AsyncVerb("delete(array)", writes: true) { m, _, box in _ = try await m.delete([box]) },
        AsyncVerb("delete(where)", writes: true) { m, _, _ in _ = try await m.delete(Crate.self, where: \.name == "a")
        },
        AsyncVerb("deleteAll", writes: true) { m, _, _ in _ = try await m.deleteAll(Box.self) },
        AsyncVerb("dropTable", writes: true) { m, _, _ in _ = try await m.dropTable(for: Box.self) },
    ]
}

// F16, F17
@Suite("An error of an access by an asynchronous verb") struct AsyncErrorTests {
    private let folder = try? TemporaryDirectory()

    private func filled(_ configuration: DatabaseConfiguration = .init()) throws -> (PersistenceManager, Crate, Box) {
        let path = try #require(folder).path()
        let manager = try PersistenceManager(.file(path), configuration: configuration)
        for type in [Crate.self, Box.self] as [PersistingModel.Type] { try manager.createTableIfNecessary(for: type) }
        let (crate, box) = (Crate(), Box())
        crate.name = "a"
        try manager.insert(crate)
        box.crateID = crate.id
        try manager.insert(box)
        return (manager, crate, box)
    }

    @Test("is one of Persisting with the code closed", arguments: AsyncVerb.all)
    private func closed(verb: AsyncVerb) async throws {
        let (manager, crate, box) = try filled()
        try await manager.close()
        let error = await asyncFailure { try await verb.run(manager, crate, box) }
        #expect(error?.code == .closed)
        #expect(error?.model != nil)
    }

    @Test("is one of Persisting with the code busy", arguments: AsyncVerb.all.filter(\.writes))
    private func busy(verb: AsyncVerb) async throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let (manager, crate, box) = try filled(configuration)
        let other = try Database(.file(try #require(folder).path()))
        try other.execute("BEGIN IMMEDIATE")
        let error = await asyncFailure { try await verb.run(manager, crate, box) }
        #expect(error?.code == .busy)
        try other.execute("ROLLBACK")
    }
}
