extension PersistenceError {
    /// The error for an object that is not valid.
    init(_ failures: [ValidationFailure], of object: PersistingModel) {
        let mapping = object.knownMapping
        let key = mapping?.rowKey(of: object) ?? []
        let place = mapping.flatMap { key.isEmpty ? nil : " with \($0.condition(of: key))" } ?? ""
        self.init(
            .invalidObject, "the object\(place) is not valid: \(failures.map(\.description).joined(separator: "; "))",
            model: ModelDescription.name(of: type(of: object)), key: failures.count == 1 ? failures[0].key : nil,
            rowKey: mapping?.keyValues(key))
        self.failures = failures
    }
}
