/// Forgetting what was loaded of relations.
extension PersistingModel {
    /// Forgets what was loaded and computed of a relation for the object.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    final func forgetTargets(_ declaration: RelationDeclaration) throws {
        guard let group = record.trackedRows?.group,
            let key = try declaration.resolved(from: Mapping.of(self)).key(of: self)
        else { return }
        group.forget(declaration, key)
    }

    /// Forgets what was loaded and computed for the object through rows of a class, which have been written.
    final func forgetTargets(passing type: PersistingModel.Type) throws {
        guard let group = record.trackedRows?.group else { return }
        group.forgetLoading()
        let mapping = try Mapping.of(self)
        for relation in group.loadedRelations {
            let resolved = try relation.resolved(from: mapping)
            guard resolved.hops.contains(where: { $0.from.modelType == type || $0.to.modelType == type }) else {
                continue
            }
            if let key = try resolved.key(of: self) { group.forget(relation, key) }
        }
    }

    /// Notes the object to which a to-one relation was set.
    final func note(_ target: PersistingModel, _ relation: ResolvedRelation) throws {
        guard let group = try joinedGroup(), let key = try relation.key(of: self) else { return }
        group.give(target, relation.declaration.root, key)
    }
}
