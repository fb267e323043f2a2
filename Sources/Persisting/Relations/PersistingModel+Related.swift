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
    /// The related object; nil where there is none.
    ///
    /// What the foreign key's properties hold now decides, saved or not.
    ///
    /// - Parameters:
    ///   - relation: A to-one relation of the object's class or one above it.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation of another class and one that can't be as it
    ///   is declared, ``PersistenceError/Code/relationNotLoaded`` where loading is ``RelationLoading/strict``, or what a
    ///   fetch throws.
    public final func related<Source: PersistingModel, Target: PersistingModel>(
        _ relation: ToOne<Source, Target>, fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> Target? {
        try targets(relation.declaration, "\(fileID):\(line)").first.map { downcast($0, to: Target.self) }
    }

    /// The related objects, in the relation's order; none for an object that isn't in its table.
    ///
    /// - Parameters:
    ///   - relation: A to-many relation of the object's class or one above it, as it is declared, or with a
    ///     condition, an order or a limit for each parent.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: What `related(_:)` of a to-one relation throws.
    public final func related<Many: ToManyRelation>(
        _ relation: Many, fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> [Many.Target] {
        try checkTarget(relation.declaration, Many.Target.self)
        return downcast(try targets(relation.declaration, "\(fileID):\(line)"), to: Many.Target.self)
    }

    /// The related object, loaded while the task is suspended where it isn't yet; nil where there is none.
    ///
    /// - Parameters:
    ///   - relation: A to-one relation of the object's class or one above it.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public nonisolated(nonsending) final func related<Source: PersistingModel, Target: PersistingModel>(
        _ relation: ToOne<Source, Target>, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> Target? {
        try await targets(relation.declaration, "\(fileID):\(line)").first.map { downcast($0, to: Target.self) }
    }

    /// The related objects, loaded while the task is suspended where they aren't yet.
    ///
    /// - Parameters:
    ///   - relation: A to-many relation of the object's class or one above it.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public nonisolated(nonsending) final func related<Many: ToManyRelation>(
        _ relation: Many, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> [Many.Target] {
        try checkTarget(relation.declaration, Many.Target.self)
        return downcast(try await targets(relation.declaration, "\(fileID):\(line)"), to: Many.Target.self)
    }

    /// A value of related rows: `try show.related(Show.episodes.count)`.
    ///
    /// As a relation's objects, it is loaded for all objects of the same fetch, in one query.
    ///
    /// - Parameters:
    ///   - value: What is computed of the rows of a relation of the object's class or one above it.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: What `related(_:)` of a relation throws; ``PersistenceError/Code/invalidCriteria`` for a relation with
    ///   a limit, ``PersistenceError/Code/typeMismatch`` for a stored value that the type can't hold.
    public final func related<Source: PersistingModel, Value>(
        _ value: RelatedValue<Source, Value>, fileID: StaticString = #fileID, line: UInt = #line
    ) throws -> Value {
        try relatedValue(value.term, as: Value.self, "\(fileID):\(line)")
    }

    /// A value of related rows, loaded while the task is suspended where it isn't yet.
    ///
    /// - Parameters:
    ///   - value: What is computed of the rows of a relation of the object's class or one above it.
    ///   - fileID: The file that an error names; leave it out.
    ///   - line: The line that an error names; leave it out.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public nonisolated(nonsending) final func related<Source: PersistingModel, Value>(
        _ value: RelatedValue<Source, Value>, fileID: StaticString = #fileID, line: UInt = #line
    ) async throws -> Value {
        try await relatedValue(value.term, as: Value.self, "\(fileID):\(line)")
    }

    /// Whether the object knows a relation's objects without a query: they have been loaded, or there can be none.
    ///
    /// - Parameter relation: A relation of the object's class or one above it.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation of another class, and one that can't be as it
    ///   is declared.
    public final func isLoaded(_ relation: some Loadable) throws -> Bool {
        switch relation.load.kind {
        case .relation(let declaration): try knownTargets(declaration) != nil
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
        case .relation(let declaration): try forgetTargets(declaration)
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
