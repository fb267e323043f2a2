/// What a trace hears of accesses. Inlined, it would slow down accesses that aren't traced.
extension Tracer {
    /// Notes how long an access has waited that begins now.
    @inline(never)
    func beginAccess(to db: Database, _ shared: SharedConnection) {
        waited = shared.takeWait()
        guard let observer = trace.accesses as? AccessObserver else { return }
        cacheCounts = (db.statements.hits, db.statements.misses)
        observer.began(db.connection.isReader)
    }

    /// Reports an access that has ended. The thread still has the connection.
    @inline(never)
    func endAccess(to db: Database) {
        guard let observer = trace.accesses as? AccessObserver else { return }
        let report = AccessReport(
            isReader: db.connection.isReader, cacheHits: db.statements.hits - cacheCounts.hits,
            cacheMisses: db.statements.misses - cacheCounts.misses, logPages: db.connection.logPages(&pageSize),
            slow: slow)
        slow = []
        // A connection that could not be rolled back has been closed.
        guard db.isOpen else { return observer.ended(report, db) }
        let mayHaveNewSchema = db.mayHaveNewSchema
        _ = db.connection.probing { _ in observer.ended(report, db) }
        db.connection.resetRunningStatements()
        db.mayHaveNewSchema = mayHaveNewSchema
    }
}
