/// An object's question for a relation of which nothing is known yet.
struct RelationAsk {
    let load: RelationLoad
    let manager: PersistenceManager
    let key: RelationKey
    let loadKey: LoadKey
    /// Where the answer is kept; nil for an object that was never in a table.
    let group: SiblingGroup?
    /// How often the group had forgotten something. If it has since, what is loaded may be older, and isn't kept.
    let forgotten: Int
    /// The objects that wait to be saved with the object.
    var pending: ContiguousArray<PersistingModel> = []

    /// The related objects, once the load has run.
    func targets(of object: PersistingModel, _ loaded: LoadedRelation) -> ContiguousArray<PersistingModel> {
        if let group, group.forgotten == forgotten { group.keep(loaded, loadKey) }
        let targets = object.targets(key, in: loaded)
        return pending.isEmpty ? targets : targets + pending
    }
}

extension PersistingModel {
    enum RelationAnswer {
        case known(ContiguousArray<PersistingModel>)
        case unknown(RelationAsk)

        func adding(_ pending: ContiguousArray<PersistingModel>) -> RelationAnswer {
            switch self {
            case .known(let targets): return .known(targets + pending)
            case .unknown(var ask):
                ask.pending = pending
                return .unknown(ask)
            }
        }
    }

    /// The objects of a relation; loaded for all objects of the fetch where they aren't known.
    ///
    /// - Parameter place: Where it is asked, for an error.
    /// - Throws: ``PersistenceError/Code/relationNotLoaded`` where nothing is to be loaded.
    final func targets(
        _ declaration: RelationDeclaration, _ place: @autoclosure () -> String? = nil
    ) throws -> ContiguousArray<PersistingModel> {
        switch try answer(declaration, place()) {
        case .known(let targets): targets
        case .unknown(let ask): try ask.targets(of: self, ask.manager.loaded(ask.load))
        }
    }

    /// The same, while the task is suspended.
    nonisolated(nonsending) final func targets(
        _ declaration: RelationDeclaration, _ place: @autoclosure () -> String? = nil
    ) async throws -> ContiguousArray<PersistingModel> {
        switch try answer(declaration, place()) {
        case .known(let targets): targets
        case .unknown(let ask): try await ask.targets(of: self, ask.manager.loaded(ask.load))
        }
    }

    /// What is known of a relation without a query; nil for nothing.
    final func knownTargets(_ declaration: RelationDeclaration) throws -> ContiguousArray<PersistingModel>? {
        if case .known(let targets) = try answer(declaration, nil, isLoading: false) { targets } else { nil }
    }

    private func answer(
        _ declaration: RelationDeclaration, _ place: @autoclosure () -> String?, isLoading: Bool = true
    ) throws -> RelationAnswer {
        let relation = try declaration.resolved(from: Mapping.of(self))
        guard let pending = pendingTargets(declaration) else { return try answer(relation, place(), isLoading) }
        if record.state != .persisted || relation.hops[0].isToOne { return .known(pending) }
        return try answer(relation, place(), isLoading).adding(pending)
    }

    /// What is known of the objects in the table, or how to load them.
    private func answer(
        _ relation: ResolvedRelation, _ place: @autoclosure () -> String?, _ isLoading: Bool
    ) throws -> RelationAnswer {
        // A row that is gone has none that refer to it.
        if record.state == .deleted, !relation.hops[0].isToOne { return .known([]) }
        guard let key = try relation.key(of: self) else { return .known([]) }
        let group = try joinedGroup()
        let manager = try record.trackedRows?.manager ?? PersistenceManager.current(for: type(of: self))
        let loadKey = try relation.loadKey
        if let group, let known = targets(key, loadKey, knownTo: group, manager) { return .known(known) }
        let fetch = record.trackedRows?.fetch ?? FetchTraits()
        let loading = fetch.loading ?? manager.relationLoading
        var load = RelationLoad(
            relation, [key], tracked: record.trackedRows?.isTracking ?? true, loading: fetch.loading)
        load.past = fetch.past
        if loading == .siblings, let group {
            let known = group.loadedByLineage(loadKey, manager.rollbacksNow)
            if let inherited = known.first(where: { $0.contains(key) }), inherited.areTargetsPersisted(of: key) {
                return .known(targets(key, in: inherited))
            }
            if isLoading {
                try load.keys.addSiblings(
                    of: group, fetch,
                    isLoaded: known.isEmpty ? nil : { key in known.contains { $0.contains(key) } })
            }
        }
        if isLoading, loading == .strict { throw relation.notLoaded(load.sql, place()) }
        return .unknown(
            RelationAsk(
                load: load, manager: manager, key: key, loadKey: loadKey, group: group,
                forgotten: group?.forgotten ?? 0))
    }

