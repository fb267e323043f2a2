/// What one commit has changed.
///
/// It is found out by SQLite's pre-update hook, so that raw SQL, triggers, foreign key actions, `REPLACE`, tables
/// WITHOUT ROWID, a DELETE of all rows and applied changesets are in it. What was rolled back, by a savepoint too,
/// isn't. See [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
public struct CommittedChanges: Sendable {
    /// A change of one row.
    public struct Row: Sendable, Hashable {
        /// What was done.
        public let kind: RowChangeKind
        /// The row's identifier; after an update, the new one. Without meaning in a table WITHOUT ROWID.
        public let rowID: Int64
        /// The stored values of the primary key, in its order: before the change, of an inserted row its own. Of a
        /// table without a declared key, the row's identifier.
        public let key: [SQLiteValue]
        /// The names of the columns whose values were changed, as the table has them; all of a row that was inserted or
        /// deleted. A row that got another identifier, which no column shows, has `rowid` among them.
        public let columns: Set<String>
        /// What the columns held that listeners have asked for, by their names in lower case.
        package var noted: [String: NotedValue] = [:]
    }

    /// What a column held before and after a change; nil where there was no row, or where it isn't known.
    package struct NotedValue: Sendable, Hashable {
        package let old: SQLiteValue?
        package let new: SQLiteValue?
    }

    /// The changes of one table.
    public struct Table: Sendable {
        /// The name, as it was declared.
        public let name: String
        /// The database: `main`, `temp`, or the name that one was attached as.
        public let schema: String
        /// The columns that ``Row/key`` has the values of. None of a table without a declared key.
        public let keyColumns: [String]
        /// The changes in the order they were made; nil when there were too many to keep.
        public let rows: [Row]?

        fileprivate var isTemporary: Bool { asciiLowercased(schema) == "temp" }
    }

    /// The changed tables: those of `main` by their names in lower case, temporary ones and those of attached databases
    /// by `schema.name` in lower case, such as `temp.basket`. A virtual table stands for its shadow tables. Nil when
    /// anything may have changed, the schema too.
    public let tables: [String: Table]?

    /// A commit of which nothing is known.
    package static let anything = CommittedChanges(tables: nil)

    /// A commit that has changed no table.
    package static let nothing = CommittedChanges(tables: [:])

    /// The same for those who don't see the connection's temporary tables; nil if nothing else was changed.
    var withoutTemporaryTables: CommittedChanges? {
        guard let tables, tables.values.contains(where: \.isTemporary) else { return self }
        let others = tables.filter { !$1.isTemporary }
        return others.isEmpty ? nil : CommittedChanges(tables: others)
    }

    /// Whether a table may have been changed.
    ///
    /// - Parameter name: The table, in any case: `name` for one of `main`, and `schema.name` for others.
    public func mayHaveChanged(_ name: String) -> Bool { tables.map { $0[asciiLowercased(name)] != nil } ?? true }

    /// Whether what was read may be another now.
    ///
    /// - Parameter read: For each table, by its key, what was read of it.
    package func mayHaveChanged(_ read: [String: TableReads]) -> Bool {
        guard let tables else { return true }
        return read.contains { name, reads in tables[name].map(reads.mayHaveChanged) ?? false }
    }
}

/// What was read of a table. Names are in lower case.
package struct TableReads: Sendable, Hashable {
    /// The columns that were read of any rows; nil when none were read but those of `rows`.
    package var columns: Set<String>?
    /// Rows that were found by their keys.
    package var rows: KeyedRows?

    package struct KeyedRows: Sendable, Hashable {
        /// The columns of the keys.
        package let key: [String]
        /// The keys as they are stored.
        package var keys: Set<[SQLiteValue]>
        /// What was read of the rows.
        package var columns: Set<String>
    }

    /// What was read by this and by another.
    package func merged(with other: TableReads) -> TableReads {
        var both = self
        if let columns = other.columns { both.add(columns) }
        guard let rows = other.rows else { return both }
        guard let known = both.rows else {
            both.rows = rows
            return both
        }
        if known.key == rows.key {
            both.rows?.keys.formUnion(rows.keys)
            both.rows?.columns.formUnion(rows.columns)
        } else {
            // Two classes have one table and other keys.
            both.add(rows.columns)
        }
        return both
    }

    /// Adds columns of any rows.
    mutating func add(_ names: Set<String>) { columns = (columns ?? []).union(names) }

    /// Whether what was read may be another now.
    func mayHaveChanged(_ table: CommittedChanges.Table) -> Bool {
        guard let changed = table.rows else { return true }
        if let columns, changed.contains(where: { $0.mayConcern(columns) }) { return true }
        guard let rows else { return false }
        let isByKey =
            table.keyColumns.isEmpty
            ? rows.key.count == 1 && ["rowid", "oid", "_rowid_"].contains(rows.key[0])
            : table.keyColumns.map(asciiLowercased) == rows.key
        return changed.contains { row in
            // A row that gets another key may get one of these.
            if !isByKey || row.kind == .update && row.mayConcern(rows.key) { return row.mayConcern(rows.columns) }
            return rows.keys.contains(row.key) && row.mayConcern(rows.columns)
        }
    }
}

extension CommittedChanges.Row {
    /// Whether what was read of some columns may be another now.
    fileprivate func mayConcern(_ names: some Sequence<String>) -> Bool {
        kind != .update || names.contains { name in columns.contains { asciiLowercased($0) == name } }
    }
}
