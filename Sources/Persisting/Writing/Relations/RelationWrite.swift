/// A change of the objects that an object is related to.
struct RelationWrite {
    let holder: PersistingModel
    let relation: ResolvedRelation

    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation that has no foreign key or links of its own;
    ///   ``PersistenceError/Code/past`` for an object of the past.
    init(_ holder: PersistingModel, _ declaration: RelationDeclaration) throws {
        self.holder = holder
        relation = try declaration.root.resolved(from: Mapping.of(holder))
        if holder.record.trackedRows?.fetch.past != nil { throw relation.source.isOfPast(holder, to: "relate") }
        if case .through = declaration.shape {
            throw PersistenceError(
                .invalidRelation,
                "\(relation.source.relationName(of: declaration)) goes through other relations, and can't be written: change those that it goes through",
                model: relation.source.modelName)
        }
    }

    /// The step from the rows that have the foreign key to the holder's.
    private var hop: ResolvedRelation.Hop { relation.hops[0].isToOne ? relation.hops[0] : relation.hops[0].reversed }

    /// The class of the rows that have the holder's key: the related objects', or that of links.
    private var writtenType: PersistingModel.Type { hop.from.modelType }

    var manager: PersistenceManager {
        get throws { try holder.record.trackedRows?.manager ?? .current(for: type(of: holder)) }
    }

    private func link(to target: PersistingModel) throws -> PendingLink {
        PendingLink(holder, relation.declaration, target, link: hasLinks ? writtenType.init() : nil)
    }

    // MARK: To one

    /// Sets the related object: the foreign key now, and its row when the holder is saved.
    func set(_ target: PersistingModel?) throws {
        guard let target else {
            guard hop.isOptional else { throw hop.cantBeNil(to: "set another object") }
            try hop.assign(hop.fromColumns.map { _ in .null }, to: holder)
            return holder.removePending(relation.declaration)
        }
        if let key = try hop.foreignKey(to: target) {
            try hop.assign(key, to: holder)
        } else if hop.isOptional {
            try hop.assign(hop.fromColumns.map { _ in .null }, to: holder)
        }
        guard target.record.state != .persisted else {
            holder.removePending(relation.declaration)
            return try holder.note(target, relation)
        }
        try holder.addPending(
            PendingLink(holder, relation.declaration, target, foreignKey: try hop.foreignKey(of: holder)))
    }

    // MARK: To many

    /// Whether the relation has rows between.
    var hasLinks: Bool { relation.hops.count == 2 }

    /// Keeps objects until the holder is saved, which is new.
    func keep(_ objects: [PersistingModel]) throws {
        if objects.count == 1 {
            if !holder.hasPending(objects[0], of: relation.declaration) { try holder.addPending(link(to: objects[0])) }
            return
        }
        let kept = holder.pendingLinks.filter { $0.relation === relation.declaration }.compactMap(\.target)
        var known = Set(kept)
        for object in objects where known.insert(object).inserted { try holder.addPending(link(to: object)) }
    }

    /// Keeps objects no longer, or none where they aren't said.
    func drop(_ objects: [PersistingModel]? = nil) {
        let dropped = objects.map { Set($0) }
        holder.removePending(relation.declaration) { dropped?.contains($0) ?? true }
    }

    /// What adding objects writes.
    func adding(_ objects: [PersistingModel]) throws -> GraphSave {
        var stored: StoredLinks?
        if hasLinks {
            stored = try storedLinks(.keep, to: objects)
        } else if case let known = try children(of: objects).compactMap({ try $0.rowKey(hop.from) }), !known.isEmpty {
            // Whether these objects' rows have the key still, only the table knows.
            stored = try storedLinks(.keep, conditions(on: hop.from.key), known)
        }
        return try GraphSave(objects, links: newLinks(to: objects), storedLinks: stored, manager)
    }

