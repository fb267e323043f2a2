/// An object's columns as a value that may cross to another task.
///
/// ```swift
/// let snapshot = album.snapshot()
/// await other.receive(snapshot)  // there: let album = try Album(snapshot)
/// ```
///
/// It holds the values of all properties with a column, and what is known of the object's row: an object made of it is
/// saved where the first one would be, and only the changed columns of it.
public struct Snapshot<Model: PersistingModel>: Sendable {
    fileprivate enum Content: Sendable {
        case values(TrackedRows, Stored)
        /// What kept the object's values from being taken.
        case failure(any Error)
    }

    /// The object's record, except for what belongs to the object itself.
    fileprivate struct Stored: Sendable {
        let state: Record.State
        let slot: Int32
        let trackedRows: TrackedRows?
    }

    fileprivate let content: Content
    fileprivate let modelType: PersistingModel.Type
}

extension ActiveRecord {
    /// The object's columns as a value that may cross to another task.
    public func snapshot() -> Snapshot<Self> {
        Snapshot(content: content(), modelType: type(of: self))
    }

    private func content() -> Snapshot<Self>.Content {
        do {
            let mapping = try Mapping.of(self)
            let values = TrackedRows(record.trackedRows?.manager, mapping, capacity: 1)
            try values.append(self)
            var stored = Snapshot<Self>.Stored(state: record.state, slot: record.slot, trackedRows: record.trackedRows)
            if let trackedRows = record.trackedRows, trackedRows.fetch.isTogether || trackedRows.group != nil {
                // What the object loads with others stays where they are.
                let copy = try TrackedRow(trackedRows: trackedRows, slot: Int(record.slot)).copy()
                stored = Snapshot<Self>.Stored(state: record.state, slot: 0, trackedRows: copy)
            } else {
                record.sharesTrackedValues = true
            }
            return .values(values, stored)
        } catch {
            return .failure(error)
        }
    }

    /// Makes an object of the values and the state of another one. It is of that one's class, which may inherit from
    /// this class.
    ///
    /// - Parameter snapshot: What ``snapshot()`` returned.
    /// - Throws: ``PersistenceError`` when the first object had a value that cannot be stored.
    public init(_ snapshot: Snapshot<Self>) throws {
        // The snapshot was taken of an object of the class or of one that inherits from it.
        self.init(being: downcast(snapshot.modelType.init(), to: Self.self))
        switch snapshot.content {
        case .failure(let error): throw error
        case .values(let values, let stored):
            try values.mapping.assign(values[0], to: self)
            record = Record(
                state: stored.state, sharesTrackedValues: true, slot: stored.slot, trackedRows: stored.trackedRows)
        }
    }
}

/// What an initializer can make an object of a subclass by: one of a protocol that isn't only for classes may replace
/// `self`.
protocol Replaceable {}

extension PersistingModel: Replaceable {}

extension Replaceable {
    fileprivate init(being other: Self) { self = other }
}
