internal import Foundation

/// One application of a plan on a connection.
struct PlanRun {
    let manager: PersistenceManager
    let plan: SchemaPlan
    let db: any EngineConnection
    let progress: Progress?
    /// What is stored with the changes.
    var fingerprint: SchemaFingerprint?

    /// Throws for a plan that does more than is allowed, or whose rows are in the way.
    func check(allowing risk: SchemaPlan.Risk) throws {
        guard let greatest = plan.risk, greatest > risk else { return }
        throw PersistenceError(
            .unsafePlan,
            "the plan has steps that are more than \"\(risk)\": read it, and apply it with allowing: .\(greatest)\n\(plan)"
        )
    }

    private func checkObstacles(_ obstacles: [SchemaPlan.Obstacle]) throws {
        guard !obstacles.isEmpty else { return }
        throw PersistenceError(.unfitRows, obstacles.map(\.message).joined(separator: "; "))
    }

    /// Runs all steps, or none.
    func run(backup: String?) throws {
        guard !plan.isEmpty else { return }
        try checkObstacles(plan.obstacles)
        guard !db.isReading else {
            throw SQLiteError(.notAllowedHere, "a plan can't be applied inside a read", path: db.path)
        }
        guard !db.isReadOnly else { throw SQLiteError(.readOnly, "the database is read-only", path: db.path) }
        let isNested = db.isInTransaction
        let enforcesForeignKeys = try isOn("foreign_keys")
        if isNested {
            guard backup == nil else {
                throw SQLiteError(.notAllowedHere, "a backup can't be made inside a transaction", path: db.path)
            }
            if enforcesForeignKeys { try checkParents() }
        }
        if let backup { try backUp(to: backup) }
        let isLegacy = try isOn("legacy_alter_table")
        // Inside a transaction SQLite ignores the pragma, and dropping a table would delete its children.
        if enforcesForeignKeys, !isNested { try db.setForeignKeys(false) }
        let result = Result {
            if isLegacy { try setLegacyAlterTable(false) }
            try steps(checksForeignKeys: enforcesForeignKeys)
        }
        // Whatever has failed, the connection is as it was before.
        let restored = Result {
            if enforcesForeignKeys, !isNested { try db.setForeignKeys(true) }
            // A statement that failed may have left it on.
            try setLegacyAlterTable(isLegacy)
        }
        try result.get()
        try restored.get()
    }

    private func isOn(_ pragma: SQL) throws -> Bool {
        try db.scalar("PRAGMA \(sql: pragma)", as: Bool.self) == true
    }

    private func setLegacyAlterTable(_ isOn: Bool) throws {
        try db.execute(isOn ? "PRAGMA legacy_alter_table = 1" : "PRAGMA legacy_alter_table = 0", cached: false)
    }

    private func backUp(to path: String) throws {
        guard let db = db as? Database else {
            throw SQLiteError(.unsupported, "\(db.engineName) makes no backup: apply the plan without one")
        }
        var configuration = DatabaseConfiguration()
        // In WAL mode the copy couldn't take the page size.
        configuration.journalMode = .delete
        try db.backup(to: try Database(.file(path), configuration: configuration))
    }

    private func steps(checksForeignKeys: Bool) throws {
        progress?.totalUnitCount = Int64(plan.steps.count)
        try db.transaction(.immediate) {
            try checkTexts()
            for check in plan.checks {
                if let obstacle = try check.obstacle(db) { try checkObstacles([obstacle]) }
            }
            let foreignKeys = checksForeignKeys ? try ForeignKeyState(db) : nil
            let broken = try brokenViews()
            manager.forgetTables(db)
            tellOfErasure()
            for step in plan.steps {
                if progress?.isCancelled == true { throw CancellationError() }
                let triggers = step.isRebuild ? try temporaryTriggers(of: step.table) : []
                for sql in step.sql + triggers { try db.execute(SQL(sql), cached: false) }
                progress?.completedUnitCount += 1
            }
            if let foreignKeys { try ForeignKeyState(db).check(since: foreignKeys) }
            try checkIntegrity()
            for (name, error) in try brokenViews() where broken[name] == nil { throw error }
            try fingerprint?.store(db)
        }
        manager.lookForNewSchema(db)
    }

