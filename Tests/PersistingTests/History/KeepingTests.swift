import Foundation
import Persisting
import Testing

@Suite("A history is kept") struct KeepingTests {
    @Test("for as many transactions as the class says, and right for those") func transactions() throws {
        let manager = try memoryManager(Kept.self, PastFolder.self)
        var states: [Int64: [String]] = [:]
        for step in 0..<20 {
            try manager.transaction("\(step)") {
                try manager.insert(Kept.self, values: ["text": "t\(step)"])
                try manager.update(Kept.where(\.id == Int64(step / 2)), set: ["text": "u\(step)"])
                if step % 3 == 0 { try manager.delete(Kept.where(\.id == Int64(step - 2))) }
            }
            states[try manager.lastNumber] = try manager.values(Kept.rows.sorted(by: \.id), \.text)
        }
        let last = try manager.lastNumber
        #expect(try manager.pruneHistory(of: Kept.self) > 0)
        #expect(try manager.pruneHistory(of: Kept.self) == 0)
        for (number, state) in states {
            let query = Kept.rows.sorted(by: \.id).asOf(number)
            if number >= last - 5 {
                #expect(try manager.fetchAll(query).map(\.text) == state)
            } else {
                #expect(failure { try manager.fetchAll(query) }?.code == .historyPruned)
            }
        }
        #expect(failure { try manager.count(Kept.rows.asOf(.distantPast)) }?.code == .historyPruned)
        // What happened to rows before is forgotten, and nothing is made up.
        #expect(try manager.history(of: Kept.self).allSatisfy { $0.transaction.number >= last - 5 })
        // Another class keeps everything, so its transactions stay.
        #expect(try manager.historyTransactions().count == 20)
    }

    @Test("for as long as the class says") func days() throws {
        let manager = try memoryManager(Daily.self)
        for text in ["a", "b", "c"] {
            try manager.transaction { try manager.save(manager.fetchOne(Daily.self) ?? Daily(), set: text) }
        }
        try manager.run("UPDATE history_transactions SET date = date - 8 * 86400 WHERE number <= 2")
        #expect(try manager.pruneHistory(of: Daily.self) == 1)
        #expect(try manager.historyTransactions().map(\.number) == [2, 3])
        #expect(try manager.fetchOne(Daily.rows.asOf(2))?.text == "b")
        #expect(failure { try manager.fetchOne(Daily.rows.asOf(1)) }?.code == .historyPruned)
        try manager.transaction { try manager.deleteAll(Daily.self) }
        #expect(try manager.lastNumber == 4)
    }

    @Test("not of an object whose history is erased") func erased() throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: Daily.self)
        let (one, other) = (Daily(), Daily())
        for text in ["secret-one", "later"] { try manager.save(one, set: text) }
        for text in ["kept", "later"] { try manager.save(other, set: text) }
        #expect(try manager.eraseHistory(of: one) == 1)
        #expect(try manager.history(of: one).isEmpty)
        #expect(try manager.history(of: other).map(\.kind) == [.insert, .update])
        try manager.close()
        let bytes = try Data(contentsOf: URL(filePath: directory.path()))
        #expect(bytes.range(of: Data("secret-one".utf8)) == nil)
        #expect(bytes.range(of: Data("kept".utf8)) != nil)
    }

    @Test("and rows get back what they had: changed ones, and deleted ones under their keys") func reverting() throws {
        let manager = try memoryManager(PastFolder.self, PastNote.self)
        let folder = try manager.insert(PastFolder.self, values: ["name": "a"])
        let note = PastNote()
        (note.title, note.slug, note.folderID, note.draft) = ("one", "s", folder.id, "d")
        try manager.save(note)
        (note.title, note.slug) = ("two", nil)
        try manager.save(note)
        let changes = try manager.history(of: note)
        try manager.revert(note, to: changes[0])
        #expect(note.title == "one" && note.slug == "s" && note.draft == "d")
        #expect(try manager.fetchOne(PastNote.self)?.title == "one")
        try manager.delete(note)
        try manager.revert(note, to: changes[1])
        #expect(try manager.fetchAll(PastNote.self).map(\.title) == ["two"])
        #expect(try manager.history(of: note).map(\.kind) == [.insert, .update, .update, .delete, .insert])
        // A folder that no longer exists.
        try manager.deleteAll(PastFolder.self)
        let error = failure { try manager.revert(PastNote(), to: changes[1]) }
        #expect(error?.code == .missingPrimaryKeyValue)
        let again = PastNote()
        again.id = note.id
        #expect(failure { try manager.revert(again, to: changes[1]) }?.code == .constraint)
        again.id = 99
        #expect(failure { try manager.revert(again, to: changes[1]) }?.code == .invalidObject)
    }
}

extension PersistenceManager {
    fileprivate func save(_ daily: Daily, set text: String) throws {
        daily.text = text
        try save(daily)
    }
}

private final class Kept: PersistingModel {
    var id: Int64?
    var text = ""
    override class var history: History? { .values(keeping: .transactions(5)) }
}

private final class Daily: PersistingModel {
    var id: Int64?
    var text = ""
    override class var history: History? { .values(keeping: .days(7)) }
}
