internal import CSystemSQLite

/// Changes of the schema, by whatever connection.
extension Connection {
    /// Reads the schema again if it has changed, as a statement does when it begins.
    ///
    /// It costs about as much as a small query, and is for what asks about a statement that has not begun.
    ///
    /// - Returns: A number that is another one after each change of `main`, and after each change that this connection
    ///   made; nil when it can't be told.
    func schemaChangesSeen() -> Int32? {
        probe(\.schemaProbe, "SELECT 1 FROM main.sqlite_schema LIMIT 0") { probe in
            sqlite3_step(probe)
            // It returns the error of the step.
            guard sqlite3_reset(probe) == SQLITE_OK else { return nil }
            return sqlite3_stmt_status(probe, SQLITE_STMTSTATUS_REPREPARE, 0)
        }
    }

    /// The number of the schema of `main`; nil when it can't be read.
    var schemaVersion: Int64? {
        probe(\.schemaVersionProbe, "PRAGMA main.schema_version") { probe in
            defer { sqlite3_reset(probe) }
            return sqlite3_step(probe) == SQLITE_ROW ? sqlite3_column_int64(probe, 0) : nil
        }
    }

    /// The names of the temporary tables and views.
    var temporaryTableNames: [String] {
        // A connection without any has no temporary database, and is not to get one.
        guard let handle = handleIfAccessible, sqlite3_db_filename(handle, "temp") != nil else { return [] }
        let names = probe(
            \.temporaryTablesProbe, "SELECT name FROM temp.sqlite_schema WHERE type IN ('table', 'view')"
        ) { probe in
            defer { sqlite3_reset(probe) }
            var names: [String] = []
            while sqlite3_step(probe) == SQLITE_ROW {
                if let name = sqlite3_column_text(probe, 0) { names.append(String(cString: name)) }
            }
            return names
        }
        return names ?? []
    }

    /// Whether a statement is one of those that no user's hook hears of.
    func isProbe(_ statement: OpaquePointer?) -> Bool {
        statement == schemaProbe || statement == schemaVersionProbe || statement == temporaryTablesProbe
    }

    /// Asks a statement that is kept, and that no user's hook hears of.
    private func probe<T>(
        _ place: ReferenceWritableKeyPath<Connection, OpaquePointer?>, _ sql: String, _ ask: (OpaquePointer) -> T?
    ) -> T? {
        guard let handle = handleIfAccessible else { return nil }
        let wasUnasked = isUnasked
        isUnasked = true
        defer { isUnasked = wasUnasked }
        if self[keyPath: place] == nil {
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &self[keyPath: place], nil)
        }
        return self[keyPath: place].flatMap(ask)
    }
}
