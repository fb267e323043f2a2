/// Asks at intervals whether other processes have committed anything, as long as someone holds it.
///
/// See [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version), which is of the connection that
/// writes, so that its own commits don't count. Attached databases are asked, too.
package final class OtherProcesses: Sendable {
    private let task: Task<Void, Never>

    /// Begins: commits from now on count.
    ///
    /// It doesn't wait for a pool's writer. While that is in use, it isn't known from where to count: once it is, this
    /// is reported, as something may have been committed before.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - interval: The time between two questions, at least a millisecond.
    ///   - report: Called when something was committed, and when the database can no longer be asked.
    package init(
        _ database: any DatabaseAccess, every interval: Duration, _ report: @escaping @Sendable () -> Void
    ) async {
        // Of a database that can't be asked, such as a closed one, whoever reads it next learns why.
        let first =
            database.connections.isPool
            ? try? await database.connections.writer.lendFree(Self.versions)
            : try? await database.withoutTransaction(Self.versions)
        task = Task {
            var known = first
            if known == nil {
                known = try? await database.withoutTransaction(Self.versions)
                report()
            }
            // Only the end of the task ends a sleep.
            while (try? await Task.sleep(for: max(interval, .milliseconds(1)))) != nil {
                let now = try? await database.withoutTransaction(Self.versions)
                if now != known { report() }
                known = now
            }
        }
    }

    /// What SQLite counts of each database: it changes with each commit of another connection.
    private static func versions(_ db: Database) throws -> [String: Int] {
        var versions: [String: Int] = [:]
        let names = try db.column("SELECT name FROM pragma_database_list", as: String.self)
        for name in names where name != "temp" {
            versions[name] = try db.scalar("PRAGMA \(identifier: name).data_version", as: Int.self)
        }
        return versions
    }

    deinit {
        task.cancel()
    }
}