    /// The statements that create the triggers that this connection alone has on a table, and that go with it.
    private func temporaryTriggers(of table: String) throws -> [String] {
        let texts = try db.column(
            """
            SELECT sql FROM temp.sqlite_schema WHERE type = 'trigger' AND tbl_name = \(table) COLLATE NOCASE
                AND NOT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE type = 'table' AND name = \(table) COLLATE NOCASE)
            """, as: String.self)
        // SQLite keeps the text without the word.
        return texts.map { "CREATE TEMP" + $0.dropFirst("CREATE".count) }
    }

    /// Says aloud that a prototype's rows are deleted.
    private func tellOfErasure() {
        let erased = plan.steps.filter { $0.risk == .erases }
        guard let first = erased.first else { return }
        let rows = erased.map(\.rows).reduce(0, +)
        let place = db.path ?? "a database in memory"
        let count = rows == 1 ? "1 row" : "\(rows) rows"
        FileHandle.standardError.write(Data("Persisting ERASES \(place), with \(count): \(first.reason)\n".utf8))
    }

    /// Throws for a plan that was made for other tables.
    private func checkTexts() throws {
        for (name, text) in plan.texts.sorted(by: { $0.key < $1.key }) {
            let current = try db.scalar(
                "SELECT sql FROM main.sqlite_schema WHERE name = \(name) COLLATE NOCASE AND type IN ('table', 'view')",
                as: String.self)
            guard current == text else {
                throw PersistenceError(
                    .stalePlan, "the table \(name) has changed since the plan was made: make a new plan")
            }
        }
    }

    /// Throws when a table that others refer to would be dropped inside a transaction with foreign keys.
    private func checkParents() throws {
        let rebuilt = plan.steps.filter { $0.isRebuild || $0.risk >= .loses }.map(\.table)
        guard !rebuilt.isEmpty else { return }
        for table in try db.schema().tables {
            for key in table.foreignKeys {
                guard let parent = rebuilt.first(where: { isSameName($0, key.parent) }) else { continue }
                throw SQLiteError(
                    .notAllowedHere,
                    "\(parent) has to be rebuilt, and \(table.name) refers to it: inside a transaction that would delete "
                        + "or reject the rows that refer to it. Apply the plan outside of one, or in a migration",
                    path: db.path)
            }
        }
    }

    private func checkIntegrity() throws {
        for step in plan.steps where step.isRebuild {
            let name = plan.newNames[asciiLowercased(step.table)] ?? step.table
            let lines = try db.column("PRAGMA main.integrity_check(\(identifier: name))", as: String.self)
            guard lines == ["ok"] else {
                throw PersistenceError(.schemaMismatch, "the new table is damaged: \(lines.joined(separator: "; "))")
            }
        }
    }

    /// The errors of views, and of triggers, that can't run, by their kind and name.
    private func brokenViews() throws -> [String: SQLiteError] {
        var errors: [String: SQLiteError] = [:]
        let rows = try db.rows(
            """
            SELECT DISTINCT CASE type WHEN 'view' THEN name ELSE tbl_name END, type FROM main.sqlite_schema
            WHERE type IN ('view', 'trigger')
            """, cached: false)
        for row in rows {
            let name: String = try row.value(at: 0, as: String.self)
            let type: String = try row.value(at: 1, as: String.self)
            var statements: [String] = ["SELECT * FROM \(SQLText.identifier(name))"]
            if type == "trigger" { statements = try statementsWithTriggers(name) }
            for sql in statements {
                if let error = try preparationError(sql) { errors[type + " " + asciiLowercased(name)] = error }
            }
        }
        return errors
    }

    /// The error of a statement that SQLite can't make sense of.
    private func preparationError(_ sql: String) throws -> SQLiteError? {
        do throws(SQLiteError) {
            // To explain a statement is to compile it.
            let statement = try db.statement(CachedSQL("EXPLAIN " + sql), cached: false).any
            defer { statement.clear() }
            _ = try statement.step()
            return nil
        } catch {
            guard error.code == .error else { throw error }
            return error
        }
    }

    /// Statements that run the triggers of a table: to prepare them compiles those.
    private func statementsWithTriggers(_ table: String) throws -> [String] {
        let identifier = SQLText.identifier(table)
        var statements: [String] = ["DELETE FROM \(identifier)", "INSERT INTO \(identifier) DEFAULT VALUES"]
        let columns = try db.table(table, in: "main")?.columns ?? []
        let names: [String] = columns.filter { $0.kind == .ordinary }.map { SQLText.identifier($0.name) }
        let settings: [String] = names.map { "\($0) = \($0)" }
        if !names.isEmpty { statements.append("UPDATE \(identifier) SET \(settings.list(", "))") }
        return statements
    }
}
