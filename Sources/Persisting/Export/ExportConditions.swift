/// What exports don't take, as other verbs don't: a class, and a `Bool` property as a condition.
extension PersistenceManager {
    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func exportCSV<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) throws -> Int { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func exportJSON<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) throws -> Int { throw neverCalled }
}

/// A `Bool` property as a condition, on the classes.
extension ActiveRecord {
    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "begin with a query, as in Album.where(\\.isLoved)")
    public static func exportCSV(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) throws -> Int { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "begin with a query, as in Album.where(\\.isLoved)")
    public static func exportJSON(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) throws -> Int { throw neverCalled }
}
