internal import Dispatch
internal import Foundation
internal import SQLiteKit

/// The search for the node that leads.
///
/// All nodes are asked concurrently. A node that has lost its lead may not know it yet, and one that is frozen still
/// accepts connections, while others name it: so the node counts that most others name, once it says so itself.
struct LeaderSearch {
    let directory: ClusterDirectory
    let configuration: ClusterConfiguration
    let cancellation: Cancellation

    /// A connection to the leader.
    ///
    /// - Throws: `.noLeader` with what each node said; `.interrupt`.
    func link() throws(SQLiteError) -> NodeLink {
        if let leader = directory.leader, let link = quickly(leader) { return link }
        directory.leader = nil
        let deadline = Deadline.after(configuration.leaderTimeout)
        var pause = Pause(upTo: .milliseconds(200))
        var report: [String] = []
        while true {
            let board = ProbeBoard(directory.addresses)
            if let address = try votedLeader(board, by: deadline), let link = confirmed(address, board) {
                directory.leader = address
                return link
            }
            // The last attempt may have had no time.
            if report.isEmpty || !deadline.isPast { report = board.report }
            if deadline.isPast {
                throw SQLiteError(.noLeader, "no node leads the cluster: " + report.joined(separator: "; "))
            }
            try cancellation.sleep(pause.next())
        }
    }

    /// A connection to the node that led last, if it answers soon that it still does.
    private func quickly(_ address: String) -> NodeLink? {
        let deadline = Deadline.after(configuration.connectTimeout / 4)
        guard let answer = try? Self.ask(address, configuration, by: deadline) else { return nil }
        return answer.leader == address ? answer.link : nil
    }

    /// Asks all nodes, and returns whom they name.
    private func votedLeader(_ board: ProbeBoard, by deadline: Deadline) throws(SQLiteError) -> String? {
        let end = min(deadline, .after(configuration.connectTimeout))
        for address in board.addresses {
            workerThreads.run { [configuration] in
                do throws(SQLiteError) {
                    let answer = try Self.ask(address, configuration, by: end)
                    board.note(address, answer.leader, answer.link)
                } catch {
                    board.note(address, error)
                }
            }
        }
        return try cancellation.waking({ board.giveUp() }) { () throws(SQLiteError) in
            board.leader(by: end)
        }
    }

    /// A connection to a node that says itself that it leads.
    private func confirmed(_ address: String, _ board: ProbeBoard) -> NodeLink? {
        if let link = board.takeLink(address) { return link }
        let deadline = Deadline.after(configuration.connectTimeout)
        guard let answer = try? Self.ask(address, configuration, by: deadline) else { return nil }
        return answer.leader == address ? answer.link : nil
    }

    /// Connects to a node, and asks it who leads.
    static func ask(
        _ address: String, _ configuration: ClusterConfiguration, by deadline: Deadline
    ) throws(SQLiteError) -> (leader: String, link: NodeLink) {
        let link = try NodeLink(address, configuration, by: deadline)
        return (try link.leader(by: deadline), link)
    }
}

/// What the nodes have said so far of who leads.
private final class ProbeBoard: Sendable {
    let addresses: [String]
    private let lock = NSCondition()
    // All guarded by `lock`.
    nonisolated(unsafe) private var answers: [String: String] = [:]
    nonisolated(unsafe) private var failures: [String: String] = [:]
    nonisolated(unsafe) private var links: [String: NodeLink] = [:]
    nonisolated(unsafe) private var isGivenUp = false
    /// How long to wait for more answers after the first that names a leader.
    private static let grace = Duration.milliseconds(100)

    init(_ addresses: [String]) {
        self.addresses = addresses
    }

    /// - Parameter link: The connection, which is sent here.
    func note(_ address: String, _ leader: String, _ link: sending NodeLink) {
        // Only the board has it from here on, until it is taken.
        nonisolated(unsafe) let link = link
        lock.withLock {
            answers[address] = leader
            if leader == address { links[address] = link }
            lock.broadcast()
        }
    }

    func note(_ address: String, _ error: SQLiteError) {
        lock.withLock {
            failures[address] = error.message
            lock.broadcast()
        }
    }

    func giveUp() {
        lock.withLock {
            isGivenUp = true
            lock.broadcast()
        }
    }

    /// The connection over which a node has said that it leads.
    func takeLink(_ address: String) -> sending NodeLink? {
        // Nobody else has what has been taken out.
        nonisolated(unsafe) let link = lock.withLock { links.removeValue(forKey: address) }
        return link
    }

    /// Waits until most nodes name one, all have answered, or the time is over.
    ///
    /// - Returns: Whom most of those name that have answered; nil when they name none.
    func leader(by deadline: Deadline) -> String? {
        lock.withLock {
            var end = deadline
            while true {
                let votes = Dictionary(grouping: answers.values.filter { !$0.isEmpty }) { $0 }.mapValues(\.count)
                let best = votes.max { ($0.value, $1.key) < ($1.value, $0.key) }
                let isDecided = (best?.value ?? 0) * 2 > addresses.count
                let isComplete = answers.count + failures.count >= addresses.count
                if isDecided || isComplete || isGivenUp || end.isPast { return best?.key }
                if best != nil { end = min(end, .after(Self.grace)) }
                _ = lock.wait(until: Date(timeIntervalSinceNow: Double(end.milliseconds) / 1000))
            }
        }
    }

    /// What each node said, for an error.
    var report: [String] {
        lock.withLock {
            addresses.map { address in
                if let leader = answers[address] {
                    return "\(address) names \(leader.isEmpty ? "none" : leader)"
                }
                return "\(address): \(failures[address] ?? "no answer in time")"
            }
        }
    }
}