    /// What taking objects out writes.
    func removing(_ objects: [PersistingModel]) throws -> GraphSave {
        guard hasLinks else { return try GraphSave([], clearing: cleared(children(of: objects)), manager) }
        return try GraphSave([], storedLinks: storedLinks(.remove(targetKeys(of: objects)), to: objects), manager)
    }

    /// What exchanging all related objects for others writes.
    func replacing(with objects: [PersistingModel]) throws -> GraphSave {
        let kept = try hasLinks ? targetKeys(of: objects) : Set(objects.compactMap { try $0.rowKey(relation.target) })
        return try GraphSave(
            objects, links: newLinks(to: objects), storedLinks: storedLinks(.removeOthers(than: kept)), manager)
    }

    /// The links to objects that are in the table.
    private func storedLinks(_ change: StoredLinks.Change, to objects: [PersistingModel]) throws -> StoredLinks {
        let toTarget = relation.hops[1]
        let keys = try objects.compactMap { try toTarget.foreignKey(toRowOf: $0) }
        return try storedLinks(change, toTarget.leadingToKey, keys)
    }

    /// The links, or else the related objects, that are in the table.
    ///
    /// - Parameters:
    ///   - condition: A condition on the rows for each of some keys.
    ///   - keys: The keys; nil for all of the holder's rows.
    private func storedLinks(
        _ change: StoredLinks.Change, _ condition: String = "", _ keys: [[SQLiteValue]]? = nil
    ) throws -> StoredLinks {
        var values = try relation.key(of: holder)?.values ?? hop.toColumns.map { _ in .null }
        var conditions = hop.leadingToKey
        // Of many, reading all rows of the holder costs less than a long condition.
        if let keys, keys.count <= 100 {
            conditions += keys.isEmpty ? " AND 0" : " AND (" + keys.map { _ in "(\(condition))" }.list(" OR ") + ")"
            values += keys.joined()
        }
        return StoredLinks(
            query: Query(writtenType, where: Criteria(.sql(conditions, Arguments(values)))), hop: hop,
            toTarget: hasLinks ? relation.hops[1] : nil, change: change)
    }

    private func conditions(on columns: [Int]) -> String {
        columns.map { "\(hop.from.sql.columns[$0]) = ?" }.list(" AND ")
    }

    private func targetKeys(of objects: [PersistingModel]) throws -> Set<[SQLiteValue]> {
        try Set(objects.compactMap { try relation.hops[1].foldedKey(ofRowOf: $0) })
    }

    /// Forgets what is not so any more after the write.
    func forget(_ objects: [PersistingModel]) throws {
        try holder.forgetTargets(passing: writtenType)
        if hasLinks { for object in objects { try object.forgetTargets(passing: writtenType) } }
    }

    /// A link to each object, which is inserted unless the table turns out to have one.
    private func newLinks(to objects: [PersistingModel]) throws -> [PendingLink] {
        guard hasLinks else { return try objects.map { try link(to: $0) } }
        var known: Set<[SQLiteValue]> = []
        var seen: Set<PersistingModel> = []
        return try objects.compactMap { object in
            guard seen.insert(object).inserted else { return nil }
            if let key = try relation.hops[1].foldedKey(ofRowOf: object), !known.insert(key).inserted { return nil }
            return try link(to: object)
        }
    }

    /// Those of the objects that belong to the holder.
    private func children(of objects: [PersistingModel]) throws -> [PersistingModel] {
        guard let key = try hop.foldedKey(ofRowOf: holder) else { return [] }
        return try objects.filter { try hop.folded(hop.foreignKey(of: $0)) == key }
    }

    private func cleared(
        _ children: [PersistingModel]
    ) throws -> [(child: PersistingModel, hop: ResolvedRelation.Hop)] {
        guard children.isEmpty || hop.isOptional else { throw hop.cantBeNil(to: "delete the object") }
        return children.map { ($0, hop) }
    }
}

