internal import SQLiteKit

/// One object for each row, kept up to date after each commit, for an actor.
///
/// ```swift
/// let live = LiveObjects(in: manager)
/// let album = try live.find(Album.self, 1)
/// // Somebody else changes the title: album.title is the new one after the commit.
/// ```
///
/// The objects belong to the actor that the scope is made on, the main actor or another, and so does the scope: fetches
/// of one row give one object, as long as someone holds it. After a commit that has changed its row, an object's
/// properties get the new values, on that actor. A property that you have changed and not saved keeps your value, and
/// counts as a change still. If somebody else has changed it, too, the scope calls `onConflict`, and
/// `PersistenceManager.merge(_:preferring:)` reconciles the two. Until then, the object keeps the value that
/// it was read with as the base of the merge: if you set the property back to it, it gets the row's value by a merge,
/// or when the row changes again.
///
/// When an object's row is deleted, ``ActiveRecord/isDeleted`` is true and its values stay; saving it throws
/// ``PersistenceError/Code/notFound``. So it is when a row gets the kind of another class, of classes that share a
/// table: the next fetch gives an object of that class.
///
/// An object whose row can't be read, such as one with a text for a number, stays as it was. ``error(of:)`` says why,
/// until the row has been changed and can be read. Other objects are kept up to date.
///
/// An object of an `@Observable` class notifies the observers of its properties.
///
/// The scope hears of what `PersistenceManager.changes()` hears, and of other processes on request.
public final class LiveObjects {
    /// Why objects are not up to date. The error of a reading of all, such as that of a closed database, after which
    /// none is; else that of a row that can't be read, until it can. Nil if there is none.
    public var error: (any Error)? {
        ending ?? classes.values.lazy.flatMap(\.rows.values).first { $0.error != nil && $0.object != nil }?.error
    }

    /// The error that has ended the scope.
    private var ending: (any Error)?
    private let manager: PersistenceManager
    private let watch: Watch
    private let onConflict: ((PersistingModel, SaveConflict) -> Void)?
    private var task: Task<Void, Never>?
    private var classes: [ObjectIdentifier: ClassRows] = [:]
    /// How often commits were taken.
    private var rounds = 0

    /// The objects of a class.
    private struct ClassRows {
        let type: PersistingModel.Type
        var table: ModelTable
        var isView: Bool
        var rows: [RowKey: Held] = [:]
        /// The rows to read again, since their objects were being saved, or more was committed meanwhile.
        var postponed: Set<RowKey> = []
    }

    private struct Held {
        weak var object: PersistingModel?
        /// Why the object is not as its row is.
        var error: (any Error)?
    }

    /// Makes a scope without objects.
    ///
    /// - Parameters:
    ///   - manager: The manager.
    ///   - interval: How often to ask whether other processes have committed anything. Nil doesn't ask.
    ///   - isolation: The actor that the objects belong to.
    ///   - onConflict: Called with an object, and with what its row and it have become, when somebody else has changed
    ///     a property that has unsaved changes.
    public init(
        in manager: PersistenceManager, otherProcessesEvery interval: Duration? = nil,
        isolation: isolated any Actor = #isolation, onConflict: ((PersistingModel, SaveConflict) -> Void)? = nil
    ) {
        self.manager = manager
        self.onConflict = onConflict
        watch = Watch(manager, bound: 100)
        task = Task { [weak self, watch] in
            _ = isolation
            do {
                if let interval {
                    await watch.poll(every: interval)
                    watch.wake()
                }
                while true {
                    try await watch.waitWithoutTaking()
                    guard self != nil else { return }
                    try await self?.refresh()
                }
            } catch {
                if !(error is CancellationError) { self?.ending = error }
            }
        }
    }

    deinit {
        task?.cancel()
    }

    // MARK: Objects

    /// The object with a primary key; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - key: The key's value, of the property's type; nil finds nothing.
    /// - Throws: ``PersistenceError``, as `PersistenceManager.find(_:_:)` does.
    public func find<Model: PersistingModel>(_ type: Model.Type, _ key: (any SQLiteValueConvertible)?) throws -> Model?
    {
        try prepare(type)
        return try manager.find(type, key).map { try only($0) }
    }

    /// The objects of a query, in its order.
    ///
    /// - Parameter query: Which rows.
    /// - Throws: ``PersistenceError``, as `PersistenceManager.fetchAll(_:tracked:)` does;
    ///   ``PersistenceError/Code/noPrimaryKey`` for a class without a key.
    public func fetchAll<Model: PersistingModel>(_ query: Query<Model>) throws -> [Model] {
        try prepare(query.modelType)
        return try manager.fetchAll(query).map { try only($0) }
    }

