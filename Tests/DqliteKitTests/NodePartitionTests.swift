import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// Packets that are lost between nodes, each in a network namespace of its own.
@Suite(
    "Lost packets", .realNodes,
    .enabled(if: NetworkNamespaces.arePossible, "network namespaces take root and Linux"), .serialized)
struct NodePartitionTests {
    private func index(_ store: NoteStore, _ node: NodeProcess) throws -> Int {
        try #require(store.nodes.nodes.firstIndex { $0 === node })
    }

    @Test("The leader loses the other nodes, and clients still reach it")
    func isolatedLeader() throws {
        let network = try NetworkNamespaces(3)
        let store = try NoteStore(on: network, requestTimeout: .seconds(3))
        let old = try store.leader()
        let writes = try store.writing { () throws in
            try network.isolate(index(store, old))
            try waitUntil { (try? store.leader().address).map { $0 != old.address } ?? false }
        }
        let stale = try store.another([old.address])
        let read = try? stale.read(.linearizable) { try stale.fetchAll(Note.self).map(\.number) }
        if let read { #expect(writes.acknowledged.allSatisfy(read.contains)) }
        #expect(try writes.faults(store.numbers()) == [])
        try network.heal()
        try waitUntil { (try? store.cluster.transferLeadership(to: UInt64(old.id))) != nil }
        try waitUntil { (try? store.leader().address) == old.address }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("The leader can't be reached by anyone")
    func cutLeader() throws {
        let network = try NetworkNamespaces(3)
        let store = try NoteStore(on: network, requestTimeout: .seconds(3))
        let old = try store.leader()
        let writes = try store.writing { () throws in
            try network.cut(index(store, old))
            try waitUntil { (try? store.leader().address).map { $0 != old.address } ?? false }
        }
        // The connections of this manager have led nowhere for a while, which a call finds out by itself.
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("Packets are lost in one direction")
    func oneDirection() throws {
        let network = try NetworkNamespaces(3)
        let store = try NoteStore(on: network, requestTimeout: .seconds(3))
        let old = try index(store, store.leader())
        let writes = try store.writing { () throws in
            for other in 0..<3 where other != old { try network.lose(from: other, to: old) }
            usleep(2_000_000)
            try network.heal()
            try waitUntil { (try? store.leader()) != nil }
        }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("No two nodes reach each other, and then all do again")
    func everyNodeAlone() throws {
        let network = try NetworkNamespaces(3)
        let store = try NoteStore(on: network, requestTimeout: .seconds(3))
        let writes = try store.writing { () throws in
            for index in 0..<3 { try network.isolate(index) }
            usleep(2_000_000)
            try network.heal()
            try waitUntil { (try? store.insert(1_000_000)) != nil }
        }
        #expect(try writes.faults(store.numbers().filter { $0 < 1_000_000 }) == [])
    }
}
