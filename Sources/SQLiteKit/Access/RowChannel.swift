internal import Foundation

/// Rows on their way from a thread that reads them to the task that uses them.
final class RowChannel: Sendable {
    private let condition = NSCondition()
    // All guarded by `condition`.
    nonisolated(unsafe) private var rows: [RowSnapshot] = []
    nonisolated(unsafe) private var outcome: Result<Void, any Error>?
    nonisolated(unsafe) private var consumer: CheckedContinuation<[RowSnapshot], any Error>?
    nonisolated(unsafe) private var isHurried = false
    nonisolated(unsafe) private var isStopped = false

    /// A batch ends at so many rows, or bytes of text and blobs. The first has one row, so that it comes immediately;
    /// each has twice as many as the one before.
    private static let batchRows = 128
    private static let batchBytes = 1 << 18

    /// Reads all rows, a batch ahead of the task that takes them. Blocks the thread while that has enough.
    func fill(from source: ResultSet) throws(SQLiteError) {
        var batch: [RowSnapshot] = []
        var (bytes, size) = (0, 1)
        // What was read before an error counts, and what is left at the end is not waited with.
        defer { put(batch) }
        while let row = try source.next() {
            let row = try row.snapshot()
            batch.append(row)
            bytes += row.byteCount
            if batch.count >= size || bytes >= Self.batchBytes {
                guard waitForRoom() else { return }
                put(batch)
                batch = []
                (bytes, size) = (0, min(2 * size, Self.batchRows))
            }
        }
    }

    /// Waits until the rows put before have been taken, or it is told to hurry.
    ///
    /// - Returns: False when no more rows are wanted.
    private func waitForRoom() -> Bool {
        condition.withLock {
            while !rows.isEmpty, !isHurried, !isStopped { condition.wait() }
            return !isStopped
        }
    }

    private func put(_ batch: [RowSnapshot]) {
        guard !batch.isEmpty else { return }
        let waiting = condition.withLock {
            rows += batch
            return consumer == nil ? nil : takeConsumer()
        }
        waiting?()
    }

    /// Hands the next rows over when there are some; none at the end.
    func take(_ continuation: CheckedContinuation<[RowSnapshot], any Error>) {
        let answer = condition.withLock {
            consumer = continuation
            return rows.isEmpty && outcome == nil ? nil : takeConsumer()
        }
        answer?()
    }

    /// No more rows come.
    func finish(_ result: Result<Void, any Error>) {
        let waiting = condition.withLock {
            outcome = result
            return takeConsumer()
        }
        waiting?()
    }

    /// What is to be called, when the lock has been given back, to answer the task that waits.
    private func takeConsumer() -> (() -> Void)? {
        guard let consumer else { return nil }
        self.consumer = nil
        let taken = rows
        rows = []
        condition.signal()
        guard taken.isEmpty, let outcome else { return { consumer.resume(returning: taken) } }
        return { consumer.resume(with: outcome.map { taken }) }
    }

    /// Another waits for the connection: from now on the rows are read without waiting for the task.
    func hurry() {
        condition.withLock {
            isHurried = true
            condition.signal()
        }
    }

    /// No more rows are wanted.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }
}
