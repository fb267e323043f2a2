/// Forgetting what was loaded of relations.
extension PersistingModel {
    /// Forgets what was loaded and computed of a relation for the object.
    ///
    /// - Parameter all: Whether to forget also the object that was set, or leads back.
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    final func forgetTargets(_ declaration: RelationDeclaration, all: Bool = false) throws {
        guard let group = record.trackedRows?.group,
            let key = try declaration.resolved(from: Mapping.of(self)).key(of: self)
        else { return }
        group.forget(declaration, key)
        if all { group.forgetKnown(declaration, key) }
    }

    /// Forgets what was loaded and computed for the object through rows of a class, which have been written.
    final func forgetTargets(passing type: PersistingModel.Type) throws {
        guard let group = record.trackedRows?.group else { return }
        group.forgetLoading()
        let (mapping, written) = (try Mapping.of(self), try Mapping.of(type).tableName)
        for relation in group.loadedRelations {
            // That by which the object was loaded is one of another class.
            guard let resolved = try? relation.resolved(from: mapping),
                resolved.hops.contains(where: { [$0.from, $0.to].contains { isSameName($0.tableName, written) } })
            else { continue }
            if let key = try resolved.key(of: self) { group.forget(relation, key) }
        }
    }

    /// Notes the object to which a to-one relation was set.
    final func note(_ target: PersistingModel, _ relation: ResolvedRelation) throws {
        guard let group = try joinedGroup(), let key = try relation.key(of: self) else { return }
        group.give(target, relation.declaration.root, key)
    }
}
