extension SQL {
    /// The text as a table stores it. Its own SQL has no parameters, so that interpolated values become literals.
    func declared(_ clause: String, model: String, key: String? = nil) throws -> String {
        do {
            return try expandedSQL
        } catch {
            let message = "the SQL of \(clause) has parameters without values; interpolate the values: \(error.message)"
            throw PersistenceError(.invalidModel, message, model: model, key: key, underlying: error)
        }
    }
}
