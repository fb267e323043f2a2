import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R19: random writers, with those who watch what they write. Some are cancelled and begin again, and one of two
/// managers is closed and opened again. When the writers are done, each who watches must come to what a fetch gives.
enum WatchSoak {
    static func run(_ options: Options) throws -> [Figures] {
        // Ten minutes in a night, in halves.
        let seconds = Double(options.count(long: 600, full: 20, quick: 2)) / 2
        return try [JournalMode.wal, .delete].map { mode in
            var figures = Figures("R19 \(mode.rawValue), who watches random writers")
            let directory = try CaseDirectory { manager in try manager.createTableIfNecessary(for: Item.self) }
            let end = ContinuousClock.now + .seconds(seconds)
            var round: UInt64 = 0
            repeat {
                try directory.reset(mode)
                let soak = Round(directory.path, mode, seed: options.seed &+ round, seconds: min(seconds, 2))
                let outcome = try waitFor { try await soak.run() }
                figures.add(outcome.faults, "round \(round)")
                figures.count("comparisons", outcome.comparisons)
                figures.count("commits", outcome.commits)
                figures.count("values seen", outcome.values)
                figures.count("cancellations", outcome.cancellations)
                figures.count("closings", outcome.closings)
                round += 1
            } while ContinuousClock.now < end
            return figures
        }
    }

    /// Runs `body` in a task, and blocks until it is done.
    private static func waitFor<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
        let done = DispatchSemaphore(value: 0)
        let result = Shared<Result<T, any Error>?>(nil)
        Task.detached {
            do {
                result.value = .success(try await body())
            } catch {
                result.value = .failure(error)
            }
            done.signal()
        }
        done.wait()
        guard let result = result.value else { throw Complaint("a task has not ended") }
        return try result.get()
    }
}

/// A value that several tasks share.
final class Shared<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var known: Value

    init(_ value: Value) { known = value }

    var value: Value {
        get { lock.withLock { known } }
        set { lock.withLock { known = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&known) } }
}

/// Some seconds of writing, and the quiet after it.
private struct Round {
    struct Outcome: Sendable {
        var faults: [Fault] = []
        var comparisons = 0
        var commits = 0
        var values = 0
        var cancellations = 0
        var closings = 0
    }

    private let path: String
    private let configuration: DatabaseConfiguration
    private let seed: UInt64
    private let end: ContinuousClock.Instant
    private let outcome = Shared(Outcome())

    init(_ path: String, _ mode: JournalMode, seed: UInt64, seconds: Double) {
        self.path = path
        self.seed = seed
        var configuration = DatabaseConfiguration()
        configuration.journalMode = mode
        // On a machine that has other work as well.
        configuration.busyTimeout = .seconds(60)
        configuration.accessTimeout = .seconds(60)
        // What is lost when the power goes is for others to find out.
        configuration.synchronous = .off
        self.configuration = configuration
        end = .now + .seconds(seconds)
    }

    private var isOver: Bool { ContinuousClock.now >= end }

    private func generator(_ number: UInt64) -> SeededGenerator { SeededGenerator(seed: seed &* 8 &+ number) }

