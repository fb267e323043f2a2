internal import SQLiteKit

/// Reads that are never older than a commit that was acknowledged before they began.
extension ClusterConnection {
    /// Runs `body`, and then has the nodes agree on a write.
    ///
    /// A node that is no longer the leader answers from its own data until it notices. But it can't commit, so what was
    /// read before a successful commit was up to date.
    func linearizableRead(_ body: (any EngineConnection) throws -> Void) throws {
        try checkNotReading()
        if isInTransaction { return try reading(body) }
        do {
            try transaction(.immediate) {
                try reading(body)
                try moveFence()
            }
        } catch let error as SQLiteError where error.outcome == .unknown {
            // The caller hasn't written anything.
            throw SQLiteError(
                error.extendedCode, "whether the read was up to date isn't known, repeat it: \(error.message)",
                sql: error.sql)
        }
    }

    private func moveFence() throws(SQLiteError) {
        do throws(SQLiteError) {
            if try execute("UPDATE dqlitekit_fence SET number = number + 1") > 0 { return }
        } catch  where error.extendedCode == .error {
            try execute(
                "CREATE TABLE IF NOT EXISTS dqlitekit_fence (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER)")
        }
        try execute("INSERT OR REPLACE INTO dqlitekit_fence (id, number) VALUES (1, 0)")
    }
}
