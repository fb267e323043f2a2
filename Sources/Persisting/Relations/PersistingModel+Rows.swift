extension PersistingModel {
    /// The rows that a relation leads to from the object, as a query: for every verb that takes one.
    ///
    /// ```swift
    /// let long = try manager.fetchAll(
    ///     show.rows(Show.episodes).where(\.seconds > 3600).sorted(by: \.title))
    /// let count = try manager.count(show.rows(Show.tags))
    /// try manager.update(show.rows(Show.episodes), set: ["isSeen": true])
    /// for try await episodes in manager.observe(show.rows(Show.episodes)) { … }
    /// ```
    ///
    /// The query takes the condition, the order, the limit and the loads of a refined relation. It finds rows by what
    /// the object holds now, as `related` does: a to-one relation by the foreign key's properties, any other by the key
    /// of the object's row. Without such a key there are no rows; a deleted object has only those that it refers to.
    /// Nothing is run, loaded or kept: each use of the query asks the database again.
    ///
    /// - Parameter relation: A relation of the object's class or one above it. A relation of another class throws
    ///   ``PersistenceError/Code/invalidRelation`` when the query is used.
    public final func rows<Related: Relation>(_ relation: Related) -> Query<Related.Target> {
        let declaration = relation.declaration
        let criteria = Criteria<Related.Target>(catching: { try rowsCondition(declaration, Related.Target.self) })
        let query = Query(Related.Target.self, declaration.refinement).where(criteria)
        return record.trackedRows?.fetch.past.map { query.asOf($0) } ?? query
    }

    private func rowsCondition(_ declaration: RelationDeclaration, _ target: PersistingModel.Type) throws
        -> CriteriaNode
    {
        try checkTarget(declaration, target)
        let relation = try declaration.resolved(from: Mapping.of(self))
        if record.state == .deleted, !relation.hops[0].isToOne { return .or([]) }
        return try relation.key(of: self).map { .isRelated(relation, from: $0) } ?? .or([])
    }
}
