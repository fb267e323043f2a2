internal import CSystemSQLite
internal import Foundation

/// Reports what a connection commits to those who listen, and notes it while somebody does.
///
/// Each commit is reported after which somebody listens: what is noted of it, or that anything may have changed if
/// nothing was noted from its beginning on. So whoever begins to listen and then reads misses nothing: a commit that
/// the reading doesn't show is reported after it. What listeners ask for decides only how much is kept: of a table that
/// nobody asks for, that it has changed.
///
/// Its state is used by the holder of the connection alone, and no access to it spans a call that comes back here.
final class ChangeRecorder: Recorder {
    // Which has the recorder.
    private unowned(unsafe) let connection: Connection
    private let listeners: ChangeListeners
    /// The queue or pool of the connection.
    private let owner: ObjectIdentifier
    /// The files that are attached, and those who listen to them as to their own.
    @exclusivity(unchecked) private var attached: [Attached] = []
    @exclusivity(unchecked) private var hasNewAttachment: Bool
    /// The version of the listeners that it follows.
    @exclusivity(unchecked) private var version = 0

    private struct Attached {
        let schema: String
        let listeners: ChangeListeners
    }

    /// Nil when they must be looked at.
    @exclusivity(unchecked) private var schema: RecordedSchema?
    /// Whether the tables were looked at inside the transaction that is open, which may have changed them before.
    @exclusivity(unchecked) private var isSchemaOfTransaction = false

    private struct Entry {
        /// Nil for anything: no entry follows such a one.
        let table: Int?
        /// Nil for any number of rows.
        let row: CommittedChanges.Row?

        static let anything = Entry(table: nil, row: nil)
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
        let wasInTransaction: Bool
        /// What statements have changed that ran inside it: those of its functions.
        var nestedChanges: Int64 = 0
        var nested: [Range<Int>] = []
    }
    /// The statements that write now, the outermost first.
    @exclusivity(unchecked) private var running: [Running] = []
    @exclusivity(unchecked) private var isInstalled = false
    /// True while the recorder's own statements run.
    @exclusivity(unchecked) private var isLooking = false
    /// How many rows are kept of one statement, and of a savepoint or transaction.
    private static let limit = 10_000

    /// - Parameter database: One that has just been opened: what it has attached its configuration has.
    init(_ database: Database, _ listeners: ChangeListeners, of owner: ObjectIdentifier) {
        connection = database.connection
        hasNewAttachment = database.configuration.prepare != nil || !database.configuration.extensions.isEmpty
        self.listeners = listeners
        self.owner = owner
    }

    deinit { endRelays() }

    // MARK: Listeners

    func beginAccess() {
        if hasNewAttachment { findAttached() }
        follow()
    }

    func endAccess() {
        // Others may commit to the file before the next access.
        if hasNewAttachment { findAttached() }
        // It is recording, then.
        guard version != 0 else { return }
        forgetRunning()
        settle()
    }

    func didCommit() {
        if hasNewAttachment { findAttached() }
        if connection.isRecording { settle() } else { reportAnything() }
        follow()
    }

    func noteAttachment() {
        hasNewAttachment = true
        schema = nil
        if connection.isRecording { noteAnything() }
    }

    private func findAttached() {
        hasNewAttachment = false
        let found: [Attached] = (connection.databaseList ?? []).compactMap { name, file in
            if file.isEmpty || name == "main" { return nil }
            return Attached(schema: asciiLowercased(name), listeners: .of(file: file))
        }
        for one in found { one.listeners.beginRelay(to: listeners, as: one.schema) }
        endRelays()
        attached = found
    }

    private func endRelays() {
        for one in attached { one.listeners.endRelay(to: listeners, as: one.schema) }
    }

    /// Those who listen to one of the connection's databases from elsewhere, and what it is called there: as to their
    /// own file, or as to one that they have attached.
    private var others: [(schema: String, listeners: ChangeListeners, name: String)] {
        let files = [("main", listeners)] + attached.map { ($0.schema, $0.listeners) }
        return attached.map { ($0.schema, $0.listeners, "main") }
            + files.flatMap { schema, base in
                base.relayed.filter { $0.listeners !== listeners || $0.schema != schema }
                    .map { (schema, $0.listeners, $0.schema) }
            }
    }

    /// What is listened to; 0 while nobody does.
    private var currentVersion: Int {
        if attached.isEmpty, !listeners.hasRelays { return listeners.currentVersion }
        return others.reduce(listeners.currentVersion) { $0 &* 1_000_003 &+ $1.listeners.currentVersion }
    }

    /// Looks at what is listened to.
    private func follow() {
        let now = currentVersion
        guard now != version else { return }
        if now == 0 {
            // What was noted of an open transaction can't be forgotten, for it may have listeners when it ends.
            if !connection.isInTransaction { end() }
            return
        }
        version = now
        if !connection.isRecording {
            connection.isRecording = true
            entries = connection.isInTransaction ? [.anything] : []
            schema?.mayHaveChanged = true
        }
        markWanted()
    }

