/// Changing what an object is related to.
///
/// ```swift
/// // the foreign key; stored when the episode is saved
/// try episode.set(Episode.show, to: show)
/// try show.add(episode, to: Show.episodes)  // stored immediately
/// try episode.replace(Episode.tags, with: [swift, sqlite])
/// ```
///
/// An object that isn't in its table yet keeps what it is given, and `save(_:)` saves all of it in one transaction,
/// in the order in which the rows refer to each other.
extension PersistingModel {
    /// Sets the related object: the foreign key's properties hold its key. Nothing is stored before the object is
    /// saved.
    ///
    /// A related object that isn't in its table yet is saved with this one, before it. Until then the foreign key is
    /// nil, where it can be.
    ///
    /// - Parameters:
    ///   - relation: A to-one relation of the object's class or one above it.
    ///   - target: The related object; nil for none.
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for nil where the foreign key can't be nil,
    ///   ``PersistenceError/Code/invalidRelation`` for a relation of another class, and one that goes through others.
    public func set<Source: PersistingModel, Target: PersistingModel>(
        _ relation: ToOne<Source, Target>, to target: Target?
    ) throws {
        try RelationWrite(self, relation.declaration).set(target)
    }

    /// Adds an object to the related ones. See `add(_:to:)` of several.
    ///
    /// - Parameters:
    ///   - object: The object, which may be new: it is saved.
    ///   - relation: A to-many relation of the object's class or one above it.
    /// - Throws: What adding several throws.
    public func add<Many: ToManyRelation>(_ object: Many.Target, to relation: Many) throws {
        try add([object], to: relation)
    }

    /// The same, while the task is suspended.
    public nonisolated(nonsending) func add<Many: ToManyRelation>(
        _ object: Many.Target, to relation: Many
    ) async throws {
        try await add([object], to: relation)
    }

    /// Adds objects to the related ones, and saves them, all or none.
    ///
    /// Of a ``ToMany`` relation their foreign keys become this object's key; of a ``ManyToMany`` relation a link is
    /// inserted to each that has none yet. If this object is new, nothing is stored until it is saved.
    ///
    /// - Parameters:
    ///   - objects: The objects. New ones are inserted, and other changes of them are saved, too.
    ///   - relation: A to-many relation of the object's class or one above it.
    /// - Throws: ``PersistenceError/Code/invalidRelation`` for a relation of another class, and one that goes through
    ///   others; what `PersistenceManager.save(_:)` throws. All objects are then as they were.
    public func add<Many: ToManyRelation>(_ objects: [Many.Target], to relation: Many) throws {
        let write = try RelationWrite(self, relation.declaration)
        guard isPersisted else { return try write.keep(objects) }
        try write.manager.save(write.adding(objects))
        try write.forget(objects)
    }

    /// The same, while the task is suspended.
    public nonisolated(nonsending) func add<Many: ToManyRelation>(
        _ objects: [Many.Target], to relation: Many
    ) async throws {
        let write = try RelationWrite(self, relation.declaration)
        guard isPersisted else { return try write.keep(objects) }
        try await write.manager.save(write.adding(objects))
        try write.forget(objects)
    }

    /// Takes an object out of the related ones. See `remove(_:from:)` of several.
    ///
    /// - Parameters:
    ///   - object: The object. One that isn't among the related ones stays as it is.
    ///   - relation: A to-many relation of the object's class or one above it.
    /// - Throws: What taking out several throws.
    public func remove<Many: ToManyRelation>(_ object: Many.Target, from relation: Many) throws {
        try remove([object], from: relation)
    }

    /// The same, while the task is suspended.
    public nonisolated(nonsending) func remove<Many: ToManyRelation>(
        _ object: Many.Target, from relation: Many
    ) async throws {
        try await remove([object], from: relation)
    }

    /// Takes objects out of the related ones, all or none. They stay in their table.
    ///
    /// Of a ``ToMany`` relation their foreign keys become NULL; of a ``ManyToMany`` relation the links are deleted.
    ///
    /// - Parameters:
    ///   - objects: The objects. Those that aren't among the related ones stay as they are.
    ///   - relation: A to-many relation of the object's class or one above it.
    /// - Throws: ``PersistenceError/Code/typeMismatch`` where the foreign key can't be nil; what adding throws.
    public func remove<Many: ToManyRelation>(_ objects: [Many.Target], from relation: Many) throws {
        let write = try RelationWrite(self, relation.declaration)
        guard isPersisted else { return write.drop(objects) }
        try write.manager.save(write.removing(objects))
        try write.forget(objects)
    }

    /// The same, while the task is suspended.
    public nonisolated(nonsending) func remove<Many: ToManyRelation>(
        _ objects: [Many.Target], from relation: Many
    ) async throws {
        let write = try RelationWrite(self, relation.declaration)
        guard isPersisted else { return write.drop(objects) }
        try await write.manager.save(write.removing(objects))
        try write.forget(objects)
    }

    /// Exchanges all related objects for others, all or nothing: adds those that aren't related yet, and takes out the
    /// rest.
    ///
    /// - Parameters:
    ///   - relation: A to-many relation of the object's class or one above it, as it is declared or refined: all
    ///     related objects are exchanged.
    ///   - objects: The objects that are related from now on.
    /// - Throws: What adding and taking out throw.
    public func replace<Many: ToManyRelation>(_ relation: Many, with objects: [Many.Target]) throws {
        let write = try RelationWrite(self, relation.declaration)
        guard isPersisted else {
            write.drop()
            return try write.keep(objects)
        }
        try write.manager.save(write.replacing(with: objects))
        try write.forget(objects)
    }

    /// The same, while the task is suspended.
    public nonisolated(nonsending) func replace<Many: ToManyRelation>(
        _ relation: Many, with objects: [Many.Target]
    ) async throws {
        let write = try RelationWrite(self, relation.declaration)
        guard isPersisted else {
            write.drop()
            return try write.keep(objects)
        }
        try await write.manager.save(write.replacing(with: objects))
        try write.forget(objects)
    }
}
