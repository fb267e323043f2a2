internal import Foundation
internal import SQLiteKit

/// One who waits for commits that may have changed what was read.
final class Watch: Sendable {
    private let mailbox: ChangeMailbox
    private let listeners: ChangeListeners
    private let filter = Filter()
    private let number: Int
    private let database: any DatabaseAccess

    /// What was read last; nil for anything.
    private final class Filter: Sendable {
        private let lock = NSLock()
        // Both guarded by `lock`.
        nonisolated(unsafe) private var known: [String: TableReads]?
        nonisolated(unsafe) private var poller: OtherProcesses?

        var reads: [String: TableReads]? {
            get { lock.withLock { known } }
            set { lock.withLock { known = newValue } }
        }

        func setPoller(_ new: OtherProcesses) { lock.withLock { poller = new } }
    }

    /// - Parameter bound: How many commits are kept: more become one that may have changed anything.
    init(_ manager: PersistenceManager, bound: Int = 1) {
        mailbox = ChangeMailbox(bound: bound)
        listeners = manager.connections.changes
        database = manager.database
        number = listeners.add(nil, of: manager.connections.listeningOwner) { [mailbox, filter] commit in
            if filter.reads.map({ commit.mayHaveChanged($0) }) ?? true { mailbox.put(commit) }
        }
    }

    deinit {
        listeners.remove(number)
    }

    /// Asks for commits of other processes from now on.
    func poll(every interval: Duration) async {
        filter.setPoller(
            await OtherProcesses(database, every: interval) { [weak mailbox] in
                mailbox?.put(CommittedChanges.anything)
            })
    }

    var reads: [String: TableReads] {
        get { filter.reads ?? [:] }
        set {
            filter.reads = newValue
            listeners.setTables(Set(newValue.keys), of: number)
        }
    }

    /// Hears of all commits again: what is about to be read may not be what was read before.
    func forgetReads() {
        filter.reads = nil
        listeners.setTables(nil, of: number)
    }

    /// Waits for a commit. What is read after it shows all that were committed before.
    ///
    /// - Returns: The commits, of which only those are kept that may have changed what was read.
    /// - Throws: `CancellationError`.
    @discardableResult
    func wait() async throws -> [CommittedChanges] {
        try await waitWithoutTaking()
        return take()
    }

    /// Waits for a commit, and leaves it there.
    func waitWithoutTaking() async throws { try await mailbox.wait() }

    /// The commits that are there, without waiting.
    func take() -> [CommittedChanges] {
        var commits: [CommittedChanges] = []
        while let commit = mailbox.takeFirst() { commits.append(commit) }
        return commits
    }

    /// Whether there are commits that were not taken.
    var hasCommits: Bool { !mailbox.isEmpty }

    /// Ends the wait, as a commit does that may have changed anything.
    func wake() { mailbox.put(CommittedChanges.anything) }

    /// Ends the wait, as a commit does that has changed no table.
    func wakeForNothing() { mailbox.put(CommittedChanges.nothing) }
}
