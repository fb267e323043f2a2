import Foundation
import Persisting
import Synchronization
import Testing

/// A list that has an element at all times.
private struct NonEmpty: Codable, Equatable, ExpressibleByArrayLiteral {
    var all: [String]
    init(arrayLiteral elements: String...) {
        precondition(!elements.isEmpty)
        all = elements
    }
}

private class Labelled: PersistingModel {
    var id: Int64?
    var title = ""
    var labels: NonEmpty = ["a"]
    var month = 1
    var days: Int { [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] }

    override class var columns: Columns {
        var columns = super.columns
        columns["LABELS"] = .json
        return columns
    }
}

private struct Frame: Codable, Equatable, SQLiteValueConvertible, Sendable {
    var tags: Set<String> = []
    var width = 0
}

private final class Framed: PersistingModel {
    var id: Int64?
    var title = ""
    var frame = Frame()
    var version = 0
    override class var versionKey: String? { "version" }
}

private final class Scanned: PersistingModel {
    var id: Int64?
    var title = ""
    var scan: Data?

    override class var columns: Columns {
        var columns = super.columns
        columns["SCAN"] = .data.deferred
        return columns
    }
}

private struct Quota: Codable, Equatable, Sendable {
    var name = ""
    var count = 0

    enum CodingKeys: String, CodingKey {
        case name
        case count = "the \"count\""
    }
}

private struct Preferences: Codable, Equatable, Sendable {
    var theme = "light"
    var quota: Quota?
}

private final class Visitor: PersistingModel {
    var id: Int64?
    var preferences = Preferences()

    override class var columns: Columns {
        var columns = super.columns
        columns["PREFERENCES"] = .json
        return columns
    }
}

private final class Errand: PersistingModel {
    var id: Int64?
    var name = ""
    var state: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["STATE"] = .string.default("open")
        return columns
    }
}

private final class Board: PersistingModel {
    var id: Int64?
    var name = ""
    static let pins = ToMany(inverse: Pin.board)
    override class var relations: Relations { ["pins": pins] }
}

private class Pin: PersistingModel {
    var id: Int64?
    var boardID: Int64?
    var title = ""
    static let board = ToOne(\Pin.boardID, Board.self, onDelete: .setNull)
    override class var relations: Relations { ["board": board] }
    override class var subclasses: [PersistingModel.Type] { [PhotoPin.self] }
}

private let updates = Mutex(0)

private final class PhotoPin: Pin {
    override func willUpdate() throws {
        MainActor.assertIsolated()
        updates.withLock { $0 += 1 }
    }
}

private class Work: PersistingModel {
    var id: Int64?
    var title = ""
    override class var subclasses: [PersistingModel.Type] { [Novel.self, Film.self] }
}

private final class Novel: Work {
    var pages = 0
}

private final class Film: Work {
    var minutes = 0
}

@Suite("Unusual classes")
struct OddModelTests {
    @Test("A type that rejects an empty list is never given one")
    func nonEmpty() throws {
        let manager = try memoryManager(Labelled.self)
        try manager.insert(Labelled.self, values: ["title": "x"])
        #expect(try manager.count(Labelled.self, where: \.title == "x") == 1)
    }

    @Test("A computed property isn't asked with values that its class may not have")
    func computed() throws {
        let manager = try memoryManager(Labelled.self)
        #expect(failure { try manager.count(Labelled.self, where: \.days == 31) }?.code == .unknownKey)
    }

    @Test("A set in a type that converts itself is no change when it is decoded again")
    func setInValue() throws {
        let manager = try memoryManager(Framed.self)
        let framed = Framed()
        framed.frame.tags = Set((0..<30).map { "tag \($0)" })
        try manager.insert(framed)
        for _ in 1...5 { #expect(try Framed(framed.snapshot()).changedKeys == []) }
        let mine = try #require(try manager.fetchOne(Framed.self))
        mine.frame.tags.insert("mine")
        #expect(try mine.changedKeys == ["frame"])
        try manager.execute("UPDATE FRAMED SET TITLE = 'theirs', VERSION = VERSION + 1")
        let conflict = failure { try manager.save(mine) }?.conflict
        #expect(conflict?.theirs.keys.sorted() == ["title"])
        try manager.merge(mine)
        try manager.save(mine)
        #expect(try manager.fetchOne(Framed.self)?.frame.tags.count == 31)
    }

    @Test("A deferred property that is saved remains, though a trigger rewrites the row", arguments: [true, false])
    func deferred(_ isUpdate: Bool) throws {
        let manager = try memoryManager(Scanned.self)
        try manager.run(
            "CREATE TRIGGER trimmed AFTER UPDATE ON SCANNED BEGIN UPDATE SCANNED SET TITLE = trim(TITLE) WHERE ID = new.ID; END"
        )
        try manager.insert(Scanned.self, values: ["title": "a"])
        let scanned = try #require(try manager.fetchOne(Scanned.self))
        scanned.title = " b "
        if isUpdate {
            try scanned.update(\.scan, to: Data([1]))
        } else {
            scanned.scan = Data([1])
            try manager.save(scanned)
            #expect(scanned.title == "b")
        }
        #expect(scanned.scan == Data([1]))
        scanned.scan = nil
        try manager.save(scanned)
        #expect(try manager.stored("SELECT SCAN FROM SCANNED") == .null)
        scanned.title = " c "
        try manager.save(scanned)
        #expect(scanned.title == "c" && scanned.scan == nil)
    }

    @Test("An update inside of what is nil in JSON leaves it nil")
    func insideOfNil() throws {
        let manager = try memoryManager(Visitor.self)
        let visitors = [Visitor(), Visitor()]
        visitors[0].preferences.quota = Quota(name: "a", count: 1)
        try manager.insert(visitors)
        try manager.updateAll(Visitor.self, set: ["preferences.quota.name": "b"])
        let quotas = try manager.fetchAll(Visitor.self, sortedBy: "id").map(\.preferences.quota)
        #expect(quotas == [Quota(name: "b", count: 1), nil])
        #expect(
            try manager.update(Visitor.where(\.preferences.theme == "light"), \.preferences.quota?.name, to: "c") == 2)
        #expect(try manager.count(Visitor.self, where: \.preferences.quota?.name == "c") == 1)
    }

