import Foundation
import Observation
import Persisting
import Testing

@Suite("A fetched results controller")
@MainActor
struct FetchedResultsControllerTests {
    // F121, F83

    enum Kind: CaseIterable { case queue, pool }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func manager(_ kind: Kind = .pool, _ people: [Person] = []) throws -> PersistenceManager {
        var configuration = DatabaseConfiguration()
        if kind == .queue { configuration.journalMode = .delete }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.createTableIfNecessary(for: Person.self)
        try manager.insert(people)
        return manager
    }

    private let byLastName = Person.sorted(by: [.ascending(\.lastName), .ascending(\.firstName)])

    private func people() -> [Person] {
        [
            Person("Ann", "Baker", 1), Person("Bob", "Adams", 2), Person("Cid", "Baker", 3), Person("Dan", "Cole", 4),
        ]
    }

    private func lists(_ controller: FetchedResultsController<Person, String?>) -> [String] {
        controller.sections.map { section in
            "\(section.name ?? "-"): " + section.objects.map { $0.firstName ?? "-" }.joined(separator: " ")
        }
    }

    @Test("has sections with names, counts and index titles", arguments: Kind.allCases)
    func sections(_ kind: Kind) throws {
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: try manager(kind, people()))
        try controller.fetch()
        #expect(lists(controller) == ["Adams: Bob", "Baker: Ann Cid", "Cole: Dan"])
        #expect(controller.sections.map(\.count) == [1, 2, 1])
        #expect(controller.sections.indexTitles == ["A", "B", "C"])
        #expect(controller.sections.section(forIndexTitle: "C") == 2)
        #expect(controller.objects.map(\.firstName) == ["Bob", "Ann", "Cid", "Dan"])
        #expect(controller[[1, 1]]?.firstName == "Cid")
        #expect(controller[[1, 2]] == nil)
        let cid = try #require(controller[[1, 1]])
        #expect(controller.indexPath(of: cid) == [1, 1])
    }

    @Test("reads in the background, and tells of it as a change")
    func first() async throws {
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: try manager(.pool, people()))
        var changes = controller.changes.makeAsyncIterator()
        let change = try #require(await changes.next())
        #expect(change.sectionInsertions == [0, 1, 2] && change.insertions.count == 4)
        #expect(lists(controller).count == 3)
    }

    @Test("tells of insertions, deletions, moves and updates with index paths", arguments: Kind.allCases)
    func changes(_ kind: Kind) async throws {
        let manager = try manager(kind, people())
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()

        try await manager.insert(Person("Eve", "Adams", 5))
        #expect(try await changes.next()?.insertions == [[0, 1]])

        let untouched = controller[[1, 0]]
        try await manager.execute("UPDATE PERSON SET LUCKY_NUMBER = 50 WHERE FIRST_NAME = 'Cid'")
        let update = try #require(await changes.next())
        #expect(update.updates == [.init(from: [1, 1], to: [1, 1])] && update.moves.isEmpty)
        #expect(update.sectionUpdates == [.init(from: 1, to: 1)])
        #expect(controller[[1, 1]]?.luckyNumber == 50)
        #expect(controller[[1, 0]] === untouched)

        try await manager.execute("UPDATE PERSON SET LAST_NAME = 'Cole' WHERE FIRST_NAME = 'Ann'")
        let move = try #require(await changes.next())
        #expect(move.moves == [.init(from: [1, 0], to: [2, 0])])
        #expect(move.updates == [.init(from: [1, 0], to: [2, 0])])

        try await manager.execute("DELETE FROM PERSON WHERE LAST_NAME = 'Adams'")
        let deletion = try #require(await changes.next())
        #expect(deletion.deletions == [[0, 0], [0, 1]] && deletion.sectionDeletions == [0])

        try await manager.execute("UPDATE PERSON SET LAST_NAME = 'Zorn' WHERE LAST_NAME = 'Baker'")
        #expect(try await changes.next()?.sectionInsertions == [1])
        #expect(lists(controller) == ["Cole: Ann Dan", "Zorn: Cid"])
    }

    @Test("a row that is replaced, or whose key changes, is right", arguments: Kind.allCases)
    func keys(_ kind: Kind) async throws {
        let manager = try manager(kind, people())
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute("INSERT OR REPLACE INTO PERSON VALUES (1, 'Amy', 'Baker', 9)")
        #expect(try await changes.next()?.updates == [.init(from: [1, 0], to: [1, 0])])
        try await manager.execute("UPDATE PERSON SET ID = 77 WHERE ID = 1")
        let change = try #require(await changes.next())
        #expect(change.deletions == [[1, 0]] && change.insertions == [[1, 0]])
        #expect(controller[[1, 0]]?.id == 77)
    }

    @Test("several changes while the loop is busy are one, which leads to what there is")
    func coalesced() async throws {
        let manager = try manager(.pool, people())
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        var slow = controller.changes.makeAsyncIterator()
        var quick = controller.changes.makeAsyncIterator()
        try await manager.insert(Person("Eve", "Adams", 5))
        _ = try await quick.next()
        try await manager.insert(Person("Fay", "Adams", 6))
        try await manager.execute("UPDATE PERSON SET LUCKY_NUMBER = 0 WHERE FIRST_NAME = 'Dan'")
        while controller[[0, 2]] == nil || controller[[2, 0]]?.luckyNumber != 0 { _ = try await quick.next() }
        let change = try #require(await slow.next())
        #expect(change.insertions == [[0, 1], [0, 2]] && change.updates == [.init(from: [2, 0], to: [2, 0])])
    }

    @Test("without sections there is one, also without objects", arguments: Kind.allCases)
    func unsectioned(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let controller = FetchedResultsController(Person.sorted(by: \.firstName), in: manager)
        try controller.fetch()
        #expect(controller.sections.map(\.count) == [0])
        var changes = controller.changes.makeAsyncIterator()
        try await manager.insert(Person("Ann", nil, 1))
        let change = try #require(await changes.next())
        #expect(change.insertions == [[0, 0]] && change.sectionInsertions.isEmpty)
    }

    @Test("sections can be named by a function, and a limit moves rows in and out")
    func named() async throws {
        let manager = try manager(.pool, people())
        let controller = FetchedResultsController(byLastName.limit(3), sectionedBy: \.lastName, in: manager) {
            $0 == "Adams" ? "first" : "others"
        }
        try controller.fetch()
        #expect(controller.sections.map(\.name) == ["first", "others"])
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute("DELETE FROM PERSON WHERE FIRST_NAME = 'Ann'")
        let change = try #require(await changes.next())
        #expect(change.deletions == [[1, 0]] && change.insertions == [[1, 1]])
        #expect(controller.objects.map(\.firstName) == ["Bob", "Cid", "Dan"])
    }

    @Test("another table that the condition reads is heard")
    func otherTable() async throws {
        let manager = try manager(.pool, people())
        try await manager.execute("CREATE TABLE chosen (id INTEGER PRIMARY KEY)")
        let query = Person.where(.sql("ID IN (SELECT id FROM chosen)")).sorted(by: \.id)
        let controller = FetchedResultsController(query, in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute("INSERT INTO chosen VALUES (3)")
        #expect(try await changes.next()?.insertions == [[0, 0]])
        #expect(controller.objects.map(\.firstName) == ["Cid"])
    }

    @Test("after a commit of which nothing is known, only what differs is reported")
    func anything() async throws {
        let manager = try manager(.pool, people())
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        let untouched = controller[[0, 0]]
        var changes = controller.changes.makeAsyncIterator()
        try await manager.transaction {
            try manager.execute("CREATE TABLE other (a)")
            try manager.execute("UPDATE PERSON SET LUCKY_NUMBER = 0 WHERE FIRST_NAME = 'Dan'")
        }
        let change = try #require(await changes.next())
        #expect(change.updates == [.init(from: [2, 0], to: [2, 0])] && change.insertions.isEmpty)
        #expect(controller[[0, 0]] === untouched)
    }

    @Test("other processes are seen on request")
    func otherProcess() async throws {
        let manager = try manager(.pool, people())
        let controller = FetchedResultsController(
            byLastName, sectionedBy: \.lastName, in: manager, otherProcessesEvery: .milliseconds(5))
        var changes = controller.changes.makeAsyncIterator()
        _ = try await changes.next()
        let other = try Database(.file(directory.path()))
        try other.execute("DELETE FROM PERSON WHERE FIRST_NAME = 'Dan'")
        #expect(try await changes.next()?.sectionDeletions == [2])
    }

    @Test("what views observe is reported")
    func observed() async throws {
        let manager = try manager(.pool, people())
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = controller.sections
        } onChange: {
            continuation.yield()
        }
        try await manager.insert(Person("Eve", "Adams", 5))
        for await _ in changes { break }
    }

    @Test("mistakes are thrown by fetch, and shown as the error")
    func mistakes() async throws {
        let manager = try manager()
        let controller = FetchedResultsController(Person.sorted(by: \.firstName), sectionedBy: \.lastName, in: manager)
        #expect(failure { try controller.fetch() }?.code == .invalidOrdering)
        var changes = controller.changes.makeAsyncIterator()
        await #expect(throws: PersistenceError.self) { _ = try await changes.next(isolation: MainActor.shared) }
        #expect((controller.error as? PersistenceError)?.code == .invalidOrdering)
    }

    @Test("an error is thrown once, and fetch begins again")
    func again() async throws {
        let manager = try manager(.pool, people())
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute("ALTER TABLE PERSON RENAME TO P")
        await #expect(throws: (any Error).self) { _ = try await changes.next(isolation: MainActor.shared) }
        #expect(try await changes.next() == nil)
        try await manager.execute("ALTER TABLE P RENAME TO PERSON")
        try controller.fetch()
        #expect(controller.error == nil)
        changes = controller.changes.makeAsyncIterator()
        try await manager.insert(Person("Eve", "Adams", 5))
        #expect(try await changes.next()?.insertions == [[0, 1]])
    }

    @Test("goes when nobody holds it, though a loop waits for its changes")
    func released() async throws {
        let manager = try manager(.pool, people())
        var controller: FetchedResultsController? = FetchedResultsController(
            byLastName, sectionedBy: \.lastName, in: manager)
        try controller?.fetch()
        weak let held = controller
        let loop = Task { [changes = controller?.changes] in
            guard let changes else { return }
            for try await _ in changes {}
        }
        await Task.yield()
        controller = nil
        try await loop.value
        while held != nil { await Task.yield() }
        #expect(held == nil)
    }

    @Test("shows one object for several rows with the same key, which a view may have") func sameKey() async throws {
        let manager = try manager(.pool, people())
        try await manager.execute("CREATE VIEW FAMILY AS SELECT LAST_NAME AS NAME FROM PERSON")
        let controller = FetchedResultsController(Query(ShownFamily.self).sorted(by: \.name), in: manager)
        try controller.fetch()
        #expect(controller.objects.map(\.name) == ["Adams", "Baker", "Baker", "Cole"])
        var changes = controller.changes.makeAsyncIterator()
        try await manager.insert(Person("Eve", "Adams", 5))
        #expect(try await changes.next()?.insertions == [[0, 1]])
        #expect(controller.objects.map(\.name) == ["Adams", "Adams", "Baker", "Baker", "Cole"])
        #expect(controller[[0, 1]] === controller[[0, 0]])
        try await manager.insert(Person("Fay", "Dent", 6))
        #expect(try await changes.next()?.insertions == [[0, 5]])
        #expect(controller.objects.map(\.name) == ["Adams", "Adams", "Baker", "Baker", "Cole", "Dent"])
    }

    /// Writes at random.
    private func write(_ manager: PersistenceManager, _ random: inout SeededGenerator) throws {
        try manager.transaction {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let id = Int.random(in: 1...12, using: &random)
                let name = ["Adams", "Baker", "Cole", "Dent"].randomElement(using: &random)
                let first = "\(Int.random(in: 0...9, using: &random))"
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try manager.execute("DELETE FROM PERSON WHERE ID = \(id)")
                case 1:
                    try manager.execute("UPDATE PERSON SET LAST_NAME = \(name), FIRST_NAME = \(first) WHERE ID = \(id)")
                default:
                    try manager.execute("INSERT OR REPLACE INTO PERSON VALUES (\(id), \(first), \(name), 1)")
                }
            }
        }
    }

    @Test(
        "random writes leave the sections as a fetch gives them, and the changes lead there", .timeLimit(.minutes(20)))
    func random() async throws {
        let manager = try manager()
        let controller = FetchedResultsController(byLastName, sectionedBy: \.lastName, in: manager)
        try controller.fetch()
        var changes = controller.changes.makeAsyncIterator()
        func lists() -> Arrangement<String?, Int64?> {
            Arrangement(controller.sections.map { .init(name: $0.name, rows: $0.objects.map(\.id)) })
        }
        var seen = lists()
        var random = SeededGenerator()
        for _ in 1...60 {
            try write(manager, &random)
            let fetched = try await manager.sections(byLastName, by: \.lastName)
            let expected = fetched.map { section in section.objects.map { "\($0.id ?? 0) \($0.firstName ?? "")" } }
            func shown() -> [[String]] {
                controller.sections.map { $0.objects.map { "\($0.id ?? 0) \($0.firstName ?? "")" } }
            }
            while shown() != expected {
                guard let change = try await changes.next() else { break }
                let now = lists()
                #expect(change.applied(to: seen, taking: now) == now.sections, "seed \(random.seed)")
                seen = now
            }
            #expect(shown() == expected, "seed \(random.seed)")
        }
    }
}

private final class ShownFamily: PersistingModel {
    var name = ""

    override class var tableName: String { "FAMILY" }
    override class var primaryKey: PrimaryKey { .assigned("name") }
}
