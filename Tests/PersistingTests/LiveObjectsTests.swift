import Foundation
import Observation
import Persisting
import Testing

@Suite("Live objects")
@MainActor
struct LiveObjectsTests {
    // F122

    enum Kind: CaseIterable { case queue, pool }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func manager(_ kind: Kind = .pool) throws -> PersistenceManager {
        var configuration = DatabaseConfiguration()
        if kind == .queue { configuration.journalMode = .delete }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.createTableIfNecessary(for: Person.self)
        try manager.createTableIfNecessary(for: Noted.self)
        try manager.insert([Person("Ann", "Baker", 1), Person("Bob", "Adams", 2)])
        return manager
    }

    private func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }

    @Test("are one for each row, as long as someone holds them", arguments: Kind.allCases)
    func one(_ kind: Kind) async throws {
        let live = LiveObjects(in: try manager(kind))
        let ann = try await live.find(Person.self, 1)
        #expect(ann != nil)
        let all = try await live.fetchAll(Person.sorted(by: \.id))
        #expect(all.first === ann)
        #expect(try await live.find(Person.self, 1) === ann)
        #expect(try await live.find(Person.self, 99) == nil)
        withExtendedLifetime(all) {}
    }

    @Test("let go of objects that nobody holds")
    func unheld() async throws {
        let live = LiveObjects(in: try manager())
        var ann = try await live.find(Person.self, 1)
        weak let held = ann
        ann = nil
        #expect(held == nil)
        #expect(try await live.find(Person.self, 1) != nil)
    }

    @Test("get what others have written, after the commit", .timeLimit(.minutes(20)), arguments: Kind.allCases)
    func refreshed(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let live = LiveObjects(in: manager)
        let ann = try #require(await live.find(Person.self, 1))
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Amy' WHERE ID = 1")
        await until { ann.firstName == "Amy" }
        #expect(!ann.hasChanges)
        let other = try #require(await manager.find(Person.self, 1))
        try await other.update(\.luckyNumber, to: 7)
        await until { ann.luckyNumber == 7 }
    }

    @Test("keep unsaved changes, and take over the rest", .timeLimit(.minutes(20)))
    func unsaved() async throws {
        let manager = try manager()
        var conflicts: [SaveConflict] = []
        let live = LiveObjects(in: manager) { _, conflict in conflicts.append(conflict) }
        let ann = try #require(await live.find(Person.self, 1))
        ann.firstName = "Mine"
        try await manager.execute("UPDATE PERSON SET LAST_NAME = 'Theirs' WHERE ID = 1")
        await until { ann.lastName == "Theirs" }
        #expect(ann.firstName == "Mine" && ann.changedKeys == ["firstName"] && conflicts.isEmpty)
        try await manager.save(ann)
        #expect(try await manager.find(Person.self, 1)?.firstName == "Mine")
    }

    @Test("say what both have changed, and can be merged", .timeLimit(.minutes(20)))
    func conflict() async throws {
        let manager = try manager()
        var conflicts: [SaveConflict] = []
        let live = LiveObjects(in: manager) { _, conflict in conflicts.append(conflict) }
        let ann = try #require(await live.find(Person.self, 1))
        ann.firstName = "Mine"
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Theirs', LAST_NAME = 'New' WHERE ID = 1")
        await until { !conflicts.isEmpty }
        #expect(conflicts.map(\.overlap) == [["firstName"]])
        #expect(ann.firstName == "Mine" && ann.lastName == "New" && ann.changedKeys == ["firstName"])
        try await manager.merge(ann, preferring: .theirs)
        #expect(ann.firstName == "Theirs" && !ann.hasChanges)
    }

    @Test(
        "know that their row was deleted, and can't be saved then", .timeLimit(.minutes(20)), arguments: Kind.allCases)
    func deleted(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let live = LiveObjects(in: manager)
        let ann = try #require(await live.find(Person.self, 1))
        try await manager.execute("DELETE FROM PERSON WHERE ID = 1")
        await until { ann.isDeleted }
        #expect(ann.firstName == "Ann" && !ann.isPersisted)
        ann.firstName = "Amy"
        #expect(await asyncFailure { try await manager.save(ann) }?.code == .notFound)
        #expect(await asyncFailure { try await manager.save([ann]) }?.code == .notFound)
        #expect(failure { try save(ann, manager) }?.code == .notFound)
        try await manager.execute("INSERT INTO PERSON (ID, LAST_NAME) VALUES (1, 'Back')")
        await until { ann.lastName == "Back" }
        #expect(ann.isPersisted)
    }

    private func save(_ object: PersistingModel, _ manager: PersistenceManager) throws { try manager.save(object) }

    @Test("follow a key that they have changed themselves", .timeLimit(.minutes(20)))
    func changedKey() async throws {
        let manager = try manager()
        let live = LiveObjects(in: manager)
        let ann = try #require(await live.find(Person.self, 1))
        try await ann.update(\.id, to: 50)
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Amy' WHERE ID = 50")
        await until { ann.firstName == "Amy" }
        #expect(ann.id == 50)
    }

    @Test("an inserted object is kept up to date once it is added", .timeLimit(.minutes(20)))
    func added() async throws {
        let manager = try manager()
        let live = LiveObjects(in: manager)
        let person = Person("Cid", nil, 3)
        #expect(await asyncFailure { try live.add(person) }?.code == .notPersisted)
        try await manager.insert(person)
        #expect(try live.add(person) === person)
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Cy' WHERE ID = 3")
        await until { person.firstName == "Cy" }
        #expect(try await live.find(Person.self, 3) === person)
    }

    @Test("follow their rows from then on if they weren't tracked", .timeLimit(.minutes(20)))
    func untracked() async throws {
        let manager = try manager()
        let live = LiveObjects(in: manager)
        let ann = try #require(await manager.fetchAll(Person.sorted(by: \.id), tracked: false).first)
        try live.add(ann)
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Amy' WHERE ID = 1")
        await until { ann.firstName == "Amy" }
        #expect(!ann.hasChanges)
        ann.luckyNumber = 3
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = 'Ada' WHERE ID = 1")
        await until { ann.firstName == "Ada" }
        #expect(ann.changedKeys == ["luckyNumber"])
    }

    @Test("are others for a row that gets the key of a deleted one") func reinserted() throws {
        let manager = try manager()
        let live = LiveObjects(in: manager)
        for isAdded in [false, true] {
            let old = try #require(try live.find(Person.self, 1))
            try manager.delete(old)
            try manager.execute("INSERT INTO PERSON (ID, FIRST_NAME) VALUES (1, 'Amy')")
            let found = try #require(try manager.find(Person.self, 1))
            let new = isAdded ? try live.add(found) : try #require(try live.find(Person.self, 1))
            #expect(new !== old && new.isPersisted)
            #expect(try live.find(Person.self, 1) === new)
        }
    }

    @Test("observers of columns by key path are notified", .timeLimit(.minutes(20)))
    func observed() async throws {
        let manager = try manager()
        try await manager.execute("INSERT INTO NOTED (ID, TEXT) VALUES (1, 'a')")
        let live = LiveObjects(in: manager)
        let note = try #require(await live.find(Noted.self, 1))
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = note.text
        } onChange: {
            continuation.yield()
        }
        try await manager.execute("UPDATE NOTED SET TEXT = 'b'")
        for await _ in changes { break }
        await until { note.text == "b" }
    }

    @Test("go when nobody holds them, and the scope with its task")
    func released() async throws {
        let manager = try manager()
        var live: LiveObjects? = LiveObjects(in: manager)
        weak let held = live
        _ = try await live?.find(Person.self, 1)
        live = nil
        while held != nil { await Task.yield() }
        #expect(held == nil)
    }

    @Test("equal their rows once random writers are quiet", .timeLimit(.minutes(20)), arguments: Kind.allCases)
    func random(_ kind: Kind) async throws {
        let manager = try manager(kind)
        for number in 3...8 { try await manager.insert(Person("\(number)", nil, number)) }
        let live = LiveObjects(in: manager)
        let people = try await live.fetchAll(Person.sorted(by: \.id))
        let writers = (0..<3).map { writer in
            Task.detached {
                var random = SeededGenerator(seed: UInt64(writer))
                for step in 0..<40 {
                    let id = Int.random(in: 1...8, using: &random)
                    try await manager.execute("UPDATE PERSON SET FIRST_NAME = \("\(writer) \(step)") WHERE ID = \(id)")
                }
            }
        }
        for step in 0..<40 { try await people[step % 8].update(\.luckyNumber, to: step) }
        for writer in writers { try await writer.value }
        let rows = try await manager.fetchAll(Person.self, sortedBy: "id")
        await until {
            zip(people, rows).allSatisfy { $0.firstName == $1.firstName && $0.luckyNumber == $1.luckyNumber }
        }
        #expect(people.allSatisfy { !$0.hasChanges })
    }
}

@Observable
final class Noted: PersistingModel {
    var id: Int64?
    var text = ""

    override class var columns: Columns { ["ID": .int, "TEXT": .path(\Noted.text)] }
}
