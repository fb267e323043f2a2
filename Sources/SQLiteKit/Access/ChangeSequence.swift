/// What is committed to a database, for a task to iterate over: what
/// ``DatabaseAccess/changes(otherProcessesEvery:)`` returns.
///
/// It ends when its task is cancelled, or the loop is left; immediately where there is no local connection.
public struct ChangeSequence: AsyncSequence, Sendable {
    fileprivate let database: any DatabaseAccess
    /// How often to look for commits of other processes; nil for never.
    fileprivate let interval: Duration?

    /// Starts with the next commit.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Goes through the commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private let isOver: Bool
        private let changes: ChangeSequence
        private var others: OtherProcesses?

        fileprivate init(_ changes: ChangeSequence) {
            self.changes = changes
            subscription = Subscription(changes.database.connections)
            isOver = changes.database.connections.writer.openingError != nil
        }

        /// The next commit; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> CommittedChanges? {
            if !isOver, others == nil, let interval = changes.interval {
                others = await OtherProcesses(changes.database, every: interval) { [weak subscription] in
                    subscription?.mailbox.put(CommittedChanges.anything)
                }
            }
            while !isOver {
                if let commit = subscription.mailbox.takeFirst() { return Task.isCancelled ? nil : commit }
                do { try await subscription.mailbox.wait() } catch { return nil }
            }
            return nil
        }
    }

    /// A place among the listeners, as long as someone holds it.
    private final class Subscription: Sendable {
        let mailbox = ChangeMailbox(bound: 1000)
        private let listeners: ChangeListeners
        private let number: Int

        init(_ connections: DatabaseConnections) {
            listeners = connections.changes
            number = listeners.add(nil, of: connections.listeningOwner) { [mailbox] in mailbox.put($0) }
        }

        deinit {
            listeners.remove(number)
        }
    }
}

@available(*, unavailable)
extension ChangeSequence.Iterator: Sendable {}

extension DatabaseAccess {
    /// What is committed to the database from the beginning of the loop on, in the order of the commits.
    ///
    /// ```swift
    /// for await commit in queue.changes() {
    ///     if commit.mayHaveChanged("book") { await reload() }
    /// }
    /// ```
    ///
    /// All queues and pools of this process on the same file are heard; other processes only on request. When a
    /// loop is slower than the writers by a thousand commits, what it has missed becomes one element that says that
    /// anything may have changed. Such an element is also a commit that was under way when the loop began, one that
    /// changes the schema, and each commit while a ``ChangesetSession`` records, or where SQLite has no pre-update
    /// hook.
    ///
    /// The temporary tables of this queue or pool and tables of attached databases are among
    /// ``CommittedChanges/tables``. All queues and pools that have a file open or attached get the commits to it, under
    /// the name that it has there.
    ///
    /// - Parameter interval: How often to ask whether other processes have committed anything. What they have committed
    ///   since the last time is one element that says that anything may have changed. Nil doesn't ask.
    public func changes(otherProcessesEvery interval: Duration? = nil) -> ChangeSequence {
        ChangeSequence(database: self, interval: interval)
    }
}