    func run() async throws -> Outcome {
        let manager = try PersistenceManager(path: path, configuration: configuration)
        let other = try PersistenceManager(path: path, configuration: configuration)
        for number in 1...20 { try await manager.save(Item(number % 5, "first \(number)")) }
        let isQuiet = Shared(false)
        let watchers = [manager, other].flatMap { manager in
            Watcher.all(of: manager, isQuiet) { [outcome] in outcome.change { $0.values += 1 } }
        }
        for watcher in watchers { watcher.begin() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await noting("a writer") { try await write(manager, generator(0)) } }
            group.addTask { await noting("a writer") { try await write(manager, generator(1)) } }
            group.addTask { await noting("a writer of the other manager") { try await write(other, generator(2)) } }
            group.addTask { await cancel(watchers, generator(3)) }
            group.addTask { await noting("closing") { try await close(other, generator(4)) } }
        }
        isQuiet.value = true
        let deadline = ContinuousClock.now + .seconds(30)
        for watcher in watchers {
            outcome.change { $0.comparisons += 1 }
            await noting("a comparison") {
                guard let complaint = try await complaint(of: watcher, until: deadline) else { return }
                outcome.change { $0.faults.append(Fault(.lost, complaint)) }
            }
        }
        for watcher in watchers { await watcher.end() }
        try await manager.close()
        try await other.close()
        return outcome.value
    }

    /// Waits until a watcher has what a fetch gives; says what it has when that takes too long.
    private func complaint(of watcher: Watcher, until deadline: ContinuousClock.Instant) async throws -> String? {
        while true {
            guard let complaint = try await watcher.complaint() else { return nil }
            if ContinuousClock.now >= deadline { return complaint }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func noting(_ name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            outcome.change { $0.faults.append(Fault(.error, "\(name): \(error)")) }
        }
    }

    /// Cancels one watcher after the other, which begins again.
    private func cancel(_ watchers: [Watcher], _ generator: SeededGenerator) async {
        var random = generator
        while !isOver {
            // Nobody cancels this task.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
            guard let watcher = watchers.randomElement(using: &random) else { return }
            await watcher.end()
            watcher.begin()
            outcome.change { $0.cancellations += 1 }
        }
    }

    /// Closes a manager and opens it again.
    private func close(_ manager: PersistenceManager, _ generator: SeededGenerator) async throws {
        var random = generator
        while !isOver {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...200, using: &random)))
            try await manager.close()
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
            try await manager.reopen()
            outcome.change { $0.closings += 1 }
        }
    }

    private func write(_ manager: PersistenceManager, _ generator: SeededGenerator) async throws {
        var random = generator
        var number = 0
        while !isOver {
            number += 1
            do {
                try await writeOnce(manager, number, &random)
                outcome.change { $0.commits += 1 }
            } catch is RolledBack {
                continue
            } catch  where isClosed(error) {
                try await Task.sleep(for: .milliseconds(1))
            }
            if number % 5 == 0 { try await Task.sleep(for: .milliseconds(Int.random(in: 0...3, using: &random))) }
        }
    }

    private struct RolledBack: Error {}

    private func writeOnce(
        _ manager: PersistenceManager, _ number: Int, _ random: inout SeededGenerator
    ) async throws {
        let (id, to) = (Int.random(in: 1...40, using: &random), Int.random(in: 1...40, using: &random))
        let (tag, text) = (Int.random(in: 0...9, using: &random), "\(number) \(random.next() % 1000)")
        switch Int.random(in: 0...19, using: &random) {
        case 0...5: try await manager.execute("UPDATE ITEM SET TEXT = \(text) WHERE ID = \(id)")
        case 6, 7: try await manager.execute("UPDATE ITEM SET TAG = \(tag) WHERE ID = \(id)")
        case 8...10: try await manager.execute("REPLACE INTO ITEM (ID, TAG, TEXT) VALUES (\(id), \(tag), \(text))")
        case 11, 12: try await manager.execute("DELETE FROM ITEM WHERE ID = \(id)")
        case 13: try await manager.execute("UPDATE OR REPLACE ITEM SET ID = \(to) WHERE ID = \(id)")
        case 14: try await manager.save(Item(tag, text))
        case 15: try await manager.execute("DELETE FROM ITEM WHERE ID > 40")
        case 16:
            // Each row moves to another section.
            try await manager.execute("UPDATE ITEM SET TAG = (TAG + 1) % 10")
        case 17 where number % 20 == 0: try await manager.execute("DELETE FROM ITEM")
        default:
            let isKept = tag < 5
            try await manager.transaction {
                try manager.execute("UPDATE ITEM SET TEXT = \(text) WHERE ID = \(id)")
                do {
                    try manager.transaction {
                        try manager.execute("REPLACE INTO ITEM (ID, TAG, TEXT) VALUES (\(to), \(tag), 'inside')")
                        throw RolledBack()
                    }
                } catch is RolledBack {}
                if !isKept { throw RolledBack() }
            }
        }
    }
}

/// Whether an error says that the database is closed.
func isClosed(_ error: any Error) -> Bool {
    let cause = error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError
    return cause?.extendedCode == .closed
}
