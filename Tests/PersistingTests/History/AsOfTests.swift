import Foundation
import Persisting
import Testing

@Suite("A query of the past") struct AsOfTests {
    private let manager: PersistenceManager
    private let first: Int64
    private let second: Int64

    /// Two states: after the first, there is a folder with two notes; after the second, one of them has another title,
    /// the other is in another folder, and there is a third.
    init() throws {
        let manager = try memoryManager(PastFolder.self, PastNote.self)
        try manager.transaction("Begin", by: "ada") {
            for name in ["work", "home"] { try manager.insert(PastFolder.self, values: ["name": name]) }
            try manager.insert(PastNote.self, values: ["title": "a", "folderID": 1, "draft": "d", "part": 1])
            try manager.insert(PastNote.self, values: ["title": "b", "folderID": 1, "part": 2])
        }
        let first = try manager.lastNumber
        try manager.transaction("Change", by: "bob") {
            try manager.update(PastNote.where(\.id == 1), set: ["title": "A"])
            try manager.update(PastNote.where(\.id == 2), set: ["folderID": 2])
            try manager.insert(PastNote.self, values: ["title": "c", "folderID": 2])
        }
        let second = try manager.lastNumber
        try manager.deleteAll(PastFolder.self)
        (self.manager, self.first, self.second) = (manager, first, second)
    }

    @Test("finds, counts, groups and selects rows as they were") func verbs() throws {
        #expect(try manager.count(PastNote.rows) == 0)
        #expect(try manager.count(PastNote.rows.asOf(first)) == 2)
        #expect(try manager.count(PastNote.rows.asOf(second)) == 3)
        #expect(try manager.count(PastNote.rows.asOf(0)) == 0)
        #expect(try manager.fetchAll(PastNote.where(\.title == "a").asOf(first)).map(\.id) == [1])
        #expect(try manager.fetchAll(PastNote.where(\.title == "a").asOf(second)).isEmpty)
        #expect(try manager.exists(PastNote.where(\.title == "A").asOf(second)))
        let sorted = PastNote.rows.sorted(by: \.title, .descending).asOf(first)
        #expect(try manager.fetchAll(sorted.limit(1)).map(\.title) == ["b"])
        #expect(try manager.select(sorted, \.title) as [String?] == ["b", "a"])
        #expect(try manager.sum(PastNote.rows.asOf(second), \.part) == 3)
        let groups = try manager.groups(PastNote.rows.asOf(second), by: .key(\.folderID), computing: .count)
        #expect(groups.map(\.0) == [1, 2] && groups.map(\.1) == [1, 2])
    }

