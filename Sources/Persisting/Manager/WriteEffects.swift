/// What a table's triggers and conflict clauses can do when its rows are written. Most tables have none of it.
struct WriteEffects: OptionSet, Sendable {
    let rawValue: UInt16

    /// A statement that fails may leave some of what it has written, by RAISE(FAIL) or ON CONFLICT FAIL, or a trigger
    /// what it has written before it ignores the row.
    static let leavesParts = Self(rawValue: 1)
    /// A trigger may write to the row that a statement has written, which then doesn't hold what RETURNING says.
    static let rewritesRow = Self(rawValue: 2)
    /// A trigger hears of deleted rows. Of those that REPLACE deletes, SQLite tells it only with `recursive_triggers`.
    static let hearsDeletions = Self(rawValue: 4)
    /// Rows are replaced without being asked to, by ON CONFLICT REPLACE.
    static let replaces = Self(rawValue: 8)
    /// A trigger, a conflict clause or a module has a say in what becomes of each row, so that of an INSERT of several
    /// it can't be known what has become of them, and under which keys.
    static let decidesByRow = Self(rawValue: 16)
    /// A history records what is written, here or in a table whose foreign keys refer to this one.
    static let isRecorded = Self(rawValue: 32)
    /// There are triggers, though those of companions alone.
    static let hasTriggers = Self(rawValue: 64)
    /// A CHECK looks at what is written.
    static let checksValues = Self(rawValue: 128)
    /// A foreign key of the table refers to another, or to the table itself.
    static let refers = Self(rawValue: 512)
    /// A foreign key refers to the table.
    static let isReferenced = Self(rawValue: 256)
    /// What a write has to do something about.
    fileprivate static let acting: Self = [.leavesParts, .rewritesRow, .hearsDeletions, .replaces, .isRecorded]
}

extension WriteEffects {
    /// Looks at the triggers of a database's schema, and at the conflict clauses of its tables.
    init(on table: String, in database: String, _ db: any EngineConnection) throws {
        let temporary: SQL = "UNION ALL SELECT type, tbl_name, sql, name FROM temp.sqlite_schema WHERE type = 'trigger'"
        let rows = try db.rows(
            """
            SELECT type, tbl_name, sql, name FROM \(identifier: database).sqlite_schema
            WHERE type = 'trigger' OR type = 'table' AND (tbl_name = \(table) COLLATE NOCASE OR sql LIKE '%FAIL%'
                OR sql LIKE '%REFERENCES%' AND sql LIKE \(Self.pattern(of: table)))
            \(sql: try db.hasTemporaryDatabase ? temporary : "")
            """, cached: false)
        var found = EffectFinder(table: table)
        for row in rows {
            let sql = try row.value(at: 2, as: String?.self) ?? ""
            let isOwn = isSameName(try row.value(at: 1, as: String.self), table)
            if try row.value(at: 0, as: String.self) == "trigger" {
                found.addTrigger(try row.value(at: 3, as: String.self), sql, isOwn: isOwn)
            } else {
                found.addTable(sql, isOwn: isOwn)
            }
        }
        self = found.effects
    }

    /// A pattern of texts that may have a table's name in them: a name with quotation marks may be written otherwise.
    private static func pattern(of table: String) -> String {
        table.utf8.contains { $0 == 0x22 || $0 == 0x27 || $0 == 0x60 } ? "%" : "%\(table)%"
    }
}

/// What the texts of tables and triggers say about the writes of one table.
private struct EffectFinder {
    let table: String
    private var found: WriteEffects = []
    private var isOwnWritten = false
    private var mayFail = false
    private var hasHistory = false

    init(table: String) {
        self.table = table
    }

    mutating func addTable(_ sql: String, isOwn: Bool) {
        let text = SQLTokens(sql).tokens
        noteFailures(text, isOwn: isOwn)
        if text.names(table, after: "REFERENCES") { found.insert(.isReferenced) }
        guard isOwn else { return }
        if text.has("REFERENCES") { found.insert(.refers) }
        if text.has("CHECK") { found.insert(.checksValues) }
        if text.has("REPLACE") { found.insert(.replaces) }
        let isVirtual = text.dropFirst().first?.isWord("VIRTUAL") == true
        if isVirtual || ["FAIL", "REPLACE", "IGNORE", "ROLLBACK"].contains(where: text.has) {
            found.insert(.decidesByRow)
        }
    }

