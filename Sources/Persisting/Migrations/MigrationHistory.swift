internal import Foundation

/// What a database says of the migrations it has seen.
struct MigrationHistory {
    /// The version of the database; 0 before its first migration.
    var version = 0
    /// The version that the database had when its history began: what ran until then is unknown.
    var base = 0
    var applied: [AppliedMigration] = []
}

extension MigrationTables {
    /// Reads the history: by one query, if there is one.
    ///
    /// - Throws: ``PersistenceError/Code/invalidMigrations`` for a table of that name with another purpose.
    func read(_ db: any EngineConnection) throws -> MigrationHistory {
        do {
            return try readBoth(db)
        } catch let error as SQLiteError where error.extendedCode == .error {
            // A table or a column is missing. Only a database without history gets here, so a start with nothing to do
            // doesn't ask first.
            return try readVersion(db)
        }
    }

    private func readBoth(_ db: any EngineConnection) throws -> MigrationHistory {
        let rows = try db.rows(
            """
            SELECT (SELECT count(*) FROM main.\(identifier: version)),
                (SELECT max(version) FROM main.\(identifier: version)),
                version, applied_at, name, sql
            FROM main.\(identifier: companion) ORDER BY version
            """, cached: false)
        var history = MigrationHistory()
        for row in rows {
            try checkCount(row[0])
            history.version = try row[1] ?? 0
            if let date: Date = try row[3] {
                history.applied.append(
                    AppliedMigration(version: try row[2], name: try row[4], date: date, sql: try row[5]))
            } else {
                history.base = try row[2]
            }
        }
        return history
    }

    private func readVersion(_ db: any EngineConnection) throws -> MigrationHistory {
        for (table, wanted) in [(version, ["version"]), (companion, ["version", "applied_at", "name", "sql"])] {
            let columns = try db.columns(of: table, in: "main").map { asciiLowercased($0.name) }
            guard columns.isEmpty || Set(columns).isSuperset(of: wanted) else {
                throw notAVersionTable("\(table) has the columns \(columns.joined(separator: ", "))")
            }
            if table == version, columns.isEmpty { return MigrationHistory() }
        }
        let row = try db.rows("SELECT count(*), max(version) FROM main.\(identifier: version)", cached: false).first
        try checkCount(row?[0] ?? 0)
        let number: Int = try row?[1] ?? 0
        return MigrationHistory(version: number, base: number)
    }

    private func checkCount(_ count: Int) throws {
        guard count > 1 else { return }
        throw notAVersionTable("\(version) has \(count) rows")
    }

    private func notAVersionTable(_ reason: String) -> PersistenceError {
        PersistenceError(
            .invalidMigrations,
            "\(reason), so it isn't a table of migrations: keep the version in another table by versionTable:")
    }

    /// Notes that a migration runs, and creates the tables before the first one.
    func begin(_ migration: Migration, after history: MigrationHistory, _ db: any EngineConnection) throws {
        if history.applied.isEmpty {
            try db.execute(
                "CREATE TABLE IF NOT EXISTS main.\(identifier: version) (version INTEGER PRIMARY KEY NOT NULL)")
            try db.execute(
                """
                CREATE TABLE IF NOT EXISTS main.\(identifier: companion)
                (version INTEGER PRIMARY KEY NOT NULL, applied_at TEXT, name TEXT, sql TEXT)
                """)
            try db.execute("INSERT OR IGNORE INTO main.\(identifier: companion) (version) VALUES (\(history.base))")
        }
        try db.execute(
            """
            INSERT OR REPLACE INTO main.\(identifier: companion) (version, applied_at, name, sql)
            VALUES (\(migration.version), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), \(migration.name),
                \(migration.sql?.sql))
            """)
    }

    /// Stores a migration's version.
    func finish(_ migration: Migration, _ db: any EngineConnection) throws {
        if try db.execute("UPDATE main.\(identifier: version) SET version = \(migration.version)") == 0 {
            try db.execute("INSERT INTO main.\(identifier: version) VALUES (\(migration.version))")
        }
    }
}
