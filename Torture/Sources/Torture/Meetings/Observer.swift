import Foundation
import Persisting
import SQLiteKit

/// An observer of a program, and what it must have seen.
final class Observer {
    let watching: Watching
    private let manager: PersistenceManager
    private let interval: Duration?
    private let seen = Seen()
    private var task: Task<Void, Never>?
    private var token: ChangeToken?
    private var keeper: (any Keeper)?

    /// What was committed since it began: the values that may be seen, in order. Of several writes at the same time,
    /// nobody knows which was first.
    private var history: [Set<String>] = []
    /// The place in the history of the last value seen, and how many were looked at.
    private var (place, checked) = (0, 0)
    private var due: Set<Contents.Touch.Name> = []
    private var allowed: Set<Contents.Touch.Name> = []
    /// The rows of live objects that have gone since; they may come back.
    private var gone: Set<[Int]> = []
    private var live: [[Int]: Kind] = [:]

    /// Begins, and waits until whatever is committed from now on must be seen.
    init(_ watching: Watching, _ manager: PersistenceManager, polls: Bool, _ contents: Contents) throws {
        (self.watching, self.manager) = (watching, manager)
        interval = polls ? .milliseconds(5) : nil
        if let value = watching.value(contents) { history = [[value]] }
        if case .live(let kind) = watching { live = contents.rows(of: kind).mapValues(\.kind) }
        try begin()
    }

    private func begin() throws {
        let started = Reply<Void>()
        let body: @Sendable @concurrent () async -> Void = { [watching, manager, interval, seen] in
            do {
                try await Self.watch(watching, manager, interval, seen, started)
            } catch is CancellationError {
            } catch {
                started.put(.failure(error))
                seen.put("throws \(error)")
            }
        }
        task = Task.detached(operation: body)
        if case .handler(let kind) = watching { token = handler(kind) }
        if case .controller(let kind) = watching { keeper = try MeetingList.make(kind, manager, interval) }
        if case .folderController = watching { keeper = try MeetingList.folders(manager, interval) }
        if case .live(let kind) = watching { keeper = try MeetingObjects.make(kind, manager, interval) }
        try started.take()
    }

    /// Ends it, and waits for the end of its task.
    func end() {
        task?.cancel()
        token?.cancel()
        keeper = nil
        let ended = Reply<Void>()
        Task.detached { [task] in
            await task?.value
            ended.put(.success(()))
        }
        _ = ended.comes(within: Hang.limit)
    }

    private static func watch(
        _ watching: Watching, _ manager: PersistenceManager, _ interval: Duration?, _ seen: Seen, _ started: Reply<Void>
    ) async throws {
        func each<Value>(_ values: ObservedValues<Value>, _ words: (Value) -> String) async throws {
            for try await value in values {
                seen.put(words(value))
                started.put(.success(()))
            }
        }
        func query<Model: PersistingModel>(_ type: Model.Type) async throws {
            try await each(manager.observe(Query(type), otherProcessesEvery: interval)) { objects in
                objects.map { Objects.words($0) }.sorted().joined(separator: "; ")
            }
        }
        func object<Model: PersistingModel>(_ type: Model.Type, _ key: any SQLiteValueConvertible) async throws {
            try await each(manager.observe(type, key, otherProcessesEvery: interval)) { object in
                object.map { Objects.words($0) } ?? "nil"
            }
        }
        switch watching {
        case .query(let kind): try await query(kind.type)
        case .count(let kind):
            try await each(manager.observe(otherProcessesEvery: interval) { try count(kind.type, $0) }) { "\($0)" }
        case .either(let first, let second):
            let values = manager.observe(otherProcessesEvery: interval) { manager in
                try count(first.type, manager) == 0 ? -1 : count(second.type, manager)
            }
            try await each(values) { "\($0)" }
        case .object(let kind, let number):
            guard let key = kind.property("id")?.value(number) as? any SQLiteValueConvertible else { return }
            try await object(kind.type, key)
        case .notesOfFolders:
            let values = manager.observe(otherProcessesEvery: interval) { manager in
                try manager.fetchAll(Folder.self).map { folder in
                    let (notes, rows) = (try folder.related(Folder.notes), folder.rows(Folder.notes))
                    let count = try manager.count(rows)
                    return "\(folder.id ?? 0): " + (notes.count == count ? "\(count)" : "\(notes.count), \(count) rows")
                }.sorted().joined(separator: "; ")
            }
            try await each(values) { $0 }
        case .changes:
            var commits = manager.changes(otherProcessesEvery: interval).makeAsyncIterator()
            started.put(.success(()))
            while let commit = await commits.next() { seen.put(commit) }
        case .feed: try await follow(manager, interval, seen, started)
        case .handler, .controller, .folderController, .live: started.put(.success(()))
        }
    }

    /// Makes of the rows that there are now, by each commit of the feed, those that there are then.
    private static func follow(
        _ manager: PersistenceManager, _ interval: Duration?, _ seen: Seen, _ started: Reply<Void>
    ) async throws {
        var (words, token) = try now(manager)
        func put() { seen.put(words.sorted().joined(separator: "; ")) }
        put()
        started.put(.success(()))
        let feed = manager.history(
            since: token, of: Kind.recorded.map(\.type), otherProcessesEvery: interval)
        for try await commit in feed {
            token = commit.token
            for (before, after) in try Kind.recorded.flatMap({ try changes(of: $0.type, in: commit) }) {
                if let before {
                    guard let place = words.firstIndex(of: before) else { throw Complaint("\(before) wasn't there") }
                    words.remove(at: place)
                }
                if let after { words.append(after) }
            }
            put()
        }
    }

