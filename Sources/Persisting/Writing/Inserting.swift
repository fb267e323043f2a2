public import Foundation

/// Inserting objects.
///
/// Of an array all objects are inserted or none, in one transaction, or inside of one in a savepoint. They may be of
/// several classes, and are written in their order. When one can't be written, all are as they were, those before it
/// too.
extension PersistenceManager {
    /// Inserts a new object. A generated key, and what the table put in the place of a nil, are written back to it.
    ///
    /// - Parameters:
    ///   - object: A new object.
    ///   - resolution: Whether the object is left new where a row conflicts with it, or replaces the row. Nil throws.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: ``PersistenceError/Code/alreadyPersisted``, ``PersistenceError/Code/missingPrimaryKeyValue``,
    ///   ``PersistenceError/Code/constraint``, …; the object is then as it was.
    @discardableResult
    public func insert(_ object: PersistingModel, onConflict resolution: ConflictResolution? = nil) throws -> Bool {
        if let resolution {
            let table = try table(of: type(of: object))
            return try write(object, table, WriteVerb.insert(resolution).conflict(table.mapping))
        }
        if object.hasPendingLinks, let graph = try graph(ofNew: [object], nil) {
            try save(graph)
            return true
        }
        let context = openContext()
        if let target = insertionTarget(of: type(of: object), context), !target.mapping.hasHooks {
            return try write(object, consume target, context)
        }
        return try write(object, table(of: type(of: object)), .abort)
    }

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    @discardableResult
    public func insert(
        _ object: PersistingModel, onConflict resolution: ConflictResolution? = nil
    ) async throws -> Bool {
        if let graph = try graph(ofNew: [object], resolution) {
            try await save(graph)
            return true
        }
        return try await saving([object]) {
            try insert(object, onConflict: resolution)
        } suspended: {
            try await writeNow([object], .insert(resolution)) == 1
        }
    }

    /// Inserts new objects.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is in the table already, the second time.
    ///   - resolution: Whether an object is left new where a row conflicts with it, or replaces the row. Nil throws.
    ///   - progress: What to tell of the progress.
    /// - Returns: The number of objects inserted.
    /// - Throws: What `insert(_:onConflict:)` throws, and `CancellationError`.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ objects: [Model], onConflict resolution: ConflictResolution? = nil, progress: Progress? = nil
    ) throws -> Int {
        let objects = upcast(objects)
        if let graph = try graph(ofNew: objects, resolution) {
            try save(graph, progress)
            return objects.count
        }
        return try write(objects, .insert(resolution), progress)
    }

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ objects: [Model], onConflict resolution: ConflictResolution? = nil, progress: Progress? = nil
    ) async throws -> Int {
        let objects = upcast(objects)
        if let graph = try graph(ofNew: objects, resolution) {
            try await save(graph, progress)
            return objects.count
        }
        return try await saving(objects) {
            try insert(objects, onConflict: resolution, progress: progress)
        } suspended: {
            try await writeNow(objects, .insert(resolution), progress)
        }
    }

    /// Inserts an object of a class from values by property name, and returns it as it is stored.
    ///
    /// A name that is absent leaves its column to the table's default, or without one to what `init()` gives the
    /// property; a nil that is given is NULL.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - values: Values by property name, each of the property's type or one that it can be made from without loss.
    /// - Throws: ``PersistenceError``: an unknown key, a value of the wrong type, a constraint. Nothing is inserted
    ///   then.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ type: Model.Type, values: [String: (any Sendable)?]
    ) throws -> Model {
        let table = try table(of: type)
        let mapping = table.mapping
        let object = type.init()
        var given = ColumnSet()
        for (key, value) in mapping.inOrder(values) {
            given.insert(try mapping.assign(value, toKey: key, of: object))
        }
        // The version is the library's.
        if let version = mapping.version { given = given.subtracting(ColumnSet(version)) }
        try write(object, table, .abort, given: given, leavingOutAll: true)
        return object
    }

    /// The same, while the task is suspended. The object's hooks run on the database's side.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ type: Model.Type, values: [String: (any Sendable)?]
    ) async throws -> sending Model {
        try await onDatabaseSide(of: type) { manager in try manager.insert(type, values: values) }
    }

    /// What saves new objects with what waits for them; nil where nothing does.
    private func graph(ofNew objects: [PersistingModel], _ resolution: ConflictResolution?) throws -> GraphSave? {
        guard resolution == nil, objects.contains(where: \.hasPendingLinks) else { return nil }
        let objects = try once(objects) { WriteVerb.insert(nil).error(forSecond: $0, $1) }
        for object in objects { try checkNew(object, table(of: type(of: object)).mapping) }
        return try GraphSave(objects, self)
    }
}

/// The same methods of classes and objects. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Inserts an object from values by property name, and returns it as it is stored. See
    /// `PersistenceManager.insert(_:values:)`.
    ///
    /// - Parameter values: The values, by property name.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func create(_ values: [String: (any Sendable)?]) throws -> Self {
        try PersistenceManager.current(for: self).insert(self, values: values)
    }

    /// The same, while the task is suspended. The object's hooks run on the database's side.
    @discardableResult
    public static func create(_ values: [String: (any Sendable)?]) async throws -> sending Self {
        try await PersistenceManager.current(for: self).insert(self, values: values)
    }

    /// Inserts the object, which is new. See `PersistenceManager.insert(_:onConflict:)`.
    ///
    /// - Parameter resolution: Whether the object is left new where a row conflicts with it, or replaces the row. Nil
    ///   throws.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func insert(onConflict resolution: ConflictResolution? = nil) throws -> Bool {
        try ownManager().insert(self, onConflict: resolution)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func insert(onConflict resolution: ConflictResolution? = nil) async throws -> Bool {
        try await ownManager().insert(self, onConflict: resolution)
    }
}

extension PersistenceManager {
    /// Runs an object's INSERT.
    ///
    /// - Returns: Whether there is a row of it now; false when it was ignored.
    @discardableResult
    func write(
        _ object: PersistingModel, _ table: ModelTable, _ conflict: InsertConflict, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false
    ) throws -> Bool {
        try withHooks(table.mapping) {
            let context = openContext()
            return try write(
                object, insertionTarget(table, conflict, context), given: given, leavingOutAll: leavingOutAll, context)
        }
    }

    private func write(
        _ object: PersistingModel, _ target: consuming InsertionTarget, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false, _ context: TransactionContext?
    ) throws -> Bool {
        try checkNotBeingSaved(object)
        let insertion = try insertion(of: object, target, given: given, leavingOutAll: leavingOutAll)
        return try writeRow(insertion, of: object, context)
    }

    /// Where one object is inserted, if the last was of its class.
    private func insertionTarget(
        of type: PersistingModel.Type, _ context: TransactionContext?
    ) -> InsertionTarget? {
        context?.insertionTarget(of: type)
    }

    /// Where one object is inserted.
    private func insertionTarget(
        _ table: ModelTable, _ conflict: InsertConflict, _ context: TransactionContext?
    ) -> InsertionTarget {
        if case .abort = conflict, let context { return context.insertionTarget(self, table) }
        let trackedRows = context?.trackedRows(self, table.mapping) ?? TrackedRows(self, table.mapping, capacity: 1)
        return InsertionTarget(table, trackedRows, conflict)
    }
}