    /// Marks the tables that somebody listens to.
    private func markWanted() {
        guard schema != nil else { return }
        let wanted = listeners.tables
        let others = others.filter { $0.listeners.currentVersion != 0 }
        let noted = others.reduce(listeners.notedColumns) { $0.union($1.listeners.notedColumns) }
        let wantedElsewhere = others.map { ($0.schema, $0.name, $0.listeners.tables) }
        for table in schema?.tables ?? [] {
            table.note(noted)
            table.isWanted =
                wanted?.contains(tableKey(table.name, in: table.schema)) ?? true
                || wantedElsewhere.contains { schema, name, tables in
                    schema == asciiLowercased(table.schema)
                        && tables?.contains(tableKey(table.name, in: name)) ?? true
                }
        }
    }

    /// Ends the recording: nobody listens any more.
    private func end() {
        version = 0
        connection.isRecording = false
        entries = []
        savepoints = []
        running = []
        guard isInstalled else { return }
        isInstalled = false
        connection.hooks.recorder = nil
        connection.installRollbackHook()
        connection.installPreUpdateHook()
    }

    // MARK: Statements

    func willRun(_ statement: any RunningStatement) {
        prepare()
        let start = savepoints.last?.mark ?? 0
        if running.isEmpty, entries.count - start > Self.limit { collapse(from: start) }
        running.append(
            Running(
                statement: ObjectIdentifier(statement), mark: entries.count,
                totalChanges: sqlite3_total_changes64(connection.handle),
                wasInTransaction: connection.isInTransaction))
    }

    func forgetRunning() { running.removeAll(keepingCapacity: true) }

    func noteReplacement() {
        schema = nil
        if connection.isRecording { noteAnything() } else { reportAnything() }
    }

    func prepare() {
        guard connection.isRecording else { return }
        guard PreUpdateCalls.available != nil, connection.hooks.sessionCount == 0 else {
            // Of what is written nothing is known: a session has the hook's place.
            return noteAnything()
        }
        if !isInstalled || !connection.hooks.hasPreUpdateHook {
            isInstalled = true
            connection.hooks.recorder = self
            connection.installRollbackHook()
            connection.installPreUpdateHook()
            connection.expireStatements()
        }
        // Others may have changed the tables before the transaction.
        if connection.isInTransaction, entries.isEmpty, let version = schema?.mainVersion, !isFirstRead,
            version != connection.dataVersion(of: "main")
        {
            lookAgain()
        }
        if schema == nil, !mayBeAnything { lookAtTables() }
    }

    /// Whether to look at anything would be the first reading of a deferred transaction, which then would not wait for
    /// others who write.
    private var isFirstRead: Bool {
        connection.isInTransaction && sqlite3_txn_state(connection.handle, nil) == SQLITE_TXN_NONE
    }

    /// Forgets the tables if others have changed them before the transaction.
    private func lookAgain() {
        isLooking = true
        defer { isLooking = false }
        schema?.mayHaveChanged = true
        if schema?.holds(connection) == false { schema = nil }
    }

    func didEnd(_ statement: any RunningStatement, failed: Bool) {
        if isLooking { return }
        if statement.isReadOnly {
            if !failed, let control = statement.savepointControl { follow(control) }
        } else if let place = running.lastIndex(where: { $0.statement == ObjectIdentifier(statement) }) {
            end(place, failed, statement.sql)
        }
        settle()
    }

    private func end(_ place: Int, _ failed: Bool, _ sql: String) {
        let ended = place == running.count - 1 ? running.removeLast() : running.remove(at: place)
        let changes = sqlite3_total_changes64(connection.handle) - ended.totalChanges
        let mark = min(ended.mark, entries.count)
        // What fails is undone, but with FAIL. The rows that its triggers have written are counted all the same.
        if changes == ended.nestedChanges || failed && !mayLeaveParts(sql) {
            if failed {
                // What its functions have written may stay.
                let nested = ended.nested.flatMap { entries[$0.clamped(to: mark..<entries.count)] }
                entries.replaceSubrange(mark..., with: nested)
            } else if ended.wasInTransaction || !connection.isInTransaction {
                // It isn't BEGIN IMMEDIATE, and may have changed the schema.
                schema?.mayHaveChanged = true
            }
        }
        guard place > 0 else { return }
        running[place - 1].nestedChanges += changes
        if mark < entries.count { running[place - 1].nested.append(mark..<entries.count) }
    }

    private func mayLeaveParts(_ sql: String) -> Bool {
        schema?.mayLeaveParts ?? true || asciiLowercased(sql).contains("fail")
    }

