internal import Foundation
public import Observation

/// Undo and redo of what a manager's transactions did to rows of classes with a ``PersistingModel/history``.
///
/// ```swift
/// let undo = UndoHistory(of: [Note.self, Folder.self], in: manager)
/// try manager.transaction("Rename") { … }
/// if undo.canUndo { try undo.undo() }          // undo.undoName == "Rename"
/// try undo.redo()
/// ```
///
/// A step is a transaction of the manager, or a single call such as a save, that changed rows of the classes. Undoing
/// it restores all these rows: those that foreign keys and triggers changed, too. It is a transaction like any other,
/// which histories record and observers hear of. Objects of ``follow(_:)`` get the values of their rows; others are as
/// they were until they are refreshed.
///
/// What other managers and programs do is no step. Where they have changed a row since, undo throws
/// ``PersistenceError/Code/conflict`` with the rows' keys, and changes nothing. So it does where undoing would change
/// rows that the step had not, such as the children that a folder has got since it was inserted.
/// SQL that the manager executes is a step, too, but not what runs on its `database`. What is excluded from a history
/// isn't restored.
///
/// Its properties can be observed, in SwiftUI for example. It belongs to who made it, and isn't `Sendable`.
public final class UndoHistory: Observable {
    private let manager: PersistenceManager
    private let types: [PersistingModel.Type]
    private let steps: UndoSteps
    private var followers: [ObjectIdentifier: Follower] = [:]

    private struct Follower {
        weak var object: PersistingModel?
    }

    /// The undo history of some classes.
    ///
    /// - Parameters:
    ///   - types: The classes. What a transaction does to rows of others isn't undone.
    ///   - manager: The manager whose transactions are the steps.
    ///   - limit: How many steps can be undone. Older ones are forgotten.
    /// - Throws: ``PersistenceError/Code/noHistory`` for a class without a history, and when a foreign key would delete
    ///   or change rows of another table with those of the classes, which could not be brought back.
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
    /// Whether there is a step to redo: one that was undone, with no other after it.
    public var canRedo: Bool { steps.next.redo != nil }
    /// The name of the transaction that `undo()` takes back; nil without a name or a step.
    public var undoName: String? { steps.next.undo?.name }
    /// The name of the transaction that `redo()` repeats; nil without a name or a step.
    public var redoName: String? { steps.next.redo?.name }

    /// Has objects get the values of their rows whenever a step is undone or redone, those that aren't saved included.
    /// An object whose row goes is a deleted one; one whose row comes back is in the table again.
    ///
    /// - Parameter objects: Objects with keys, of the classes and of the caller's isolation. They aren't kept alive.
    public func follow(_ objects: PersistingModel...) {
        followers = followers.filter { $0.value.object != nil }
        for object in objects { followers[ObjectIdentifier(object)] = Follower(object: object) }
    }

    /// Takes the last step back.
    ///
    /// - Parameter author: Who does it, for the histories; nil is who made the step.
    /// - Returns: Whether there was one.
    /// - Throws: ``PersistenceError/Code/conflict`` when rows have changed since: the step stays, and nothing is
    ///   undone. What `init` throws, for a table that has come since. ``/SQLiteKit/SQLiteError`` with the code `.notAllowedHere`
    ///   inside a transaction.
    @discardableResult
    public func undo(by author: String? = nil) throws -> Bool { try reverse(.undo, author) }

    /// Repeats the step that was undone last.
    ///
    /// - Parameter author: Who does it, for the histories; nil is who made the step.
    /// - Returns: Whether there was one.
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
    /// Takes a transaction back.
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

/// What was taken back.
private struct Reversed: Sendable {
    /// The keys of the rows.
    let keys: [String: Set<[SQLiteValue]>]
    /// The number of the transaction that did it; nil if there was nothing to do.
    let number: Int64?
}

/// The steps of an undo history. Transactions add to it on their threads.
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

    /// The steps that are next.
    var next: (undo: Step?, redo: Step?) {
        registrar.access(self, keyPath: \.current)
        return current
    }

    private var current: (undo: Step?, redo: Step?) { lock.withLock { (done.last, undone.last) } }

    func top(_ direction: Direction) -> Step? { direction == .undo ? current.undo : current.redo }

    private func change(_ body: () -> Void) {
        registrar.withMutation(of: self, keyPath: \.current) { lock.withLock(body) }
    }

    /// Puts a step that was reversed on the other side.
    ///
    /// - Parameter number: That of the transaction that did it; nil if it changed nothing, as the step hadn't.
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
