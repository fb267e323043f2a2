internal import SQLiteKit

/// The changes of a controller's results: what ``FetchedResultsController/changes`` returns.
///
/// Each change leads from the results that the loop has seen last to the controller's sections as they are when it
/// comes. While the loop is busy, several changes become one. The sequence ends when the controller is released; it
/// throws the first error of a reading, and `CancellationError` when the task is cancelled.
public struct FetchedResultsChanges<Model: PersistingModel, SectionName: Hashable & SendableMetatype>: AsyncSequence {
    fileprivate weak var controller: FetchedResultsController<Model, SectionName>?

    /// Starts with the results as they are.
    public func makeAsyncIterator() -> Iterator { Iterator(controller) }

    /// Goes through the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private weak var controller: FetchedResultsController<Model, SectionName>?
        private let subscriber: Subscriber<SectionName>?

        fileprivate init(_ controller: FetchedResultsController<Model, SectionName>?) {
            self.controller = controller
            subscriber = controller?.subscribe()
        }

        /// The next change, as soon as there is one; nil when the controller is gone.
        ///
        /// - Throws: What a reading has thrown, or `CancellationError`. After it there are no more changes.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> FetchedResultsChange? {
            guard let subscriber else { return nil }
            while !subscriber.hasEnded {
                if let change = try controller?.takeChange(for: subscriber) { return change }
                if controller == nil { return nil }
                try await subscriber.wait()
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension FetchedResultsChanges.Iterator: Sendable {}

/// One who goes through the changes of a controller.
final class Subscriber<SectionName: Hashable> {
    /// What was seen last.
    fileprivate var arrangement: Arrangement<SectionName, RowKey>
    fileprivate var version: Int
    /// The rows whose values have changed since.
    fileprivate var updated: Set<RowKey> = []
    fileprivate var error: (any Error)?
    fileprivate var hasEnded = false
    fileprivate let signal = ChangeMailbox(bound: 1)

    fileprivate init(_ state: ResultsState<SectionName>) {
        arrangement = state.arrangement
        version = state.version
    }

    fileprivate func wait() async throws {
        do {
            try await signal.wait()
            signal.takeAll()
        } catch {
            hasEnded = true
            throw error
        }
    }
}

/// A subscriber that goes with its loop.
struct WeakSubscriber<SectionName: Hashable> {
    fileprivate weak var subscriber: Subscriber<SectionName>?

    func end() { subscriber?.signal.put(CommittedChanges.anything) }
}

extension FetchedResultsController {
    /// The changes of the results from the beginning of the loop on.
    ///
    /// ```swift
    /// for try await change in controller.changes {
    ///     for path in change.insertions {
    ///         print("new:", controller[path]?.title ?? "")
    ///     }
    /// }
    /// ```
    ///
    /// Any number of loops may go through them, on the controller's actor. A loop doesn't keep the controller alive.
    public var changes: FetchedResultsChanges<Model, SectionName> { FetchedResultsChanges(controller: self) }

    fileprivate func subscribe() -> Subscriber<SectionName> {
        let subscriber = Subscriber(results)
        subscribers.removeAll { $0.subscriber == nil }
        subscribers.append(WeakSubscriber(subscriber: subscriber))
        return subscriber
    }

    /// Tells all that the results have changed.
    func publish(_ new: Arrangement<SectionName, RowKey>, _ change: FetchedResultsChange, _ updated: Set<RowKey>) {
        results.arrangement = new
        results.lastChange = change
        results.version += 1
        subscribers.removeAll { $0.subscriber == nil }
        for case let subscriber? in subscribers.map(\.subscriber) {
            subscriber.updated.formUnion(updated)
            subscriber.signal.put(CommittedChanges.anything)
        }
    }

    /// Tells all that a reading has failed.
    func fail(_ error: any Error) {
        self.error = error
        for case let subscriber? in subscribers.map(\.subscriber) {
            subscriber.error = error
            subscriber.signal.put(CommittedChanges.anything)
        }
    }

    /// What has changed since a subscriber has looked; nil for nothing.
    fileprivate func takeChange(for subscriber: Subscriber<SectionName>) throws -> FetchedResultsChange? {
        if subscriber.version != results.version {
            let isNext = subscriber.version + 1 == results.version
            let change =
                isNext
                ? results.lastChange
                : subscriber.arrangement.change(to: results.arrangement, updated: subscriber.updated)
            subscriber.version = results.version
            subscriber.arrangement = results.arrangement
            subscriber.updated = []
            if !change.isEmpty { return change }
        }
        guard let error = subscriber.error else { return nil }
        subscriber.hasEnded = true
        throw error
    }
}
