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
                try openRecordIfNecessary(db)
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
    ///
    /// - Parameter other: The class where there are no objects.
    func mapping(of objects: [PersistingModel], named error: SQLiteError, or other: Mapping? = nil) -> Mapping? {
        let mappings = objects.lazy.compactMap { try? self.table(of: type(of: $0)).mapping }
        let table = error.table.map(asciiLowercased)
        return mappings.first { asciiLowercased($0.tableName) == table } ?? mappings.first ?? other
    }

    /// Runs an access that runs none of the user's code, and names the model in an error of SQLite.
    ///
    /// - Parameter type: The class that the error is about.
    func accessing<T>(_ type: PersistingModel.Type?, _ access: () async throws -> sending T) async throws -> sending T {
        do {
            return try await access()
        } catch let error as SQLiteError {
            throw naming(error, type)
        }
    }

    /// The error with the class that it is about.
    func naming(_ error: SQLiteError, _ type: PersistingModel.Type?) -> any Error {
        // A class that can't be mapped has thrown before.
        naming(error, type.flatMap { try? Mapping.of($0, dates: dates) })
    }

    /// The error with the model that it is about.
    func naming(_ error: SQLiteError, _ mapping: Mapping?) -> any Error {
        if let mapping { PersistenceError(error, mapping) } else { error }
    }
}
