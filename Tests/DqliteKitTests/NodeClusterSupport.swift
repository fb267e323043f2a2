import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// What the tests store in a cluster of real nodes.
final class Note: PersistingModel {
    var id: Int64?
    var number = 0
    var text: String?
    var isRead: Bool?
    var date: Date?
    var data: Data?
}

/// A cluster of real nodes, and a manager that uses it.
struct NoteStore {
    let nodes: NodeProcesses
    let cluster: Cluster
    let manager: PersistenceManager
    private let requestTimeout: Duration

    /// - Parameter requestTimeout: How long a node may take to answer: long, where no node fails, since a machine may be
    ///   slow.
    init(
        _ count: Int = 3, on network: NetworkNamespaces? = nil, requestTimeout: Duration = .seconds(60)
    ) throws {
        nodes = try NodeProcesses(count, command: RealNodes.command, on: network)
        self.requestTimeout = requestTimeout
        cluster = try Self.cluster(nodes.addresses, requestTimeout)
        manager = try PersistenceManager(cluster)
        try manager.createTableIfNecessary(for: Note.self)
    }

    /// Another manager, which knows only some of the nodes at first.
    func another(_ addresses: [String]? = nil) throws -> PersistenceManager {
        try PersistenceManager(Self.cluster(addresses ?? nodes.addresses, requestTimeout))
    }

    private static func cluster(_ addresses: [String], _ requestTimeout: Duration) throws -> Cluster {
        var configuration = ClusterConfiguration()
        configuration.requestTimeout = requestTimeout
        return try Cluster(addresses, database: "notes", configuration: configuration)
    }

    /// The process of the node that leads.
    func leader() throws -> NodeProcess { try nodes.node(at: cluster.leader().address) }

    /// Stores a note of its own.
    func insert(_ number: Int) throws {
        let note = Note()
        note.number = number
        try manager.insert(note)
    }

    /// The numbers of all notes.
    func numbers() throws -> [Int] {
        try manager.read(.linearizable) { try manager.fetchAll(Note.self, sortedBy: "number").map(\.number) }
    }

    /// Runs `action` while a thread stores one note after the other, and says what became of each.
    ///
    /// - Parameter rest: How many notes to store after `action` has returned.
    func writing(rest: Int = 20, while action: () throws -> Void) throws -> Writes {
        let writer = try another()
        let writes = Shared(Writes())
        // How many are still to be stored, once that is known.
        let remaining = Shared(Int?.none)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var number = 0
            while remaining.value != 0 {
                defer { number += 1 }
                remaining.change { $0 = $0.map { $0 - 1 } }
                Self.write(number, writer, writes)
            }
            done.signal()
        }
        let outcome = Result {
            try waitUntil { writes.value.acknowledged.count >= 20 }
            try action()
        }
        remaining.value = rest
        done.wait()
        try outcome.get()
        return writes.value
    }

    private static func write(_ number: Int, _ manager: PersistenceManager, _ writes: Shared<Writes>) {
        let note = Note()
        note.number = number
        do {
            try manager.insert(note)
            writes.change { $0.acknowledged.append(number) }
        } catch {
            writes.change { $0.add(number, error) }
            usleep(10_000)
        }
    }
}

/// What a writer was told of its writes.
struct Writes: Sendable {
    var acknowledged: [Int] = []
    var rejected: [Int] = []
    var unknown: [Int] = []

    /// Adds a write that has failed.
    mutating func add(_ number: Int, _ error: any Error) {
        let cause = error as? SQLiteError ?? (error as? PersistenceError)?.sqliteError
        if cause?.outcome == .notApplied { rejected.append(number) } else { unknown.append(number) }
    }

    /// What is wrong with the numbers that are there, in words.
    func faults(_ numbers: [Int]) -> [String] {
        let present = Set(numbers)
        var faults: [String] = []
        if present.count != numbers.count { faults.append("some are there twice") }
        let lost = acknowledged.filter { !present.contains($0) }
        if !lost.isEmpty { faults.append("\(lost) of \(acknowledged.count) are lost") }
        let wrong = rejected.filter { present.contains($0) }
        if !wrong.isEmpty { faults.append("\(wrong) are there, and were said not to be applied") }
        return faults
    }
}

/// A value that several threads share.
final class Shared<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var known: Value

    init(_ value: Value) { known = value }

    var value: Value {
        get { lock.withLock { known } }
        set { lock.withLock { known = newValue } }
    }

    func change<T>(_ body: (inout Value) throws -> T) rethrows -> T { try lock.withLock { try body(&known) } }
}
