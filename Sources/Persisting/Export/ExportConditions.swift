/// What exports don't take, as other verbs don't: a class.
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
