/// The rows of a query, for a task to iterate over at its own pace.
///
/// ```swift
/// for try await row in queue.rows("SELECT title FROM book WHERE price < \(limit)")
/// {
///     print(try row["title"] as String)
/// }
/// ```
///
/// All rows are of one moment, that of the first. They are read in the background, in batches, some ahead of the loop:
/// memory stays flat however many there are. Each loop over the sequence runs the query again.
///
/// From the first row to the last, the sequence has a connection: a reader of a ``DatabasePool``, the only one of a
/// ``DatabaseQueue``. It never makes others wait for the loop. When a call waits for that connection, the sequence
/// reads the rows that are left into memory and gives it back; the loop goes on from there. So the body of the loop may
/// call the same queue or pool, and a slow one doesn't block others. Large results that must not be held in memory want
/// a pool with readers to spare.
///
/// It ends early when its task is cancelled, with `CancellationError`, and when the loop is left: a statement that runs
/// is interrupted, and the connection is as good as new.
public struct RowSequence: AsyncSequence, Sendable {
    let connections: DatabaseConnections
    let sql: SQL
    let arguments: Arguments

    /// Starts at the first row.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Goes through the rows of one run of the query.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: RowSequence
        private var reading: Reading?
        private var batch: ArraySlice<RowSnapshot> = []
        private var isDone = false

        fileprivate init(_ sequence: RowSequence) {
            self.sequence = sequence
        }

        /// The next row, or nil after the last, and from then on.
        ///
        /// - Throws: ``SQLiteError``, or `CancellationError`. After an error there are no more rows.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> RowSnapshot? {
            if isDone { return nil }
            do {
                try Task.checkCancellation()
                if let row = batch.popFirst() { return row }
                let reading = self.reading ?? Reading(sequence)
                self.reading = reading
                batch = try await reading.take()[...]
                // The last batch is empty, as is that of a reading which was cancelled.
                try Task.checkCancellation()
            } catch {
                end()
                throw error
            }
            if batch.isEmpty { end() }
            return batch.popFirst()
        }

        private mutating func end() {
            isDone = true
            batch = []
            reading = nil
        }
    }
}

@available(*, unavailable)
extension RowSequence.Iterator: Sendable {}

/// One run of a query in the background. It ends when no one holds it any more.
private final class Reading: Sendable {
    private let channel = RowChannel()
    private let waiter = AccessLock.Waiter()
    private let interruption = Interruption()
    private let lock: AccessLock

    init(_ sequence: RowSequence) {
        let readers = sequence.connections.readers
        let channel = channel
        lock = readers.lock
        readers.begin(waiter, interruption) { [lock] db in
            lock.addPatient(channel)
            defer { lock.removePatient(channel) }
            try QueryLedger.withoutNoting {
                try db.reading(pinned: false) { db in
                    try channel.fill(from: db.query(sequence.sql, sequence.arguments))
                }
            }
        } done: { result in
            channel.finish(result)
        }
    }

    deinit {
        stop()
    }

    /// The next rows; none at the end.
    func take() async throws -> [RowSnapshot] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { channel.take($0) }
        } onCancel: {
            stop()
        }
    }

    private func stop() {
        channel.stop()
        interruption.request()
        lock.giveUp(waiter)
    }
}
