/// Loads relations ahead, for all objects of a fetch: a query for each relation, whatever the number of objects.
struct RelationLoader {
    let manager: PersistenceManager
    let db: any EngineConnection
    /// See ``LoadedRelation/rollbacks``.
    let rollbacks: Int?

    /// Runs several queries in one transaction.
    func ofOneMoment<T>(_ body: () throws -> T) throws -> T {
        db.isInTransaction ? try body() : try db.transaction(.deferred, body)
    }

    /// Loads relations, and what is to be loaded with them.
    ///
    /// - Parameters:
    ///   - objects: Objects of one fetch.
    ///   - mapping: That of their rows.
    ///   - fetch: How they were fetched.
    func load(
        _ loads: [RelatedLoad], of objects: ContiguousArray<PersistingModel>, _ mapping: Mapping, _ fetch: FetchTraits
    ) throws {
        guard !loads.isEmpty, !objects.isEmpty else { return }
        for load in loads {
            switch load.kind {
            case .relation(let declaration, _): try self.load(declaration, of: objects, mapping, fetch)
            case .value(let term): try self.load(term, of: objects, mapping)
            }
        }
    }

    private func load(
        _ declaration: RelationDeclaration, of objects: ContiguousArray<PersistingModel>, _ mapping: Mapping,
        _ fetch: FetchTraits
    ) throws {
        let relation = try declaration.resolved(from: mapping)
        let loadKey = try relation.loadKey
        // As a rule all objects have one group, and one that was just made of a row has no other.
        guard let group = try objects[0].joinedGroup() else { return }
        let known = group.loaded(loadKey, rollbacks ?? manager.rollbacksNow)
        var (keys, seen) = (ContiguousArray<RelationKey>(), Set<RelationKey>())
        var found: ContiguousArray<PersistingModel> = []
        for object in objects {
            guard let key = try relation.key(of: object), seen.insert(key).inserted else { continue }
            if let targets = known?.targets(of: key) { found += targets } else { keys.append(key) }
        }
        let tracked = objects[0].record.trackedRows?.isTracking ?? true
        if !keys.isEmpty {
            var load = RelationLoad(relation, keys, tracked: tracked, loading: fetch.loading)
            load.keys.areOfWholeTable = fetch.isWholeTable && known == nil
            let table = try manager.table(of: relation.target.modelType)
            let loaded = try table.mapping.naming { try load.load(by: manager, db, rollbacks: rollbacks) }
            group.keep(loaded, loadKey)
        }
        // Those that were loaded before may lack what is to be loaded with them.
        try self.load(relation.refinement.loads, of: found, relation.target, fetch)
    }

    private func load(
        _ term: CriteriaTerm, of objects: ContiguousArray<PersistingModel>, _ mapping: Mapping
    ) throws {
        var load = try RelatedValueLoad(term, mapping)
        let loadKey = try load.loadKey
        guard let group = try objects[0].joinedGroup() else { return }
        let known = group.values(loadKey, rollbacks ?? manager.rollbacksNow)
        var seen = Set<RelationKey>()
        for object in objects {
            guard let key = try load.relation.key(of: object), known?.values[key] == nil, seen.insert(key).inserted
            else { continue }
            load.keys.known.append(key)
        }
        guard !load.keys.known.isEmpty else { return }
        group.keep(try mapping.naming { try load.load(by: manager, db, rollbacks: rollbacks) }, loadKey)
    }
}
