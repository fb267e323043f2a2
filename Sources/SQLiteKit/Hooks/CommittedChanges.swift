/// What one commit has changed.
///
/// It is found out by SQLite's pre-update hook, so that raw SQL, triggers, foreign key actions, `REPLACE`, tables WITHOUT
/// ROWID and a DELETE of all rows are in it. What was rolled back, by a savepoint too, isn't. See
/// [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
public struct CommittedChanges: Sendable {
    /// A change of one row.
    public struct Row: Sendable, Hashable {
        /// What was done.
        public let kind: RowChangeKind
        /// The row's identifier; after an update, the new one. Without meaning in a table WITHOUT ROWID.
        public let rowID: Int64
        /// The stored values of the primary key, in its order: before the change, of an inserted row its own. Of a table
        /// without a declared key, the row's identifier.
        public let key: [SQLiteValue]
        /// The names of the columns whose values were changed, as the table has them; all of a row that was inserted or
        /// deleted.
        public let columns: Set<String>
    }

    /// The changes of one table.
    public struct Table: Sendable {
        /// The name, as it was declared.
        public let name: String
        /// The changes in the order they were made; nil when there were too many to keep.
        public let rows: [Row]?
    }

    /// The changed tables of `main` by their names in lower case; a virtual table stands for its shadow tables. Nil when
    /// anything may have changed, the schema too.
    public let tables: [String: Table]?

    /// A commit of which nothing is known.
    package static let anything = CommittedChanges(tables: nil)

    /// Whether a table may have been changed.
    ///
    /// - Parameter name: The table, in any case.
    public func mayHaveChanged(_ name: String) -> Bool { tables.map { $0[asciiLowercased(name)] != nil } ?? true }

    /// Whether what was read may be another now.
    ///
    /// - Parameter read: For each table, in lower case, the columns that were read, in lower case.
    package func mayHaveChanged(_ read: [String: Set<String>]) -> Bool {
        guard let tables else { return true }
        return read.contains { name, columns in
            guard let table = tables[name] else { return false }
            guard let rows = table.rows else { return true }
            return rows.contains { row in
                row.kind != .update || row.columns.contains { columns.contains(asciiLowercased($0)) }
            }
        }
    }
}
