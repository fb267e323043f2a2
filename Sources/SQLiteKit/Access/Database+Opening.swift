internal import CSystemSQLite

/// Opening a database, and setting what its configuration says.
extension Database {
    /// Opens a database.
    ///
    /// - Parameters:
    ///   - location: A file, memory, or a temporary file.
    ///   - configuration: How to open it, and what to set.
    /// - Throws: ``SQLiteError`` when the file cannot be opened or created, isn't a database, or a setting fails; or
    ///   what ``DatabaseConfiguration/prepare`` throws. It names the path.
    public convenience init(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        self.init(try Connection(location, ConnectionSettings(configuration)), location, configuration)
        do {
            try applyConfiguration()
        } catch let error as SQLiteError {
            throw connection.explainingKey(error).adding(path: location.path)
        }
    }

    private func applyConfiguration() throws {
        try applyKey()
        try connection.setBusyTimeout(configuration.busyTimeout)
        try setFlag(ConnectionFlag(rawValue: SQLITE_DBCONFIG_DQS_DML), false)
        try setFlag(ConnectionFlag(rawValue: SQLITE_DBCONFIG_DQS_DDL), false)
        try setFlag(.foreignKeys, configuration.foreignKeys)
        try addBuiltIns()
        try loadExtensions()
        if configuration.isDefensive { try beDefensive() }
        // First, since a key or a page size has no effect on a file that has been read.
        try configuration.prepare?(self)
        // A file without pages has had no schema, and no pragma reads one from it.
        let isNew = try connection.headerNumber("schema_version") == 0 && connection.headerNumber("page_count") == 0
        if location.path != nil, !isReadOnly {
            // An authorizer that `prepare` has set isn't asked.
            try connection.unasked { try applyJournalMode(isNew: isNew) }
            #if canImport(Darwin)
                if configuration.isExcludedFromBackup { try location.excludeFromBackup() }
            #endif
        }
        connection.isSynchronousUnset = true
        guard isNew || configuration.prepare != nil || configuration.trace != nil else { return }
        try connection.settleSynchronous()
        // Last, since a key may have been set before.
        if configuration.trace != nil { try setTrace(configuration.trace) }
    }

    private func applyJournalMode(isNew: Bool) throws {
        guard let wanted = configuration.journalMode ?? (isNew ? .wal : nil) else { return }
        if wanted == .wal, try hasLog { return }
        let actual = try scalar("PRAGMA main.journal_mode = \(identifier: wanted.rawValue)", as: String.self)
        guard actual == wanted.rawValue || configuration.journalMode == nil else {
            throw connection.failure(
                .error, "the journal mode \(wanted.rawValue) isn't available; it is \(actual ?? "unknown")")
        }
    }

    /// Whether the database has a write-ahead log, in a connection that has written nothing.
    var hasLog: Bool {
        get throws(SQLiteError) {
            // The closure may have written. A new log is opened by who reads next, and what never changes has none.
            if configuration.prepare == nil, connection.hasOpenLog == true { return true }
            return try journalMode == .wal
        }
    }
}

extension ConnectionSettings {
    fileprivate init(_ configuration: DatabaseConfiguration) {
        let flags =
            switch configuration.openMode {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly, .immutable: SQLITE_OPEN_READONLY
            }
        self.init(
            flags: flags, isImmutable: configuration.openMode == .immutable, vfs: configuration.vfs,
            repairsText: configuration.invalidText == .repaired, synchronous: configuration.synchronous)
    }
}
