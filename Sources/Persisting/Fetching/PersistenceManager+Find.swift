/// Finding objects by their keys.
extension PersistenceManager {
    /// The object with a primary key, by the names of its properties: how a composite key is given.
    ///
    /// ```swift
    /// let enrolment = try manager.find(Enrolment.self, ["student": 7, "course": "SQL"])
    /// ```
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - key: A value for each property of the key, and for no other.
    /// - Returns: Nil when there is no such row, and for a key with a nil in it.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without a key, ``PersistenceError/Code/unknownKey``
    ///   and ``PersistenceError/Code/missingPrimaryKeyValue`` for a property too many or too few,
    ///   ``PersistenceError/Code/typeMismatch`` for a value that is none of the property's.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: [String: (any Sendable)?]
    ) throws -> Model? {
        try find(type, keys: [key]).first
    }

    /// The objects with some primary keys, in the order of the keys.
    ///
    /// A key that no row has is left out, and so is one that is nil; one that is given twice gives the same object
    /// twice. All are of one moment, a hundred with each query.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - keys: Values of the property's type, or such that it can be made from without loss.
    /// - Throws: What `find(_:_:)` throws.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, keys: [(any SQLiteValueConvertible)?]
    ) throws -> [Model] {
        let table = try table(of: type)
        return try find(type, table, keys.compactMap { key in try table.mapping.keyValue(key).map { [$0] } })
    }

    /// The objects with some primary keys, each by the names of its properties, in the order of the keys.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - keys: For each object a value for each property of its key.
    /// - Throws: What `find(_:_:)` throws.
    @_disfavoredOverload
    public func find<Model: PersistingModel>(
        _ type: Model.Type, keys: [[String: (any Sendable)?]]
    ) throws -> [Model] {
        let table = try table(of: type)
        return try find(type, table, keys.compactMap { try table.mapping.keyValues($0) })
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The object with a primary key, by the names of its properties: how a composite key is given.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - key: The parts of the primary key, by property name.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: [String: (any Sendable)?]
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in try manager.find(type, key) }
    }

    /// The objects with some primary keys, in the order of the keys.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - keys: The primary keys.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, keys: [(any SQLiteValueConvertible)?]
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in try manager.find(type, keys: keys) }
    }

    /// The objects with some primary keys, each by the names of its properties, in the order of the keys.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - keys: The parts of each primary key, by property name.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    @_disfavoredOverload
    public func find<Model: PersistingModel>(
        _ type: Model.Type, keys: [[String: (any Sendable)?]]
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in try manager.find(type, keys: keys) }
    }
}

extension PersistenceManager {
    private func find<Model: PersistingModel>(
        _ type: Model.Type, _ table: ModelTable, _ keys: [[SQLiteValue]]
    ) throws -> [Model] {
        var lookup = RowLookup(type, keyOf: table)
        lookup.fetch.isTogether = try table.mapping.mayBeRelated
        var places: [[SQLiteValue]: Int] = [:]
        var names: [SQLiteValue] = []
        let order = keys.map { key in
            if let known = places[key] { return known }
            let place = places.count
            places[key] = place
            names += key
            return place
        }
        let found = try table.mapping.naming {
            try engine.read { db in
                try table.check(db)
                guard db.isNotingReads else { return try lookup.objects(names[...], self, db, tracked: true) }
                return try notingRows(of: table, db) { try lookup.objects(names[...], self, db, tracked: true) }
            }
        }
        return order.compactMap { found[$0].map { downcast($0, to: type) } }
    }
}

extension Mapping {
    /// The stored forms of a key's values, in the key's order; nil with a NULL among them, which is no one's key.
    fileprivate func keyValues(_ values: [String: (any Sendable)?]) throws -> [SQLiteValue]? {
        try requireKey()
        let names = key.map { columns[$0].key }
        if let other = values.keys.sorted().first(where: { !names.contains($0) }) {
            throw PersistenceError(
                .unknownKey, "\(other) isn't part of the primary key, which is \(names.joined(separator: ", "))",
                model: modelName, key: other)
        }
        let stored = try key.map { index in
            let column = columns[index]
            guard let value = values[column.key] else {
                throw PersistenceError(
                    .missingPrimaryKeyValue, "the primary key needs a value for \(column.key)", model: modelName,
                    key: column.key)
            }
            if flattened(value) == nil { return SQLiteValue.null }
            do {
                return try column.codec.stored(flattened(value))
            } catch {
                throw column.error(for: value, .typeMismatch, error, self)
            }
        }
        return stored.contains(where: \.isNull) ? nil : stored
    }
}
