/// Asks at intervals whether other processes have committed anything, as long as someone holds it.
///
/// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version), which is of the connection that
/// writes, so that its own commits don't count. Attached databases are asked, too.
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
        let versions: @Sendable () async -> [String: Int]? = {
            // Of a database that can't be asked, such as a closed one, whoever reads it next learns why.
            try? await database.withoutTransaction { db in
                var versions: [String: Int] = [:]
                let names = try db.column("SELECT name FROM pragma_database_list", as: String.self)
                for name in names where name != "temp" {
                    versions[name] = try db.scalar("PRAGMA \(identifier: name).data_version", as: Int.self)
                }
                return versions
            }
        }
        let first = await versions()
        task = Task {
            var known = first
            // Only the end of the task ends a sleep.
            while (try? await Task.sleep(for: interval)) != nil {
                let now = await versions()
                if now != known { report() }
                known = now
            }
        }
    }

    deinit {
        task.cancel()
    }
}
