internal import Foundation
internal import Synchronization

/// Those who are told what was committed to one database, by any queue or pool of this process.
///
/// They are called after each commit, in the order of the commits, on the thread that made it, which still has the
/// connection: a listener hands on what it is given.
package final class ChangeListeners: Sendable {
    package typealias Handler = @Sendable (CommittedChanges) -> Void

    private struct Listener {
        let number: Int
        /// By their keys; nil for all.
        var tables: Set<String>?
        /// A column of these tables, in lower case, whose values are noted.
        let noted: String?
        /// Whose temporary tables it hears of; nil for those of all.
        let owner: ObjectIdentifier?
        let handler: Handler
    }

    /// Those of another database, some connections of which have this one attached.
    private struct Relay {
        weak var listeners: ChangeListeners?
        let schema: String
        /// How many connections have it.
        var connections = 1
    }

    private let lock = NSLock()
    // All are guarded by `lock`.
    nonisolated(unsafe) private var listeners: [Listener] = []
    nonisolated(unsafe) private var relays: [Relay] = []
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var changes = 0
    /// The tables that are listened to, once they have been asked for; nil in it for all.
    nonisolated(unsafe) private var knownTables: Set<String>??
    /// Another number after each change of what is listened to; 0 while nobody does.
    private let version = Atomic(0)
    /// How many `relays` there are.
    private let relayCount = Atomic(0)

    /// What is listened to: asked at the beginning of each access that may write, and after each commit.
    @inline(__always)
    var currentVersion: Int { version.load(ordering: .sequentiallyConsistent) }

    /// The tables that are listened to, by their keys: nil for all.
    var tables: Set<String>? { lock.withLock { currentTables } }

    /// The same, asked with the lock.
    private var currentTables: Set<String>? {
        if let knownTables { return knownTables }
        let isEverything = listeners.contains { $0.tables == nil }
        let all = isEverything ? nil : listeners.reduce(into: Set<String>()) { $0.formUnion($1.tables ?? []) }
        knownTables = .some(all)
        return all
    }

    /// The columns whose values are noted, in lower case.
    var notedColumns: Set<String> { lock.withLock { Set(listeners.compactMap(\.noted)) } }

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - tables: What it wants to hear of, by the keys of ``tableKey(_:in:)``; nil is everything.
    ///   - column: A column, in lower case, whose values before and after each change are to be noted.
    ///   - owner: The queue or pool whose temporary tables it hears of: others have their own, which may have the same
    ///     names.
    ///   - handler: What is called.
    /// - Returns: What ``remove(_:)`` takes.
    package func add(
        _ tables: Set<String>?, noting column: String? = nil, of owner: ObjectIdentifier? = nil,
        _ handler: @escaping Handler
    ) -> Int {
        lock.withLock {
            count += 1
            listeners.append(Listener(number: count, tables: tables, noted: column, owner: owner, handler: handler))
            noteChange()
            return count
        }
    }

    /// Says again what a listener wants to hear of.
    package func setTables(_ tables: Set<String>?, of number: Int) {
        lock.withLock {
            guard let index = listeners.firstIndex(where: { $0.number == number }), listeners[index].tables != tables
            else { return }
            listeners[index].tables = tables
            noteChange()
        }
    }

    package func remove(_ number: Int) {
        lock.withLock {
            listeners.removeAll { $0.number == number }
            noteChange()
        }
    }

    private func noteChange() {
        changes += 1
        knownTables = nil
        version.store(listeners.isEmpty ? 0 : changes, ordering: .sequentiallyConsistent)
    }

    /// Whether other databases' listeners are told what is committed to this one.
    var hasRelays: Bool { relayCount.load(ordering: .sequentiallyConsistent) != 0 }

    /// Reports what is committed to this database to the listeners of another, too: a connection has this one attached.
    ///
    /// - Parameters:
    ///   - others: The other database's listeners.
    ///   - schema: What this database is called there.
    func beginRelay(to others: ChangeListeners, as schema: String) {
        lock.withLock {
            relays.removeAll { $0.listeners == nil }
            if let index = relays.firstIndex(where: { $0.listeners === others && $0.schema == schema }) {
                relays[index].connections += 1
            } else {
                relays.append(Relay(listeners: others, schema: schema))
            }
            relayCount.store(relays.count, ordering: .sequentiallyConsistent)
        }
    }

    /// Ends what ``beginRelay(to:as:)`` has begun for one connection.
    func endRelay(to others: ChangeListeners, as schema: String) {
        lock.withLock {
            guard let index = relays.firstIndex(where: { $0.listeners === others && $0.schema == schema }) else {
                return
            }
            relays[index].connections -= 1
            if relays[index].connections == 0 { relays.remove(at: index) }
            relayCount.store(relays.count, ordering: .sequentiallyConsistent)
        }
    }

    /// The listeners of other databases who are told, and what this one is called there.
    var relayed: [(listeners: ChangeListeners, schema: String)] {
        guard hasRelays else { return [] }
        return lock.withLock { relays }.compactMap { relay in relay.listeners.map { ($0, relay.schema) } }
    }

    private func relay(_ commit: CommittedChanges, except origin: ChangeListeners?, as known: String?) {
        for (others, schema) in relayed where others.currentVersion != 0 {
            if others === origin, known == nil || known == schema { continue }
            let own = commit.tables?.values.filter { asciiLowercased($0.schema) == "main" }
            if own?.isEmpty == true { continue }
            let renamed = own?.map { (tableKey($0.name, in: schema), $0.in(schema)) }
            others.tell(CommittedChanges(tables: renamed.map { Dictionary($0) { $1 } }), of: nil)
        }
    }

    /// Reports a commit.
    ///
    /// - Parameters:
    ///   - owner: Whose temporary tables are among those that were changed.
    ///   - origin: The listeners who have been told already, of those who have this database attached.
    ///   - known: The name of this database that they have been told of; nil for any.
    func report(
        _ commit: CommittedChanges, of owner: ObjectIdentifier? = nil, except origin: ChangeListeners? = nil,
        as known: String? = nil
    ) {
        tell(commit, of: owner)
        relay(commit, except: origin, as: known)
    }

    private func tell(_ commit: CommittedChanges, of owner: ObjectIdentifier?) {
        guard currentVersion != 0 else { return }
        // Most commits are to tables that nobody listens to.
        let hearing = lock.withLock {
            guard let changed = commit.tables, let wanted = currentTables else { return listeners }
            return changed.keys.contains(where: wanted.contains) ? listeners : []
        }
        if hearing.isEmpty { return }
        let shared = commit.withoutTemporaryTables
        for listener in hearing {
            guard let commit = listener.owner == nil || listener.owner == owner ? commit : shared else { continue }
            guard let tables = listener.tables, let changed = commit.tables else {
                listener.handler(commit)
                continue
            }
            if tables.contains(where: { changed[$0] != nil }) { listener.handler(commit) }
        }
    }

    /// Tells all that anything may have changed.
    package func reportAnything() { reportAnything(except: nil) }

    func reportAnything(except origin: ChangeListeners?) { report(CommittedChanges(tables: nil), except: origin) }

    // Of a file, all queues and pools of the process share one.

    private struct Weak {
        weak var listeners: ChangeListeners?
    }
    private static let registryLock = NSLock()
    nonisolated(unsafe) private static var registry: [String: Weak] = [:]

    /// The listeners of a database.
    static func of(_ location: DatabaseLocation) -> ChangeListeners {
        location.sharedName.map { named($0) } ?? ChangeListeners()
    }

    /// The listeners of a file.
    static func of(file path: String) -> ChangeListeners { named(realPath(path)) }

    private static func named(_ name: String) -> ChangeListeners {
        registryLock.withLock {
            if let known = registry[name]?.listeners { return known }
            let new = ChangeListeners()
            registry = registry.filter { $0.value.listeners != nil }
            registry[name] = Weak(listeners: new)
            return new
        }
    }
}

extension CommittedChanges.Table {
    /// The same of a database with another name.
    func `in`(_ schema: String) -> CommittedChanges.Table {
        CommittedChanges.Table(name: name, schema: schema, keyColumns: keyColumns, rows: rows)
    }
}

extension DatabaseLocation {
    /// What is the same for all connections to one database; nil for one that a single connection has. The file exists.
    fileprivate var sharedName: String? {
        switch kind {
        case .file(let path, _): realPath(path)
        case .sharedMemory(let name): ":memory:\(name)"
        case .memory, .temporary: nil
        }
    }
}

private func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
}
