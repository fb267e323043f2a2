internal import CSystemSQLite

/// What is done to a row.
public enum RowChangeKind: Sendable, Hashable {
    /// It is inserted.
    case insert
    /// It is updated.
    case update
    /// It is deleted.
    case delete

    init?(_ operation: Int32) {
        switch operation {
        case SQLITE_INSERT: self = .insert
        case SQLITE_UPDATE: self = .update
        case SQLITE_DELETE: self = .delete
        default: return nil
        }
    }
}

/// A change of a row.
public struct RowChange: Sendable, Hashable {
    /// What was done.
    public let kind: RowChangeKind
    /// The database: `main`, `temp`, or the name one was attached as.
    public let database: String
    /// The table.
    public let table: String
    /// The row's identifier; after an update, the new one.
    public let rowID: Int64
}

extension Connection {
    /// Has SQLite call the update hooks, as long as there is one.
    func restoreUpdateHook() {
        guard !hooks.update.isEmpty else {
            sqlite3_update_hook(handle, nil, nil)
            return
        }
        sqlite3_update_hook(
            handle,
            { context, operation, database, table, rowID in
                guard let kind = RowChangeKind(operation), let database, let table else { return }
                let change = RowChange(
                    kind: kind, database: String(cString: database), table: String(cString: table), rowID: rowID)
                Connection.hook(context) { connection in
                    connection.hooks.update[.user]?(change)
                    connection.hooks.update[.library]?(change)
                }
            }, context)
    }
}
