/// The objects of a query, for a task to iterate over at its own pace: what `PersistenceManager.objects(_:tracked:)`
/// returns.
///
/// The objects belong to the task that goes through them. It ends with `CancellationError` when the task is cancelled.
public struct ObjectSequence<Model: PersistingModel>: AsyncSequence, Sendable {
    let manager: PersistenceManager
    let query: Query<Model>
    let tracked: Bool

    /// Starts at the first object.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// Goes through the objects of one run of the query.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let sequence: ObjectSequence
        private var cursor: QueryCursor<Model>?
        private var batch: ArraySlice<Model> = []
        private var isDone = false

        fileprivate init(sequence: ObjectSequence) {
            self.sequence = sequence
        }

        /// The next object, or nil after the last, and from then on.
        ///
        /// - Throws: ``PersistenceError``, or `CancellationError`. After an error there are no more objects.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Model? {
            if isDone { return nil }
            do {
                try Task.checkCancellation()
                while batch.isEmpty {
                    guard let next = try await nextBatch() else {
                        isDone = true
                        return nil
                    }
                    batch = next[...]
                }
                return batch.popFirst()
            } catch {
                isDone = true
                throw error
            }
        }

        private mutating func nextBatch(isolation actor: isolated (any Actor)? = #isolation) async throws -> [Model]? {
            let manager = sequence.manager
            let start =
                if let cursor { cursor } else {
                    try await manager.cursor(sequence.query, tracked: sequence.tracked)
                }
            let (batch, rest) = try await manager.next(RowLookup.batch, of: start)
            cursor = rest
            return batch
        }
    }
}

@available(*, unavailable)
extension ObjectSequence.Iterator: Sendable {}
