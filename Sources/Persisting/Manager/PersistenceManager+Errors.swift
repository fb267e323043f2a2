/// Errors that name the model they are about.
extension PersistenceManager {
    /// Runs `body` in a transaction of the library's own. An error of its BEGIN or COMMIT names a model, as one of a
    /// statement inside does; what `body` throws passes as it is.
    ///
    /// - Parameter mapping: That of the model that an error is about.
    func transaction<T>(
        of mapping: (SQLiteError) -> Mapping?, _ body: (any EngineConnection) throws -> T
    ) throws -> T {
        var isInBody = false
        do {
            return try engine.write { db in
                isInBody = true
                let result = try body(db)
                isInBody = false
                return result
            }
        } catch let error as SQLiteError where !isInBody {
            throw naming(error, mapping(error))
        }
    }

    /// The class of objects that an error is about: that whose table the error names, or else that of the first.
    func mapping(of objects: [PersistingModel], named error: SQLiteError) -> Mapping? {
        let mappings = objects.lazy.compactMap { try? self.table(of: type(of: $0)).mapping }
        let table = error.table.map(asciiLowercased)
        return mappings.first { asciiLowercased($0.tableName) == table } ?? mappings.first
    }

    /// The error with the model that it is about.
    func naming(_ error: SQLiteError, _ mapping: Mapping?) -> any Error {
        if let mapping { PersistenceError(error, mapping) } else { error }
    }
}