    private static func now(_ manager: PersistenceManager) throws -> ([String], HistoryToken) {
        try manager.read { _ in
            (try Objects.past(nil, manager), HistoryToken(rawValue: try Objects.lastTransaction(manager)))
        }
    }

    private static func changes<Model: PersistingModel>(
        of type: Model.Type, in commit: HistoryCommit
    ) throws -> [(before: String?, after: String?)] {
        try commit.changes(of: type).map { ($0.before.map { Objects.words($0) }, $0.after.map { Objects.words($0) }) }
    }

    private static func count<Model: PersistingModel>(_ type: Model.Type, _ manager: PersistenceManager) throws -> Int {
        try manager.count(type)
    }

    private func handler(_ kind: Kind) -> ChangeToken {
        func opened<Model: PersistingModel>(_ type: Model.Type) -> ChangeToken {
            manager.onChange(of: type) { [seen] change in seen.put(kind, change.kind, change.key, change.changedKeys) }
        }
        return opened(kind.type)
    }

    // MARK: What is committed

    /// - Parameters:
    ///   - between: What the tables may have held between two of several writes that were made at once.
    ///   - isHeard: Whether it is reported by its rows, as another process's commit isn't.
    func note(
        _ before: Contents, _ after: Contents, touched: Set<Contents.Touch>, between: [Contents], isHeard: Bool
    ) {
        if let value = watching.value(after) {
            if !between.isEmpty { history.append(Set(between.compactMap(watching.value)).union([value])) }
            if history.last != [value] { history.append([value]) }
        }
        switch watching {
        case .changes where !isHeard, .handler where !isHeard: break
        case .changes:
            due.formUnion(after.changes(since: before).map(\.name))
            allowed.formUnion(touched.map(\.name))
        case .handler(let kind):
            func concerns(_ touch: Contents.Touch) -> Bool {
                touch.name.table == kind.table && (kind.table != .media || kind == .media || touch.kind == kind)
            }
            let names = Set(kind.properties.map(\.name))
            due.formUnion(
                after.changes(since: before).filter(concerns).map { touch in
                    // Of a subclass's property, the handler of the base class hears under any name.
                    let isOwn = names.contains(touch.name.property)
                    return isOwn ? touch.name : .init(table: kind.table, key: touch.name.key, property: "")
                })
            allowed.formUnion(touched.filter(concerns).map(\.name))
        case .live(let kind):
            for (key, kind) in live where after.row(kind, key)?.kind != kind { gone.insert(key) }
            let replaced = Dictionary(grouping: touched.filter { $0.name.table == kind.table }) { $0.name.key ?? [] }
            for (key, touches) in replaced where touches.count >= kind.table.properties.count { gone.insert(key) }
        default: break
        }
    }

    // MARK: What is wrong

    /// - Parameter seconds: How long to wait for what is still to come.
    func complaint(_ contents: Contents, within seconds: Double) throws -> Complaint? {
        let end = ContinuousClock.now + .seconds(seconds)
        var wait = 0.0001
        while true {
            let complaint = try missing(contents)
            if complaint == nil { return wrong() }
            if ContinuousClock.now >= end { return complaint }
            Thread.sleep(forTimeInterval: wait)
            wait = min(wait * 1.5, 0.01)
        }
    }

    private func missing(_ contents: Contents) throws -> Complaint? {
        switch watching {
        case .changes, .handler:
            guard let missed = seen.missing(of: due) else { return nil }
            return Complaint("it hasn't heard of \(missed)")
        case .live(let kind):
            let objects = try keeper?.state() ?? [:]
            for (key, kind) in live {
                let row = contents.row(kind, key)
                let found = objects[Contents.name(kind, key)]
                let words = row?.kind == kind ? row.map(contents.words) : nil
                if found == words || found == (words == nil ? "deleted" : words) { continue }
                if gone.contains(key), words == nil || found == "deleted" { continue }
                return Complaint("the live object is \(found ?? "missing"), and the row \(words ?? "deleted")")
            }
            _ = kind
            return nil
        case .controller, .folderController:
            let state = try keeper?.state()
            let found = state?["objects"] ?? "nothing"
            let value = watching.value(contents) ?? ""
            return found == value ? nil : Complaint("it has [\(found)], and the model [\(value)]")
        default:
            let last = seen.values.last ?? "nothing"
            let value = watching.value(contents) ?? ""
            return last == value ? nil : Complaint("the last value is [\(last)], and the model's [\(value)]")
        }
    }

    private func wrong() -> Complaint? {
        switch watching {
        case .changes, .handler:
            guard let unwritten = seen.unwritten(allowed) else { return nil }
            return Complaint("it has heard of \(unwritten), which nobody has written")
        default:
            let values = seen.values
            for value in values.dropFirst(checked) {
                guard let next = history[place...].firstIndex(where: { $0.contains(value) }) else {
                    return Complaint("[\(value)] was seen after the commit that made another of it, or never committed")
                }
                place = next
            }
            checked = values.count
            return nil
        }
    }
}
