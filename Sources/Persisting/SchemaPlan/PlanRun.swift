internal import Foundation

/// One application of a plan on a connection.
struct PlanRun {
    let manager: PersistenceManager
    let plan: SchemaPlan
    let db: any EngineConnection
    let progress: Progress?
    /// What is stored with the changes.
    var fingerprint: SchemaFingerprint?

    /// Throws for a plan that does more than is allowed, or whose rows prevent it.
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
    func executeSteps(backup: String?) throws {
        try checkObstacles(plan.obstacles)
        guard !plan.isEmpty else { return }
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
            if isLegacy { try db.setPragma("legacy_alter_table", false) }
            try steps(checksForeignKeys: enforcesForeignKeys)
        }
        // Whatever has failed, the connection is as it was before.
        let restored = Result {
            if enforcesForeignKeys, !isNested { try db.setForeignKeys(true) }
            // A statement that failed may have left it on.
            try db.setPragma("legacy_alter_table", isLegacy)
        }
        try result.get()
        try restored.get()
    }

    private func isOn(_ pragma: SQL) throws -> Bool {
        try db.scalar("PRAGMA \(sql: pragma)", as: Bool.self) == true
    }

    private func backUp(to path: String) throws {
        guard let db = db as? Database else {
            throw SQLiteError(.unsupported, "\(db.engineName) makes no backup: apply the plan without one")
        }
        // A temporary database has nothing to keep.
        let databases = Set(plan.steps.map { asciiLowercased($0.place.database) }).subtracting(["temp"])
        guard let database = databases.first else { return }
        guard databases.count == 1 else {
            throw SQLiteError(
                .unsupported,
                "the plan changes \(databases.sorted().list(" and ")), and a backup is of one of them: copy each with "
                    + "VACUUM INTO, and apply the plan without a backup", path: db.path)
        }
        try Backup.check(.file(path), from: db.location)
        var configuration = DatabaseConfiguration()
        // In WAL mode the copy couldn't take the page size.
        configuration.journalMode = .delete
        configuration.key = db.key
        let backup = try Backup(
            from: db, sourceName: database, to: try Database(.file(path), configuration: configuration))
        while try backup.step() {}
    }

    private func steps(checksForeignKeys: Bool) throws {
        progress?.totalUnitCount = Int64(plan.steps.count)
        try db.transaction(.immediate) {
            try checkTexts()
            for check in plan.checks {
                if let obstacle = try check.obstacle(db) { try checkObstacles([obstacle]) }
            }
            let changed = Set(plan.steps.map(\.place.database))
            let foreignKeys = checksForeignKeys ? try ForeignKeyState(db, in: changed.sorted()) : nil
            let broken = try brokenViews()
            manager.forgetTables(db)
            tellOfErasure()
            for step in plan.steps {
                if progress?.isCancelled == true { throw CancellationError() }
                try keepingTemporaryTriggers(step) {
                    for sql in step.sql { try db.execute(SQL(sql), cached: false) }
                }
                progress?.completedUnitCount += 1
            }
            if let foreignKeys { try ForeignKeyState(db, in: changed.sorted()).check(since: foreignKeys, db) }
            try checkIntegrity()
            for (name, error) in try brokenViews() where broken[name] == nil { throw error }
            try fingerprint?.store(db)
        }
        manager.lookForNewSchema(db)
    }

    /// Runs a step, and creates the triggers that this connection alone has, and that went with a table, again.
    private func keepingTemporaryTriggers(_ step: SchemaPlan.Step, _ run: () throws -> Void) throws {
        guard step.isRebuild, try db.hasTemporaryDatabase else { return try run() }
        let before = try temporaryTriggers()
        try run()
        let left = Set(try temporaryTriggers())
        for text in before where !left.contains(text) {
            try db.execute(SQL(creatingTemporary(text, of: step.place.database)), cached: false)
        }
    }

    /// The texts of the triggers that this connection alone has, on tables of all its databases.
    private func temporaryTriggers() throws -> [String] {
        try db.column("SELECT sql FROM temp.sqlite_schema WHERE type = 'trigger' ORDER BY rowid", as: String.self)
    }

    /// The statement that creates a temporary trigger from its text, which SQLite keeps without the word.
    private func creatingTemporary(_ text: String, of database: String) -> String {
        let words = SQLTokens("CREATE TEMP" + text.dropFirst("CREATE".count))
        // A name without a database would be that of a temporary table, if there is one.
        guard let on = words.tokens.firstIndex(where: { $0.isWord("ON") }), on + 2 < words.tokens.count,
            !words.tokens[on + 2].isSymbol(".")
        else { return words.replacing { _ in nil } }
        return words.replacing { $0 == on ? "ON \(SQLText.identifier(database))." : nil }
    }

    /// Says aloud that a prototype's rows are deleted.
    private func tellOfErasure() {
        let erased = plan.steps.filter { $0.risk == .erases }
        guard let first = erased.first else { return }
        let rows = erased.map(\.rows).reduce(0, +)
        let places = Set(erased.map(\.place.database)).map { database in
            // Only a message lacks a path that can't be asked for.
            let file = try? db.scalar(
                "SELECT file FROM pragma_database_list WHERE name = \(database) COLLATE NOCASE", as: String.self)
            let path = isSameName(database, "main") ? db.path ?? file : file
            return path.flatMap { $0.isEmpty ? nil : $0 } ?? "a database in memory"
        }
        let count = rows == 1 ? "1 row" : "\(rows) rows"
        FileHandle.standardError.write(
            Data("Persisting ERASES \(places.sorted().list(", ")), with \(count): \(first.reason)\n".utf8))
    }

    /// Throws for a plan that was made for other tables.
    private func checkTexts() throws {
        let databases = Set(plan.texts.keys.map(\.database))
        let current = Dictionary(
            uniqueKeysWithValues: try databases.map { ($0, try SchemaItems(db, $0)) })
        for (table, texts) in plan.texts.sorted(by: { $0.key.name < $1.key.name }) {
            let now = current[table.database]?.texts(of: table.name) ?? []
            guard now.count == texts.count, zip(now, texts).allSatisfy(haveSameBytes) else {
                throw PersistenceError(
                    .stalePlan,
                    "the table \(table.name), its indexes or its triggers have changed since the plan was made: make a "
                        + "new plan")
            }
        }
    }

    /// Throws when a table that others refer to would be dropped inside a transaction with foreign keys.
    private func checkParents() throws {
        let rebuilt = Set(plan.steps.filter { $0.isRebuild || $0.risk >= .loses }.map(\.place))
        for database in Set(rebuilt.map(\.database)) {
            try checkParents(rebuilt, in: database)
        }
    }

    private func checkParents(_ rebuilt: Set<SchemaPlan.Table>, in database: String) throws {
        for table in try db.schema(of: database).tables {
            for key in table.foreignKeys {
                // A foreign key refers to a table of its own database.
                let parent = key.parent
                guard rebuilt.contains(SchemaPlan.Table(database, parent)) else { continue }
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
            let name = plan.newNames[step.place] ?? step.place.name
            let lines = try db.column(
                "PRAGMA \(identifier: step.place.database).integrity_check(\(identifier: name))", as: String.self)
            guard lines == ["ok"] else {
                throw PersistenceError(.schemaMismatch, "the new table is damaged: \(lines.joined(separator: "; "))")
            }
        }
    }

    /// The errors of views, and of triggers, that can't run, by what they are asked for.
    private func brokenViews() throws -> [String: SQLiteError] {
        var errors: [String: SQLiteError] = [:]
        for database in Set(plan.steps.map(\.place.database)) {
            errors.merge(try brokenViews(of: database)) { first, _ in first }
        }
        return errors
    }

    private func brokenViews(of database: String) throws -> [String: SQLiteError] {
        var errors: [String: SQLiteError] = [:]
        let rows = try db.rows(
            """
            SELECT DISTINCT CASE type WHEN 'view' THEN name ELSE tbl_name END, type
            FROM \(identifier: database).sqlite_schema WHERE type IN ('view', 'trigger')
            """, cached: false)
        for row in rows {
            let name: String = try row.value(at: 0, as: String.self)
            let type: String = try row.value(at: 1, as: String.self)
            let table = PlanDatabase(database, isNamed: true).table(name)
            var statements: [String] = ["SELECT * FROM \(table)"]
            if type == "trigger" { statements = try statementsWithTriggers(name, in: database, table) }
            for sql in statements {
                // A view that takes no deletions may well take insertions.
                let verb = sql.prefix { $0 != " " }
                let key = "\(verb) \(database).\(asciiLowercased(name))"
                if let error = try preparationError(sql) { errors[key] = error }
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
    ///
    /// - Parameter identifier: The table as SQL finds it.
    private func statementsWithTriggers(
        _ table: String, in database: String, _ identifier: String
    ) throws -> [String] {
        var statements: [String] = ["DELETE FROM \(identifier)", "INSERT INTO \(identifier) DEFAULT VALUES"]
        let columns = try db.table(table, in: database)?.columns ?? []
        let names: [String] = columns.filter { $0.kind == .ordinary }.map { SQLText.identifier($0.name) }
        let settings: [String] = names.map { "\($0) = \($0)" }
        if !names.isEmpty { statements.append("UPDATE \(identifier) SET \(settings.list(", "))") }
        return statements
    }
}
