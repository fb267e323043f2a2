/// A change of the objects that an object is related to.
struct RelationWrite {
    let holder: PersistingModel
    let relation: ResolvedRelation

    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation that has no foreign key or links of its own.
    init(_ holder: PersistingModel, _ declaration: RelationDeclaration) throws {
        self.holder = holder
        relation = try declaration.root.resolved(from: Mapping.of(holder))
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
            guard hop.isOptional else { throw cantBeNil(to: "set another object") }
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

    private func cantBeNil(to remedy: String) -> PersistenceError {
        let keys = hop.fromColumns.map { hop.from.columns[$0].key }.joined(separator: ", ")
        return PersistenceError(
            .typeMismatch, "\(keys) can't be nil: \(remedy), or make it Optional", model: hop.from.modelName, key: keys)
    }

    // MARK: To many

    /// Whether the relation has rows between.
    var hasLinks: Bool { relation.hops.count == 2 }

    /// Keeps objects until the holder is saved, which is new.
    func keep(_ objects: [PersistingModel]) throws {
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
    ///
    /// - Parameter links: The links that there are.
    func adding(_ objects: [PersistingModel], besides links: [PersistingModel]) throws -> GraphSave {
        try GraphSave(objects, links: newLinks(to: objects, besides: links), manager)
    }

    /// What taking objects out writes.
    ///
    /// - Parameter links: The links that there are.
    func removing(_ objects: [PersistingModel], _ links: [PersistingModel]) throws -> GraphSave {
        guard hasLinks else { return try GraphSave([], clearing: cleared(children(of: objects)), manager) }
        let keys = try Set(objects.compactMap { try relation.hops[1].foreignKey(to: $0) })
        let gone = try links.filter { keys.contains(try relation.hops[1].foreignKey(of: $0)) }
        return try GraphSave([], deleting: gone, manager)
    }

    /// What exchanging all related objects for others writes.
    ///
    /// - Parameter rows: The links, or else the related objects, that there are.
    func replacing(_ rows: [PersistingModel], with objects: [PersistingModel]) throws -> GraphSave {
        if hasLinks {
            let keys = try Set(objects.compactMap { try relation.hops[1].foreignKey(to: $0) })
            let gone = try rows.filter { !keys.contains(try relation.hops[1].foreignKey(of: $0)) }
            return try GraphSave(objects, links: newLinks(to: objects, besides: rows), deleting: gone, manager)
        }
        let kept = try Set(objects.compactMap { try $0.rowKey(relation.target) })
        let gone = try rows.filter { try $0.rowKey(relation.target).map { !kept.contains($0) } ?? true }
        return try GraphSave(objects, links: newLinks(to: objects, besides: []), clearing: cleared(gone), manager)
    }

    /// The query of the links, or else of the related objects, that there are.
    func rows() throws -> Query<PersistingModel> {
        let key = try hop.foreignKey(to: holder) ?? []
        let condition = hop.fromColumns.map { "\(hop.from.sql.columns[$0]) = ?" }.list(" AND ")
        return Query(writtenType, where: Criteria(.sql(condition, Arguments(key))))
    }

    /// Forgets what is not so any more after the write.
    func forget(_ objects: [PersistingModel]) throws {
        try holder.forgetTargets(passing: writtenType)
        if hasLinks { for object in objects { try object.forgetTargets(passing: writtenType) } }
    }

    private func newLinks(to objects: [PersistingModel], besides links: [PersistingModel]) throws -> [PendingLink] {
        guard hasLinks else { return try objects.map { try link(to: $0) } }
        var known = try Set(links.map { try relation.hops[1].foreignKey(of: $0) })
        var seen: Set<PersistingModel> = []
        return try objects.compactMap { object in
            guard seen.insert(object).inserted else { return nil }
            if let key = try relation.hops[1].foreignKey(to: object), !known.insert(key).inserted { return nil }
            return try link(to: object)
        }
    }

    /// Those of the objects that belong to the holder.
    private func children(of objects: [PersistingModel]) throws -> [PersistingModel] {
        let key = try hop.foreignKey(to: holder)
        return try objects.filter { try hop.foreignKey(of: $0) == key }
    }

    private func cleared(
        _ children: [PersistingModel]
    ) throws -> [(child: PersistingModel, hop: ResolvedRelation.Hop)] {
        guard children.isEmpty || hop.isOptional else { throw cantBeNil(to: "delete the object") }
        return children.map { ($0, hop) }
    }
}

extension PersistingModel {
    /// The primary key that the object's properties hold; nil with a NULL in it, and for a class without one.
    fileprivate func rowKey(_ mapping: Mapping) throws -> [SQLiteValue]? {
        let key = try mapping.key.map { try mapping.stored($0, of: self) }
        return key.isEmpty || key.contains(where: \.isNull) ? nil : key
    }
}
