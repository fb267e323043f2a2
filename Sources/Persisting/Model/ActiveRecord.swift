internal import Foundation

/// The verbs that stand on a model itself. ``PersistingModel`` conforms; nothing else needs to.
///
/// They stand here and not in the class, so that a class may have properties of these names.
///
/// ```swift
/// PersistenceManager.shared = try PersistenceManager(path: "app.sqlite")
/// let user = User()
/// user.name = "Kohki"
/// try user.save()
/// try User.find(1); try User.all(where: \.name == "Kohki", sortedBy: "name"); try User.count()
/// ```
///
/// Inside a closure that a manager runs, the class verbs use that manager; elsewhere the class's own, else the task's,
/// as `PersistenceManager.asCurrent(_:)` sets it, else ``PersistenceManager/shared``. An object's verbs use the
/// manager it came from.
public protocol ActiveRecord: PersistingModel {}

extension PersistingModel: ActiveRecord {}

/// State.
extension ActiveRecord {
    /// Whether the object is in its table, as of its last read or write.
    public var isPersisted: Bool { record.state == .persisted }

    /// Whether saving the object would write anything. A new object always has changes, and one that is not tracked
    /// counts as changed.
    public var hasChanges: Bool { !changedKeys.isEmpty }

    /// The names of the properties that saving the object would write, in order: all of them for a new object and for
    /// one that is not tracked.
    ///
    /// A value that cannot be stored counts as a change: saving it says what is wrong. A class that cannot be mapped
    /// has none.
    public var changedKeys: [String] {
        guard let mapping = try? Mapping.of(self) else { return [] }
        guard record.state == .persisted, let image = record.image else { return mapping.columns.map(\.key) }
        return mapping.columns.indices.compactMap { index in
            (try? mapping.differs(index, self, image)) ?? true ? mapping.columns[index].key : nil
        }
    }

    /// The object's key as it would be stored. NULL while there is none, for a class without a key, and for a composite
    /// one, whose properties say it.
    public var primaryKeyValue: SQLiteValue {
        guard let mapping = try? Mapping.of(self), mapping.key.count == 1 else { return .null }
        return (try? mapping.stored(mapping.key[0], of: self)) ?? .null
    }

    /// Whether both objects are the same row: of one class, one database and one key that is not nil. An object in no
    /// table is only itself.
    public func isSameRow(as other: PersistingModel) -> Bool {
        if self === other { return true }
        guard type(of: self) == type(of: other), let images = record.images, let otherImages = other.record.images,
            images.manager === otherImages.manager, record.state == .persisted, other.record.state == .persisted,
            !images.mapping.key.isEmpty
        else { return false }
        // Keys that cannot be stored are no one's.
        return images.mapping.key.allSatisfy { index in
            guard let mine = try? images.mapping.stored(index, of: self),
                let theirs = try? images.mapping.stored(index, of: other)
            else { return false }
            return !mine.isNull && mine == theirs
        }
    }
}

/// Values by name.
extension ActiveRecord {
    /// The value of a property by its name.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey`` for a name that is no property with a column.
    public func value(forKey key: String) throws -> Any? {
        let mapping = try Mapping.of(self)
        let index = try mapping.index(ofKey: key)
        let value = mapping.columns[index].codec.value(in: Memory(self), at: mapping.fields[index].offset)
        return flattened(value)
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
        let mapping = try Mapping.of(self)
        try mapping.assign(value, to: mapping.index(ofKey: key), of: self)
    }

    /// Sets several properties by their names: all of them, or none when one cannot be set. Nothing is stored.
    ///
    /// - Throws: What ``setValue(_:forKey:)`` throws.
    public func setValues(_ values: [String: Any?]) throws {
        let mapping = try Mapping.of(self)
        let draft = type(of: self).init()
        let indices = try values.map { key, value in
            let index = try mapping.index(ofKey: key)
            try mapping.assign(value, to: index, of: draft)
            return index
        }
        for index in indices { mapping.copy(index, from: draft, to: self) }
    }

    /// All properties with a column, by name. Those that are nil are left out.
    ///
    /// A class that cannot be mapped has none; using it with a manager says what is wrong.
    public func dictionary() -> [String: Any] {
        guard let mapping = try? Mapping.of(self) else { return [:] }
        return mapping.columns.indices.reduce(into: [:]) { result, index in
            let column = mapping.columns[index]
            let value = column.codec.value(in: Memory(self), at: mapping.fields[index].offset)
            if let value = flattened(value) { result[column.key] = value }
        }
    }

    /// Takes over the values of another object, nil included, but for the primary key: of all properties that the two
    /// classes have in common. Nothing is stored.
    public func copyValues(from other: PersistingModel) {
        guard let mapping = try? Mapping.of(self), let otherMapping = try? Mapping.of(other) else { return }
        for (index, column) in mapping.columns.enumerated() where !mapping.key.contains(index) {
            guard
                let source = otherMapping.columns.firstIndex(where: { $0.key == column.key && $0.type == column.type })
            else { continue }
            column.codec.copy(
                from: Memory(other), at: otherMapping.fields[source].offset, to: Memory(self),
                at: mapping.fields[index].offset)
        }
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
        for (column, field) in zip(mapping.columns, mapping.fields) {
            target.write("\n    \(column.key): \(described(column.codec.value(in: Memory(self), at: field.offset)))")
        }
        target.write(">")
    }

    private func described(_ value: Any) -> String {
        switch flattened(value) {
        case nil: "nil"
        case let date as Date: date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case let data as Data: "<blob \(data.count)>"
        case let bytes as [UInt8]: "<blob \(bytes.count)>"
        case let value?: "\(value)"
        }
    }
}
