extension PersistenceError {
    /// The error for an object that is not valid.
    init(_ failures: [ValidationFailure], of object: PersistingModel) {
        self.init(
            .invalidObject, "the object is not valid: \(failures.map(\.description).joined(separator: "; "))",
            model: ModelDescription.name(of: type(of: object)), key: failures.count == 1 ? failures[0].key : nil)
        self.failures = failures
    }
}
