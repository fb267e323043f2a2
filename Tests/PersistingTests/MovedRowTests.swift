import Foundation
import Persisting
import Testing

private final class Scrap: PersistingModel {
    var text = ""
    var number = 0
    override class var primaryKey: PrimaryKey { .rowID }

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

private final class MovedClipping: PersistingModel {
    var number = 0
    var text = ""
    var scan: Data?
    override class var primaryKey: PrimaryKey { .rowID }
    override class var columns: Columns {
        var columns = super.columns
        columns["SCAN"] = .data.deferred
        return columns
    }

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

/// A class without a key.
private final class Line: PersistingModel {
    var number = 0

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

// Settled 30
@Suite("Rows that VACUUM moves") struct MovedRowTests {
    private let folder: TemporaryDirectory
    private let manager: PersistenceManager
    private let other: DatabaseQueue

    init() throws {
        folder = try TemporaryDirectory()
        manager = try PersistenceManager(.file(folder.path()))
        other = try DatabaseQueue(.file(folder.path()))
        for type in [Scrap.self, MovedClipping.self, Line.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
    }

    private func moveScraps() throws -> [Scrap] {
        let scraps = (0..<5).map { Scrap($0) }
        try manager.insert(scraps)
        try move("SCRAP")
        return scraps
    }

    private func move(_ table: String) throws {
        try other.write { db in try db.execute("DELETE FROM \(identifier: table) WHERE NUMBER = 1") }
        try other.withoutTransaction { db in try db.execute("VACUUM") }
    }

    private func numbers() throws -> [SQLiteValue] { try manager.storedColumn("SELECT NUMBER FROM SCRAP") }

    @Test("aren't written, read or continued from by objects that know them by their identifiers") func objects() throws
    {
        let scraps = try moveScraps()
        scraps[3].text = "mine"
        #expect(failure { try manager.save(scraps[3]) }?.code == .rowsMoved)
        #expect(failure { try manager.save([scraps[3]]) }?.code == .rowsMoved)
        #expect(failure { try scraps[3].update(\.text, to: "x") }?.code == .rowsMoved)
        #expect(failure { try manager.refresh(scraps[3]) }?.code == .rowsMoved)
        #expect(failure { try manager.merge(scraps[3]) }?.code == .rowsMoved)
        #expect(failure { try manager.delete(scraps[4]) }?.code == .rowsMoved)
        #expect(failure { try manager.fetchPage(Query(Scrap.self), after: scraps[3], limit: 1) }?.code == .rowsMoved)
        #expect(scraps[4].isPersisted)
        #expect(try numbers() == [0, 2, 3, 4])
        #expect(try manager.storedColumn("SELECT DISTINCT TEXT FROM SCRAP") == [""])
    }

    @Test("aren't written by asynchronous forms, either") func suspended() async throws {
        let scraps = try moveScraps()
        scraps[3].text = "mine"
        #expect(await asyncFailure { try await manager.save(scraps[3]) }?.code == .rowsMoved)
        #expect(await asyncFailure { try await manager.refresh(scraps[3]) }?.code == .rowsMoved)
        #expect(await asyncFailure { try await manager.delete([scraps[4]]) }?.code == .rowsMoved)
        #expect(try numbers() == [0, 2, 3, 4])
    }

    @Test("aren't written by objects that weren't tracked before they were saved") func untracked() throws {
        try manager.insert((0..<5).map { Scrap($0) })
        let scraps = try manager.fetchAll(Query(Scrap.self).sorted(by: \.number), tracked: false)
        scraps[3].text = "a"
        try manager.save(scraps[3])
        try move("SCRAP")
        scraps[3].text = "b"
        #expect(failure { try manager.save(scraps[3]) }?.code == .rowsMoved)
        #expect(try manager.storedColumn("SELECT NUMBER || TEXT FROM SCRAP") == ["0", "2", "3a", "4"])
    }

    @Test("aren't written by objects that have loaded a property", arguments: [false, true])
    func loaded(isSuspended: Bool) async throws {
        let clippings = (0..<5).map { MovedClipping($0) }
        try await manager.insert(clippings)
        func load() throws { try manager.load(clippings, \.scan) }
        if isSuspended { try await manager.load(clippings, \.scan) } else { try load() }
        try move("MOVED_CLIPPING")
        clippings[3].text = "mine"
        #expect(await asyncFailure { try await manager.save(clippings[3]) }?.code == .rowsMoved)
        #expect(try manager.storedColumn("SELECT NUMBER || TEXT FROM MOVED_CLIPPING") == ["0", "2", "3", "4"])
    }

    @Test("are written where they are as they were") func same() throws {
        let scraps = try moveScraps()
        scraps[0].text = "mine"
        try manager.save(scraps[0])
        #expect(try manager.storedColumn("SELECT NUMBER FROM SCRAP WHERE TEXT = 'mine'") == [0])
    }

    @Test("that another writer has changed are written as before while the schema stays") func changedByOthers() throws
    {
        let scrap = Scrap(1)
        try manager.insert(scrap)
        try other.write { db in try db.execute("UPDATE SCRAP SET NUMBER = 2") }
        scrap.text = "mine"
        try manager.save(scrap)
        #expect(try manager.storedColumn("SELECT TEXT || NUMBER FROM SCRAP") == ["mine2"])
    }

    @Test("end a stream of a table without a key, of all rows and of some")
    func stream() throws {
        try manager.insert((0..<1000).map { Line($0) })
        try other.write { db in try db.execute("DELETE FROM LINE WHERE NUMBER < 303") }
        for query in [Query(Line.self), Query(Line.self).where(\.number >= 0)] {
            var seen: [Int] = []
            let error = failure {
                try manager.forEach(query) { line in
                    seen.append(line.number)
                    if seen.count == 50 { try other.withoutTransaction { db in try db.execute("VACUUM") } }
                }
            }
            #expect(error?.code == .rowsMoved)
            #expect(seen == Array(303..<403))
        }
    }

    @Test("stay where another table is created meanwhile") func otherTable() throws {
        try manager.insert((0..<300).map { Line($0) })
        var seen = 0
        try manager.forEach(Query(Line.self)) { _ in
            seen += 1
            if seen == 50 { try other.write { db in try db.execute("CREATE TABLE OTHER (A)") } }
        }
        #expect(seen == 300)
    }
}