    @Test("A key with quotation marks isn't looked for in what is no object")
    func awkwardKey() throws {
        let manager = try memoryManager(Visitor.self)
        let visitor = Visitor()
        visitor.preferences.quota = Quota(name: "a", count: 1)
        try manager.insert(visitor)
        try manager.run(#"INSERT INTO VISITOR VALUES (2, '{"theme":"x","quota":"plain"}')"#)
        #expect(try manager.count(Visitor.self, where: \.preferences.quota?.count == 1) == 1)
    }

    @Test("What nil has found is found again, whatever the column's default")
    func foundByNil() throws {
        let manager = try memoryManager(Errand.self)
        let first = try manager.findOrCreate(Errand.self, where: ["name": "a", "state": nil])
        #expect(first.state == nil)
        #expect(try manager.findOrCreate(Errand.self, where: ["name": "a", "state": nil]).id == first.id)
        #expect(try manager.findOrCreate(Errand.self, where: ["name": "b"]).state == "open")
    }

    @Test("An object twice among new ones is an error, also where something waits for it")
    func twice() async throws {
        let manager = try memoryManager(Board.self, Pin.self)
        let board = Board()
        try await board.add(Pin(), to: Board.pins)
        #expect(failure { try manager.insert([board, board]) }?.code == .alreadyPersisted)
        let error = await #expect(throws: PersistenceError.self) { try await manager.insert([board, board]) }
        #expect(error?.code == .alreadyPersisted)
        #expect(try await manager.count(Board.self) == 0)
    }

    @Test("Hooks of a subclass run in the caller's isolation when links are changed")
    @MainActor
    func hooksOfSubclass() async throws {
        let manager = try memoryManager(Board.self, Pin.self)
        let board = Board()
        try await manager.insert(board)
        let pin = PhotoPin()
        pin.boardID = board.id
        try await manager.insert(pin)
        updates.withLock { $0 = 0 }
        pin.title = "b"
        try await manager.save(pin)
        try await board.replace(Board.pins, with: [])
        #expect(updates.withLock { $0 } == 2)
        #expect(try await manager.count(Pin.self, where: \.boardID == nil) == 1)
    }

    @Test("An order by a property of some classes sorts in memory as in SQL")
    func orderOfHierarchy() throws {
        let manager = try memoryManager(Work.self)
        for pages in [3, 1] { try manager.insert(Novel.self, values: ["pages": pages]) }
        try manager.insert(Film.self, values: ["title": "a"])
        let orderings: [Ordering<Work>] = [.ascending(Work.row["pages"] ?? 2), "pages desc"]
        for ordering in orderings {
            let fetched = try manager.fetchAll(Work.self, sortedBy: ordering)
            let works = try manager.fetchAll(Work.self, sortedBy: "id")
            #expect(try ordering.sort(works).map(\.id) == fetched.map(\.id))
        }
    }

    @Test("A relation with a limit is ordered by SQL with a named parameter")
    func limitedRelation() throws {
        let manager = try memoryManager(Board.self, Pin.self)
        let board = Board()
        try manager.insert(board)
        for _ in 1...4 { try manager.insert(Pin.self, values: ["boardID": board.id]) }
        let pins = Board.pins.sorted(by: .sql("abs(ID - :middle), ID", ["middle": 3])).limit(2)
        #expect(try board.related(pins).map(\.id) == [3, 2])
        let conditions = Criteria<Pin>.sql("ID > :least", ["least": 1]) && .sql("ID < :least", ["least": 2])
        #expect(failure { try manager.count(Pin.self, where: conditions) }?.code == .invalidCriteria)
    }
}