    private func follow(_ control: SavepointControl) {
        switch control {
        case .begin(let name): savepoints.append((name, entries.count))
        case .release(let name):
            if let index = savepoints.lastIndex(where: { $0.name == name }) { savepoints.removeSubrange(index...) }
        case .rollback(let name):
            guard let index = savepoints.lastIndex(where: { $0.name == name }) else { return noteAnything() }
            entries.removeSubrange(min(savepoints[index].mark, entries.count)...)
            savepoints.removeSubrange((index + 1)...)
            schema?.mayHaveChanged = true
        }
    }

    /// Reports what has been committed, if no transaction is open, and no statement runs that is one by itself.
    private func settle() {
        guard !connection.isInTransaction, running.isEmpty else { return }
        if entries.isEmpty, savepoints.isEmpty, !isSchemaOfTransaction, schema?.isSettled ?? true { return }
        savepoints = []
        isSchemaOfTransaction = false
        if schema?.holds(connection) == false {
            schema = nil
            noteAnything()
        }
        guard !entries.isEmpty else { return }
        if hasNewAttachment { findAttached() }
        if isUnheard { return entries.removeAll(keepingCapacity: true) }
        let noted = entries
        entries = []
        guard let tables = schema.flatMap({ Self.changed(noted, $0.tables) }) else { return reportAnything() }
        listeners.report(CommittedChanges(tables: tables), of: owner)
        for other in attached {
            let own = tables.values.filter { asciiLowercased($0.schema) == other.schema }
            guard !own.isEmpty else { continue }
            let renamed = own.map { (tableKey($0.name), $0.in("main")) }
            let commit = CommittedChanges(tables: Dictionary(renamed) { $1 })
            other.listeners.report(commit, except: listeners, as: other.schema)
        }
    }

    /// Whether all that was noted is of tables that nobody listens to. Whoever begins to listen now reads after the
    /// commit.
    private var isUnheard: Bool {
        guard let tables = schema?.tables, currentVersion == version else { return false }
        return entries.allSatisfy { $0.table.map { !tables[$0].isWanted } ?? false }
    }

    private func reportAnything() {
        listeners.reportAnything()
        for other in attached where other.listeners !== listeners { other.listeners.reportAnything(except: listeners) }
    }

    func clear() {
        entries = []
        savepoints = []
        running = []
        // The next schema may have the number of one that was rolled back.
        if isSchemaOfTransaction { schema = nil }
        isSchemaOfTransaction = false
        schema?.mayHaveChanged = true
    }

    /// What was noted, by the keys of the tables; nil for anything.
    private static func changed(
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
            let key = tableKey(table.name, in: table.schema)
            // A name with a point in it may be that of another database's table.
            let isOther = changed[key] != nil
            changed[key] = CommittedChanges.Table(
                name: table.name, schema: table.schema, keyColumns: table.keyColumns, rows: isOther ? nil : rows)
        }
        return changed
    }

    // MARK: Rows

    func note(_ change: borrowing PreUpdate, _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) {
        if mayBeAnything { return }
        guard let index = schema?.place(database, name, connection), let table = schema?.tables[index],
            table.isShadow || change.columnCount == table.columns.count
        else {
            // The table was made or changed since.
            schema?.mayHaveChanged = true
            return noteAnything()
        }
        let mark = running.last?.mark ?? savepoints.last?.mark ?? 0
        if entries.count - mark >= Self.limit {
            collapse(from: mark)
            if let last = running.indices.last, !running[last].nested.isEmpty {
                running[last].nested = [mark..<entries.count]
            }
        }
        if entries.count > mark, let last = entries.last, last.table == index, last.row == nil { return }
        entries.append(Entry(table: index, row: table.isWanted && !table.isShadow ? table.row(change) : nil))
    }

    /// Whether it is noted that anything may have changed: then nothing else needs to be.
    private var mayBeAnything: Bool { entries.last.map { $0.table == nil } ?? false }

    private func noteAnything() {
        if !mayBeAnything { entries.append(.anything) }
    }

    /// Keeps of what was noted since a mark the tables alone.
    private func collapse(from mark: Int) {
        if mayBeAnything {
            entries.removeSubrange(min(mark, entries.count - 1)..<(entries.count - 1))
            return
        }
        let kept = Set(entries[mark...].compactMap(\.table))
        entries.replaceSubrange(mark..., with: kept.map { Entry(table: $0, row: nil) })
    }

    /// Looks at the tables' columns and keys, before a statement that writes.
    private func lookAtTables() {
        guard !isFirstRead else { return noteAnything() }
        isLooking = true
        defer { isLooking = false }
        isSchemaOfTransaction = connection.isInTransaction
        schema = RecordedSchema(connection)
        if schema == nil { noteAnything() } else { markWanted() }
    }
}