    /// The objects that the relation will have once this one is saved; nil for none.
    private func pendingTargets(_ declaration: RelationDeclaration) -> ContiguousArray<PersistingModel>? {
        guard hasPendingLinks, !declaration.refinement.isSelection else { return nil }
        let pending = pendingLinks.filter { $0.relation === declaration.root }.compactMap(\.target)
        return pending.isEmpty ? nil : ContiguousArray(pending)
    }

    /// The objects that the group was fetched for, was given, or has loaded.
    private func targets(
        _ key: RelationKey, _ loadKey: LoadKey, knownTo group: SiblingGroup, _ manager: PersistenceManager
    ) -> ContiguousArray<PersistingModel>? {
        if let origin = group.origin, origin.inverse === loadKey.relation, let parent = origin.parent(key) {
            return [parent]
        }
        if let target = group.given(loadKey, key) { return [target] }
        guard let known = group.loaded(loadKey, manager.rollbacksNow), known.contains(key) else { return nil }
        return targets(key, in: known)
    }

    /// The objects of a key among those that were loaded, which from now on know this object.
    fileprivate final func targets(
        _ key: RelationKey, in loaded: LoadedRelation
    ) -> ContiguousArray<PersistingModel> {
        loaded.group(of: key)?.origin?.note(self, key)
        return loaded.targets(of: key) ?? []
    }
}

extension ResolvedRelation {
    /// The key by which an object's related rows are found; nil with a NULL in it.
    ///
    /// What refers to another row is a property, whatever its row still holds; what others refer to is in the row.
    func key(of object: PersistingModel) throws -> RelationKey? {
        let columns = hops[0].fromColumns
        if !hops[0].isToOne, object.record.state == .persisted, let trackedRows = object.record.trackedRows,
            trackedRows.mapping === source,
            trackedRows.isTracking || columns.allSatisfy({ trackedRows.columns.contains($0) })
        {
            return try source.relationKey(columns, in: trackedRows[Int(object.record.slot)])
        }
        return try source.relationKey(columns, of: object)
    }

    /// What a load of the relation is known by.
    var loadKey: LoadKey {
        get throws {
            let (root, refinement) = (declaration.root, refinement)
            guard refinement.isSelection else { return LoadKey(relation: root) }
            var sql = CriteriaSQL(target)
            try sql.appendWhere(refinement.tree?.node)
            try sql.appendOrder(refinement.terms, of: refinement.tree?.node)
            try sql.appendLimit(refinement.limit, offset: refinement.offset)
            return LoadKey(relation: root, sql: sql.text, values: try sql.allValues)
        }
    }

    /// The error for what may not be loaded by itself.
    ///
    /// - Parameters:
    ///   - sql: What would be run.
    ///   - place: Where it was asked.
    ///   - value: What is asked of the relation, such as `.count`.
    func notLoaded(_ sql: String, _ place: String?, value: String = "") -> PersistenceError {
        PersistenceError(
            .relationNotLoaded,
            "the \(value.isEmpty ? "relation" : "value of the relation") isn't loaded"
                + (place.map { " (\($0))" } ?? "")
                + ": fetch with .with(\(source.modelName).\(name)\(value))", model: source.modelName, key: name,
            sql: sql)
    }
}

extension CriteriaSQL {
    /// The values with the named ones after them, each after its name.
    var allValues: [SQLiteValue] {
        get throws {
            try values + named.named.flatMap { [.text($0.name), try $0.value?.sqliteValue() ?? .null] }
        }
    }
}