    @Test("has no time of its own inside of another, which would read or delete other rows") func nested() throws {
        let past = PastNote.where(\.part == 1).asOf(first)
        let note = PastNote.row
        let queries = [
            PastNote.where(.in(\.id, past.values(\.id))), PastNote.where(!.in(\.id, past.values(\.id))),
            PastNote.where(.exists(past)), PastNote.where(.exists(past, where: \.id, equals: \.id)),
            PastNote.where(note.part < .computed(.max(\.part), of: past)), PastNote.rows.union(past),
            past.union(PastNote.rows), past.union(PastNote.rows.asOf(second)),
            PastNote.where(.in(\.id, past.values(\.id))).asOf(second),
        ]
        for query in queries {
            #expect(codeOf { try manager.count(query) } == .past)
            #expect(codeOf { try manager.fetchAll(query) } == .past)
            #expect(throws: PersistenceError.self) { try manager.delete(query) }
        }
        #expect(
            codeOf { try manager.update(PastNote.where(\.id == 1), \.part, to: .computed(.max(\.part), of: past)) }
                == .past)
        #expect(try manager.count(PastNote.rows.asOf(second)) == 3)
    }

    @Test("is read in pages, which continue from the place that an object had at that time") func pages() throws {
        let query = PastNote.sorted(by: "folder.name").asOf(second)
        var (ids, last): ([Int64?], PastNote?) = ([], nil)
        repeat {
            last = try manager.fetchPage(query, after: last, limit: 1).first
            ids += last.map { [$0.id] } ?? []
        } while last != nil
        #expect(ids == [2, 3, 1])
    }

    @Test("makes a union with another of the same time") func union() throws {
        let one = PastNote.where(\.title == "b").asOf(first)
        let other = PastNote.rows.sorted(by: \.id).limit(1).asOf(first)
        #expect(try manager.fetchAll(one.union(other)).compactMap(\.title).sorted() == ["a", "b"])
    }

    @Test("gives objects that nothing can be added to") func relating() throws {
        let folder = try #require(try manager.fetchOne(PastFolder.where(\.id == 1).asOf(second)))
        let note = PastNote()
        #expect(codeOf { try folder.replace(PastFolder.notes, with: []) } == .past)
        #expect(codeOf { try folder.add(note, to: PastFolder.notes) } == .past)
        #expect(codeOf { try folder.remove(note, from: PastFolder.notes) } == .past)
        #expect(!note.isPersisted)
    }

    @Test("reads relations of the same time, ahead, later and in conditions") func relations() throws {
        let ahead = try manager.fetchAll(PastFolder.rows.sorted(by: \.id).with(PastFolder.notes).asOf(second))
        #expect(try ahead.map { try $0.related(PastFolder.notes).count } == [1, 2])
        let later = try manager.fetchAll(PastFolder.rows.sorted(by: \.id).asOf(first))
        #expect(try later.map { try $0.related(PastFolder.notes).count } == [2, 0])
        let note = try #require(try manager.fetchOne(PastNote.where(\.id == 2).asOf(first)))
        #expect(try note.related(PastNote.folder)?.name == "work")
        #expect(try note.related(PastNote.folder)?.related(PastFolder.notes).count == 2)
        #expect(try manager.count(PastNote.where(PastNote.folder[\.name] == "home").asOf(second)) == 2)
        #expect(try manager.count(PastNote.where(PastNote.folder[\.name] == "home").asOf(first)) == 0)
        #expect(try manager.count(PastFolder.where(PastFolder.notes.count == 2).asOf(first)) == 1)
    }

    @Test("gives objects that can't be written") func objects() throws {
        let note = try #require(try manager.fetchOne(PastNote.where(\.id == 1).asOf(first)))
        note.title = "x"
        #expect(failure { try manager.save(note) }?.code == .past)
        #expect(failure { try manager.delete(note) }?.code == .past)
        #expect(failure { try manager.insert(note) }?.code == .past)
        #expect(failure { try manager.upsert(note) }?.code == .past)
        #expect(failure { try manager.transaction { try manager.save([note]) } }?.code == .past)
        #expect(failure { try manager.refresh(note) }?.code == .past)
        let query = PastNote.where(\.id == 1).asOf(first)
        #expect(failure { try manager.delete(query) }?.code == .past)
        #expect(failure { try manager.update(query, set: ["title": "x"]) }?.code == .past)
        #expect(failure { try manager.forEach(query) { _ in } }?.code == .past)
    }

    @Test("doesn't know what isn't recorded, even of a row that hasn't changed") func excluded() throws {
        #expect(try manager.fetchOne(PastNote.where(\.id == 1).asOf(first))?.draft == nil)
        try manager.insert(PastNote.self, values: ["id": 9, "draft": "d"])
        #expect(try manager.fetchOne(PastNote.where(\.id == 9).asOf(manager.lastNumber))?.draft == nil)
        #expect(try manager.fetchOne(PastNote.where(\.id == 9))?.draft == "d")
    }

    @Test("is of a date by the last transaction that isn't after it") func dates() throws {
        try manager.run(
            "UPDATE history_transactions SET date = 100 * number;"
                + "UPDATE history_transactions SET date = 7 WHERE number = 3"
        )
        #expect(try manager.count(PastNote.rows.asOf(Date(timeIntervalSince1970: 199))) == 0)
        // The clock was set back: the last one with a date before it is the third.
        #expect(try manager.count(PastNote.rows.asOf(Date(timeIntervalSince1970: 150))) == 0)
        try manager.run("UPDATE history_transactions SET date = 100 * number")
        #expect(try manager.count(PastNote.rows.asOf(Date(timeIntervalSince1970: Double(first) * 100 + 50))) == 2)
        #expect(try manager.count(PastNote.rows.asOf(Date(timeIntervalSince1970: Double(first) * 100 - 1))) == 0)
    }

    @Test("of a class without a history is an error that says so") func without() throws {
        try manager.createTableIfNecessary(for: PastTag.self)
        #expect(failure { try manager.fetchAll(PastTag.rows.asOf(first)) }?.code == .noHistory)
        let other = try memoryManager(PastTag.self)
        #expect(failure { try other.fetchAll(PastTag.rows.asOf(1)) }?.code == .noHistory)
        #expect(failure { try other.history(of: PastTag.self) }?.code == .noHistory)
    }

    @Test("has a name for its changes: who made them, what was before and after") func changes() throws {
        let note = PastNote()
        note.id = 1
        let changes = try manager.history(of: note)
        #expect(changes.map(\.kind) == [.insert, .update, .delete])
        #expect(changes.map(\.name) == ["Begin", "Change", nil] && changes.map(\.author) == ["ada", "bob", nil])
        #expect(changes.map { $0.before?.title } == [nil, "a", "A"])
        #expect(changes.map { $0.after?.title } == ["a", "A", nil])
        #expect(changes[1].keys == ["title"] && changes[0].keys.contains("slug") && !changes[0].keys.contains("draft"))
        let byBob = try manager.history(of: PastNote.self) { $0.author == "bob" }
        #expect(byBob.map { $0.after?.id } == [1, 2, 3])
        #expect(byBob.map(\.kind) == [.update, .update, .insert])
        #expect(try manager.historyTransactions().map(\.name) == ["Begin", "Change", nil])
        // What changes nothing that is recorded is no change.
        let kept = try manager.insert(PastNote.self, values: ["id": 50, "title": "k"])
        kept.draft = "d"
        try manager.save(kept)
        #expect(try manager.history(of: kept).map(\.kind) == [.insert])
        kept.id = 77
        try manager.save(kept)
        #expect(try manager.history(of: kept).map(\.kind) == [.insert])
    }

    @Test("is refused for properties that that name a row, and for classes without a key") func refused() throws {
        #expect(failure { try manager.createTableIfNecessary(for: PastUntold.self) }?.code == .invalidModel)
        #expect(failure { try manager.createTableIfNecessary(for: PastKeyless.self) }?.code == .invalidModel)
    }
}

private final class PastTag: PersistingModel {
    var id: Int64?
}

private final class PastUntold: PersistingModel {
    var id: Int64?
    override class var history: History? { .values(except: ["id"]) }
}

private final class PastKeyless: PersistingModel {
    var name = ""
    override class var primaryKey: PrimaryKey { .none }
    override class var history: History? { .values() }
}

/// The code of the error that `body` throws.
private func codeOf<T>(_ body: () throws -> T) -> PersistenceError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? PersistenceError)?.code
    }
}
