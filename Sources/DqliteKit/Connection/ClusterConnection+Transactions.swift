internal import SQLiteKit

/// A transaction or savepoint that a closure runs in, and what is to happen at its end.
struct ClusterFrame {
    var beforeCommit: [() throws(SQLiteError) -> Void] = []
    var afterCommit: [() -> Void] = []
    var afterRollback: [() -> Void] = []
}

/// Transactions.
extension ClusterConnection {
    var isInTransaction: Bool { !frames.isEmpty && lostTransaction == nil }
    var knowsEndOfTransaction: Bool { isInTransaction }

    func transaction<T>(_ kind: TransactionKind?, _ body: () throws -> T) throws -> T {
        if let lostTransaction { throw lostTransaction }
        let begin = frames.isEmpty ? (kind ?? .immediate).rawValue : "SAVEPOINT \(savepoint(frames.count))"
        try control(begin)
        let around = transactionNumber
        transactionCount += 1
        transactionNumber = transactionCount
        defer { transactionNumber = around }
        frames.append(ClusterFrame())
        let result: T
        do {
            result = try body()
            try end()
        } catch {
            rollback()
            throw error
        }
        finish()
        return result
    }

    /// Runs `body` in a read transaction, or in the transaction that is open. It can't write.
    func reading(_ body: (any EngineConnection) throws -> Void) throws {
        let wasReading = isReading
        defer { isReading = wasReading }
        if isInTransaction {
            isReading = true
            return try body(self)
        }
        try transaction(.deferred) {
            isReading = true
            try body(self)
        }
    }

    /// Runs `body` in a transaction that writes.
    func writing(_ body: (any EngineConnection) throws -> Void) throws {
        try checkNotReading()
        try transaction(.immediate) { try body(self) }
    }

    func checkNotReading() throws(SQLiteError) {
        if isReading || isReader { throw SQLiteError(.notAllowedHere, "a write cannot begin inside a read") }
    }

    func beforeCommit(_ action: @escaping () throws(SQLiteError) -> Void) {
        if !frames.isEmpty { frames[frames.count - 1].beforeCommit.append(action) }
    }

    func afterCommit(_ action: @escaping () -> Void) {
        if frames.isEmpty { action() } else { frames[frames.count - 1].afterCommit.append(action) }
    }

    func afterRollback(_ action: @escaping () -> Void) {
        if !frames.isEmpty { frames[frames.count - 1].afterRollback.append(action) }
    }

    private func savepoint(_ depth: Int) -> String { "dqlitekit_\(depth)" }

    private func control(_ sql: String) throws(SQLiteError) {
        try receiveActive()
        let answer = try asking { link throws(SQLiteError) in try self.ask(link, .executeSQL(database: 0, sql, [])) }
        guard case .result = answer else { throw answer.unexpected }
    }

    private func end() throws(SQLiteError) {
        if let lostTransaction { throw lostTransaction }
        try cancellation.check()
        if frames.count > 1 { return try control("RELEASE \(savepoint(frames.count - 1))") }
        for action in frames[0].beforeCommit { try action() }
        // A commit that has begun is not called off.
        try askingOnce("COMMIT", commits: !isReading)
    }

    /// Keeps what was asked for: the frame around takes it over, or it runs now.
    private func finish() {
        guard let ended = frames.popLast() else { return }
        if frames.isEmpty {
            // What follows a commit is not called off with it.
            let around = cancellation
            cancellation = Cancellation()
            ended.afterCommit.forEach { $0() }
            cancellation = around
        } else {
            frames[frames.count - 1].beforeCommit += ended.beforeCommit
            frames[frames.count - 1].afterCommit += ended.afterCommit
            frames[frames.count - 1].afterRollback += ended.afterRollback
        }
    }

    /// Undoes what has been done. The error that led here is the one to throw: why it failed says less.
    private func rollback() {
        let name = savepoint(frames.count - 1)
        do throws(SQLiteError) {
            if frames.count > 1 {
                if lostTransaction == nil {
                    try askingOnce("ROLLBACK TO \(name)")
                    try askingOnce("RELEASE \(name)")
                }
            } else if lostTransaction == nil {
                try askingOnce("ROLLBACK")
            } else {
                // The node rolls back when the connection ends, whatever has become of the transaction.
                drop()
            }
        } catch {
            loseTransaction(error)
            if frames.count == 1 { drop() }
        }
        let ended = frames.popLast()
        forgetSchemaVersion()
        if frames.isEmpty { lostTransaction = nil }
        ended?.afterRollback.reversed().forEach { $0() }
    }
}
