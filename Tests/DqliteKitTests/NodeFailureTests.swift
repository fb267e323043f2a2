import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// Nodes that die, freeze, come and go while a client writes: nothing acknowledged is lost, nothing is applied twice.
@Suite("Failures of nodes", .realNodes)
struct NodeFailureTests {
    @Test("The leader is killed while a client writes")
    func killedLeader() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let writes = try store.writing { try store.leader().kill() }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("The leader is killed again and again, and comes back")
    func killedLeaders() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let writes = try store.writing { () throws in
            for _ in 0..<3 {
                let leader = try store.leader()
                leader.kill()
                usleep(100_000)
                try leader.start()
            }
        }
        #expect(try writes.faults(store.numbers()) == [])
    }

    // Hazard 10.
    @Test("The leader is frozen while a client writes, and goes on later")
    func frozenLeader() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let writes = try store.writing { () throws in
            let leader = try store.leader()
            leader.freeze()
            defer { leader.thaw() }
            // A new client, which knows the frozen node first.
            let other = try store.another([leader.address] + store.nodes.addresses.filter { $0 != leader.address })
            _ = try other.fetchAll(Note.self)
        }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("A follower is killed, misses writes, and has them when it leads")
    func followerThatMissed() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let leader = try store.leader()
        let follower = try #require(store.nodes.nodes.first { $0.address != leader.address })
        follower.kill()
        for number in 0..<20 { try store.insert(number) }
        try follower.start()
        try waitUntil { (try? store.cluster.transferLeadership(to: UInt64(follower.id))) != nil }
        try waitUntil { try store.leader().address == follower.address }
        #expect(try store.numbers() == Array(0..<20))
    }

    // libraft before 0.17.2 would later use what it has freed: https://github.com/canonical/raft/issues/396
    @Test("A leader that can't reach the next goes on leading, and hands over once it can")
    func transferToNobody() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let leader = try store.leader()
        let next = try #require(store.nodes.nodes.first { $0.address != leader.address })
        for _ in 0..<5 {
            next.kill()
            // Until the leader has noticed, what it sends gets lost without an error.
            usleep(300_000)
            let error = #expect(throws: SQLiteError.self) {
                try store.cluster.transferLeadership(to: UInt64(next.id))
            }
            #expect(error?.message.contains(next.address) == true, "\(String(describing: error))")
            try next.start()
            try waitUntil { (try? store.insert(0)) != nil }
        }
        #expect(leader.isRunning)
        try waitUntil { (try? store.cluster.transferLeadership(to: UInt64(next.id))) != nil }
        #expect(try store.leader().address == next.address)
    }

    @Test("The leader hands over while a client writes")
    func handOver() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let writes = try store.writing { () throws in #expect(try store.leader().ask("hand over") == "ok") }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("Nodes join, change their roles and leave while a client writes")
    func membership() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let fourth = try store.nodes.another(4)
        let writes = try store.writing { () throws in
            try fourth.start(joining: store.nodes.addresses)
            try store.cluster.assign(.standBy, to: 4)
            try store.cluster.assign(.voter, to: 4)
            let follower = try #require(store.nodes.nodes.first { $0.address != (try? store.leader().address) })
            #expect(try follower.ask("leave") == "ok")
            #expect(try store.leader().ask("leave") == "ok")
        }
        #expect(try writes.faults(store.numbers()) == [])
        #expect(try store.cluster.members().map(\.id).contains(4))
    }

    // Hazard 7.
    @Test("Without a majority no write is acknowledged, and afterwards each is there as was said")
    func noMajority() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        try store.insert(0)
        let leader = try store.leader()
        let others = store.nodes.nodes.filter { $0.address != leader.address }
        for other in others { other.kill() }
        var writes = Writes(acknowledged: [0])
        for number in 1...2 {
            do {
                try store.insert(number)
                Issue.record("write \(number) was acknowledged")
            } catch {
                writes.add(number, error)
            }
        }
        for other in others { try other.start() }
        try waitUntil { (try? store.numbers()) != nil }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("When all nodes have been killed, everything acknowledged is there again")
    func allKilled() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let writes = try store.writing(rest: 0) { for node in store.nodes.nodes { node.kill() } }
        for node in store.nodes.nodes { try node.start() }
        try waitUntil { (try? store.numbers()) != nil }
        #expect(try writes.faults(store.numbers()) == [])
    }

    @Test("A leader without a majority stops while a client waits for it")
    func stopWithoutMajority() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        let leader = try store.leader()
        for node in store.nodes.nodes where node.address != leader.address { node.kill() }
        let writing = Thread { try? store.insert(1) }
        writing.start()
        usleep(200_000)
        #expect(try leader.ask("stop", within: .seconds(20)) == "ok")
    }

    // Hazard 8.
    @Test("A leader that was frozen while another took over answers no linearizable read with old values")
    func deposedLeader() throws {
        let store = try NoteStore(requestTimeout: .seconds(3))
        for round in 0..<3 {
            try store.insert(round)
            let old = try store.leader()
            // Connections that are open to the leader, and go on when it does.
            let readers = try (0..<4).map { _ in try store.another([old.address]) }
            for reader in readers { _ = try reader.fetchAll(Note.self) }
            old.freeze()
            let writer = try store.another(store.nodes.addresses.filter { $0 != old.address })
            let note = Note()
            note.number = 100 + round
            try writer.insert(note)
            old.thaw()
            for reader in readers {
                let numbers = try? reader.read(.linearizable) { try reader.fetchAll(Note.self).map(\.number) }
                if let numbers { #expect(numbers.contains(note.number)) }
            }
        }
    }
}

/// Waits until something is so, at most a minute.
func waitUntil(_ isSo: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !isSo() {
        guard .now < deadline else { throw NodeProcessFailure("it did not happen within a minute") }
        usleep(20_000)
    }
}
