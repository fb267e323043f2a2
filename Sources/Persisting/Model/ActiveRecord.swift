internal import Foundation

/// The methods of models. ``PersistingModel`` conforms; nothing else needs to.
///
/// They stand here and not in the class, so that a class may have properties of these names.
///
/// ```swift
/// PersistenceManager.shared = try PersistenceManager(path: "app.sqlite")
/// let user = User()
/// user.name = "Kohki"
/// try user.save()
/// try User.find(1); try User.all(where: \.name == "Kohki", sortedBy: "name");
/// try User.count()
/// ```
///
/// Inside a closure that a manager runs, the methods of classes use that manager; elsewhere the class's own, else the
/// task's, as `PersistenceManager.asCurrent(_:)` sets it, else ``PersistenceManager/shared``. An object's methods use
/// the manager it came from.
public protocol ActiveRecord: PersistingModel {}

extension PersistingModel: ActiveRecord {}

/// State.
extension ActiveRecord {
    /// Whether the object is in its table, as of its last read or write.
    public var isPersisted: Bool { record.state == .persisted }

    /// Whether saving the object would write anything: of its own, or objects that wait to be saved with it. A new
    /// object always has changes, and one that is not tracked counts as changed.
    public var hasChanges: Bool { hasPendingLinks || !changedKeys.isEmpty }

    /// The names of the properties that saving the object would write, in order: all of them for a new object and for
    /// one that is not tracked.
    ///
    /// A value that cannot be stored counts as a change: saving it says what is wrong. A generated column is never
    /// written. A class that cannot be mapped has none.
    public var changedKeys: [String] {
        guard let mapping = try? Mapping.of(self) else { return [] }
        let generated = generatedColumns(mapping)
        return written(mapping).filter { !generated.contains($0) && $0 != mapping.rowID }.map {
            mapping.columns[$0].key
        }
    }

    /// The columns that saving the object would write, if all could be written.
    private func written(_ mapping: Mapping) -> [Int] {
        guard record.state == .persisted else { return Array(mapping.columns.indices) }
        guard let trackedValues = record.trackedValues else {
            // What cannot be stored counts as changed.
            return (try? Array(mapping.columnsToWrite(of: self))) ?? Array(mapping.columns.indices)
        }
        return mapping.columns.indices.filter { (try? mapping.differs($0, self, trackedValues)) ?? true }
    }

    /// The object's key as it would be stored. NULL while there is none, for a class without a key, and for a composite
    /// one, whose properties say it.
    public var primaryKeyValue: SQLiteValue {
        guard let mapping = try? Mapping.of(self), mapping.key.count == 1 else { return .null }
        return (try? mapping.stored(mapping.key[0], of: self)) ?? .null
    }

    /// Whether both objects are the same row: of one class, one database and one key that is not nil. An object in no
    /// table is only itself.
    ///
    /// - Parameter other: The other object.
    public func isSameRow(as other: PersistingModel) -> Bool {
        if self === other { return true }
        guard type(of: self) == type(of: other), let trackedRows = record.trackedRows,
            let otherRows = other.record.trackedRows,
            trackedRows.manager === otherRows.manager, record.state == .persisted, other.record.state == .persisted,
            !trackedRows.mapping.key.isEmpty
        else { return false }
        // The rows' own keys, whatever the properties have been set to. Those that cannot be stored are no one's.
        let (mine, theirs) = (trackedRows[Int(record.slot)], otherRows[Int(other.record.slot)])
        return trackedRows.mapping === otherRows.mapping
            && trackedRows.mapping.key.allSatisfy { index in
                guard let mine = try? trackedRows.mapping.stored(index, in: mine),
                    let theirs = try? trackedRows.mapping.stored(index, in: theirs)
                else { return false }
                return !mine.isNull && mine == theirs
            }
    }
}

/// Values by name.
extension ActiveRecord {
    /// The value of a property by its name.
    ///
    /// - Parameter key: The property's name.
    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that isn't a property with a column.
    public func value(forKey key: String) throws -> Any? {
        try Mapping.of(self).value(forKey: key, of: self)
    }