    /// The object with a primary key, while the task is suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - key: The key's value, of the property's type; nil finds nothing.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?
    ) async throws -> Model? {
        try await manager.discoverKey(of: type)
        try prepare(type)
        let round = rounds
        return try await manager.find(type, key).map { try only($0, readIn: round) }
    }

    /// The objects of a query, in its order, while the task is suspended.
    ///
    /// - Parameter query: Which rows.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(_ query: Query<Model>) async throws -> [Model] {
        try await manager.discoverKey(of: query.modelType)
        try prepare(query.modelType)
        let round = rounds
        return try await manager.fetchAll(query).map { try only($0, readIn: round) }
    }

    /// Keeps an object up to date that you have inserted or fetched by the manager.
    ///
    /// An object that isn't tracked is set to its row's values, since its changes aren't known, and is tracked from
    /// then on.
    ///
    /// - Parameter object: An object that is in the table.
    /// - Returns: The object, or the one that the scope has of its row already.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for an object that is in no table;
    ///   ``PersistenceError/Code/noPrimaryKey`` for a class without a key.
    @discardableResult
    public func add<Model: PersistingModel>(_ object: Model) throws -> Model {
        let type = Swift.type(of: object)
        try prepare(type)
        let key = RowKey(try manager.knownRow(of: object, to: "follow").key)
        if let known = held(type, key) { return downcast(known, to: Model.self) }
        classes[ObjectIdentifier(type)]?.rows[key] = Held(object: object)
        // What has been committed since it was read has not been heard of.
        watch.wake()
        return object
    }

    /// Why an object is not as its row is: the error of the row's last reading. Nil if there is none, and for an object
    /// that isn't the scope's.
    ///
    /// - Parameter object: An object of the scope.
    public func error(of object: PersistingModel) -> (any Error)? {
        classes[ObjectIdentifier(type(of: object))]?.rows.values.first { $0.object === object }?.error
    }

    /// Gets ready to hear of a class's rows.
    private func prepare(_ type: PersistingModel.Type) throws {
        let table = try manager.table(of: type)
        try table.mapping.requireKey()
        if let known = classes[ObjectIdentifier(type)], known.table.mapping === table.mapping { return }
        let isView = try manager.reading(table) { db in try table.rowIDIfAny(db) == nil }
        classes[ObjectIdentifier(type), default: ClassRows(type: type, table: table, isView: isView)].table = table
        classes[ObjectIdentifier(type)]?.isView = isView
    }

    /// The one object of the row of an object that was just fetched.
    ///
    /// - Parameter round: When the fetch began; nil when nothing can have happened meanwhile.
    private func only<Model: PersistingModel>(_ fresh: Model, readIn round: Int? = nil) throws -> Model {
        let type = Swift.type(of: fresh)
        let id = ObjectIdentifier(type)
        if classes[id] == nil { try prepare(type) }
        let key = RowKey(try manager.knownRow(of: fresh, to: "follow").key)
        if let known = held(type, key) {
            do {
                try checkIsSameRow(known)
                if round == nil { try update(known, key, from: fresh) }
                return downcast(known, to: Model.self)
            } catch let error as PersistenceError where error.code == .rowsMoved {
                // The identifier is another row's by now.
            }
        }
        classes[id]?.rows[key] = Held(object: fresh)
        if let round, round != rounds { watch.wake() }
        return fresh
    }

    /// The object of a row that was just read. One that was deleted before is none: the row is another.
    private func held(_ type: PersistingModel.Type, _ key: RowKey) -> PersistingModel? {
        guard let object = classes[ObjectIdentifier(type)]?.rows[key]?.object,
            object.record.state == .persisted || object.record.state == .gone
        else { return nil }
        return object
    }

    // MARK: Commits

    /// Reads the rows that commits have changed, and sets their objects.
    private func refresh() async throws {
        // An object that is saved while its row is being read must not get the older values: the commit of the save is
        // among the new ones then. Where there are always new ones, nothing else runs on this actor meanwhile.
        for attempt in 1...5 {
            rounds += 1
            let (wanted, objects) = try wanted(watch.take())
            guard !wanted.isEmpty else { return }
            let rows = WantedRows(rows: wanted, manager: manager)
            let fresh: [Result<PersistingModel?, any Error>]
            if attempt < 5 {
                fresh = try await rows.read()
            } else {
                fresh = try rows.readNow()
            }
            if attempt < 5, watch.hasCommits {
                for row in wanted { classes[ObjectIdentifier(row.type)]?.postponed.insert(row.key) }
                continue
            }
            for (row, (object, fresh)) in zip(wanted, zip(objects, fresh)) {
                try noting(object, row.key) { try update(object, row.key, from: fresh.get()) }
            }
            return
        }
    }

    /// Runs `body`, which may find that an object's row can't be read, and keeps what is wrong with it.
    ///
    /// - Throws: An error that isn't the row's alone.
    private func noting(_ object: PersistingModel, _ key: RowKey, _ body: () throws -> Void) throws {
        let id = ObjectIdentifier(type(of: object))
        do {
            try body()
            classes[id]?.rows[key]?.error = nil
        } catch let error as PersistenceError where error.isOfRow {
            classes[id]?.rows[key]?.error = error
        }
    }

    /// The rows to read, and their objects.
    private func wanted(_ commits: [CommittedChanges]) throws -> ([WantedRow], [PersistingModel]) {
        var rows: [WantedRow] = []
        var objects: [PersistingModel] = []
        for (id, known) in classes {
            var known = known
            known.rows = known.rows.filter { $0.value.object != nil }
            let touched = known.table.rows(touchedBy: commits, isView: known.isView, deferred: true)?
                .union(known.postponed)
            known.postponed = []
            for key in touched ?? Set(known.rows.keys) {
                guard let object = known.rows[key]?.object, let row = try row(of: object, key, &known) else { continue }
                rows.append(row)
                objects.append(object)
            }
            classes[id] = known
        }
        return (rows, objects)
    }

    /// The row to read for an object; nil if it can't be read now, or no longer follows its row.
    private func row(of object: PersistingModel, _ key: RowKey, _ known: inout ClassRows) throws -> WantedRow? {
        guard !object.record.isBeingSaved else {
            known.postponed.insert(key)
            wakeAtEndOfSave(of: object)
            return nil
        }
        guard object.record.trackedRows?.mapping === known.table.mapping,
            object.record.trackedRows?.manager === manager,
            object.record.state == .persisted || object.record.state == .gone
        else {
            known.rows[key] = nil
            return nil
        }
        do {
            let (now, loaded) = try place(of: object)
            if now != key {
                // Its key was changed by a save.
                known.rows[key] = nil
                known.rows[now] = Held(object: object)
            }
            return WantedRow(type: known.type, table: known.table, key: now, loaded: loaded)
        } catch let error as PersistenceError where error.isOfRow {
            known.rows[key]?.error = error
            return nil
        }
    }

    /// Has postponed rows read when the save is over.
    private func wakeAtEndOfSave(of object: PersistingModel) {
        savesUnderWay.atEnd(of: object) { [weak watch] in watch?.wakeForNothing() }
    }

    /// The key of an object's row, and which deferred columns it has.
    private func place(of object: PersistingModel) throws -> (key: RowKey, loaded: [Int]) {
        let row = try knownRow(of: object)
        return (RowKey(try row.key), try row.loadedColumns())
    }

    /// The row of an object, also of one that is gone.
    private func knownRow(of object: PersistingModel) throws -> KnownRow {
        let state = object.record.state
        defer { object.record.state = state }
        object.record.state = .persisted
        return try manager.knownRow(of: object, to: "follow")
    }

    /// - Throws: ``PersistenceError/Code/rowsMoved`` when the identifier of an object's row may be another's by now.
    private func checkIsSameRow(_ object: PersistingModel) throws {
        guard object.record.trackedRows?.mapping.rowID != nil else { return }
        let row = try knownRow(of: object)
        try manager.engine.read { db in try row.checkIsSameRow(db) }
    }

    /// Sets an object as its row is now.
    private func update(_ object: PersistingModel, _ key: RowKey, from fresh: PersistingModel?) throws {
        guard !object.record.isBeingSaved else {
            classes[ObjectIdentifier(type(of: object))]?.postponed.insert(key)
            wakeAtEndOfSave(of: object)
            return
        }
        try checkIsSameRow(object)
        // A row that has become one of another class isn't this object's any more.
        guard let fresh, type(of: fresh) == type(of: object) else {
            if object.record.state == .persisted { object.record.state = .gone }
            return
        }
        if object.record.state == .gone { object.record.state = .persisted }
        guard object.record.state == .persisted else { return }
        let row = try manager.knownRow(of: object, to: "follow")
        if let conflict = try manager.follow(fresh, by: object, row) { onConflict?(object, conflict) }
    }
}

/// A row to read again.
private struct WantedRow: Sendable {
    let type: PersistingModel.Type
    let table: ModelTable
    let key: RowKey
    let loaded: [Int]
}

/// Rows to read again, at one moment.
private struct WantedRows: Sendable {
    let rows: [WantedRow]
    let manager: PersistenceManager

    func read() async throws -> sending [Result<PersistingModel?, any Error>] {
        try await manager.database.read { _ in
            // The objects are handed over.
            nonisolated(unsafe) let fresh = try objects()
            return fresh
        }
    }

    func readNow() throws -> [Result<PersistingModel?, any Error>] {
        try manager.database.read { _ in try objects() }
    }

    /// For each row its object, or what is wrong with it.
    private func objects() throws -> [Result<PersistingModel?, any Error>] {
        try rows.map { row in
            do {
                return .success(try KnownRow.read(row.type, row.table, row.key.values, row.loaded, manager))
            } catch let error as PersistenceError where error.isOfRow {
                return .failure(error)
            }
        }
    }
}

extension PersistenceError {
    /// Whether it is about one row: others can be read.
    fileprivate var isOfRow: Bool {
        [.typeMismatch, .unknownKind, .missingPrimaryKeyValue, .conflict, .rowsMoved].contains(code)
    }
}
