/// The mistakes that are found before anything runs.
extension Migration {
    /// Checks that versions are positive and ascend.
    ///
    /// - Throws: ``PersistenceError/Code/invalidMigrations``.
    static func check(_ migrations: [Migration]) throws {
        func invalid(_ migration: Migration, _ message: String) -> PersistenceError {
            PersistenceError(.invalidMigrations, message, migration: migration.version)
        }
        var last: Migration?
        for migration in migrations {
            guard migration.version > 0 else {
                throw invalid(migration, "\(migration.title) has no valid version: versions begin with 1")
            }
            if let last, migration.version <= last.version {
                throw invalid(
                    migration,
                    migration.version == last.version
                        ? "two migrations have the version \(migration.version): give each a version of its own"
                        : "\(migration.title) is declared after \(last.title): declare migrations in ascending order")
            }
            last = migration
        }
    }

    /// Compares the migrations of this program with those that a database has seen.
    ///
    /// - Throws: ``PersistenceError/Code/newerDatabase``, ``PersistenceError/Code/missingMigration``,
    ///   ``PersistenceError/Code/changedMigration``.
    static func check(_ migrations: [Migration], against history: MigrationHistory, _ db: any EngineConnection) throws {
        let place = db.path.map { "the database \($0)" } ?? "the database"
        let newest = migrations.last?.version ?? 0
        guard history.version <= newest else {
            throw PersistenceError(
                .newerDatabase,
                "\(place) has version \(history.version), and this program knows \(newest) at most: "
                    + "a newer version of the program has migrated it",
                migration: history.version)
        }
        var seen = Dictionary(history.applied.map { ($0.version, $0) }) { $1 }
        // Another program may have moved the version without a word to the history.
        let lastKnown = min(history.version, history.applied.last?.version ?? 0)
        for migration in migrations.prefix(while: { $0.version <= history.version }) {
            if let applied = seen.removeValue(forKey: migration.version) {
                guard migration.allowsChanges || migration.isSame(as: applied) else {
                    throw PersistenceError(
                        .changedMigration,
                        "the SQL of \(migration.title) isn't what ran on \(place): restore it, and make the change a "
                            + "later migration",
                        sql: applied.sql, migration: migration.version)
                }
            } else if history.base < migration.version, migration.version <= lastKnown {
                throw PersistenceError(
                    .missingMigration,
                    "\(migration.title) never ran on \(place), which has version \(history.version) already: "
                        + "give it a later version",
                    migration: migration.version)
            }
        }
        let first = migrations.first?.version ?? 0
        if let unknown = seen.keys.filter({ first < $0 && $0 <= history.version }).min() {
            throw PersistenceError(
                .missingMigration,
                "\(place) has seen migration \(unknown), which this program lacks: declare it again, or another "
                    + "version of the program has migrated this database",
                migration: unknown)
        }
    }
}