    /// Sets a property by its name. Nothing is stored, and `didSet` does not run.
    ///
    /// - Parameters:
    ///   - value: A value of the property's type, or one that it can be made from without loss: an `Int` for an
    ///     `Int64`, a raw value for an enum. Nil is for Optionals.
    ///   - key: The property's name.
    /// - Throws: ``PersistenceError/Code/unknownKey`` or ``PersistenceError/Code/typeMismatch``; the property keeps its
    ///   value.
    public func setValue(_ value: Any?, forKey key: String) throws {
        try PersistenceError.naming(rowOf: self) { _ = try Mapping.of(self).assign(value, toKey: key, of: self) }
    }

    /// Sets several properties by their names: all of them, or none when one cannot be set. Nothing is stored.
    ///
    /// - Parameter values: The values, by property name.
    /// - Throws: What ``setValue(_:forKey:)`` throws.
    public func setValues(_ values: [String: Any?]) throws {
        let mapping = try Mapping.of(self)
        let draft = type(of: self).init()
        var values = values
        if let kindKey = mapping.place?.table.kindKey {
            try mapping.checkKind(values.removeValue(forKey: kindKey) ?? nil)
        }
        // Several keys may be kept in one column.
        for index in mapping.columns.indices { mapping.copy(index, from: self, to: draft) }
        // The draft has no row: an error is of the object.
        let indices = try PersistenceError.naming(rowOf: self) {
            try mapping.inOrder(values).map { try mapping.assign($1, toKey: $0, of: draft) }
        }
        for index in indices { mapping.copy(index, from: draft, to: self) }
    }

    /// Takes over the values of another object, nil included, except for the primary key, for times that the library
    /// keeps and for the version: of all properties that the two classes have in common. Nothing is stored.
    ///
    /// A deferred property that is nil in the other object, where it may not be loaded, stays as it is.
    ///
    /// - Parameter other: The other object.
    public func copyValues(from other: PersistingModel) {
        guard let mapping = try? Mapping.of(self), let otherMapping = try? Mapping.of(other) else { return }
        // What the table says, an object that has been in it knows.
        let key =
            mapping.takesKeyFromSchema && mapping.schemaKey == nil && type(of: self) == type(of: other)
            ? otherMapping.key : mapping.key
        for (index, column) in mapping.columns.enumerated()
        where !key.contains(index) && !mapping.automaticColumns.contains(index) {
            guard
                let source = otherMapping.columns.firstIndex(where: { $0.key == column.key && $0.type == column.type })
            else { continue }
            let value = otherMapping.value(source, of: other)
            if value == nil, otherMapping.fields[source].isDeferred { continue }
            // A value of the same type fits.
            try? mapping.assign(value, to: index, of: self)
        }
    }

    /// A new object with the values of this one, except for a generated key, times that the library keeps and the
    /// version. It is in no table.
    ///
    /// A class that cannot be mapped gives an empty object; using it with a manager says what is wrong.
    public func copy() -> Self {
        let copy = type(of: self).init()
        copy.copyValues(from: self)
        if let mapping = try? Mapping.of(self), !mapping.isKeyGenerated {
            for index in mapping.key { mapping.copy(index, from: self, to: copy) }
        }
        return copy
    }
}

/// `print(album)` and string interpolation: a line for each property. The class keeps the name `description` free for a
/// column.
extension PersistingModel: TextOutputStreamable {
    /// Writes the class's name and a line `key: value` for each property with a column: nil as nil, a date in ISO 8601,
    /// bytes by their number.
    public func write<Target: TextOutputStream>(to target: inout Target) {
        let name = ModelDescription.name(of: type(of: self))
        guard let mapping = try? Mapping.of(self) else {
            // A class that cannot be mapped is described all the same; using it says what is wrong.
            target.write("<\(name)>")
            return
        }
        target.write("<\(name)")
        for (index, column) in mapping.columns.enumerated() {
            target.write("\n    \(column.key): \(described(mapping.value(index, of: self)))")
        }
        target.write(">")
    }

    private func described(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let date as Date: date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case let data as Data: "<blob \(data.count)>"
        case let bytes as [UInt8] where isBytes(bytes, value): "<blob \(bytes.count)>"
        case let value?: "\(value)"
        }
    }
}
