internal import Foundation
public import Observation

/// Undoes and redoes what a manager's transactions did to rows of classes with a ``PersistingModel/history``.
///
/// ```swift
/// let undo = try UndoHistory(of: [Note.self, Folder.self], in: manager)
/// try manager.transaction("Rename") { … }
/// if undo.canUndo { try undo.undo() }          // undo.undoName == "Rename"
/// try undo.redo()
/// ```
///
/// A step is a transaction of the manager, or a single call such as a save, that changed rows of the classes. Undoing
/// it restores all these rows, including those that foreign keys and triggers changed. An undo is a transaction like
/// any other: histories record it, and observers are notified. Objects passed to ``follow(_:)`` get the values of their
/// rows; other objects don't change until you refresh them.
///
/// Transactions of other managers and programs aren't steps. If one of them has since changed a row of the step, undo
/// throws ``PersistenceError/Code/conflict`` with the rows' keys, and changes nothing. The same happens if undoing
/// would change rows that the step didn't change, such as children that a folder got after it was inserted. SQL that
/// the manager executes is a step, too, but SQL that runs on its `database` isn't. Properties that are excluded from a
/// history aren't restored.
///
/// Its properties are observable, for example in SwiftUI. It stays with the task or actor that made it, and isn't
/// `Sendable`.
public final class UndoHistory: Observable {
    private let manager: PersistenceManager
    private let types: [PersistingModel.Type]
    private let steps: UndoSteps
    private var followers: [ObjectIdentifier: Follower] = [:]

    private struct Follower {
        weak var object: PersistingModel?
    }

    /// Creates an undo history for classes.
    ///
    /// - Parameters:
    ///   - types: The classes. Changes of other classes' rows aren't undone.
    ///   - manager: The manager whose transactions are the steps.
    ///   - limit: How many steps can be undone, at least 1. Older ones are forgotten.
    /// - Throws: ``PersistenceError/Code/noHistory`` if a class has no history, or if a foreign key can delete or
    ///   change rows of a table that isn't listed, since an undo couldn't restore these rows.
    public init(of types: [PersistingModel.Type], in manager: PersistenceManager, limit: Int = 100) throws {
        var sources: [Reversal.Source] = []
        for type in types {
            let mapping = try manager.table(of: type).mapping
            try mapping.checkHasHistory()
            if !sources.contains(where: { isSameName($0.name, mapping.tableName) }) {
                sources.append(Reversal.Source(mapping))
            }
        }
        try manager.engine.query { try Reversal.checkAllAreCovered(sources, $0) }
        (self.manager, self.types) = (manager, types)
        steps = UndoSteps(sources, limit: Swift.max(1, limit))
        manager.add(steps)
    }

    /// Whether there is a step to undo.
    public var canUndo: Bool { steps.next.undo != nil }
    /// Whether there is a step to redo: one that was undone, without a new step since.
    public var canRedo: Bool { steps.next.redo != nil }
    /// The name of the transaction that `undo()` takes back; nil if it has no name, or if there is no step.
    public var undoName: String? { steps.next.undo?.name }
    /// The name of the transaction that `redo()` repeats; nil if it has no name, or if there is no step.
    public var redoName: String? { steps.next.redo?.name }

    /// Updates objects, including unsaved ones, with the values of their rows whenever a step is undone or redone.
    ///
    /// If an object's row is deleted, the object counts as deleted. If the row is restored, the object is in the table
    /// again.
    ///
    /// - Parameter objects: Objects of the classes, from the caller's isolation. They aren't retained.
    public func follow(_ objects: PersistingModel...) {
        followers = followers.filter { $0.value.object != nil }
        for object in objects { followers[ObjectIdentifier(object)] = Follower(object: object) }
    }

    /// Undoes the last step.
    ///
    /// - Parameter author: The author that the histories record; nil for the author of the step.
    /// - Returns: Whether there was a step to undo.
    /// - Throws: ``PersistenceError/Code/conflict`` if rows have changed since: the step stays, and nothing is undone;
    ///   ``PersistenceError/Code/historyPruned`` if the history of a row of the step has been pruned or erased;
    ///   ``PersistenceError/Code/noHistory``, as `init` does, if a table that was added since isn't listed;
    ///   ``/SQLiteKit/SQLiteError`` with the code `.notAllowedHere` inside a transaction.
    @discardableResult
    public func undo(by author: String? = nil) throws -> Bool { try reverse(.undo, author) }

    /// Redoes the step that was undone last.
    ///
    /// - Parameter author: The author that the histories record; nil for the author of the step.
    /// - Returns: Whether there was a step to redo.
    /// - Throws: What `undo(by:)` throws.
    @discardableResult
    public func redo(by author: String? = nil) throws -> Bool { try reverse(.redo, author) }

    /// The same, while the task is suspended.
    @discardableResult
    nonisolated(nonsending) public func undo(by author: String? = nil) async throws -> Bool {
        try await reverse(.undo, author)
    }

    /// The same, while the task is suspended.
    @discardableResult
    nonisolated(nonsending) public func redo(by author: String? = nil) async throws -> Bool {
        try await reverse(.redo, author)
    }

    /// Forgets all steps.
    public func removeAll() { steps.removeAll() }

    private func reverse(_ direction: UndoSteps.Direction, _ author: String?) throws -> Bool {
        guard let reversed = try manager.reverse(steps, direction, by: author) else { return false }
        try refreshFollowers(reversed)
        return true
    }

    nonisolated(nonsending) private func reverse(_ direction: UndoSteps.Direction, _ author: String?) async throws
        -> Bool
    {
        let steps = steps
        let reversed = try await manager.onDatabaseSide { try $0.reverse(steps, direction, by: author) }
        guard let reversed else { return false }
        // An object that is being saved doesn't yet know what its row held before the undo.
        await manager.endOfSaves(of: followers.values.compactMap(\.object))
        try refreshFollowers(reversed)
        return true
    }

