/// Objects from JSON.
///
/// ```swift
/// let user = try manager.upsert(User.self, json: data)
/// let users = try manager.upsertAll(User.self, json: array) { user in
///     user.isRemote = true
/// }
/// let result = try manager.synchronize(
///     User.self, json: array, statusKey: "status")
/// ```
///
/// The class's ``PersistingModel/remoteMapping`` says what keys are called, and which of them is the key that a row is
/// found by; a class without one takes the names of its properties or columns, and its primary key. An absent key
/// leaves its property as it is. A null is the column's declared default, or else NULL; for a property that isn't
/// Optional, what `init()` gives it. A number may be a text, whatever the locale, and a fraction is an error for an
/// integer property, unless the mapping says ``RemoteMapping/Kind/truncatedNumber``; dates and times are ISO 8601.
///
/// Of a class hierarchy the key `kind` says of which class a new object is, as `jsonObject(forKeys:by:)` writes it.
/// Without it, a new object is of the class that is named, and an existing one has the properties of its own class. A
/// kind that isn't that of the existing row throws ``PersistenceError/Code/unknownKind``.
extension PersistenceManager {
    /// Inserts or updates the object of a JSON object, and returns it.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - json: `Data`, or a dictionary as `JSONSerialization` gives it.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    /// - Returns: The object, saved.
    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue`` for a key that is absent or null,
    ///   ``PersistenceError/Code/typeMismatch``, ``PersistenceError/Code/invalidFormat`` for JSON that isn't one
    ///   object, ``PersistenceError/Code/noPrimaryKey``; what saving throws, and Foundation's error for what isn't
    ///   JSON. Nothing is written then.
    @discardableResult
    public func upsert<Model: PersistingModel>(
        _ type: Model.Type, json: some JSONSource, invalidValues: InvalidValues = .fail
    ) throws -> Model {
        let model = ModelDescription.name(of: type)
        let objects = try json.dictionaries(for: model)
        guard objects.count == 1, let object = try upsert(type, objects, nil, invalidValues, { _ in }).objects.first
        else {
            throw PersistenceError(
                .invalidFormat, "the JSON has \(objects.count) objects, and one is wanted: upsertAll takes all",
                model: model)
        }
        return object
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func upsert<Model: PersistingModel>(
        _ type: Model.Type, json: sending some JSONSource, invalidValues: InvalidValues = .fail
    ) async throws -> sending Model {
        let json = SentJSON(json)
        return try await onDatabaseSide(of: type) { manager in
            try manager.upsert(type, json: json, invalidValues: invalidValues)
        }
    }

    /// Inserts or updates the objects of a JSON array: all of them, or none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Returns: The objects in the order of the array; elements of one key are one object.
    /// - Throws: What `upsert(_:json:invalidValues:)` throws, and what `setUp` throws.
    @discardableResult
    public func upsertAll<Model: PersistingModel>(
        _ type: Model.Type, json: some JSONSource, invalidValues: InvalidValues = .fail,
        _ setUp: (Model) throws -> Void = { _ in }
    ) throws -> [Model] {
        try upsert(type, json.dictionaries(for: ModelDescription.name(of: type)), nil, invalidValues, setUp).objects
    }

    /// The same, while the task is suspended. `setUp` runs on the database's side: what it captures is `Sendable`.
    @discardableResult
    public func upsertAll<Model: PersistingModel>(
        _ type: Model.Type, json: sending some JSONSource, invalidValues: InvalidValues = .fail,
        _ setUp: @escaping @Sendable (Model) throws -> Void = { _ in }
    ) async throws -> sending [Model] {
        let json = SentJSON(json)
        return try await onDatabaseSide(of: type) { manager in
            try manager.upsertAll(type, json: json, invalidValues: invalidValues, setUp)
        }
    }

    /// Updates a table from a JSON array whose elements have a status: those whose status is `"D"` are deleted, and all
    /// others inserted or updated. All of it happens, or nothing.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - statusKey: The key of the status.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Returns: The objects, and how many elements and deletions there were.
    /// - Throws: What `upsert(_:json:invalidValues:)` throws, and what `setUp` throws.
    @discardableResult
    public func synchronize<Model: PersistingModel>(
        _ type: Model.Type, json: some JSONSource, statusKey: String = "status",
        invalidValues: InvalidValues = .fail, _ setUp: (Model) throws -> Void = { _ in }
    ) throws -> SynchronizationResult<Model> {
        try upsert(type, json.dictionaries(for: ModelDescription.name(of: type)), statusKey, invalidValues, setUp)
    }

    /// The same, while the task is suspended. `setUp` runs on the database's side: what it captures is `Sendable`.
    @discardableResult
    public func synchronize<Model: PersistingModel>(
        _ type: Model.Type, json: sending some JSONSource, statusKey: String = "status",
        invalidValues: InvalidValues = .fail, _ setUp: @escaping @Sendable (Model) throws -> Void = { _ in }
    ) async throws -> sending SynchronizationResult<Model> {
        let json = SentJSON(json)
        return try await onDatabaseSide(of: type) { manager in
            try manager.synchronize(type, json: json, statusKey: statusKey, invalidValues: invalidValues, setUp)
        }
    }

    private func upsert<Model: PersistingModel>(
        _ type: Model.Type, _ json: [[String: Any]], _ statusKey: String?, _ invalidValues: InvalidValues,
        _ setUp: (Model) throws -> Void
    ) throws -> SynchronizationResult<Model> {
        guard !json.isEmpty else { return SynchronizationResult(objects: [], total: 0, deleted: 0) }
        let mapping = try Mapping.of(type, dates: dates)
        return try transaction(of: { _ in mapping }) { db in
            try running {
                let upsert = try JSONUpsert(self, type, invalidValues)
                let (objects, deleted) = try upsert.write(json, statusKey: statusKey, db) { object in
                    // The class makes them.
                    if let object = object as? Model { try setUp(object) }
                }
                return SynchronizationResult(
                    objects: objects.compactMap { $0 as? Model }, total: json.count, deleted: deleted)
            }
        }
    }
}

/// Objects from JSON. Each method throws what the manager's method of the name throws.
extension ActiveRecord {
    /// Inserts or updates the object of a JSON object, and returns it.
    ///
    /// - Parameters:
    ///   - json: The JSON, an object.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func upsert(json: some JSONSource, invalidValues: InvalidValues = .fail) throws -> Self {
        try PersistenceManager.current(for: self).upsert(self, json: json, invalidValues: invalidValues)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public static func upsert(
        json: sending some JSONSource, invalidValues: InvalidValues = .fail
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).upsert(self, json: json, invalidValues: invalidValues)
    }

