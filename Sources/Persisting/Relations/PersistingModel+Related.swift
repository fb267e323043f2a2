/// The objects that an object is related to.
///
/// ```swift
/// let show = try episode.related(Episode.show)             // Show?
/// let episodes = try show.related(Show.episodes)           // [Episode]
/// ```
///
/// The first ask loads the relation for all objects of the same fetch in one query, so a loop over a fetch's objects
/// runs one query and not one for each. What was loaded is kept as long as an object of the fetch is. It is loaded by
/// the manager that the object came from, and inside a closure of that in its transaction. `with(…)` loads ahead.
///
/// An object of which SQL says that it belongs to two others is one object for both, and the inverse leads back to the
/// object that was asked, without a query.
extension PersistingModel {
    /// What a relation leads to, or a value of it: the related object or nil, the related objects in the relation's
    /// order, or the value, as in `show.related(Show.episodes.count)`.
    ///
    /// What the foreign key's properties hold now decides on the object of a to-one relation, saved or not. An object
    /// that isn't in its table has no others.
    ///
    /// - Parameters:
    ///   - relation: A relation of the object's class or one above it, as it is declared, or with a condition, an order
    ///     or a limit for each parent; or what is computed of its rows.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation of another class and one that can't be as it
    ///   is declared, ``PersistenceError/Code/relationNotLoaded`` where loading is ``RelationLoading/strict``, or what
    ///   a fetch throws; of a value ``PersistenceError/Code/invalidCriteria`` for a relation with a limit, and
    ///   ``PersistenceError/Code/typeMismatch`` for a stored value that the type can't hold.
    public final func related<Asked: Loadable>(
        _ relation: Asked, fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> Asked.Related {
        switch relation.load.kind {
        case .relation(let declaration, let target):
            try checkTarget(declaration, target)
            return try relation.related(FoundRelated(kind: .objects(targets(declaration, "\(fileID):\(line)"))))
        case .value(let term):
            return try relation.related(relatedValue(term, "\(fileID):\(line)"))
        }
    }

    /// The same, loaded while the task is suspended where it isn't known yet.
    public nonisolated(nonsending) final func related<Asked: Loadable>(
        _ relation: Asked, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> Asked.Related {
        switch relation.load.kind {
        case .relation(let declaration, let target):
            try checkTarget(declaration, target)
            return try await relation.related(FoundRelated(kind: .objects(targets(declaration, "\(fileID):\(line)"))))
        case .value(let term):
            return try await relation.related(relatedValue(term, "\(fileID):\(line)"))
        }
    }

    /// Whether the object knows a relation's objects without a query: they have been loaded, or there can be none.
    ///
    /// - Parameter relation: A relation of the object's class or one above it.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation of another class, and one that can't be as it
    ///   is declared.
    public final func isLoaded(_ relation: some Loadable) throws -> Bool {
        switch relation.load.kind {
        case .relation(let declaration, _): try knownTargets(declaration) != nil
        case .value(let term): try knownValue(term) != nil
        }
    }

    /// Forgets what was loaded of a relation for the object: the next ask loads it again. Objects that were loaded
    /// stay as they are.
    ///
    /// - Parameter relation: A relation of the object's class or one above it, whose refined forms are forgotten, too.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation of another class, and one that can't be as it
    ///   is declared.
    public final func forgetRelated(_ relation: some Loadable) throws {
        switch relation.load.kind {
        case .relation(let declaration, _): try forgetTargets(declaration, all: true)
        case .value(let term): try forgetTargets(RelatedValueLoad(term, Mapping.of(self)).relation.declaration)
        }
    }

    /// Forgets all that was loaded of relations, for the object and all others of its fetch.
    public final func forgetRelated() {
        record.trackedRows?.group?.forgetAll()
    }
}

extension PersistingModel {
    /// Throws for a relation that was made of another's declaration, and leads to another class than its type says.
    final func checkTarget(_ declaration: RelationDeclaration, _ target: PersistingModel.Type) throws {
        guard declaration.target != target else { return }
        throw PersistenceError(
            .invalidRelation,
            "the relation leads to \(ModelDescription.name(of: declaration.target)), and not to "
                + ModelDescription.name(of: target), model: ModelDescription.name(of: type(of: self)))
    }
}
