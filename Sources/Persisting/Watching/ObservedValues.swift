public import SQLiteKit

/// The values of something that is read from a database, now and after each commit that may have changed it: what
/// `observe` of a manager returns.
///
/// The first value comes immediately. After it a value comes when a commit may have changed what was read: by its
/// tables and columns, and of objects that were found by their keys, by their rows. Other commits are not heard of.
/// Each value is read after the commits that it is to show, so that no older one follows a newer one. Several commits
/// while the loop is busy give one value. Nothing runs between two elements, and no writer waits for the loop.
///
/// The values are read on one of Swift's threads if a connection is free, and otherwise on a thread of the database, so
/// that a loop of the main actor doesn't block it.
///
/// It ends with `CancellationError` when its task is cancelled, and with the first error of a reading, such as that of
/// a database that was closed.
public struct ObservedValues<Value>: AsyncSequence, Sendable {
    fileprivate let manager: PersistenceManager
    fileprivate let read: @Sendable (PersistenceManager) throws -> sending Value
    /// Whether two values are the same, so that the second is left out; nil to leave none out.
    fileprivate let isSame: (@Sendable (Value, Value) -> Bool)?
    /// How often to look for commits of other processes; nil for never.
    fileprivate let interval: Duration?

    /// Starts with the value as it is.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Goes through the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: ObservedValues
        private var watch: Watch?
        private var last: Value?
        private var isDone = false

        fileprivate init(_ values: ObservedValues) {
            self.values = values
        }

        /// The next value, as soon as there is one.
        ///
        /// - Throws: What the reading throws, or `CancellationError`. After an error there are no more values.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            if isDone { return nil }
            do {
                while true {
                    let observed: Noted<Value>
                    if let watch {
                        observed = try await values.manager.noting(values.read, after: watch)
                    } else {
                        let new = Watch(values.manager)
                        watch = new
                        if let interval = values.interval { await new.poll(every: interval) }
                        observed = try await values.manager.noting(values.read)
                    }
                    watch?.reads = observed.reads
                    if let isSame = values.isSame {
                        if let last, isSame(last, observed.value) { continue }
                        last = observed.value
                    }
                    return observed.value
                }
            } catch {
                isDone = true
                watch = nil
                last = nil
                throw error
            }
        }
    }
}

@available(*, unavailable)
extension ObservedValues.Iterator: Sendable {}

/// A value, and what was read for it.
private struct Noted<Value> {
    let value: Value
    let reads: [String: TableReads]
}

extension PersistenceManager {
    /// Reads a value, and says what was read.
    ///
    /// It runs on no actor, since it reads on the task's own thread if it can: another one would have to be woken.
    ///
    /// - Parameter watch: Whose commits to wait for; nil reads immediately.
    @concurrent
    fileprivate func noting<Value>(
        _ read: @escaping @Sendable (PersistenceManager) throws -> sending Value, after watch: Watch? = nil
    ) async throws -> sending Noted<Value> {
        let body: @Sendable (Database) throws -> sending Noted<Value> = { db in
            // The closure hands its result over.
            nonisolated(unsafe) let noted = try self.noted(db, read)
            return noted
        }
        if let watch {
            try await watch.wait()
            watch.forgetReads()
            if let noted = try await database.readWithoutWaiting(body) { return noted }
        }
        return try await database.read(body)
    }

    private func noted<Value>(
        _ db: Database, _ read: (PersistenceManager) throws -> sending Value
    ) throws -> Noted<Value> {
        let (value, reads) = try db.notingReads { try running { try read(self) } }
        return Noted(value: value, reads: reads)
    }
}

/// Values that are kept up to date.
extension PersistenceManager {
    /// The objects of a query, now and after each commit that may have changed them.
    ///
    /// ```swift
    /// for try await albums in manager.observe(Album.where(\.artist == "Miles Davis"))
    /// {
    ///     show(albums)
    /// }
    /// ```
    ///
    /// Each element has objects of its own, which belong to the loop. ``ObservedValues`` says when there is one.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    ///   - interval: How often to ask whether other processes have committed anything: after such a commit, anything
    ///     may have changed. Nil doesn't ask.
    public func observe<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool = true, otherProcessesEvery interval: Duration? = nil
    ) -> ObservedValues<[Model]> {
        ObservedValues(
            manager: self, read: { manager in try manager.fetchAll(query, tracked: tracked) }, isSame: nil,
            interval: interval)
    }

    /// The object with a primary key, now and after each commit that may have changed its row; nil while there is none.
    ///
    /// ```swift
    /// for try await album in manager.observe(Album.self, 1) { show(album) }
    /// ```
    ///
    /// Each element is an object of its own, which belongs to the loop. Commits to other rows are not heard of.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - key: The key's value, of the property's type; nil finds nothing.
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    public func observe<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?, otherProcessesEvery interval: Duration? = nil
    ) -> ObservedValues<Model?> {
        ObservedValues(
            manager: self, read: { manager in try manager.find(type, key) }, isSame: { $0 == nil && $1 == nil },
            interval: interval)
    }

    /// What a closure reads, now and after each commit that may have changed it.
    ///
    /// - Parameters:
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    ///   - read: Reads the value, in one read transaction. Which tables, columns and rows it reads is found out each
    ///     time. It must read by the manager that it is given, and depend on nothing else that changes.
    @_disfavoredOverload
    public func observe<Value: Sendable>(
        otherProcessesEvery interval: Duration? = nil, _ read: @escaping @Sendable (PersistenceManager) throws -> Value
    ) -> ObservedValues<Value> {
        ObservedValues(manager: self, read: { try read($0) }, isSame: nil, interval: interval)
    }

    /// What a closure reads, now and after each commit that has changed it: equal values are not repeated.
    ///
    /// ```swift
    /// for try await count in manager.observe({ try $0.count(Album.self) }) {
    ///     print(count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    ///   - repeatsEqual: Whether to give a value again that is equal to the last one.
    ///   - read: Reads the value, in one read transaction. Which tables, columns and rows it reads is found out each
    ///     time. It must read by the manager that it is given, and depend on nothing else that changes.
    public func observe<Value: Sendable & Equatable>(
        otherProcessesEvery interval: Duration? = nil, repeatsEqual: Bool = false,
        _ read: @escaping @Sendable (PersistenceManager) throws -> Value
    ) -> ObservedValues<Value> {
        let isEqual: @Sendable (Value, Value) -> Bool = { $0 == $1 }
        return ObservedValues(
            manager: self, read: { try read($0) }, isSame: repeatsEqual ? nil : isEqual, interval: interval)
    }
}

extension PersistenceManager {
    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func observe<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        tracked: Bool = true, otherProcessesEvery interval: Duration? = nil
    ) -> ObservedValues<[Model]> { observe(Query(type, where: criteria)) }
}
