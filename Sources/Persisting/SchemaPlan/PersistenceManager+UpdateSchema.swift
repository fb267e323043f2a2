public import Foundation

/// Schemas at a program's start.
extension PersistenceManager {
    /// Makes tables match their classes when a program starts: makes a plan and applies it.
    ///
    /// ```swift
    /// try manager.updateSchema(for: [Album.self, User.self])
    /// ```
    ///
    /// Call it once, with all classes. When nothing has changed since, it reads two numbers of the file's header and
    /// nothing else. One of them is `PRAGMA user_version`, where it stores a negative number that stands for the
    /// classes and the schema, unless the program keeps a positive one of its own there. A program that wants 0 there
    /// says `keepsFingerprint: false`. Of programs that start at the same time, one updates; the other finds nothing to
    /// do.
    ///
    /// - Parameters:
    ///   - types: The classes.
    ///   - dropped: What to drop that no class has; see `schemaPlan(for:dropping:)`.
    ///   - risk: The greatest risk that a step may have. With ``SchemaPlan/Risk/erases``, which is for prototypes
    ///     alone, a plan that would do more than add is replaced by one that empties the database.
    ///   - backup: The path of a file to copy the database that changes to before anything does. With nothing to do,
    ///     and for a temporary database, none is made. If several databases change, and on a cluster, any path throws
    ///     ``/SQLiteKit/SQLiteError`` with the code `.unsupported`.
    ///   - progress: Counts the steps.
    ///   - keepsFingerprint: Whether to store a number in `PRAGMA user_version`, by which the next start knows that
    ///     nothing has changed.
    /// - Returns: The plan that was applied. When nothing has changed since the last call, it has no notes.
    /// - Throws: What `schemaPlan(for:dropping:)` and `apply(_:allowing:backup:progress:)` throw.
    @discardableResult
    public func updateSchema(
        for types: [PersistingModel.Type], dropping dropped: [String] = [], allowing risk: SchemaPlan.Risk = .adds,
        backup: String? = nil, progress: Progress? = nil, keepsFingerprint: Bool = true
    ) throws -> SchemaPlan {
        let update = try SchemaUpdate(self, types, dropped, risk, backup, progress, keepsFingerprint)
        return try engine.withoutTransaction { db in try update.planAndExecute(db) }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func updateSchema(
        for types: [PersistingModel.Type], dropping dropped: [String] = [], allowing risk: SchemaPlan.Risk = .adds,
        backup: String? = nil, progress: Progress? = nil, keepsFingerprint: Bool = true
    ) async throws -> SchemaPlan {
        let update = try SchemaUpdate(self, types, dropped, risk, backup, progress, keepsFingerprint)
        return try await engine.withoutTransaction { db in try update.planAndExecute(db) }
    }
}

/// One call of `updateSchema`.
private struct SchemaUpdate: Sendable {
    let manager: PersistenceManager
    let mappings: [Mapping]
    let dropped: [String]
    let risk: SchemaPlan.Risk
    let backup: String?
    let progress: Progress?
    let fingerprint: SchemaFingerprint?

    init(
        _ manager: PersistenceManager, _ types: [PersistingModel.Type], _ dropped: [String], _ risk: SchemaPlan.Risk,
        _ backup: String?, _ progress: Progress?, _ keepsFingerprint: Bool
    ) throws {
        self.manager = manager
        mappings = try types.map { try Mapping.of($0, dates: manager.dates) }
        self.dropped = dropped
        self.risk = risk
        self.backup = backup
        self.progress = progress
        // Of an attached database's schema the number in the header of `main` says nothing.
        let keepsFingerprint = keepsFingerprint && mappings.allSatisfy { $0.schemaName == nil }
        fingerprint = keepsFingerprint ? try SchemaFingerprint(of: mappings, dropping: dropped) : nil
    }

    func planAndExecute(_ db: any EngineConnection) throws -> SchemaPlan {
        if try fingerprint?.isStored(db) == true { return SchemaPlan() }
        // Another process may be doing the same: what it has done is planned no more.
        for _ in 0..<3 {
            do {
                return try update(db)
            } catch let error as PersistenceError where error.code == .stalePlan {}
        }
        return try update(db)
    }

    private func update(_ db: any EngineConnection) throws -> SchemaPlan {
        let schema = try db.headerNumbers.schemaVersion
        let plan = try plan(db)
        if plan.isEmpty, plan.obstacles.isEmpty {
            // It saves time, and what fails here shows itself when the database is used.
            try? fingerprint?.store(db, seen: schema)
        } else {
            try manager.execute(plan, risk, backup, progress, db, remembering: fingerprint)
        }
        return plan
    }

    private func plan(_ db: any EngineConnection) throws -> SchemaPlan {
        guard risk == .erases else { return try manager.plan(mappings, dropped, db) }
        return try manager.planners(for: mappings, db).map { planner, mappings in
            let reason: String
            do {
                let plan = try planner.plan(for: mappings, dropping: dropped, dropsNeeded: true)
                if plan.obstacles.isEmpty, plan.risk ?? .adds == .adds { return plan }
                let reasons = plan.steps.filter { $0.risk > .adds }.map { "\($0.table): \($0.reason)" }
                reason = (reasons.isEmpty ? plan.obstacles.map(\.message) : reasons).list("; ")
            } catch let error as PersistenceError where error.code == .schemaMismatch {
                reason = error.message
            }
            return try planner.plan(erasingFor: mappings, since: reason)
        }.reduce(SchemaPlan(), +)
    }
}