    /// Inserts or updates the objects of a JSON array: all of them, or none.
    ///
    /// - Parameters:
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func upsertAll(
        json: some JSONSource, invalidValues: InvalidValues = .fail, _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> [Self] {
        try PersistenceManager.current(for: self).upsertAll(self, json: json, invalidValues: invalidValues, setUp)
    }

    /// The same, while the task is suspended. `setUp` runs on the database's side: what it captures is `Sendable`.
    @discardableResult
    public static func upsertAll(
        json: sending some JSONSource, invalidValues: InvalidValues = .fail,
        _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self).upsertAll(self, json: json, invalidValues: invalidValues, setUp)
    }

    /// Brings the table up to date with a JSON array whose elements say their status: those whose status is `"D"` are
    /// deleted, and all others inserted or updated.
    ///
    /// - Parameters:
    ///   - json: `Data`, or an array of dictionaries as `JSONSerialization` gives it.
    ///   - statusKey: The key of the status.
    ///   - invalidValues: What becomes of a value that its property can't have. By default it is an error.
    ///   - setUp: Called with each object after it has been saved. What it changes is saved; what it throws undoes all.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func synchronize(
        json: some JSONSource, statusKey: String = "status", invalidValues: InvalidValues = .fail,
        _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> SynchronizationResult<Self> {
        try PersistenceManager.current(for: self).synchronize(
            self, json: json, statusKey: statusKey, invalidValues: invalidValues, setUp)
    }

    /// The same, while the task is suspended. `setUp` runs on the database's side: what it captures is `Sendable`.
    @discardableResult
    public static func synchronize(
        json: sending some JSONSource, statusKey: String = "status", invalidValues: InvalidValues = .fail,
        _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending SynchronizationResult<Self> {
        try await PersistenceManager.current(for: self).synchronize(
            self, json: json, statusKey: statusKey, invalidValues: invalidValues, setUp)
    }
}

/// The result of a synchronization.
public struct SynchronizationResult<Model: PersistingModel> {
    /// The objects that were inserted or updated, in the order of the elements.
    public let objects: [Model]
    /// The number of elements: those of ``objects``, and those whose status says that they are deleted.
    public let total: Int
    /// The number of rows that were deleted.
    public let deleted: Int
}

/// JSON on its way to the database's side: whoever had it has sent it, and doesn't use it any more.
private struct SentJSON: JSONSource, @unchecked Sendable {  // `sending` parameters are nobody else's
    private let json: () throws -> Any

    init(_ json: some JSONSource) {
        self.json = { try json.jsonObject() }
    }

    func jsonObject() throws -> Any { try json() }
}