    mutating func addTrigger(_ name: String, _ sql: String, isOwn: Bool) {
        let text = SQLTokens(sql).tokens
        noteFailures(text, isOwn: isOwn)
        let isOfHistory = text.names(HistoryTable.transactions, after: "INTO")
        if text.writes(to: table) { isOwnWritten = true }
        if isOfHistory { hasHistory = true }
        guard isOwn else { return }
        found.insert(.hasTriggers)
        // A companion's hear of replaced rows anyway, and leave each row as it is.
        if RowTriggers.companion(of: name, sql) != nil {
            if isOfHistory { found.insert(.isRecorded) }
            return
        }
        found.insert(.decidesByRow)
        if text.has("IGNORE") { found.insert(.leavesParts) }
        if text.prefix(while: { !$0.isWord("ON") }).has("DELETE") { found.insert(.hearsDeletions) }
    }

    private mutating func noteFailures(_ text: [SQLTokens.Token], isOwn: Bool) {
        guard text.has("FAIL") else { return }
        mayFail = true
        if isOwn { found.insert(.leavesParts) }
    }

    /// What they come to together.
    var effects: WriteEffects {
        var effects = found
        let hasTriggers = found.contains(.hasTriggers)
        if hasTriggers, isOwnWritten { effects.insert(.rewritesRow) }
        // What is recorded, or fails, may be a row that a foreign key deletes or updates.
        guard hasTriggers || found.contains(.isReferenced) else { return effects }
        if hasHistory { effects.insert(.isRecorded) }
        if mayFail { effects.insert(.leavesParts) }
        return effects
    }
}

extension Collection<SQLTokens.Token> {
    fileprivate func has(_ word: String) -> Bool { contains { $0.isWord(word) } }

    fileprivate func names(_ table: String, after word: String) -> Bool {
        zip(self, dropFirst()).contains { $0.isWord(word) && $1.name.map { isSameName($0, table) } == true }
    }

    /// Whether a trigger's statements write to a table, or read it.
    func uses(_ table: String) -> Bool {
        writes(to: table) || ["FROM", "JOIN", "IN"].contains { names(table, after: $0) }
    }

    /// Whether a trigger's statements insert into a table, or update it.
    fileprivate func writes(to table: String) -> Bool {
        names(table, after: "INTO") || names(table, after: "UPDATE")
            || zip(zip(self, dropFirst()), zip(dropFirst(2), dropFirst(3))).contains {
                $0.0.isWord("UPDATE") && $0.1.isWord("OR") && $1.1.name.map { isSameName($0, table) } == true
            }
    }
}

extension ModelTable {
    /// Runs a write that is applied as a whole or not at all, and whose replacements fire the triggers of what they
    /// delete: what SQLite does by itself for a table without such triggers and clauses.
    ///
    /// - Parameters:
    ///   - isAtomic: Whether all is undone anyway when the write throws.
    ///   - replaces: Whether the statement says REPLACE.
    @inline(__always)
    func whole<T>(
        _ db: any EngineConnection, isAtomic: Bool = false, replaces: Bool = false, _ write: () throws -> T
    ) throws -> T {
        let effects = try effects(db)
        return effects.isDisjoint(with: .acting) ? try write() : try whole(effects, db, isAtomic, replaces, write)
    }

    /// Runs a write of a table whose history has a number for it.
    private func recorded<T>(_ db: any EngineConnection, _ write: () throws -> T) throws -> T {
        guard let manager else { return try write() }
        if db.isInTransaction {
            try manager.openRecord(db)
            return try write()
        }
        return try db.transaction(nil) {
            try manager.openRecord(db)
            return try write()
        }
    }

    private func whole<T>(
        _ effects: WriteEffects, _ db: any EngineConnection, _ isAtomic: Bool, _ replaces: Bool,
        _ write: () throws -> T
    ) throws -> T {
        let fires = effects.contains(.hearsDeletions) && (replaces || effects.contains(.replaces))
        if effects.contains(.isRecorded) {
            return try recorded(db) { try whole(effects.subtracting(.isRecorded), db, isAtomic, replaces, write) }
        }
        func fire() throws -> T { fires ? try db.firingTriggersOfReplacedRows(write) : try write() }
        let needsSavepoint = !isAtomic && !effects.isDisjoint(with: [.leavesParts, .rewritesRow])
        return needsSavepoint ? try db.savepoint(fire) : try fire()
    }
}

extension EngineConnection {
    /// Runs `body`, in which REPLACE fires the triggers of the rows that it deletes.
    ///
    /// It isn't set for good: a trigger that updates the row that it is called for, as many do, would then call itself
    /// until SQLite gives up.
    func firingTriggersOfReplacedRows<T>(_ body: () throws -> T) throws -> T {
        if try scalar("PRAGMA recursive_triggers", as: Bool.self) == true { return try body() }
        try setPragma("recursive_triggers", true)
        let result: Result<T, any Error>
        do {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        do {
            try setPragma("recursive_triggers", false)
        } catch {
            // Why the write failed says more.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }
}
