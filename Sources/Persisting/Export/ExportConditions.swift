/// A `Bool` property where an export wants a condition: it doesn't compile, as with the other verbs.
extension PersistenceManager {
    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func exportCSV<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: CSVFormat = CSVFormat(), keys: FileKeys = .remote
    ) throws -> Int { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func exportJSON<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil,
        to destination: some ExportDestination, _ format: JSONFormat = .array, keys: FileKeys = .remote
    ) throws -> Int { throw neverCalled }
}

/// The same on the classes.
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
