/// What is committed to a database, for a task to go through: what ``DatabaseAccess/changes()`` returns.
///
/// It ends when its task is cancelled, or the loop is left; at once where there is no local connection.
public struct ChangeSequence: AsyncSequence, Sendable {
    let connections: DatabaseConnections

    /// Starts with the next commit.
    public func makeAsyncIterator() -> Iterator {
        Iterator(connections.changes, isOver: connections.writer.refusal != nil)
    }

    /// Goes through the commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription
        private let isOver: Bool

        fileprivate init(_ listeners: ChangeListeners, isOver: Bool) {
            subscription = Subscription(listeners)
            self.isOver = isOver
        }

        /// The next commit; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> CommittedChanges? {
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

        init(_ listeners: ChangeListeners) {
            self.listeners = listeners
            number = listeners.add(nil) { [mailbox] in mailbox.put($0) }
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
    /// All queues and pools of this process on the same file are heard; other processes are not. A commit that was
    /// under way when the loop began may be missing. When a loop is slower than the writers by a thousand commits, what
    /// it has missed becomes one element that says that anything may have changed. While a ``ChangesetSession``
    /// records, and where SQLite has no pre-update hook, each commit is such an element.
    public func changes() -> ChangeSequence { ChangeSequence(connections: connections) }
}
