internal import CSystemSQLite
internal import Foundation

/// Notes what a connection changes, while someone listens, and reports it after the commit.
///
/// Its state is used by the holder of the connection alone, and no access to it spans a call that comes back here.
final class ChangeRecorder: Recorder {
    // Which has the recorder.
    private unowned(unsafe) let connection: Connection
    private let listeners: ChangeListeners
    /// The version of the listeners that it follows.
    @exclusivity(unchecked) private(set) var version = 0
    /// The tables that are listened to; nil for all.
    @exclusivity(unchecked) private var wanted: Set<String>?

    @exclusivity(unchecked) private var tables: [RecordedTable] = []
    @exclusivity(unchecked) private var indices: [String: Int] = [:]
    /// Where SQLite has the name of the table that was changed last, and that table.
    @exclusivity(unchecked) private var last: (name: UnsafePointer<CChar>, index: Int?)?
    @exclusivity(unchecked) private var mayHaveNewSchema = true
    /// The number of the schema that `tables` are of; nil when another may have it.
    @exclusivity(unchecked) private var schema: Int64?

    private struct Entry {
        /// Nil for anything.
        let table: Int?
        /// Nil for any number of rows.
        let row: CommittedChanges.Row?
    }
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The savepoints that are open, and how much had been noted before each.
    @exclusivity(unchecked) private var savepoints: [(name: String, mark: Int)] = []
    /// A statement that writes and has not ended.
    private struct Running {
        let statement: ObjectIdentifier
        /// How much had been noted before it.
        let mark: Int
        let totalChanges: Int64
        /// What statements have changed that ran inside it: those of its functions.
        var nestedChanges: Int64 = 0
        var nested: [Range<Int>] = []
    }
    /// The statements that write now, the outermost first.
    @exclusivity(unchecked) private var running: [Running] = []
    @exclusivity(unchecked) private var isInstalled = false
    /// How many rows are kept of one statement, and of a savepoint or transaction.
    private static let limit = 10_000

    init(_ connection: Connection, _ listeners: ChangeListeners) {
        self.connection = connection
        self.listeners = listeners
    }

    /// Looks at what is listened to, at the beginning of an access.
    func follow(_ version: Int) {
        self.version = version
        wanted = listeners.tables
        mayHaveNewSchema = true
        entries = []
        savepoints = []
        running = []
    }

    /// Ends the recording: nobody listens any more.
    func end() {
        guard isInstalled else { return }
        isInstalled = false
        connection.hooks.recorder = nil
        connection.installRollbackHook()
        connection.installPreUpdateHook()
    }

    // MARK: Statements

    /// Gets ready for a statement that writes.
    func willRun(_ statement: any RunningStatement) throws(SQLiteError) {
        try prepare()
        let start = savepoints.last?.mark ?? 0
        if running.isEmpty, entries.count - start > Self.limit { collapse(from: start) }
        running.append(
            Running(
                statement: ObjectIdentifier(statement), mark: entries.count,
                totalChanges: sqlite3_total_changes64(connection.handle)))
    }

    /// Forgets the statements that run: all have been reset.
    func forgetRunning() { running = [] }

    /// Notes that anything may have changed, such as by a restored backup, even if the schema seems to be the same.
    func noteReplacement() {
        noteAnything()
        schema = nil
    }

    /// Sees that all changes are reported. Also before a blob is written.
    func prepare() throws(SQLiteError) {
        if connection.hooks.sessionCount > 0 {
            // The session has the hook's place: what is written can't be known.
            isInstalled = false
            entries.append(Entry(table: nil, row: nil))
            return
        }
        if !isInstalled {
            isInstalled = true
            connection.hooks.recorder = self
            connection.installRollbackHook()
            if !connection.installPreUpdateHook() { entries.append(Entry(table: nil, row: nil)) }
            connection.expireStatements()
            mayHaveNewSchema = true
        }
        if mayHaveNewSchema { try lookAtTables() }
    }

    /// Looks at what became of a statement that has been reset.
    func didEnd(_ statement: any RunningStatement, failed: Bool) {
        if isLooking { return }
        if statement.isReadOnly {
            if !failed, let control = statement.savepointControl { follow(control) }
        } else if let place = running.lastIndex(where: { $0.statement == ObjectIdentifier(statement) }) {
            end(place, failed)
        }
        settle()
    }

    private func end(_ place: Int, _ failed: Bool) {
        let ended = running.remove(at: place)
        let changes = sqlite3_total_changes64(connection.handle) - ended.totalChanges
        let mark = min(ended.mark, entries.count)
        if changes == ended.nestedChanges {
            if failed {
                // What fails is undone, but with OR FAIL. What its functions have written may stay.
                let nested = ended.nested.flatMap { entries[$0.clamped(to: mark..<entries.count)] }
                entries.replaceSubrange(mark..., with: nested)
            } else {
                mayHaveNewSchema = true
            }
        }
        guard place > 0 else { return }
        running[place - 1].nestedChanges += changes
        if mark < entries.count { running[place - 1].nested.append(mark..<entries.count) }
    }

