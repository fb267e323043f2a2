/// A write that waits to be run with others of its kind, by one statement.
struct WaitingWrite: ~Copyable {
    /// Where the write is: here, or with what has crossed to the database's side.
    private enum Source: ~Copyable {
        case own(ObjectWrite)
        case sent(Unmanaged<SentWrite>)
    }

    private let source: Source
    /// The object, which whoever has the write wait keeps; nil on the database's side.
    let object: Unmanaged<PersistingModel>?
    /// The place among the writes of its batch.
    let position: Int

    @inline(__always)
    init(_ write: consuming ObjectWrite, of object: PersistingModel) {
        source = .own(write)
        self.object = .passUnretained(object)
        position = 0
    }

    init(_ sent: SentWrite, at position: Int) {
        source = .sent(.passUnretained(sent))
        object = nil
        self.position = position
    }

    /// Runs `body` with the write.
    @inline(__always)
    borrowing func withWrite<T>(_ body: (borrowing ObjectWrite) throws -> T) rethrows -> T {
        switch source {
        case .own(let write): try body(write)
        case .sent(let sent): try sent._withUnsafeGuaranteedRef { try body($0.write) }
        }
    }

    @inline(__always)
    fileprivate func setIsBeingSaved(_ isBeingSaved: Bool) {
        object?._withUnsafeGuaranteedRef { $0.record.isBeingSaved = isBeingSaved }
    }
}

/// The writes that wait, all of one group, in their order.
///
/// They are moved in and stay where they are, so that none counts a reference.
final class WaitingWrites {
    private let rows = UnsafeMutablePointer<WaitingWrite>.allocate(capacity: RowGroup.mostRows)
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var group: RowGroup?
    /// The class of the objects that wait; nil for none.
    @exclusivity(unchecked) private(set) var modelType: PersistingModel.Type?

    deinit {
        removeAll()
        rows.deallocate()
    }

    /// Whether a write of a group can wait with those that do.
    @inline(__always)
    func hasRoom(in group: RowGroup) -> Bool { count == 0 || group === self.group && count < group.sizes[0] }

    @inline(__always)
    func append(_ write: consuming WaitingWrite, in group: RowGroup) {
        write.setIsBeingSaved(true)
        (rows + count).initialize(to: write)
        count += 1
        if self.group !== group { (self.group, modelType) = (group, group.table.mapping.modelType) }
    }

    /// Forgets them, since they have run or another write has failed.
    func removeAll() {
        for index in 0..<count { rows[index].setIsBeingSaved(false) }
        rows.deinitialize(count: count)
        (count, group, modelType) = (0, nil, nil)
    }

    /// Runs them.
    ///
    /// - Parameter finish: Is given each in their order, and what came of it; nil where it is still to be run.
    func run(_ db: any EngineConnection, _ finish: (borrowing WaitingWrite, WriteOutcome?) throws -> Void) throws {
        guard let group else { return }
        defer { removeAll() }
        do {
            var next = 0
            while next < count {
                let size = group.sizes.first { $0 <= count - next } ?? 1
                let some = UnsafeMutableBufferPointer(start: rows + next, count: size)
                next += size
                let outcome = size > 1 ? try group.write(some, db) : .refused
                for index in 0..<size {
                    // Before a log keeps the record.
                    some[index].setIsBeingSaved(false)
                    var one: WriteOutcome?
                    switch outcome {
                    case .written(let firstKey, let missing):
                        // Nobody can tell which of the rows weren't there, and nothing but their number counts.
                        one = WriteOutcome(key: firstKey.map { $0 + Int64(index) }, isRowThere: index < size - missing)
                    case .stopped(let count, let firstKey) where index < count:
                        one = WriteOutcome(key: firstKey.map { $0 + Int64(index) })
                    case .stopped: break
                    }
                    try finish(some[index], one)
                }
            }
        } catch let error as SQLiteError {
            throw PersistenceError(error, group.table.mapping)
        }
    }
}

extension PersistenceManager {
    /// Whether an object's values can be taken while the writes of others wait, since these may change nothing of it.
    @inline(__always)
    func joins(_ object: PersistingModel, _ waiting: WaitingWrites?) -> Bool {
        guard let modelType = waiting?.modelType else { return true }
        return modelType == type(of: object) && !object.record.isBeingSaved
    }

    /// Runs the writes that wait, and tells their objects.
    ///
    /// - Returns: How many rows there were or are now.
    @discardableResult
    func runWaiting(_ runner: WriteRunner, _ db: any EngineConnection) throws -> Int {
        guard let waiting = runner.waiting, waiting.count > 0 else { return 0 }
        let context = TransactionContext.current(self, db)
        var count = 0
        try waiting.run(db) { row, outcome in
            try row.object?._withUnsafeGuaranteedRef { object in
                let isThere = try row.withWrite { try $0.finishWaiting(object, outcome, self, runner, db, context) }
                if isThere { count += 1 }
            }
        }
        return count
    }
}
