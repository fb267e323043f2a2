import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// One who watches a table of items, in one of the ways there are.
final class Watcher: Sendable {
    /// How to watch: says what was seen, until it is cancelled.
    fileprivate typealias Way = @Sendable (_ seen: @Sendable (String) -> Void) async throws -> Void

    private let name: String
    private let way: Way
    /// What a fetch gives.
    private let fetch: @Sendable () async throws -> String
    private let note: @Sendable () -> Void
    private let last = Shared<String?>(nil)
    private let task = Shared<Task<Void, Never>?>(nil)

    private init(
        _ name: String, _ note: @escaping @Sendable () -> Void, fetch: @escaping @Sendable () async throws -> String,
        _ way: @escaping Way
    ) {
        (self.name, self.note, self.fetch, self.way) = (name, note, fetch, way)
    }

    func begin() {
        task.value = Task.detached { [last, way, note] in
            last.value = nil
            while !Task.isCancelled {
                do {
                    try await way { text in
                        last.value = text
                        note()
                    }
                } catch  where isClosed(error) {
                    // A database that was closed is opened again.
                    try? await Task.sleep(for: .milliseconds(1))
                } catch is CancellationError {
                    return
                } catch {
                    last.value = "\(error)"
                    return
                }
            }
        }
    }

    /// Cancels it, and waits until it has ended.
    func end() async {
        let task = task.value
        task?.cancel()
        await task?.value
    }

    /// What is wrong, if anything is.
    func complaint() async throws -> String? {
        let (last, fetched) = (last.value, try await fetch())
        return last == fetched ? nil : "\(name) has \(last ?? "nothing"), and a fetch gives \(fetched)"
    }

    /// One of each kind.
    ///
    /// - Parameters:
    ///   - isQuiet: Whether nobody may write any more.
    ///   - note: Called for each value.
    static func all(
        of manager: PersistenceManager, _ isQuiet: Shared<Bool>, _ note: @escaping @Sendable () -> Void
    ) -> [Watcher] {
        let count: @Sendable (PersistenceManager) throws -> Int = { try $0.count(Item.self, where: \.tag < 5) }
        return [
            Watcher("a query", note, fetch: { text(try await manager.fetchAll(ordered)) }) { seen in
                for try await items in manager.observe(ordered) { seen(text(items)) }
            },
            Watcher("a closure", note, fetch: { "\(try await manager.read { _ in try count(manager) })" }) { seen in
                for try await count in manager.observe(count) { seen("\(count)") }
            },
            Watcher("a key", note, fetch: { text([try await manager.find(Item.self, 3)].compactMap(\.self)) }) { seen in
                for try await item in manager.observe(Item.self, 3) { seen(text([item].compactMap(\.self))) }
            },
            Watcher(
                "sections", note, fetch: { text(try await manager.sections(byTag, by: \.tag)) }
            ) { seen in try await ListKeeper().watch(manager, seen) },
            Watcher("live objects", note, fetch: { "" }) { seen in try await LiveKeeper().watch(manager, isQuiet, seen)
            },
        ]
    }

    fileprivate static let ordered = Item.sorted(by: \.id)
    fileprivate static let byTag = Item.sorted(by: [.ascending(\.tag), .descending(\.id)])

    fileprivate static func text(_ items: [Item]) -> String {
        items.map { "\($0.id ?? 0) \($0.tag) \($0.text)" }.joined(separator: ", ")
    }

    fileprivate static func text(_ sections: Sections<Item, Int>) -> String {
        sections.map { "\($0.name): \(text($0.objects))" }.joined(separator: "; ")
    }
}

/// A list that belongs to an actor.
private actor ListKeeper {
    func watch(_ manager: PersistenceManager, _ seen: @Sendable (String) -> Void) async throws {
        let controller = FetchedResultsController(Watcher.byTag, sectionedBy: \.tag, in: manager)
        var changes = controller.changes.makeAsyncIterator()
        // Without any row there is no first change.
        repeat { seen(Watcher.text(controller.sections)) } while try await changes.next() != nil
    }
}

/// Objects that belong to an actor, which changes and saves them.
private actor LiveKeeper {
    /// Says each few milliseconds which of its objects aren't as their rows are.
    func watch(
        _ manager: PersistenceManager, _ isQuiet: Shared<Bool>, _ seen: @Sendable (String) -> Void
    ) async throws {
        let live = LiveObjects(in: manager)
        var items = try await live.fetchAll(Watcher.ordered)
        var random = SeededGenerator(seed: UInt64(items.count))
        while true {
            if let error = live.error { throw error }
            for (place, item) in items.enumerated().reversed() where !isQuiet.value && random.next() % 50 == 0 {
                item.text = "live \(random.next() % 1000)"
                // Its row may be gone.
                do { try await manager.save(item) } catch let error as PersistenceError where error.code == .notFound {
                    items.remove(at: place)
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            var wrong: [String] = []
            for item in items {
                let row = try await manager.find(Item.self, item.id)
                if item.isDeleted ? row != nil : row.map({ Watcher.text([$0]) }) != Watcher.text([item]) {
                    wrong.append("\(Watcher.text([item])) for \(Watcher.text([row].compactMap(\.self)))")
                }
            }
            seen(wrong.joined(separator: ", "))
        }
    }
}
