import Foundation
import Persisting
import Testing

private final class OddToken: PersistingModel {
    var id: Int64?
    var number = 0
    var token: String?

    override class var tableName: String { "ODD_TOKEN" }
    override class var columns: Columns {
        var columns = super.columns
        columns["NUMBER"] = .int.unique
        columns["TOKEN"] = .string.unique
        return columns
    }
    override class var history: History? { .values(except: ["token"]) }
}

private class OddNote: PersistingModel {
    var id: Int64?
    var text = ""
    var count = 0

    override class var tableName: String { "ODD_NOTE" }
    override class var columns: Columns {
        var columns = super.columns
        columns["COUNT"] = .int.notNull.default(7)
        return columns
    }
    override class var history: History? { .values(except: ["count"], keeping: .days(7)) }
}

private final class WholeOddNote: OddNote {
    override class var history: History? { .values() }
}

// F150, F151
@Suite("A history, where the unusual happens") struct OddHistoryTests {
    @Test("leaves out a unique property, which undo leaves alone") func unique() throws {
        let manager = try memoryManager(OddToken.self)
        let undo = try UndoHistory(of: [OddToken.self], in: manager)
        for number in 1...2 {
            try manager.insert(OddToken.self, values: ["number": number, "token": "t\(number)"])
        }
        try manager.transaction("Exchange") {
            for (number, id) in [(-1, 1), (1, 2), (2, 1)] {
                try manager.update(OddToken.where(\.id == Int64(id)), set: ["number": number])
            }
        }
        try undo.undo()
        let tokens = try manager.fetchAll(OddToken.sorted(by: \.id))
        #expect(tokens.map(\.number) == [1, 2])
        #expect(tokens.map(\.token) == ["t1", "t2"])
    }

    @Test("keeps what is of today, though a clock was wrong in between") func clock() throws {
        let manager = try memoryManager(OddNote.self)
        try manager.insert(OddNote.self, values: ["text": "0"])
        for text in 1...4 { try manager.updateAll(OddNote.self, set: ["text": "\(text)"]) }
        try manager.run("UPDATE history_transactions SET date = 0 WHERE number = 4")
        #expect(try manager.pruneHistory(of: OddNote.self) == 0)
        try manager.run("UPDATE history_transactions SET date = 0 WHERE number <= 2")
        #expect(try manager.pruneHistory(of: OddNote.self) == 1)
        #expect(try manager.fetchOne(OddNote.rows.asOf(3))?.text == "2")
    }

    @Test("numbers the statements of a transaction that was begun by SQL text", .local(.connection))
    func begun() throws {
        let manager = try memoryManager(OddNote.self)
        try manager.insert(OddNote.self, values: ["text": "a"])
        try manager.database.withoutTransaction { db in
            try db.execute("BEGIN")
            try manager.updateAll(OddNote.self, set: ["text": "b"])
            try db.execute("COMMIT")
        }
        // What triggers number within a thousandth of a second is one transaction.
        try manager.run("UPDATE history_transactions SET date = date - 10")
        try manager.database.withoutTransaction { db in try db.execute("UPDATE ODD_NOTE SET TEXT = 'c'") }
        try manager.transaction("Rename", by: "ada") { try manager.updateAll(OddNote.self, set: ["text": "d"]) }
        let changes = try manager.history(of: OddNote.self)
        #expect(changes.map { $0.after?.text } == ["a", "b", "c", "d"])
        #expect(changes.map(\.transaction.name) == [nil, nil, nil, "Rename"])
    }

    @Test("has the default of a property that it left out before") func added() throws {
        let manager = try memoryManager(OddNote.self)
        try manager.insert(OddNote.self, values: ["text": "a", "count": 1])
        let first = try #require(manager.historyTransactions().last).number
        try manager.updateAll(OddNote.self, set: ["text": "b"])
        try manager.updateSchema(for: [WholeOddNote.self])
        let then = try manager.fetchOne(WholeOddNote.rows.asOf(first))
        #expect(then?.text == "a")
        #expect(then?.count == 7)
    }

    @Test("tells a feed that what it hasn't reached was pruned, and of a token of another database")
    func feed() async throws {
        let manager = try memoryManager(OddNote.self)
        try await manager.insert(OddNote.self, values: ["text": "0"])
        for text in 1...3 { try await manager.updateAll(OddNote.self, set: ["text": "\(text)"]) }
        var iterator = manager.history(since: nil, of: [OddNote.self]).makeAsyncIterator()
        var commits: [HistoryCommit] = []
        for _ in 0..<3 { commits.append(try #require(try await iterator.next())) }
        try manager.run("UPDATE history_transactions SET date = 0 WHERE number <= 2")
        try await manager.pruneHistory(of: OddNote.self)
        for commit in commits[..<2] {
            #expect(failure { try commit.changes(of: OddNote.self) }?.code == .historyPruned)
        }
        #expect(try await commits[2].changes(of: OddNote.self).count == 1)

        let token = commits[2].token
        let restored = try memoryManager(OddNote.self)
        try await restored.insert(OddNote.self, values: ["text": "0"])
        let error = await #expect(throws: PersistenceError.self) {
            for try await _ in restored.history(since: token, of: [OddNote.self]) {}
        }
        #expect(error?.code == .historyPruned)
    }
}
