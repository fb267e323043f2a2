import Foundation
import Persisting
import Testing

@Suite("Handlers of changes")
struct ChangeHandlerTests {
    // F67

    enum Kind: CaseIterable { case queue, pool }

    private let directory: TemporaryDirectory
    /// What handlers have said.
    private let said: AsyncStream<String>
    private let words: AsyncStream<String>.Continuation

    init() throws {
        directory = try TemporaryDirectory()
        (said, words) = AsyncStream.makeStream()
    }

    private func manager(_ kind: Kind = .pool) throws -> PersistenceManager {
        var configuration = DatabaseConfiguration()
        if kind == .queue { configuration.journalMode = .delete }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.createTableIfNecessary(for: Person.self)
        try manager.createTableIfNecessary(for: User.self)
        return manager
    }

    private func text(_ change: ModelChange<Person>) -> String {
        let kind = change.kind.map { "\($0)" } ?? "any"
        return ([kind] + change.key.map { "\($0)" } + change.changedKeys.sorted()).joined(separator: " ")
    }

    private func heard(_ count: Int) async -> [String] {
        var heard: [String] = []
        for await word in said {
            heard.append(word)
            if heard.count == count { break }
        }
        return heard
    }

    @Test("are called for inserts, updates and deletions of their class", arguments: Kind.allCases)
    func kinds(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let token = manager.onChange(of: Person.self) { [words] in words.yield(text($0)) }
        let person = Person("A", nil, nil)
        try await manager.save(person)
        try await manager.save(User(name: "a"))
        person.firstName = "B"
        person.luckyNumber = 7
        try await manager.save(person)
        try await manager.delete(person)
        #expect(
            await heard(3) == [
                "insert 1 firstName id lastName luckyNumber", "update 1 firstName luckyNumber",
                "delete 1 firstName id lastName luckyNumber",
            ])
        #expect(token.error == nil)
    }

    @Test("of single properties are called for those alone", arguments: Kind.allCases)
    func properties(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let tokens = [
            manager.onChange(of: Person.self, [.update("firstName")]) { [words] in words.yield(text($0)) },
            manager.onChange(of: Person.self, [.update(\.firstName)]) { [words] in words.yield(text($0)) },
        ]
        let person = Person("A", nil, nil)
        try await manager.save(person)
        try await person.update(\.luckyNumber, to: 7)
        try await manager.execute("UPDATE PERSON SET FIRST_NAME = FIRST_NAME")
        try await person.update(\.firstName, to: "B")
        #expect(await heard(2) == ["update 1 firstName", "update 1 firstName"])
        withExtendedLifetime(tokens) {}
    }

    @Test("are called in the order of the commits")
    func order() async throws {
        let manager = try manager()
        let token = manager.onChange(of: Person.self, [.insert]) { [words] in words.yield("\($0.key)") }
        for _ in 1...100 { try await manager.save(Person("A", nil, nil)) }
        #expect(await heard(100) == (1...100).map { "[\($0)]" })
        token.cancel()
    }

    @Test("hear of SQL text, and nothing of what is rolled back", arguments: Kind.allCases)
    func rolledBack(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let token = manager.onChange(of: Person.self, [.insert]) { [words] in words.yield(text($0)) }
        try catchingTestError {
            try manager.transaction {
                try manager.save(Person("A", nil, nil))
                throw TestError()
            }
        }
        try await manager.execute("INSERT INTO PERSON (ID) VALUES (5)")
        #expect(await heard(1) == ["insert 5 firstName id lastName luckyNumber"])
        token.cancel()
    }

    @Test("are called once without a kind when any row may have changed")
    func anything() async throws {
        let manager = try manager()
        let token = manager.onChange(of: Person.self, [.delete]) { [words] in words.yield(text($0)) }
        try await manager.execute("CREATE TABLE other (a)")
        #expect(await heard(1) == ["any"])
        token.cancel()
    }

    @Test("end when their token is cancelled or released", arguments: [false, true])
    func removed(_ isReleased: Bool) async throws {
        let manager = try manager()
        let other = manager.onChange(of: Person.self, [.insert]) { [words] in words.yield("other \($0.key)") }
        var token: ChangeToken? = manager.onChange(of: Person.self, [.insert]) { [words] in
            words.yield("token \($0.key)")
        }
        if isReleased { token = nil } else { token?.cancel() }
        try await manager.save(Person("A", nil, nil))
        try await manager.save(Person("A", nil, nil))
        #expect(await heard(2) == ["other [1]", "other [2]"])
        other.cancel()
    }

    @Test("let go of what they hold when their token goes")
    func released() async throws {
        let manager = try manager()
        weak var held: Held?
        do {
            let new = Held()
            held = new
            manager.onChange(of: Person.self) { _ in withExtendedLifetime(new) {} }.cancel()
        }
        while held != nil { await Task.yield() }
        #expect(held == nil)
    }

    @Test("aren't called for the rest of a commit when one of them cancels the token")
    @MainActor func cancelledInside() async throws {
        let manager = try manager()
        let model = ViewModel()
        weak var held: Held?
        do {
            let new = Held()
            held = new
            model.token = manager.onChange(of: Person.self, [.insert]) { change in
                withExtendedLifetime(new) {
                    model.keys += change.key
                    model.token?.cancel()
                }
            }
        }
        try await manager.insert([Person("A", nil, nil), Person("B", nil, nil)])
        // The handler goes when its last call is over.
        while held != nil { await Task.yield() }
        #expect(model.keys == [1])
    }

    @Test("run on the actor that they are made in")
    @MainActor func isolated() async throws {
        let manager = try manager()
        let model = ViewModel()
        model.token = manager.onChange(of: Person.self, [.insert]) { [words] change in
            MainActor.assertIsolated()
            model.keys += change.key
            words.yield("")
        }
        try await manager.save(Person("A", nil, nil))
        _ = await heard(1)
        #expect(model.keys == [1])
    }

    @Test("may write, and don't hear of it themselves", arguments: Kind.allCases)
    func writing(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let writer = manager.onChange(of: Person.self, [.update(\.luckyNumber)]) { [words] change in
            words.yield("writer")
            do {
                try manager.execute("UPDATE PERSON SET LUCKY_NUMBER = LUCKY_NUMBER + 1")
            } catch {
                Issue.record(error)
            }
        }
        try await manager.save(Person("A", nil, 1))
        let reader = manager.onChange(of: Person.self, [.update(\.luckyNumber)]) { [words] _ in words.yield("reader") }
        try await manager.execute("UPDATE PERSON SET LUCKY_NUMBER = 10")
        var all: [String] = []
        for await word in said {
            all.append(word)
            if all.filter({ $0 == "reader" }).count == 2 { break }
        }
        // What would come after is of a later commit.
        try await manager.save(Person("B", nil, 1))
        #expect(all.filter { $0 == "writer" }.count == 1)
        withExtendedLifetime((writer, reader)) {}
    }

    @Test("get the row as it is now", arguments: Kind.allCases)
    func object(_ kind: Kind) async throws {
        let manager = try manager(kind)
        let token = manager.onChange(of: Person.self) { [words] change in
            do {
                words.yield(try change.object()?.firstName ?? "gone")
            } catch {
                Issue.record(error)
            }
        }
        let person = Person("A", nil, nil)
        try await manager.save(person)
        var heard = said.makeAsyncIterator()
        #expect(await heard.next() == "A")
        try await person.update(\.id, to: 9)
        #expect(await heard.next() == "A")
        try await manager.delete(person)
        #expect(await heard.next() == "gone")
        token.cancel()
    }

    @Test("of an unknown property say so")
    func unknown() throws {
        let token = try manager().onChange(of: Person.self, [.update("firstname")]) { _ in }
        #expect(token.error?.code == .unknownKey)
    }
}

private final class Held: Sendable {}

@MainActor private final class ViewModel {
    var keys: [SQLiteValue] = []
    var token: ChangeToken?
}
