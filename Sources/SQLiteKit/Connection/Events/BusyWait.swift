internal import CSystemSQLite
internal import Foundation

/// Waiting for another connection's lock.
///
/// SQLite's own handler asks at ever longer intervals, up to a tenth of a second, so that whoever has waited longest
/// asks least: of several processes that write all the time, some wait forever. Here whoever has waited longest asks
/// most often, at random moments. Measured on two cores with four processes that commit as fast as they can: the
/// slowest makes 0.8 to 0.9 of the mean's commits, where SQLite's handler leaves it none, and all of them together as
/// many as with SQLite's handler in WAL mode, and 0.9 of that in DELETE mode.
struct BusyWait {
    /// How long a statement waits at most.
    let timeout: Duration
    /// How long it has waited.
    private var waited = Duration.zero

    /// The microseconds before the second attempt. A commit without a write-ahead log waits for readers, and those who
    /// ask whether they may write read for a moment.
    private static let first: ClosedRange<UInt32> = 20...100
    /// The microseconds between later attempts.
    private static let interval: ClosedRange<Double> = 1000...3000
    /// After so long the intervals begin to shrink: to half of theirs when it has waited twice as long.
    private static let patience = Duration.milliseconds(10)
    /// The least part of an interval.
    private static let leastPart = 0.1

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
        usleep(attempt == 0 ? .random(in: Self.first) : interval)
        waited += clock.now - start
        return true
    }

    private var interval: UInt32 {
        let part = waited > Self.patience ? max(Self.patience / waited, Self.leastPart) : 1
        return UInt32(.random(in: Self.interval) * part)
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
