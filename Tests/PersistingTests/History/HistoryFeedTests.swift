import Foundation
import Persisting
import Testing

// F151
@Suite("A feed of histories") struct HistoryFeedTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(PastFolder.self, PastNote.self, PastSeat.self)
    }

    private func insert(_ name: String) throws {
        try manager.transaction(name) { try manager.insert(PastFolder.self, values: ["name": name]) }
    }

    private func insertBoth() throws {
        try manager.transaction("Both", by: "ada") {
            try manager.insert(PastFolder.self, values: ["name": "a"])
            try manager.insert(PastNote.self, values: ["title": "t", "folderID": 1])
        }
    }

    private func names(_ feed: HistoryCommits, _ count: Int) async throws -> [String?] {
        var names: [String?] = []
        for try await commit in feed.prefix(count) { names.append(commit.transaction.name) }
        return names
    }

    @Test("begins with what there is, and goes on with each commit", .local(.connection), .timeLimit(.minutes(20)))
    func order() async throws {
        for name in ["a", "b"] { try insert(name) }
        let (manager, heard) = (manager, Shared<[String]>([]))
        let loop = Task {
            for try await commit in manager.history(since: nil, of: [PastFolder.self]).prefix(5) {
                heard.change { $0.append(commit.transaction.name ?? "") }
            }
        }
        while heard.value.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        for name in ["c", "d"] { try insert(name) }
        while heard.value.count < 4 { try await Task.sleep(for: .milliseconds(1)) }
        // Of another class alone.
        try await manager.insert(PastSeat.self, values: ["row": 1, "letter": "a"])
        try insert("e")
        try await loop.value
        #expect(heard.value == ["a", "b", "c", "d", "e"])
    }

    @Test("goes on after a token that was stored") func token() async throws {
        for name in ["a", "b", "c"] { try insert(name) }
        let feed = manager.history(since: nil, of: [PastFolder.self])
        var token: HistoryToken?
        for try await commit in feed.prefix(2) { token = commit.token }
        let stored = try JSONEncoder().encode(token)
        let read = try JSONDecoder().decode(HistoryToken.self, from: stored)
        #expect(try await names(manager.history(since: read, of: [PastFolder.self]), 1) == ["c"])
    }

    @Test("says what a commit did to each class") func changes() async throws {
        try insertBoth()
        try insert("later")
        var iterator = manager.history(since: nil, of: [PastFolder.self, PastNote.self]).makeAsyncIterator()
        let commit = try #require(try await iterator.next())
        #expect(commit.transaction.author == "ada")
        #expect(try commit.folders == ["a"])
        let notes = try await commit.changes(of: PastNote.self)
        #expect(notes.map(\.kind) == [.insert] && notes.map(\.after?.title) == ["t"])
    }

    @Test("ends where what it hasn't reached is pruned") func pruned() async throws {
        let manager = try memoryManager(PrunedNote.self)
        for _ in 0..<5 {
            try await manager.insert(PrunedNote.self, values: [:])
            try await manager.updateAll(PrunedNote.self, set: ["title": "\(UUID())"])
        }
        let first = try #require(try await manager.historyTransactions().first)
        #expect(try await manager.pruneHistory(of: PrunedNote.self) > 0)
        let error = await #expect(throws: PersistenceError.self) {
            for try await _ in manager.history(since: first.token, of: [PrunedNote.self]) {}
        }
        #expect(error?.code == .historyPruned)
        var kept = manager.history(since: nil, of: [PrunedNote.self]).makeAsyncIterator()
        #expect(try await kept.next() != nil)
    }

    @Test("throws for a class without a history, and when its task is cancelled") func errors() async throws {
        let manager = manager
        let error = await #expect(throws: PersistenceError.self) {
            for try await _ in manager.history(since: nil, of: [Album.self]) {}
        }
        #expect(error?.code == .noHistory)
        let loop = Task { for try await _ in manager.history(since: nil, of: [PastFolder.self]) {} }
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
    }

    @Test("goes on where other programs hold the lock", .local(.connection), .timeLimit(.minutes(20)))
    func locked() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let one = try PersistenceManager(path: directory.path(), configuration: configuration)
        try await one.createTableIfNecessary(for: PastFolder.self)
        let two = try Database(.file(directory.path()))
        try two.execute("INSERT INTO FOLDER (NAME) VALUES ('a')")
        try two.execute("BEGIN IMMEDIATE")
        let heard = Shared<[String]>([])
        let loop = Task {
            let feed = one.history(since: nil, of: [PastFolder.self], otherProcessesEvery: .milliseconds(5))
            for try await commit in feed.prefix(2) {
                let names = try await commit.changes(of: PastFolder.self).compactMap(\.after?.name)
                heard.change { $0 += names }
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        #expect(heard.value.isEmpty)
        try two.execute("INSERT INTO FOLDER (NAME) VALUES ('b')")
        try two.execute("COMMIT")
        try await loop.value
        #expect(heard.value == ["a", "b"])
    }

    @Test("of a read-only manager hears of other programs", .local(.connection), .timeLimit(.minutes(20)))
    func readOnly() async throws {
        let directory = try TemporaryDirectory()
        let two = try PersistenceManager(path: directory.path())
        try await two.createTableIfNecessary(for: PastFolder.self)
        try await two.database.write { db in _ = try db.execute("INSERT INTO FOLDER (NAME) VALUES ('a')") }
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let one = try PersistenceManager(path: directory.path(), configuration: configuration)
        var feed = one.history(since: nil, of: [PastFolder.self]).makeAsyncIterator()
        let commit = try #require(try await feed.next())
        #expect(try await commit.changes(of: PastFolder.self).map(\.after?.name) == ["a"])
    }

    @Test("hears of other programs, whatever they write at once", .timeLimit(.minutes(20)))
    func others() async throws {
        let directory = try TemporaryDirectory()
        let (one, two) = (
            try PersistenceManager(path: directory.path()), try PersistenceManager(path: directory.path())
        )
        try await one.createTableIfNecessary(for: PastFolder.self)
        let heard = Shared<[String]>([])
        let loop = Task {
            let feed = one.history(since: nil, of: [PastFolder.self], otherProcessesEvery: .milliseconds(5))
            for try await commit in feed {
                let names = try await commit.changes(of: PastFolder.self).compactMap(\.after?.name)
                heard.change { $0 += names }
                if heard.value.contains("last") { return }
            }
        }
        for number in 0..<200 {
            try await two.database.write { db in
                _ = try db.execute("INSERT INTO FOLDER (NAME) VALUES (\("\(number)"))")
            }
        }
        try await two.insert(PastFolder.self, values: ["name": "last"])
        try await loop.value
        #expect(heard.value == (0..<200).map { "\($0)" } + ["last"])
    }
}

extension HistoryCommit {
    /// In a method that isn't asynchronous, the form that doesn't suspend is called.
    fileprivate var folders: [String?] {
        get throws { try changes(of: PastFolder.self).map(\.after?.name) }
    }
}

final class PrunedNote: PersistingModel {
    var id: Int64?
    var title: String?

    override class var history: History? { .values(keeping: .transactions(2)) }
}
