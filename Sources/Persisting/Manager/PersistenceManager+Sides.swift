/// Running synchronous forms for asynchronous ones, while the caller's task is suspended.
extension PersistenceManager {
    /// Runs `body` where the database is read.
    ///
    /// - Parameter type: The class that an error of the access is about; nil for raw SQL.
    package func onReadingSide<T>(
        of type: PersistingModel.Type? = nil, _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        // Written by the closure, which is called once, and read when it has returned.
        nonisolated(unsafe) var isInBody = false
        // It was sent here, and is handed over once.
        nonisolated(unsafe) let body = body
        do {
            return try await engine.query { _ in
                isInBody = true
                let result = try body(self)
                isInBody = false
                return result
            }
        } catch let error as SQLiteError where !isInBody {
            throw naming(error, type)
        }
    }

    /// Runs `body` where the database is written.
    ///
    /// - Parameter type: The class that an error of the access is about; nil for raw SQL.
    func onDatabaseSide<T>(
        of type: PersistingModel.Type? = nil, _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        // As above.
        nonisolated(unsafe) var isInBody = false
        // It was sent here, and is handed over once.
        nonisolated(unsafe) let body = body
        do {
            return try await engine.withoutTransaction { _ in
                isInBody = true
                let result = try body(self)
                isInBody = false
                return result
            }
        } catch let error as SQLiteError where !isInBody {
            throw naming(error, type)
        }
    }
}
