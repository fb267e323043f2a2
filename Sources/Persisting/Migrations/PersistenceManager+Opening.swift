/// Opening a database, and bringing it up to date.
extension PersistenceManager {
    /// Opens a database, and creates its file with its directories if it is missing.
    ///
    /// - Parameters:
    ///   - location: `.file(path)`, `.memory` or `.temporary`.
    ///   - configuration: How to open it, and what to set.
    ///   - dates: The form in which to store dates: REAL seconds since 1970 unless said.
    ///   - migrations: What to bring its schema up to date with, in ascending order; see `migrate(_:progress:)`. Nil
    ///     neither migrates nor checks. Mistakes in the list throw before the file is created.
    ///   - versionTable: The table that holds the schema's version.
    /// - Throws: ``/SQLiteKit/SQLiteError`` with the path; what `migrate(_:progress:)` throws.
    public convenience init(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration = DatabaseConfiguration(),
        dates: DateStorage = .unixSeconds, migrations: [Migration]? = nil, versionTable: String = "schema_version"
    ) throws {
        if let migrations { try Migration.check(migrations) }
        self.init(
            try DatabasePool.orQueue(location, configuration: configuration), dates: dates, versionTable: versionTable)
        if let migrations { try migrate(migrations) }
    }

    /// Opens a database file, and creates it with its directories if it is missing.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the directory that is current now; `:memory:` is a database in memory.
    ///   - configuration: How to open it, and what to set.
    ///   - dates: The form in which to store dates: REAL seconds since 1970 unless said.
    ///   - migrations: What to bring its schema up to date with, in ascending order; see `migrate(_:progress:)`. Nil
    ///     neither migrates nor checks. Mistakes in the list throw before the file is created.
    ///   - versionTable: The table that holds the schema's version.
    /// - Throws: ``/SQLiteKit/SQLiteError`` with the path; what `migrate(_:progress:)` throws.
    public convenience init(
        path: String, configuration: DatabaseConfiguration = DatabaseConfiguration(),
        dates: DateStorage = .unixSeconds, migrations: [Migration]? = nil, versionTable: String = "schema_version"
    ) throws {
        try self.init(
            .file(path), configuration: configuration, dates: dates, migrations: migrations, versionTable: versionTable)
    }
}
