import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class BudgetedNote: PersistingModel {
    var id: Int64?
    var text = ""

    override class var history: History? { .values() }
}

@Suite("A budget of queries")
struct QueryBudgetTests {
    // F126
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(User.self)
        try manager.insert([User(name: "a"), User(name: "b")])
    }

    @Test(
        "As many queries as expected, or fewer, throw nothing, and the closure's result is returned",
        .local(.connection))
    func within() throws {
        #expect(try manager.expectingQueries(atMost: 2) { try manager.count(User.self) } == 2)
        try manager.expectingQueries(atMost: 1) { try manager.fetchAll(User.self) }
        try manager.expectingQueries(atMost: 0) {}
    }

    @Test("What a history notes of a transaction doesn't count", .local(.connection))
    func history() throws {
        let notes = try memoryManager(BudgetedNote.self)
        let note = BudgetedNote()
        try notes.expectingQueries(atMost: 1) { try notes.insert(note) }
        try notes.expectingQueries(atMost: 2) {
            try notes.transaction {
                note.text = "a"
                try notes.save(note)
                try notes.insert(BudgetedNote())
            }
        }
    }

    @Test("What a full-text index runs inside of a statement doesn't count", .local(.connection))
    func fullText() throws {
        let memos = try memoryManager(MemoFolder.self, Memo.self)
        try memos.expectingQueries(atMost: 1) { try memos.insert(Memo("Sailing", "wind")) }
        let found = try memos.expectingQueries(atMost: 1) {
            try memos.count(Memo.self, where: Memo.text.matches("wind"))
        }
        #expect(found == 1)
        let error = failure { try memos.expectingQueries(atMost: 0) { try memos.insert(Memo("Wine")) } }
        #expect(error?.code == .tooManyQueries)
        #expect(error?.message.contains("MEMO_TEXT") == false)
    }

    @Test("More throw, with the SQL of those beyond, once each", .local(.connection))
    func beyond() throws {
        let error = failure {
            try manager.expectingQueries(atMost: 1) {
                for id in 1...3 { _ = try manager.find(User.self, id) }
                _ = try manager.count(User.self)
            }
        }
        #expect(error?.code == .tooManyQueries)
        #expect(
            error?.message
                == "4 queries ran where at most 1 were expected; beyond: SELECT ID, NAME, AGE, SCORE, IS_ACTIVE FROM USER "
                + "WHERE ID = ? (2 times); SELECT count(*) FROM USER")
    }

    @Test("Writes and raw SQL count, transactions, savepoints and pragmas don't", .local(.connection))
    func counted() throws {
        try manager.expectingQueries(atMost: 3) {
            try manager.transaction {
                try manager.insert(User(name: "c"))
                try manager.transaction { try manager.execute("UPDATE USER SET AGE = 1") }
                try manager.write { db in
                    try db.execute("PRAGMA user_version = 3")
                    try db.execute("DELETE FROM USER")
                }
            }
        }
    }

    @Test("The first use of a table counts no more than a later one", .local(.connection))
    func firstUse() throws {
        try manager.run(
            "CREATE TABLE PERSON (ID INTEGER PRIMARY KEY, FIRST_NAME TEXT, LAST_NAME TEXT, LUCKY_NUMBER INTEGER)")
        try manager.expectingQueries(atMost: 1) { try manager.fetchAll(Person.self) }
    }

    @Test("What the closure throws is thrown on", .local(.connection))
    func otherError() {
        #expect(throws: TestError.self) {
            try manager.expectingQueries(atMost: 0) {
                _ = try manager.count(User.self)
                throw TestError()
            }
        }
    }

    @Test("A query counts in each of nested budgets", .local(.connection))
    func nested() throws {
        let error = failure {
            try manager.expectingQueries(atMost: 2) {
                try manager.expectingQueries(atMost: 2) {
                    _ = try manager.count(User.self)
                    _ = try manager.count(User.self)
                }
                _ = try manager.count(User.self)
            }
        }
        #expect(error?.message.hasPrefix("3 queries ran where at most 2 were expected") == true)
    }

    @Test("A budget counts what runs inside of an access that began before it", .local(.connection))
    func insideAccess() throws {
        let error = failure {
            try manager.transaction {
                try manager.expectingQueries(atMost: 0) { _ = try manager.count(User.self) }
            }
        }
        #expect(error?.code == .tooManyQueries)
    }

    @Test("Another manager's queries don't count", .local(.connection))
    func otherManager() throws {
        let other = try memoryManager(User.self)
        try manager.expectingQueries(atMost: 0) {
            try other.expectingQueries(atMost: 1) { _ = try other.count(User.self) }
        }
    }

    @Test("After the budget nothing is counted", .local(.connection))
    func afterwards() throws {
        try manager.expectingQueries(atMost: 0) {}
        _ = try manager.fetchAll(User.self)
        try manager.expectingQueries(atMost: 1) { _ = try manager.count(User.self) }
    }

    @Test("Asynchronous queries count, those of tasks that the closure starts, too")
    func tasks() async throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try await manager.createTableIfNecessary(for: User.self)
        let error = await asyncFailure {
            try await manager.expectingQueries(atMost: 3) {
                _ = try await manager.count(User.self)
                async let one = manager.count(User.self)
                let two = Task { try await manager.fetchAll(User.self).count }
                _ = try await (one, two.value)
                try await manager.insert(User(name: "c"))
            }
        }
        #expect(
            error?.message.hasPrefix("4 queries ran where at most 3 were expected; beyond: INSERT INTO USER") == true)
    }

    @Test("Queries of other tasks don't count", .local(.connection))
    func otherTasks() async throws {
        let manager = manager
        try await manager.expectingQueries(atMost: 1) {
            _ = try await manager.count(User.self)
            try await Task.detached { _ = try await manager.count(User.self) }.value
        }
    }

    @Test("A trace hears of the same statements with a budget and without")
    func trace() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: User.self)
        _ = try manager.count(User.self)
        let before = log.texts.count
        try manager.expectingQueries(atMost: 1) { _ = try manager.count(User.self) }
        _ = try manager.count(User.self)
        #expect(log.texts.dropFirst(before).map { $0.hasPrefix("SELECT count(*)") } == [true, true])
    }
}
