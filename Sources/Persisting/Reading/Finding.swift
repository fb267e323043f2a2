/// Finding objects by their keys.
extension PersistenceManager {
    /// The object with a primary key; nil when there is none, and for a key that is nil.
    ///
    /// The key is looked for in the form that the class stores. A row that another writer has given it in another form,
    /// such as a UUID in lower case, is found by a condition in SQL; once fetched, the object is refreshed, saved and
    /// deleted by the key as it is stored.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - key: The key's value, of the property's type or one that it can be made from without loss.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without a key;
    ///   ``PersistenceError/Code/typeMismatch`` for a value that isn't such a key.
    public func find<Model: PersistingModel>(_ type: Model.Type, _ key: (any SQLiteValueConvertible)?) throws -> Model?
    {
        guard let object = try find(type, key, table(of: type)) else { return nil }
        return downcast(consume object, to: type)
    }

    /// The same, while the task is suspended.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in try manager.find(type, key) }
    }

    /// The object with a primary key, by the names of its properties: how a composite key is given.
    ///
    /// ```swift
    /// let enrolment = try manager.find(
    ///     Enrolment.self, ["student": 7, "course": "SQL"])
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

    /// The same, while the task is suspended.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: [String: (any Sendable)?]
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in try manager.find(type, key) }
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

    /// The same, while the task is suspended.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, keys: [(any SQLiteValueConvertible)?]
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in try manager.find(type, keys: keys) }
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

    /// The same, while the task is suspended.
    @_disfavoredOverload
    public func find<Model: PersistingModel>(
        _ type: Model.Type, keys: [[String: (any Sendable)?]]
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in try manager.find(type, keys: keys) }
    }

    /// The object of the class that this manager has inserted last, read again; nil when there is none, when it is
    /// gone, and after its transaction was rolled back.
    ///
    /// - Parameter type: The model class.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without a key.
    public func lastInserted<Model: PersistingModel>(_ type: Model.Type) throws -> Model? {
        let table = try table(of: type)
        try table.mapping.requireKey()
        return try engine.withoutTransaction { _ in
            guard let key = table.keyOfLastInsertion else { return nil }
            return try object(type, table, key).map { downcast($0, to: type) }
        }
    }

    /// The same, while the task is suspended.
    public func lastInserted<Model: PersistingModel>(_ type: Model.Type) async throws -> sending Model? {
        try await onDatabaseSide(of: type) { manager in try manager.lastInserted(type) }
    }
}

/// The same methods of classes. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// The object with a primary key; nil when there is none. See `PersistenceManager.find(_:_:)`.
    ///
    /// - Parameter key: The primary key.
    /// - Throws: What the manager's method throws.
    public static func find(_ key: (any SQLiteValueConvertible)?) throws -> Self? {
        try PersistenceManager.current(for: self).find(self, key)
    }

    /// The same, while the task is suspended.
    public static func find(_ key: (any SQLiteValueConvertible)?) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).find(self, key)
    }

    /// The object with a primary key, by the names of its properties: how a composite key is given.
    ///
    /// - Parameter key: The parts of the primary key, by property name.
    /// - Throws: What the manager's method throws.
    public static func find(_ key: [String: (any Sendable)?]) throws -> Self? {
        try PersistenceManager.current(for: self).find(self, key)
    }

    /// The same, while the task is suspended.
    public static func find(_ key: [String: (any Sendable)?]) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).find(self, key)
    }
}

extension PersistenceManager {
    private func find(
        _ type: PersistingModel.Type, _ key: (any SQLiteValueConvertible)?, _ table: ModelTable
    ) throws -> PersistingModel? {
        guard let key = try table.mapping.keyValue(key) else { return nil }
        if let date = table.mapping.keyOfDates {
            // The row may hold the date in another form.
            return try fetchOne(Query(type).where(Criteria(.compares(.key(date.key), .equal, .value(key), []))))
        }
        return try object(type, table, CollectionOfOne(key))
    }

    private func find<Model: PersistingModel>(
        _ type: Model.Type, _ table: ModelTable, _ keys: [[SQLiteValue]]
    ) throws -> [Model] {
        if let date = table.mapping.keyOfDates { return try find(type, table, dates: keys.map { $0[0] }, date.key) }
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

    /// The objects with some dates as their keys, whose rows may hold them in other forms.
    private func find<Model: PersistingModel>(
        _ type: Model.Type, _ table: ModelTable, dates: [SQLiteValue], _ key: String
    ) throws -> [Model] {
        let mapping = table.mapping
        let found = try engine.read { _ in
            try stride(from: 0, to: dates.count, by: RowLookup.batch).flatMap { start in
                let some = dates[start..<Swift.min(start + RowLookup.batch, dates.count)].map { CriteriaTerm.value($0) }
                return try fetchAll(Query(type).where(Criteria(.isIn(.key(key), some, []))))
            }
        }
        let objects = Dictionary(try found.map { (try mapping.stored(mapping.key[0], of: $0), $0) }) { first, _ in first
        }
        return dates.compactMap { objects[$0] }
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
