public import Foundation

/// Plans.
extension PersistenceManager {
    /// Compares tables with their classes, and returns a plan that would make them match. Nothing runs.
    ///
    /// A table that is wider than its class is fine: what no class has is a note of the plan, and stays.
    ///
    /// - Parameters:
    ///   - types: The classes. Those that share a table are taken together.
    ///   - dropped: What to drop that no class has: `"USER.NICKNAME"` for a column, or the name of a table or an index.
    ///     What isn't there any more counts as dropped.
    /// - Returns: The plan, which is empty when the tables have all that the classes need.
    /// - Throws: ``PersistenceError`` when a class can't be mapped;
    ///   ``PersistenceError/Code/schemaMismatch`` for a view that lacks a column, and for a column of numbers that may
    ///   be dates in a form that the class doesn't declare.
    public func schemaPlan(
        for types: [PersistingModel.Type], dropping dropped: [String] = []
    ) throws -> SchemaPlan {
        let mappings = try types.map { try Mapping.of($0, dates: dates) }
        // A pool's readers don't have the writer's temporary tables.
        if mappings.contains(where: \.isTemporary) {
            return try engine.withoutTransaction { db in try plan(mappings, dropped, db) }
        }
        return try engine.query { db in try plan(mappings, dropped, db) }
    }

    /// The same, while the task is suspended.
    public func schemaPlan(
        for types: [PersistingModel.Type], dropping dropped: [String] = []
    ) async throws -> SchemaPlan {
        let mappings = try types.map { try Mapping.of($0, dates: dates) }
        if mappings.contains(where: \.isTemporary) {
            return try await engine.withoutTransaction { db in try self.plan(mappings, dropped, db) }
        }
        return try await engine.query { db in try self.plan(mappings, dropped, db) }
    }

    /// Runs a plan: all of it, or nothing after an error, a crash or a power cut.
    ///
    /// It runs in one transaction. Foreign keys aren't enforced meanwhile, and are checked before the commit, as are
    /// the new tables and the views and triggers that name them. Inside a transaction it's a savepoint, and throws when
    /// a table that others refer to has to be rebuilt; in a migration it doesn't.
    ///
    /// - Parameters:
    ///   - plan: A plan for this database.
    ///   - risk: The greatest risk that a step may have.
    ///   - backup: The path of a file to copy the database that changes to before anything runs; an existing one is
    ///     replaced. Nil makes no copy, and none is made of a temporary database. For a plan that changes several
    ///     databases, and on a cluster, any path throws ``/SQLiteKit/SQLiteError`` with the code `.unsupported`.
    ///   - progress: Counts the steps. Cancelling it undoes all of them.
    /// - Throws: ``PersistenceError/Code/unsafePlan`` with the plan when it has steps of a greater risk;
    ///   ``PersistenceError/Code/unfitRows`` when existing rows prevent a step;
    ///   ``PersistenceError/Code/stalePlan`` when the tables have changed since the plan was made;
    ///   ``PersistenceError/Code/constraint`` when rows would be left without a parent; ``/SQLiteKit/SQLiteError``.
    public func apply(
        _ plan: SchemaPlan, allowing risk: SchemaPlan.Risk = .adds, backup: String? = nil, progress: Progress? = nil
    ) throws {
        try engine.withoutTransaction { db in try execute(plan, risk, backup, progress, db) }
    }

    /// The same, while the task is suspended.
    public func apply(
        _ plan: SchemaPlan, allowing risk: SchemaPlan.Risk = .adds, backup: String? = nil, progress: Progress? = nil
    ) async throws {
        try await engine.withoutTransaction { db in try self.execute(plan, risk, backup, progress, db) }
    }

    /// Changes a table: by ALTER TABLE if SQLite can, and otherwise by rebuilding the table. All or nothing.
    ///
    /// ```swift
    /// try manager.alterTable("USER") { table in
    ///     table.rename("NAME", to: "TITLE")
    ///     table.drop("AGE")
    ///     table.change("SCORE", to: .double.notNull.default(0))
    ///     table.add("NOTE", .string)
    /// }
    /// ```
    ///
    /// Rows, indexes, triggers, views and the rows of other tables that refer to it stay. Indexes for full-text search
    /// and a history follow the changes.
    ///
    /// - Parameters:
    ///   - name: The table's name, without regard to the case of ASCII letters.
    ///   - body: Notes the changes. They're made when it has returned.
    /// - Returns: What was done.
    /// - Throws: ``PersistenceError/Code/noTable``; ``PersistenceError/Code/unknownKey`` for a column or an index that
    ///   isn't there; ``PersistenceError/Code/invalidModel`` for a change that a history or an index of the table
    ///   can't follow; what `apply(_:allowing:backup:progress:)` throws; what `body` throws.
    @discardableResult
    public func alterTable(_ name: String, _ body: (inout TableAlteration) throws -> Void) throws -> SchemaPlan {
        var alteration = TableAlteration()
        try body(&alteration)
        let changes = alteration.changes
        return try engine.withoutTransaction { db in try alter(name, changes, db) }
    }

    /// The same, while the task is suspended. `body` runs in the caller's isolation.
    @discardableResult
    public func alterTable(_ name: String, _ body: (inout TableAlteration) throws -> Void) async throws -> SchemaPlan {
        var alteration = TableAlteration()
        try body(&alteration)
        let changes = alteration.changes
        return try await engine.withoutTransaction { db in try self.alter(name, changes, db) }
    }

    private func alter(_ name: String, _ changes: [TableAlteration.Change], _ db: any EngineConnection) throws
        -> SchemaPlan
    {
        lookForNewSchema(db)
        let planner = try SchemaPlanner(db, "main", tables: migrationTables)
        let plan = try planner.plan(altering: name, changes, dates: dates)
        try execute(plan, .loses, nil, nil, db)
        return plan
    }

    func plan(_ mappings: [Mapping], _ dropped: [String], _ db: any EngineConnection) throws -> SchemaPlan {
        try planners(for: mappings, db).map { planner, mappings in try planner.plan(for: mappings, dropping: dropped) }
            .reduce(SchemaPlan(), +)
    }

    /// A planner for each database that classes are kept in, `main` first, with those classes.
    func planners(
        for mappings: [Mapping], _ db: any EngineConnection
    ) throws -> [(planner: SchemaPlanner, mappings: [Mapping])] {
        for mapping in mappings { try mapping.checkRelations() }
        lookForNewSchema(db)
        var groups: [(database: String, mappings: [Mapping])] = [("main", [])]
        for mapping in mappings {
            let place = groups.firstIndex { isSameName($0.database, mapping.database) } ?? groups.count
            if place == groups.count {
                // It throws for a database that isn't attached.
                _ = try mapping.foundColumns(db)
                groups.append((mapping.database, []))
            }
            groups[place].mappings.append(mapping)
        }
        return try groups.map { database, mappings in
            (try SchemaPlanner(db, database, wanted: mappings.map(\.tableName), tables: migrationTables), mappings)
        }
    }

    func execute(
        _ plan: SchemaPlan, _ risk: SchemaPlan.Risk, _ backup: String?, _ progress: Progress?,
        _ db: any EngineConnection,
        remembering fingerprint: SchemaFingerprint? = nil
    ) throws {
        let run = PlanRun(manager: self, plan: plan, db: db, progress: progress, fingerprint: fingerprint)
        try run.check(allowing: risk)
        try run.executeSteps(backup: backup)
    }
}
