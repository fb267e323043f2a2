/// What the writes of several objects share: of each class the table, what an INSERT does about a conflicting row, and
/// tracked values that many objects share.
struct WriteBatch {
    private let manager: PersistenceManager
    private let verb: WriteVerb
    /// How many objects may follow.
    private var remaining: Int
    private var targets: [InsertionTarget] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    private var last: (type: ObjectIdentifier, index: Int)?
    /// The table of the object that was deleted last.
    private var deleted: ModelTable?

    init(_ manager: PersistenceManager, _ verb: WriteVerb, count: Int) {
        self.manager = manager
        self.verb = verb
        remaining = count
    }

    /// The write of the next object, with its values as they are now; nil when there is nothing to write.
    ///
    /// - Parameter context: That of the transaction, on its thread.
    mutating func write(of object: PersistingModel, _ context: TransactionContext? = nil) throws -> ObjectWrite? {
        remaining -= 1
        let type = type(of: object)
        if case .delete = verb {
            if let deleted, deleted.mapping.modelType == type, deleted.isInspected {
                return .deletion(try manager.deletion(of: object, in: deleted))
            }
            let table = try manager.table(of: type, context)
            deleted = table
            return .deletion(try manager.deletion(of: object, in: table))
        }
        let index = if let last, last.type == ObjectIdentifier(type) { last.index } else { try place(of: type) }
        var target = targets[index]
        if target.trackedRows.isFull {
            target = InsertionTarget(target.table, trackedRows(target.mapping), target.conflict)
            targets[index] = target
        }
        if case .save = verb, manager.state(of: object) == .persisted {
            if try manager.isUnchanged(object) { return nil }
            guard let update = try manager.updateOfChanges(of: object, in: manager.table(of: type, context), context)
            else { return nil }
            return .update(update)
        }
        if case .save = verb, manager.state(of: object) == .gone { throw target.mapping.isGone(object) }
        return .insertion(try manager.insertion(of: object, target))
    }

    private mutating func place(of type: PersistingModel.Type) throws -> Int {
        let identity = ObjectIdentifier(type)
        let index: Int
        if let known = indices[identity] {
            index = known
        } else {
            let table = try manager.table(of: type)
            index = targets.count
            targets.append(
                InsertionTarget(table, trackedRows(table.mapping), try verb.conflict(table.mapping)))
            indices[identity] = index
        }
        last = (identity, index)
        return index
    }

    private func trackedRows(_ mapping: Mapping) -> TrackedRows {
        TrackedRows(manager, mapping, capacity: min(max(1, remaining + 1), TrackedRows.capacityOfFetch))
    }
}

extension PersistenceManager {
    /// The insertion of an object, with its values as they are now.
    func insertion(
        of object: PersistingModel, _ target: consuming InsertionTarget, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false
    ) throws -> Insertion {
        if case .abort = target.conflict {} else { try checkNothingPending(object, target.mapping) }
        if state(of: object) == .persisted {
            if object.record.trackedRows?.fetch.past != nil { throw target.mapping.isOfPast(object, to: "insert") }
            guard case .update(let upsert) = target.conflict else { throw target.mapping.alreadyPersisted(object) }
            return try upsertion(of: object, target, upsert, given: given, leavingOutAll: leavingOutAll)
        }
        guard leavingOutAll else {
            try object.prepareToInsert(target.mapping)
            return try Insertion.taking(object, target, given: given)
        }
        let before = TrackedRows(self, target.mapping, capacity: 1)
        try before.append(object)
        try object.prepareToInsert(target.mapping)
        // What the hook has set is given as well.
        let version = ColumnSet([target.mapping.version].compactMap { $0 })
        let changed = try target.mapping.changes(object, before[0]).subtracting(version)
        return try Insertion.taking(object, target, given: given.union(changed), leavingOutAll: true)
    }

    /// Throws for an object with which others wait to be saved, since there may be no row of it to refer to.
    private func checkNothingPending(_ object: PersistingModel, _ mapping: Mapping) throws {
        guard object.hasPendingLinks, let link = object.pendingLinks.first else { return }
        throw PersistenceError(
            .notPersisted,
            "\(mapping.relationName(of: link.relation)) has a \(ModelDescription.name(of: link.relation.target)) that isn't "
                + "saved yet: use save(_:), which saves both", model: mapping.modelName)
    }

    /// The upsert of an object that is in the table.
    private func upsertion(
        of object: PersistingModel, _ target: InsertionTarget, _ upsert: UpsertColumns, given: ColumnSet,
        leavingOutAll: Bool
    ) throws -> Insertion {
        let mapping = target.mapping
        var upsert = upsert
        // The row of a persisted object is that with its key, and no other.
        if upsert.target == nil, !mapping.key.isEmpty { upsert.target = mapping.key }
        try object.prepareToUpdate(mapping)
        let insertion = try Insertion.taking(
            object, InsertionTarget(target.table, target.trackedRows, .update(upsert)), given: given,
            leavingOutAll: leavingOutAll)
        try keepStoredKey(of: object, insertion.trackedValues, mapping)
        return insertion
    }

    /// Names an object's row by the key as it is stored, which another writer may have put in another form, unless the
    /// object has another key now.
    private func keepStoredKey(of object: PersistingModel, _ trackedValues: Memory, _ mapping: Mapping) throws {
        guard let known = object.record.trackedKey, object.record.trackedRows?.mapping === mapping else { return }
        for index in mapping.key where try !mapping.differs(index, object, known) {
            try mapping.assign(stored: mapping.stored(index, in: known), to: index, in: trackedValues)
        }
    }
}
