extension DatabaseConnections {
    /// Runs `body`, and notes the statements that it runs.
    ///
    /// - Returns: What `body` returns, and the ledger.
    package func noting<T>(_ body: () throws -> T) throws -> (result: T, ledger: QueryLedger) {
        let ledger = try openLedger()
        defer { ledgers.add(-1) }
        return (try ledger.noting(body), ledger)
    }

    /// Runs `body`, and notes the statements that it runs, and that tasks run which it starts.
    package func noting<T>(_ body: () async throws -> T) async throws -> (result: T, ledger: QueryLedger) {
        let ledger = try openLedger()
        defer { ledgers.add(-1) }
        return (try await ledger.noting(body), ledger)
    }

    private func openLedger() throws -> QueryLedger {
        if let error = writer.openingError { throw error }
        ledgers.add(1)
        // The access that is under way has begun without a ledger. A closed database says so itself.
        if let db = try? joined() { db.connection.follow(ledgers) }
        return QueryLedger(ledgers)
    }
}