/// The rows by which an object is related to others, and what becomes of them. They are read inside the transaction
/// that changes them, whichever thread runs it: what was read before might not be so any more.
struct StoredLinks: Sendable {
    enum Change: Sendable {
        /// By the folded keys of their targets, or else by the related objects' own.
        case keep, remove(Set<[SQLiteValue]>), removeOthers(than: Set<[SQLiteValue]>)
    }

    /// The links, or else the related objects.
    let query: Query<PersistingModel>
    /// The step from these rows to the holder's.
    let hop: ResolvedRelation.Hop
    /// The step from links to their targets; nil where the rows are the related objects themselves.
    let toTarget: ResolvedRelation.Hop?
    let change: Change

    /// Deletes the links, or clears the foreign keys, that don't stay.
    ///
    /// - Returns: The folded keys of the targets to which there are links by then, or else the related objects' own.
    func removeLinks(_ manager: PersistenceManager) throws -> Set<[SQLiteValue]> {
        let rows = try manager.fetchAll(query)
        var linked: Set<[SQLiteValue]> = []
        var gone: [PersistingModel] = []
        for row in rows {
            let key = try toTarget.map { try $0.folded($0.foreignKey(of: row)) } ?? row.rowKey(hop.from)
            let stays =
                switch change {
                case .keep: true
                case .remove(let keys): key.map { !keys.contains($0) } ?? true
                case .removeOthers(let keys): key.map(keys.contains) ?? false
                }
            if !stays {
                gone.append(row)
            } else if let key {
                linked.insert(key)
            }
        }
        if gone.isEmpty { return linked }
        if toTarget != nil {
            try manager.delete(gone)
        } else {
            guard hop.isOptional else { throw hop.cantBeNil(to: "delete the object") }
            for row in gone { try hop.assign(hop.fromColumns.map { _ in .null }, to: row) }
            try manager.save(gone)
        }
        return linked
    }
}

extension ResolvedRelation.Hop {
    fileprivate func cantBeNil(to remedy: String) -> PersistenceError {
        let keys = fromColumns.map { from.columns[$0].key }.joined(separator: ", ")
        return PersistenceError(
            .typeMismatch, "\(keys) can't be nil: \(remedy), or make it Optional", model: from.modelName, key: keys)
    }
}

/// Keys as rows have them, which a key's property may hold in another form, and not yet as it was changed.
extension ResolvedRelation.Hop {
    /// The condition for rows at the step's beginning that refer to a key at its end.
    fileprivate var leadingToKey: String {
        // The collation stands on the left: of several such conditions with OR, SQLite 3.40 makes an IN, which ignores
        // one on the right.
        reversed.collated(fromColumns.map { from.sql.columns[$0] }).map { "\($0) = ?" }.list(" AND ")
    }

    /// What refers to a parent's row, in the form that all foreign keys have that do; nil while it has no key.
    func foldedKey(ofRowOf parent: PersistingModel) throws -> [SQLiteValue]? {
        try foreignKey(toRowOf: parent).map { try folded($0) }
    }

    /// A foreign key, whatever form it is stored in, as the class stores it, and without what the parent's collation
    /// doesn't tell apart.
    func folded(_ foreignKey: [SQLiteValue]) throws -> [SQLiteValue] {
        try zip(toColumns, foreignKey).map { column, value in
            if value.isNull { return value }
            if case .integer = value, to.holdsAnyInteger(column) { return value }
            let own = try to.columns[column].codec.canonical(value)
            guard case .text(let text) = own else { return own }
            return switch to.operands[column].collation {
            case .nocase: .text(asciiLowercased(text))
            case .rtrim: .text(String(text.reversed().drop { $0 == " " }.reversed()))
            default: own
            }
        }
    }
}

extension PersistingModel {
    /// The primary key of the object's row, or what the properties hold while there is none; nil with a NULL in it, and
    /// for a class without one.
    func rowKey(_ mapping: Mapping) throws -> [SQLiteValue]? {
        let key = try rowValues(mapping.key, mapping)
        return key.isEmpty || key.contains(where: \.isNull) ? nil : key
    }
}
