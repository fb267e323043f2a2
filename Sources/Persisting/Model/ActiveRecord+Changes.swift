/// An object's state, and what its row held when it was read.
extension ActiveRecord {
    /// Whether the object has been deleted from its table; saving it inserts it again.
    ///
    /// Also whether somebody else has deleted the row of an object of ``LiveObjects``, which can't be saved then.
    public var isDeleted: Bool { record.state == .deleted || record.state == .gone }

    /// What the row held in a property's column when the object was last read or written, even if the property has
    /// changed since. Nil where that is not known: of an object that is new or not tracked, and of a deferred column
    /// that is not loaded.
    ///
    /// ```swift
    /// for key in album.changedKeys {
    ///     print(
    ///         key, try album.storedValue(forKey: key) ?? "not known",
    ///         try album.value(forKey: key) ?? "nil")
    /// }
    /// ```
    ///
    /// - Parameter key: The property's name; that of a bit field or an alias stands for the column it is kept in.
    /// - Throws: ``PersistenceError/Code/unknownKey``.
    public func storedValue(forKey key: String) throws -> SQLiteValue? {
        let mapping = try Mapping.of(self)
        let index = try mapping.index(ofKey: key)
        guard record.state == .persisted,
            let trackedValues = mapping.fields[index].isKept ? record.trackedKey : record.trackedValues
        else { return nil }
        let stored = try mapping.stored(index, in: trackedValues)
        if mapping.fields[index].isDeferred, stored.isNull { return nil }
        return stored
    }
}
