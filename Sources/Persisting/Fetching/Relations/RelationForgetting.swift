/// Forgetting what was loaded of relations.
extension PersistingModel {
    /// Forgets what was loaded of a relation for the object, and the values that were computed of its relations.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    final func forgetTargets(_ declaration: RelationDeclaration) throws {
        guard let group = record.images?.group else { return }
        if let key = try declaration.resolved(from: Mapping.of(self)).key(of: self) { group.forget(declaration, key) }
        try forgetValues()
    }

    /// Forgets what was loaded for the object through rows of a class, which have been written.
    final func forgetTargets(passing type: PersistingModel.Type) throws {
        guard let group = record.images?.group else { return }
        let mapping = try Mapping.of(self)
        for relation in group.loadedRelations {
            let resolved = try relation.resolved(from: mapping)
            guard resolved.hops.contains(where: { $0.from.modelType == type || $0.to.modelType == type }) else {
                continue
            }
            if let key = try resolved.key(of: self) { group.forget(relation, key) }
        }
        try forgetValues()
    }

    /// Notes the object to which a to-one relation was set.
    final func note(_ target: PersistingModel, _ relation: ResolvedRelation) throws {
        guard let group = try joinedGroup(), let key = try relation.key(of: self) else { return }
        group.give(target, relation.declaration.root, key)
    }

    /// Forgets the values that were computed of the object's relations.
    final func forgetValues() throws {
        guard let images = record.images, let group = images.group, !images.mapping.key.isEmpty,
            let key = try images.mapping.relationKey(images.mapping.key, in: images[Int(record.slot)])
        else { return }
        group.forgetValues(key)
    }
}
