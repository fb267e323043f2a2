/// What the writes of several objects share: of each class the table, what an INSERT does about a row in the way, and
/// images that many objects have together.
struct WriteBatch {
    private struct Place {
        let table: ModelTable
        let conflict: InsertConflict
        var images: RowImages
    }

    private let manager: PersistenceManager
    private let verb: WriteVerb
    /// How many objects may follow.
    private var remaining: Int
    private var places: [Place] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    private var last: (type: ObjectIdentifier, index: Int)?

    init(_ manager: PersistenceManager, _ verb: WriteVerb, count: Int) {
        self.manager = manager
        self.verb = verb
        remaining = count
    }

    /// The write of the next object, with its values as they are now; nil when there is nothing to write.
    mutating func write(of object: PersistingModel) throws -> ObjectWrite? {
        let type = type(of: object)
        let index = if let last, last.type == ObjectIdentifier(type) { last.index } else { try place(of: type) }
        if places[index].images.isFull {
            places[index].images = images(places[index].table.mapping)
        }
        remaining -= 1
        let place = places[index]
        if case .save = verb, manager.state(of: object) == .persisted {
            return try manager.updateOfChanges(of: object, in: place.images).map(ObjectWrite.update)
        }
        return .insertion(try manager.insertion(of: object, place.table, place.images, place.conflict))
    }

    private mutating func place(of type: PersistingModel.Type) throws -> Int {
        let identity = ObjectIdentifier(type)
        let index: Int
        if let known = indices[identity] {
            index = known
        } else {
            let table = try manager.table(of: type)
            index = places.count
            places.append(
                Place(table: table, conflict: try verb.conflict(table.mapping), images: images(table.mapping)))
            indices[identity] = index
        }
        last = (identity, index)
        return index
    }

    private func images(_ mapping: Mapping) -> RowImages {
        RowImages(manager, mapping, capacity: min(max(1, remaining), RowImages.capacityOfFetch))
    }
}

/// What is to be done with one object's row.
enum ObjectWrite: Sendable {
    case insertion(Insertion)
    case update(Update)

    /// Runs the statement.
    ///
    /// - Returns: Nil when the object was ignored.
    func run(_ runner: inout InsertionRunner, _ db: Database) throws -> Insertion.Outcome? {
        switch self {
        case .insertion(let insertion):
            return try insertion.table.mapping.naming { try runner.run(insertion, db) }
        case .update(let update):
            try update.table.mapping.naming { try update.run(db) }
            return Insertion.Outcome()
        }
    }
}

extension PersistenceManager {
    /// The insertion of an object, with its values as they are now.
    func insertion(
        of object: PersistingModel, _ table: ModelTable, _ images: RowImages, _ conflict: InsertConflict,
        given: ColumnSet = ColumnSet(), leavingOutAll: Bool = false
    ) throws -> Insertion {
        if case .update(var upsert) = conflict, state(of: object) == .persisted {
            // The row of a persisted object is that with its key, and no other.
            if upsert.target == nil, !table.mapping.key.isEmpty { upsert.target = table.mapping.key }
            try object.prepareToUpdate()
            let insertion = try Insertion(
                object, table, images, .update(upsert), given: given, leavingOutAll: leavingOutAll)
            try keepStoredKey(of: object, insertion.images[insertion.slot], table.mapping)
            return insertion
        }
        try checkNew(object, table.mapping)
        guard leavingOutAll else {
            try object.prepareToInsert()
            return try Insertion(object, table, images, conflict, given: given)
        }
        let before = RowImages(self, table.mapping, capacity: 1)
        try before.append(object)
        try object.prepareToInsert()
        // What the hook has set is given as well.
        let changed = try ColumnSet(table.mapping.changes(object, before[0]))
        return try Insertion(object, table, images, conflict, given: given.union(changed), leavingOutAll: true)
    }

    /// Names an object's row by the key as it is stored, which another writer may have put in another form, unless the
    /// object has another key now.
    private func keepStoredKey(of object: PersistingModel, _ image: Memory, _ mapping: Mapping) throws {
        guard let known = object.record.keyImage, object.record.images?.mapping === mapping else { return }
        for index in mapping.key where try !mapping.differs(index, object, known) {
            try mapping.assign(stored: mapping.stored(index, in: known), to: index, ofImage: image)
        }
    }

    /// Tells an object what its row holds now that a write of it has run, inside the transaction that the write is in.
    func finish(_ write: ObjectWrite, _ outcome: Insertion.Outcome, _ object: PersistingModel, _ db: Database) throws {
        switch write {
        case .insertion(let insertion): try finish(insertion, outcome, object, db)
        case .update(let update):
            try restoreAfterRollback(
                object, db, stamps: update.stamps, readFrom: update.imagesRead, slot: update.values.slot)
            try update.finish(object)
        }
    }

    /// Tells an object that it is in the table now, inside the transaction of its INSERT.
    func finish(_ insertion: Insertion, _ outcome: Insertion.Outcome, _ object: PersistingModel, _ db: Database) throws
    {
        insertion.noteAsLast()
        if let filled = insertion.filled(outcome) {
            try restoreAfterRollback(object, db, filled: filled, stamps: insertion.stamps)
        } else {
            try restoreAfterRollback(object, db, readFrom: insertion.images, slot: insertion.slot)
        }
        try insertion.finish(object, outcome)
    }
}
