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

    /// Forgets the values that were computed of the object's relations.
    final func forgetValues() throws {
        guard let images = record.images, let group = images.group, !images.mapping.key.isEmpty,
            let key = try images.mapping.relationKey(images.mapping.key, in: images[Int(record.slot)])
        else { return }
        group.forgetValues(key)
    }
}
