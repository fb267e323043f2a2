internal import CSystemSQLite
internal import Foundation

/// Waiting for another connection's lock.
///
/// SQLite's own handler asks at ever longer intervals, up to a tenth of a second, so that whoever has waited longest
/// asks least: of several processes that write all the time, some wait for ever. Here all ask equally often, at random
/// moments. Measured with four processes that commit as fast as they can on a busy machine with two cores, the slowest
/// makes half of the mean's commits, where SQLite's handler leaves it one in a hundred.
struct BusyWait {
    /// How long a statement waits at the most.
    let timeout: Duration
    /// How long it has waited.
    private var waited = Duration.zero

    /// The microseconds that pass between two attempts.
    private static let interval: ClosedRange<UInt32> = 200...2000

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Waits for a moment.
    ///
    /// - Parameter attempt: How often the statement has waited before.
    /// - Returns: False when it has waited for long enough.
    mutating func wait(_ attempt: Int32) -> Bool {
        // What is added up are the moments themselves: SQLite does not begin to count again for all that it locks.
        if attempt == 0 { waited = .zero }
        guard waited < timeout else { return false }
        let clock = ContinuousClock()
        let start = clock.now
        usleep(.random(in: Self.interval))
        waited += clock.now - start
        return true
    }
}

extension Connection {
    /// Has SQLite wait for locks, for so long; zero does not wait.
    func setBusyTimeout(_ timeout: Duration) throws(SQLiteError) {
        hooks.busyWait = BusyWait(timeout: timeout)
        guard timeout > .zero else { return try check(sqlite3_busy_handler(open(), nil, nil)) }
        try check(
            sqlite3_busy_handler(
                open(), { context, attempt in Connection.at(context) { $0.waitForLock(attempt) ? 1 : 0 } ?? 0 },
                context))
    }

    private func waitForLock(_ attempt: Int32) -> Bool {
        if interruption?.isUnderWay == true {
            isWaitCalledOff = true
            return false
        }
        return hooks.busyWait.wait(attempt)
    }
}
