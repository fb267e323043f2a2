/// Asks at intervals whether other processes have committed anything to the database or to an attached one, as long as
/// someone holds it.
///
/// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version), which is of the connection that
/// writes, so that its own commits don't count.
package final class OtherProcesses: Sendable {
    private let task: Task<Void, Never>

    /// Begins: commits from now on count.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - interval: The time between two questions.
    ///   - report: Called when something was committed, and when the database can no longer be asked.
    package init(
        _ database: any DatabaseAccess, every interval: Duration, _ report: @escaping @Sendable () -> Void
    ) async {
        let version: @Sendable () async -> [Int?]? = {
            // Of a database that can't be asked, such as a closed one, whoever reads it next learns why.
            try? await database.withoutTransaction { db in
                let names = try db.column("SELECT name FROM pragma_database_list WHERE name <> 'temp'", as: String.self)
                return try names.map { try db.scalar("PRAGMA \(identifier: $0).data_version", as: Int.self) }
            }
        }
        let first = await version()
        task = Task {
            var known = first
            // Only the end of the task ends a sleep.
            while (try? await Task.sleep(for: interval)) != nil {
                let now = await version()
                if now != known { report() }
                known = now
            }
        }
    }

    deinit {
        task.cancel()
    }
}
