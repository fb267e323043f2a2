public import Foundation

/// Migrations.
extension PersistenceManager {
    /// Runs the migrations that the database hasn't seen, in ascending order.
    ///
    /// Each runs in a transaction of its own that also stores its version: after an error, a crash or a power cut the
    /// version and the schema agree. Programs that start at the same time run it once; one waits for the other, for up
    /// to a minute. In a migration foreign keys aren't enforced, so that a table can be rebuilt without losing the rows
    /// that refer to it. They're checked before the commit instead.
    ///
    /// With nothing to run this takes a single query and writes nothing. A read-only database is fine then.
    ///
    /// - Parameters:
    ///   - migrations: All migrations that the program knows, in ascending order of their versions.
    ///   - progress: Counts the migrations. A `Progress` that a migration creates on its thread is a part of it.
    ///     Cancelling it stops before the next migration.
    /// - Returns: The versions that ran.
    /// - Throws: ``PersistenceError/Code/invalidMigrations`` before anything runs;
    ///   ``PersistenceError/Code/newerDatabase``, ``PersistenceError/Code/missingMigration`` and
    ///   ``PersistenceError/Code/changedMigration`` when the database has seen other migrations;
    ///   ``PersistenceError/Code/migrationFailed`` with the version, the SQL and the underlying error. The migrations
    ///   before the one that failed stay. ``/SQLiteKit/SQLiteError`` with `.notAllowedHere` inside a transaction or a
    ///   read.
    @discardableResult
    public func migrate(_ migrations: [Migration], progress: Progress? = nil) throws -> [Int] {
        try Migration.check(migrations)
        return try engine.withoutTransaction { db in try Migrator(self, migrations, db).migrate(progress) }
    }

    /// The same, while the task is suspended. Cancelling it interrupts the migration that runs, which is rolled back;
    /// those before it stay.
    @discardableResult
    public func migrate(_ migrations: [Migration], progress: Progress? = nil) async throws -> [Int] {
        try Migration.check(migrations)
        return try await engine.withoutTransaction { db in
            try self.handingOver { try Migrator(self, migrations, db).migrate(progress) }
        }
    }

    /// The version of the database's schema: that of the last migration; 0 before the first, and without migrations.
    ///
    /// - Throws: ``/SQLiteKit/SQLiteError``; ``PersistenceError/Code/invalidMigrations`` for a version table that is
    ///   something else.
    public var schemaVersion: Int {
        get throws { try engine.query { db in try migrationTables.read(db).version } }
    }

    /// The migrations that the database has seen, in ascending order: when each ran, its name and its SQL.
    ///
    /// Those that another library ran before aren't known.
    ///
    /// - Throws: ``/SQLiteKit/SQLiteError``; ``PersistenceError/Code/invalidMigrations`` for a version table that is
    ///   something else.
    public var appliedMigrations: [AppliedMigration] {
        get throws { try engine.query { db in try migrationTables.read(db).applied } }
    }

    /// Opens a database and brings its schema up to date, while the task is suspended.
    ///
    /// ```swift
    /// let manager = try await PersistenceManager(
    ///     path: path, migrations: migrations, progress: progress)
    /// ```
    ///
    /// - Parameters:
    ///   - location: `.file(path)`, `.memory` or `.temporary`.
    ///   - configuration: How to open it, and what to set.
    ///   - dates: The form in which to store dates.
    ///   - migrations: All migrations that the program knows, in ascending order. Mistakes in the list throw before the
    ///     file is created.
    ///   - versionTable: The table that holds the schema's version.
    ///   - progress: Counts the migrations.
    /// - Throws: ``/SQLiteKit/SQLiteError`` with the path; what `migrate(_:progress:)` throws.
    public convenience init(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration = DatabaseConfiguration(),
        dates: DateStorage = .unixSeconds, migrations: [Migration], versionTable: String = "schema_version",
        progress: Progress? = nil
    ) async throws {
        try Migration.check(migrations)
        let database = try await DatabasePool.orQueue(location, configuration: configuration)
        self.init(database, dates: dates, versionTable: versionTable)
        try await migrate(migrations, progress: progress)
    }

    /// Opens a database file and brings its schema up to date, while the task is suspended.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the current directory; `:memory:` is a database in memory.
    ///   - configuration: How to open it, and what to set.
    ///   - dates: The form in which to store dates.
    ///   - migrations: All migrations that the program knows, in ascending order. Mistakes in the list throw before the
    ///     file is created.
    ///   - versionTable: The table that holds the schema's version.
    ///   - progress: Counts the migrations.
    /// - Throws: ``/SQLiteKit/SQLiteError`` with the path; what `migrate(_:progress:)` throws.
    public convenience init(
        path: String, configuration: DatabaseConfiguration = DatabaseConfiguration(),
        dates: DateStorage = .unixSeconds, migrations: [Migration], versionTable: String = "schema_version",
        progress: Progress? = nil
    ) async throws {
        try await self.init(
            .file(path), configuration: configuration, dates: dates, migrations: migrations,
            versionTable: versionTable, progress: progress)
    }
}
