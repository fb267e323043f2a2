/// Finding an object, or making it where there is none.
///
/// ```swift
/// let artist = try manager.findOrCreate(
///     Artist.self, where: ["name": "Miles Davis"]
/// ) { artist in
///     artist.sortName = "Davis, Miles"
/// }
/// ```
///
/// Both happen in one transaction, so that of two concurrent callers only one makes the object.
extension PersistenceManager {
    /// The object with a primary key; when there is none, a new one, inserted.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - key: A value of the property's type, or one that it can be made from without loss. Nil makes a new object
    ///     with a generated key.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue`` for nil when the key is assigned, what `find(_:_:)`
    ///   and `insert(_:)` throw, and what `setUp` throws; nothing is inserted then.
    public func findOrCreate<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?, _ setUp: (Model) throws -> Void = { _ in }
    ) throws -> Model {
        let mapping = try table(of: type).mapping
        let stored = try mapping.keyValue(key)
        guard stored != nil || mapping.isKeyGenerated else { throw mapping.missingKeyValue() }
        return try findOrCreate(type) {
            try find(type, key)
        } create: { object in
            if let stored { try mapping.assign(stored: stored, to: mapping.key[0], of: object) }
            try setUp(object)
            return ColumnSet()
        }
    }

    /// The first object whose properties have some values; when there is none, a new one, inserted.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - values: Values by the names of properties, each of the property's type or one that it can be made from
    ///     without loss; nil is NULL, whatever the column's default. For a composite key, its properties.
    ///   - setUp: Called with a new object that has the values already, before it is inserted.
    /// - Throws: ``PersistenceError/Code/missingCondition`` without any value, ``PersistenceError/Code/unknownKey``,
    ///   ``PersistenceError/Code/typeMismatch``, what `insert(_:)` throws, and what `setUp` throws; nothing is inserted
    ///   then.
    public func findOrCreate<Model: PersistingModel>(
        _ type: Model.Type, where values: [String: (any Sendable)?], _ setUp: (Model) throws -> Void = { _ in }
    ) throws -> Model {
        let mapping = try table(of: type).mapping
        guard !values.isEmpty else {
            throw PersistenceError(
                .missingCondition, "there are no values to find an object by", model: mapping.modelName)
        }
        // Equality of each, whatever the name and the value look like.
        let criteria = Criteria<Model>(
            .and(values.sorted { $0.key < $1.key }.map { .compares(.key($0.key), .equal, .value($0.value), []) }))
        return try findOrCreate(type) {
            try fetchOne(type, where: criteria)
        } create: { object in
            var given = ColumnSet()
            for (key, value) in mapping.inOrder(values) {
                given.insert(try mapping.assign(value, toKey: key, of: object))
            }
            try setUp(object)
            // The version is the library's.
            return mapping.version.map { given.subtracting(ColumnSet($0)) } ?? given
        }
    }

    /// The same, while the task is suspended. `setUp` and the hooks run on the database's side: what `setUp` captures is
    /// `Sendable`.
    public func findOrCreate<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?,
        _ setUp: @escaping @Sendable (Model) throws -> Void = { _ in }
    ) async throws -> sending Model {
        try await onDatabaseSide(of: type) { manager in try manager.findOrCreate(type, key, setUp) }
    }

    /// The same, while the task is suspended. `setUp` and the hooks run on the database's side: what `setUp` captures is
    /// `Sendable`.
    public func findOrCreate<Model: PersistingModel>(
        _ type: Model.Type, where values: [String: (any Sendable)?],
        _ setUp: @escaping @Sendable (Model) throws -> Void = { _ in }
    ) async throws -> sending Model {
        try await onDatabaseSide(of: type) { manager in try manager.findOrCreate(type, where: values, setUp) }
    }
}

/// The same methods of classes and objects. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// The object with a primary key; when there is none, a new one, inserted. See
    /// `PersistenceManager.findOrCreate(_:_:_:)`.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: What the manager's method throws.
    public static func findOrCreate(
        _ key: (any SQLiteValueConvertible)?, _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try PersistenceManager.current(for: self).findOrCreate(self, key, setUp)
    }

    /// The first object whose properties have some values; when there is none, a new one, inserted. See
    /// `PersistenceManager.findOrCreate(_:where:_:)`.
    ///
    /// - Parameters:
    ///   - values: The values to find the object by, by property name.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: What the manager's method throws.
    public static func findOrCreate(
        where values: [String: (any Sendable)?], _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try PersistenceManager.current(for: self).findOrCreate(self, where: values, setUp)
    }

    /// The same, while the task is suspended. `setUp` and the hooks run on the database's side: what `setUp` captures is
    /// `Sendable`.
    public static func findOrCreate(
        _ key: (any SQLiteValueConvertible)?, _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).findOrCreate(self, key, setUp)
    }

    /// The same, while the task is suspended. `setUp` and the hooks run on the database's side: what `setUp` captures is
    /// `Sendable`.
    public static func findOrCreate(
        where values: [String: (any Sendable)?], _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).findOrCreate(self, where: values, setUp)
    }
}

extension PersistenceManager {
    private func findOrCreate<Model: PersistingModel>(
        _ type: Model.Type, find: () throws -> Model?, create setUp: (Model) throws -> ColumnSet
    ) throws -> Model {
        let table = try table(of: type)
        let mapping = table.mapping
        return try transaction(of: { _ in mapping }) { _ in
            try running {
                if let found = try find() { return found }
                let object = type.init()
                let given = try setUp(object)
                // A nil that the object is found by is NULL, whatever the table's default.
                if object.hasPendingLinks || given.isEmpty {
                    try insert(object)
                } else {
                    try write(object, table, .abort, given: given)
                }
                return object
            }
        }
    }
}