    private func refreshFollowers(_ reversed: Reversed) throws {
        followers = followers.filter { $0.value.object != nil }
        for object in followers.values.compactMap(\.object) {
            let table = try manager.table(of: type(of: object))
            // One that was never saved has no key yet.
            guard object.record.trackedRows != nil else { continue }
            let known = try table.mapping.historyKey(of: object)
            let name = asciiLowercased(table.mapping.tableName)
            let key = reversed.keyChanges.reduce(known) { $1.table == name && $1.old == $0 ? $1.new : $0 }
            guard let keys = reversed.keys[name], keys.contains(known) || keys.contains(key) else { continue }
            if object.record.trackedValues != nil, manager.state(of: object) != .new {
                if try rebase(object, table, key) { continue }
            } else if let fresh = try manager.row(of: type(of: object), table, key) {
                object.takeOver(fresh, table.mapping)
                continue
            }
            object.record.state = .deleted
        }
    }

    /// Takes over an object's row, which may have been restored, and keeps the object's unsaved changes.
    ///
    /// - Returns: Whether there is a row.
    private func rebase(_ object: PersistingModel, _ table: ModelTable, _ key: [SQLiteValue]) throws -> Bool {
        let state = object.record.state
        object.record.state = .persisted
        do {
            let row = try manager.knownRow(of: object, to: "undo", in: table)
            guard let fresh = try KnownRow.read(type(of: object), table, key, row.loadedColumns(), manager) else {
                return false
            }
            try manager.rebase(object, on: fresh, row)
            return true
        } catch {
            object.record.state = state
            throw error
        }
    }
}

extension PersistenceManager {
    /// Undoes or redoes the next step. It is chosen where nobody else writes, so that none comes in between.
    ///
    /// - Returns: Nil if there is no step.
    fileprivate func reverse(
        _ steps: UndoSteps, _ direction: UndoSteps.Direction, by author: String?
    ) throws -> Reversed? {
        try engine.withoutTransaction { db in
            if db.isInTransaction {
                throw SQLiteError(
                    .notAllowedHere, "a step can't be undone or redone inside a transaction", path: db.path)
            }
            guard let step = steps.top(direction) else { return nil }
            var moved = step
            let keys = try engine.write { db in
                try openRecord(db)
                transactionRecord?.label = TransactionLabel(name: step.name, author: author ?? step.author)
                transactionRecord?.reverses = step.number
                transactionRecord?.didClose = { number, db throws(SQLiteError) in
                    moved.number = number
                    moved.entries = try Reversal(db: db, number: number, sources: steps.sources).entryCount()
                }
                return try Reversal(db: db, number: step.number, sources: steps.sources).restore(step.entries)
            }
            steps.replace(step, by: moved, direction)
            let changes = direction == .redo ? step.keyChanges : step.keyChanges.reversed().map(\.inverse)
            return Reversed(keys: keys, keyChanges: changes)
        }
    }
}

/// What an undo or a redo changed.
private struct Reversed: Sendable {
    /// The keys of the rows.
    let keys: [String: Set<[SQLiteValue]>]
    /// The rows that got another key, which are in `keys` with both.
    let keyChanges: [KeyChange]
}

/// The steps of an undo history. Transactions add steps on their own threads.
private final class UndoSteps: RecordListener {
    enum Direction {
        case undo, redo
    }

    struct Step: Sendable {
        var number: Int64
        /// How many entries the histories have of it.
        var entries: Int
        let name: String?
        let author: String?
        let keyChanges: [KeyChange]
    }

    let sources: [Reversal.Source]
    private let limit: Int
    private let registrar = ObservationRegistrar()
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var undone: [Step] = []
    nonisolated(unsafe) private var done: [Step] = []

    init(_ sources: [Reversal.Source], limit: Int) {
        (self.sources, self.limit) = (sources, limit)
    }

    /// The next step to undo, and the next to redo.
    var next: (undo: Step?, redo: Step?) {
        registrar.access(self, keyPath: \.current)
        return current
    }

    private var current: (undo: Step?, redo: Step?) { lock.withLock { (done.last, undone.last) } }

    func top(_ direction: Direction) -> Step? { direction == .undo ? current.undo : current.redo }

    private func change(_ body: () -> Void) {
        registrar.withMutation(of: self, keyPath: \.current) { lock.withLock(body) }
    }

    /// Moves a step that was undone or redone to the other list.
    ///
    /// - Parameter moved: The step with the number of the undo's transaction.
    func replace(_ step: Step, by moved: Step, _ direction: Direction) {
        change {
            done.removeAll { $0.number == step.number }
            undone.removeAll { $0.number == step.number }
            if direction == .undo { undone.append(moved) } else { done.append(moved) }
        }
    }

    func removeAll() {
        change { (done, undone) = ([], []) }
    }

    func willCommit(
        _ number: Int64, _ record: TransactionRecord, _ db: any EngineConnection
    ) throws(SQLiteError) -> (() -> Void)? {
        let reversal = Reversal(db: db, number: number, sources: sources)
        guard try reversal.hasEffect() else { return nil }
        let step = Step(
            number: number, entries: try reversal.entryCount(), name: record.label.name, author: record.label.author,
            keyChanges: record.keyChanges)
        return { self.add(step) }
    }

    private func add(_ step: Step) {
        change {
            undone = []
            done.append(step)
            if done.count > limit { done.removeFirst(done.count - limit) }
        }
    }
}

extension UndoSteps: Observable {}