    private func follow(_ control: SavepointControl) {
        switch control {
        case .begin(let name): savepoints.append((name, entries.count))
        case .release(let name):
            if let index = savepoints.lastIndex(where: { $0.name == name }) { savepoints.removeSubrange(index...) }
        case .rollback(let name):
            guard let index = savepoints.lastIndex(where: { $0.name == name }) else {
                entries.append(Entry(table: nil, row: nil))
                return
            }
            entries.removeSubrange(min(savepoints[index].mark, entries.count)...)
            savepoints.removeSubrange((index + 1)...)
            mayHaveNewSchema = true
        }
    }

    /// Reports what has been committed, if no transaction is open, and no statement runs that is one by itself.
    func settle() {
        guard !connection.isInTransaction, running.isEmpty else { return }
        savepoints = []
        if mayHaveNewSchema, let schema {
            // After a change of the schema anything may have changed; an UPDATE of no rows only looks like one.
            if schemaVersion != schema {
                entries.append(Entry(table: nil, row: nil))
                self.schema = nil
            } else {
                mayHaveNewSchema = false
            }
        }
        guard !entries.isEmpty else { return }
        let noted = entries
        entries = []
        listeners.report(CommittedChanges(tables: Self.tables(noted, self.tables)))
    }

    /// Forgets what was rolled back.
    func clear() {
        entries = []
        savepoints = []
        running = []
        // The next schema may have the number of one that was rolled back.
        schema = nil
        mayHaveNewSchema = true
    }

    private static func tables(
        _ entries: [Entry], _ tables: [RecordedTable]
    ) -> [String: CommittedChanges.Table]? {
        var rows: [Int: [CommittedChanges.Row]?] = [:]
        for entry in entries {
            guard let index = entry.table else { return nil }
            guard let row = entry.row else {
                rows.updateValue(nil, forKey: index)
                continue
            }
            if var known = rows[index, default: []] {
                rows[index] = .some(nil)
                known.append(row)
                rows[index] = known
            }
        }
        var changed: [String: CommittedChanges.Table] = [:]
        for (index, rows) in rows {
            let table = tables[index]
            changed[asciiLowercased(table.name)] = CommittedChanges.Table(
                name: table.name, keyColumns: table.keyColumns, rows: rows)
        }
        return changed
    }

    // MARK: Rows

    /// Notes a row that is about to be changed.
    func note(_ change: borrowing PreUpdate, _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) {
        let index: Int?
        if let last, last.name == name {
            index = last.index
        } else {
            index = place(database, String(cString: name))
            last = (name, index)
        }
        guard let index else { return }
        let table = tables[index]
        guard table.ownName != table.name || change.columnCount == table.columns.count else {
            // Another connection has changed the table.
            noteAnything()
            return
        }
        let mark = running.last?.mark ?? savepoints.last?.mark ?? 0
        if entries.count - mark >= Self.limit {
            collapse(from: mark)
            if let last = running.indices.last, !running[last].nested.isEmpty {
                running[last].nested = [mark..<entries.count]
            }
        }
        if entries.count > mark, let last = entries.last, last.table == index, last.row == nil { return }
        entries.append(Entry(table: index, row: table.row(change)))
    }

    /// The table's place; nil for one that nobody listens to.
    private func place(_ database: UnsafePointer<CChar>, _ name: String) -> Int? {
        guard strcmp(database, "main") == 0 else { return nil }
        let key = asciiLowercased(name)
        if let index = indices[key] { return tables[index].isWanted ? index : nil }
        // Another connection has made the table.
        if wanted?.contains(key) ?? true { noteAnything() }
        return nil
    }

    private func noteAnything() {
        last = nil
        mayHaveNewSchema = true
        entries.append(Entry(table: nil, row: nil))
    }

    /// Keeps of what was noted since a mark the tables alone.
    private func collapse(from mark: Int) {
        var kept: Set<Int?> = []
        for entry in entries[mark...] { kept.insert(entry.table) }
        entries.replaceSubrange(mark..., with: kept.map { Entry(table: $0, row: nil) })
    }

    /// Reads the tables' columns and keys.
    private func lookAtTables() throws(SQLiteError) {
        let now = schemaVersion
        mayHaveNewSchema = false
        guard tables.isEmpty || now == nil || now != schema || wantedChanged else { return }
        // Of what was noted of the old tables, the places stay: new ones are added at the end.
        if schema != nil, now != schema { entries.append(Entry(table: nil, row: nil)) }
        schema = now
        last = nil
        indices = [:]
        let base = entries.isEmpty ? 0 : tables.count
        if base == 0 { tables = [] }
        lookedFor = wanted
        hasLooked = true
        isLooking = true
        defer { isLooking = false }
        for table in try RecordedTable.all(connection) {
            var table = table
            table.isWanted = wanted?.contains(asciiLowercased(table.name)) ?? true
            indices[asciiLowercased(table.ownName)] = tables.count
            tables.append(table)
        }
    }

    /// True while the recorder's own statements run.
    @exclusivity(unchecked) private var isLooking = false

    private var schemaVersion: Int64? {
        let wasLooking = isLooking
        isLooking = true
        defer { isLooking = wasLooking }
        return connection.schemaVersion
    }

    @exclusivity(unchecked) private var lookedFor: Set<String>?
    @exclusivity(unchecked) private var hasLooked = false
    private var wantedChanged: Bool { !hasLooked || lookedFor != wanted }
}
