internal import Foundation
internal import SQLiteKit

/// The token of a handler of `onChange(of:_:_:)`: the handler is called as long as the token exists.
public final class ChangeToken: Sendable {
    /// What is wrong with the class, or with a property that the changes name: the handler is never called then. Nil if
    /// there is none.
    public let error: PersistenceError?
    private let subscription: Subscription?

    fileprivate init(_ subscription: Subscription?, _ error: PersistenceError? = nil) {
        self.subscription = subscription
        self.error = error
    }

    deinit {
        subscription?.cancel()
    }

    /// Stops calling the handler. A call that is running finishes. Called on the handler's own actor, no call follows.
    public func cancel() { subscription?.cancel() }
}

/// A handler's place among the listeners.
private final class Subscription: Sendable {
    let mailbox = ChangeMailbox(bound: 1000)
    private let listeners: ChangeListeners
    private let lock = NSLock()
    // All guarded by `lock`.
    nonisolated(unsafe) private var number: Int?
    nonisolated(unsafe) private var task: Task<Void, Never>?
    nonisolated(unsafe) private var hasEnded = false

    /// The handlers whose calls have led to what is done now.
    @TaskLocal fileprivate static var callers: Set<ObjectIdentifier> = []

    init(_ connections: DatabaseConnections, _ table: String, noting column: String?) {
        listeners = connections.changes
        let id = ObjectIdentifier(self)
        let number = listeners.add([table], noting: column, of: connections.listeningOwner) { [mailbox] commit in
            // What a handler writes would call it again without end.
            if !Self.callers.contains(id) { mailbox.put(commit) }
        }
        lock.withLock { self.number = number }
    }

    var isCancelled: Bool { lock.withLock { hasEnded } }

    func start(_ task: Task<Void, Never>) {
        let hasEnded = lock.withLock {
            self.task = task
            return self.hasEnded
        }
        if hasEnded { task.cancel() }
    }

    func cancel() {
        let (number, task) = lock.withLock {
            defer { (self.number, self.task, hasEnded) = (nil, nil, true) }
            return (self.number, self.task)
        }
        if let number { listeners.remove(number) }
        task?.cancel()
    }

    /// Calls a handler for each commit, until the token goes.
    func deliverCommits(_ deliver: (CommittedChanges) async -> Void) async {
        // One that was added by another handler's call isn't a part of it.
        let callers: Set = [ObjectIdentifier(self)]
        // Only the end of the task ends the wait.
        while (try? await mailbox.wait()) != nil {
            while let commit = mailbox.takeFirst() {
                await Self.$callers.withValue(callers) { await deliver(commit) }
            }
        }
    }
}

/// Handlers of changes.
extension PersistenceManager {
    /// Calls a handler after each commit that has changed rows of a class or of its subclasses in the same table: once
    /// for each row, in the order of the changes.
    ///
    /// ```swift
    /// let token = manager.onChange(
    ///     of: Album.self, [.insert, .update("title"), .delete]
    /// ) { change in
    ///     print(change.kind, change.key, change.changedKeys)
    /// }
    /// ```
    ///
    /// It hears of what ``changes(otherProcessesEvery:)`` gives: also of what raw SQL, triggers and other managers of
    /// this process have written, and of nothing that was rolled back. The handler runs on the actor that it is made
    /// in, if it uses that actor's state, such as in a `@MainActor` class; otherwise on a thread of its own choice, one
    /// call after the other. No writer waits for it. When it falls behind by a thousand commits, what it has missed
    /// becomes one call whose ``ModelChange/kind`` is nil.
    ///
    /// A handler may write. It isn't called for what it has written itself, so that it doesn't call itself without end;
    /// other handlers are.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - changes: Which changes: `.insert`, `.update`, `.delete`, or `.update(\.title)` for single properties.
    ///     Changes after which any row may have changed are always included.
    ///   - handler: What to call. It is called for commits after this call.
    /// - Returns: A token to hold on to: the handler is removed when the token is released or cancelled. Its
    ///   ``ChangeToken/error`` says what is wrong with the class or a property's name.
    public func onChange<Model: PersistingModel>(
        of type: Model.Type, _ changes: [ChangeFilter<Model>] = [.insert, .update, .delete],
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (ModelChange<Model>) -> Void
    ) -> ChangeToken {
        let selection: ChangeSelection
        do {
            selection = try ChangeSelection(type, changes, dates: dates)
        } catch {
            return ChangeToken(
                nil, error as? PersistenceError ?? PersistenceError(.invalidModel, "\(error)", underlying: error))
        }
        if case .other(let engine) = engine {
            return ChangeToken(nil, PersistenceError(.unsupported, "\(engine.name) doesn't tell of what is committed"))
        }
        let subscription = Subscription(connections, selection.table, noting: selection.notedColumn)
        subscription.start(
            Task {
                await subscription.deliverCommits { commit in
                    for change in selection.changes(of: type, in: commit, self) {
                        await deliver(change, to: handler, subscription, on: handler.isolation)
                    }
                }
            })
        return ChangeToken(subscription)
    }
}

/// Calls a handler on its actor, unless it was removed there before.
private func deliver<Model: PersistingModel>(
    _ change: ModelChange<Model>, to handler: @isolated(any) @Sendable (ModelChange<Model>) -> Void,
    _ subscription: Subscription, on isolation: isolated (any Actor)?
) async {
    if !subscription.isCancelled { await handler(change) }
}
