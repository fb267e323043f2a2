import Persisting
import Testing

private class Call: PersistingModel {
    var id: Int64?
    var name = ""
    override class var subclasses: [PersistingModel.Type] { [Visit.self, Letter.self] }
}

private final class Visit: Call {
    var minutes = 0
}

private final class Letter: Call {
    var pages: Int?
}

private class Seed: PersistingModel {
    var id: Int64?
    var name = ""
    var count = 0
    override class var tableName: String { "GROUPED_SEED" }
}

private final class StoredSeed: Seed {
    override class var schemaName: String? { "archive" }
}

// F32, F12, F124
@Suite("Arrays whose rows share a table with others, or are in another file") struct GroupedPlacesTests {
    private let log = SQLLog()

    private func calls() -> [Call] {
        (0..<96).map { number in
            let call =
                switch number / 16 % 3 {
                case 0: Call()
                case 1: Visit()
                default: Letter()
                }
            call.name = "\(number)"
            (call as? Visit)?.minutes = number
            (call as? Letter)?.pages = number % 2 == 0 ? nil : number
            return call
        }
    }

    private func described(_ calls: [Call]) -> [String] {
        calls.map { call in
            "\(type(of: call)) \(call.name) \((call as? Visit)?.minutes ?? -1) \((call as? Letter)?.pages ?? -1)"
        }
    }

    private func insertions(since first: Int) -> [String] {
        log.texts[first...].filter { $0.hasPrefix("INSERT") }
    }

    @Test("insert objects of a hierarchy's classes in few statements, each row with its own kind", .local(.connection))
    func insertedHierarchy() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Call.self)
        let (calls, before) = (calls(), log.texts.count)
        try manager.insert(calls)
        #expect(insertions(since: before).count < 24)
        #expect(calls.compactMap(\.id) == (1...96).map(Int64.init))
        #expect(described(try manager.fetchAll(Call.self, sortedBy: "id")) == described(calls))
    }

    @Test("save objects of a hierarchy's classes, each by its own columns") func savedHierarchy() throws {
        let manager = try memoryManager(Call.self)
        let calls = calls()
        try manager.insert(calls)
        for call in calls {
            call.name += "!"
            (call as? Visit)?.minutes += 1
            (call as? Letter)?.pages = 3
        }
        try manager.save(calls)
        #expect(described(try manager.fetchAll(Call.self, sortedBy: "id")) == described(calls))
    }

    @Test("delete objects of a hierarchy's classes, and no others of their table") func deletedHierarchy() throws {
        let manager = try memoryManager(Call.self)
        let calls = calls()
        try manager.insert(calls)
        let gone = calls.filter { $0 is Visit } + calls.filter { $0 is Letter }
        #expect(try manager.delete(gone) == gone.count)
        let left = try manager.fetchAll(Call.self, sortedBy: "id")
        #expect(described(left) == described(calls.filter { !gone.contains($0) }))
    }

    @Test("a row that is gone is named by its own class") func missingOfHierarchy() throws {
        let manager = try memoryManager(Call.self)
        let calls = calls()
        try manager.insert(calls)
        try manager.execute("DELETE FROM CALL WHERE ID = 20")
        for call in calls { call.name = "new" }
        let error = failure { try manager.save(calls) }
        #expect(error?.code == .notFound && error?.model == "Visit")
        #expect(try manager.count(Call.self, where: \.name == "new") == 0)
    }

    @Test(
        "rows in an attached file are written in few statements, and those of the same table in main stay",
        .local(.attachedDatabases))
    func attached() throws {
        let manager = try log.manager()
        try manager.execute("ATTACH ':memory:' AS archive")
        try manager.createTableIfNecessary(for: Seed.self)
        try manager.createTableIfNecessary(for: StoredSeed.self)
        func make<Model: Seed>(_ type: Model.Type) -> [Model] {
            (0..<40).map { number in
                let seed = type.init()
                (seed.name, seed.count) = ("\(type) \(number)", number)
                return seed
            }
        }
        let (own, stored, before) = (make(Seed.self), make(StoredSeed.self), log.texts.count)
        try manager.insert(own)
        try manager.insert(stored)
        #expect(insertions(since: before).count < 20)
        for seed in stored { seed.count += 100 }
        try manager.save(stored)
        #expect(try manager.delete(Array(stored.prefix(30))) == 30)
        #expect(try manager.fetchAll(StoredSeed.self, sortedBy: "id").map(\.count) == Array(130..<140))
        #expect(try manager.fetchAll(Seed.self, sortedBy: "id").map(\.count) == Array(0..<40))
    }
}
