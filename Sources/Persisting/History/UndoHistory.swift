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
    ///   - limit: How many steps can be undone. Older ones are forgotten.
    /// - Throws: ``PersistenceError/Code/noHistory`` if a class has no history, or if a foreign key can delete or
    ///   change rows of a table that isn't listed, since an undo couldn't restore these rows.
    public init(of types: [PersistingModel.Type], in manager: PersistenceManager, limit: Int = 100) throws {
        var names: [String] = []
        for type in types {
            let mapping = try manager.table(of: type).mapping
            try mapping.checkHasHistory()
            if !names.contains(where: { isSameName($0, mapping.tableName) }) { names.append(mapping.tableName) }
        }
        try manager.engine.query { try Reversal.checkAllAreCovered(names, $0) }
        (self.manager, self.types) = (manager, types)
        steps = UndoSteps(names, limit: Swift.max(1, limit))
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
        guard let step = try next(direction) else { return false }
        try finish(step, direction, manager.reverse(step, by: author, names: steps.names))
        return true
    }

    nonisolated(nonsending) private func reverse(_ direction: UndoSteps.Direction, _ author: String?) async throws
        -> Bool
    {
        guard let step = try next(direction) else { return false }
        let names = steps.names
        let reversed = try await manager.onDatabaseSide { try $0.reverse(step, by: author, names: names) }
        try finish(step, direction, reversed)
        return true
    }

    private func next(_ direction: UndoSteps.Direction) throws -> UndoSteps.Step? {
        if let db = manager.engine.mineToWrite, db.isInTransaction {
            throw SQLiteError(.notAllowedHere, "a step can't be undone or redone inside a transaction", path: db.path)
        }
        return steps.top(direction)
    }

    private func finish(_ step: UndoSteps.Step, _ direction: UndoSteps.Direction, _ reversed: Reversed) throws {
        steps.move(step, direction, to: reversed.number)
        try refreshFollowers(reversed.keys)
    }

    private func refreshFollowers(_ keys: [String: Set<[SQLiteValue]>]) throws {
        followers = followers.filter { $0.value.object != nil }
        for object in followers.values.compactMap(\.object) {
            let table = try manager.table(of: type(of: object))
            // One that was never saved has no key yet.
            guard object.record.trackedRows != nil, case let known = try table.mapping.historyKey(of: object),
                keys[asciiLowercased(table.mapping.tableName)]?.contains(known) == true
            else { continue }
            if let fresh = try manager.row(of: type(of: object), table, known) {
                guard object.record.trackedValues != nil, manager.state(of: object) == .persisted else {
                    object.takeOver(fresh, table.mapping)
                    continue
                }
                _ = try manager.follow(fresh, by: object, manager.knownRow(of: object, to: "undo", in: table))
            } else {
                object.record.state = .deleted
            }
        }
    }
}

extension PersistenceManager {
    /// Undoes a transaction.
    fileprivate func reverse(_ step: UndoSteps.Step, by author: String?, names: [String]) throws -> Reversed {
        var number: Int64?
        let keys = try engine.write { db in
            try openRecord(db)
            transactionRecord?.label = TransactionLabel(name: step.name, author: author ?? step.author)
            transactionRecord?.reverses = step.number
            transactionRecord?.didClose = { number = $0 }
            return try Reversal(db: db, number: step.number, names: names).restore()
        }
        return Reversed(keys: keys, number: number)
    }
}

/// What an undo or a redo changed.
private struct Reversed: Sendable {
    /// The keys of the rows.
    let keys: [String: Set<[SQLiteValue]>]
    /// The number of the transaction that changed them; nil if there was nothing to change.
    let number: Int64?
}

/// The steps of an undo history. Transactions add steps on their own threads.
private final class UndoSteps: RecordListener {
    enum Direction {
        case undo, redo
    }

    struct Step: Sendable {
        var number: Int64
        let name: String?
        let author: String?
    }

    /// The names of the tables.
    let names: [String]
    private let limit: Int
    private let registrar = ObservationRegistrar()
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var undone: [Step] = []
    nonisolated(unsafe) private var done: [Step] = []

    init(_ names: [String], limit: Int) {
        (self.names, self.limit) = (names, limit)
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
    /// - Parameter number: The number of the undo's transaction; nil if it changed nothing because the step hadn't
    ///   either.
    func move(_ step: Step, _ direction: Direction, to number: Int64?) {
        change {
            var moved = step
            done.removeAll { $0.number == step.number }
            undone.removeAll { $0.number == step.number }
            moved.number = number ?? step.number
            if direction == .undo { undone.append(moved) } else { done.append(moved) }
        }
    }

    func removeAll() {
        change { (done, undone) = ([], []) }
    }

    func isInterested(in number: Int64, _ db: any EngineConnection) throws(SQLiteError) -> Bool {
        try Reversal(db: db, number: number, names: names).hasEffect()
    }

    func didCommit(_ number: Int64, _ label: TransactionLabel) {
        change {
            undone = []
            done.append(Step(number: number, name: label.name, author: label.author))
            if done.count > limit { done.removeFirst(done.count - limit) }
        }
    }
}

extension UndoSteps: Observable {}
