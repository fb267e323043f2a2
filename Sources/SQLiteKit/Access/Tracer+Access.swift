/// What a trace hears of accesses.
extension Tracer {
    /// Notes how long an access has waited that begins now.
    func beginAccess(to db: Database, _ shared: SharedConnection, _ lock: AccessLock) {
        waited = shared.takeWait()
        trace.accesses?.began(db.connection.isReader, lock.inUseCount)
    }

    /// Reports an access that has ended. The thread still has the connection.
    func endAccess(to db: Database, _ lock: AccessLock) {
        guard let observer = trace.accesses else { return }
        let counts = (hits: db.statements.hits, misses: db.statements.misses)
        let report = AccessReport(
            isReader: db.connection.isReader, inUse: lock.inUseCount - 1, cacheHits: counts.hits - cacheCounts.hits,
            cacheMisses: counts.misses - cacheCounts.misses, logPages: db.connection.logPages(&pageSize), slow: slow)
        slow = []
        // A connection that could not be rolled back has been closed.
        guard db.isOpen else { return observer.ended(report, db) }
        let mayHaveNewSchema = db.mayHaveNewSchema
        _ = db.connection.probing { _ in observer.ended(report, db) }
        db.connection.resetRunningStatements()
        db.mayHaveNewSchema = mayHaveNewSchema
        cacheCounts = (db.statements.hits, db.statements.misses)
    }
}
