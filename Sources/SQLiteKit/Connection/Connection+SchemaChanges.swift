internal import CSystemSQLite

/// A statement that is kept, and that no user's hook hears of.
final class Probe {
    private let sql: String
    /// Nil until it is wanted.
    @exclusivity(unchecked) private var statement: OpaquePointer?

    init(_ sql: String) {
        self.sql = sql
    }

    /// The statement; nil where it can't be prepared.
    fileprivate func prepared(_ handle: OpaquePointer) -> OpaquePointer? {
        if statement == nil {
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        }
        return statement
    }

    func finalize() {
        sqlite3_finalize(statement)
        statement = nil
    }
}

/// Changes of the schema, by whatever connection.
extension Connection {
    /// Reads the schema again if it has changed, as a statement does when it begins.
    ///
    /// It costs about as much as a small query, and is for what asks about a statement that has not begun.
    ///
    /// - Returns: A number that is another one after each change of `main`, and after each change that this connection
    ///   made; nil when it can't be told.
    func schemaChangesSeen() -> Int32? {
        probe(schemaProbe) { probe in
            sqlite3_step(probe)
            // It returns the error of the step.
            guard sqlite3_reset(probe) == SQLITE_OK else { return nil }
            return sqlite3_stmt_status(probe, SQLITE_STMTSTATUS_REPREPARE, 0)
        }
    }

    /// The number of the schema of `main`; nil when it can't be read.
    var schemaVersion: Int64? { probe(schemaVersionProbe, number) }

    /// The numbers of the schemas of all databases of the connection, by their names; nil when one can't be read.
    var schemaNumbers: [String: Int64]? {
        guard let databases = databaseList else { return nil }
        var numbers: [String: Int64] = [:]
        for (name, _) in databases {
            if name == "main" {
                numbers[name] = schemaVersion
            } else {
                var statement: OpaquePointer?
                numbers[name] = probing { handle in
                    let sql = "PRAGMA \(SQLText.identifier(name)).schema_version"
                    sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil)
                    defer { sqlite3_finalize(statement) }
                    return statement.flatMap(number)
                }
            }
            if numbers[name] == nil { return nil }
        }
        return numbers
    }

    /// The databases of the connection, and their files, empty for one without. The temporary one is among them once it
    /// is used.
    var databaseList: [(name: String, file: String)]? {
        probe(databaseListProbe) { probe in
            defer { sqlite3_reset(probe) }
            var databases: [(name: String, file: String)] = []
            while true {
                switch sqlite3_step(probe) {
                case SQLITE_ROW:
                    guard let name = sqlite3_column_text(probe, 1) else { return nil }
                    let file = sqlite3_column_text(probe, 2).map { String(cString: $0) }
                    databases.append((name: String(cString: name), file: file ?? ""))
                case SQLITE_DONE: return databases
                default: return nil
                }
            }
        }
    }

    private func number(_ probe: OpaquePointer) -> Int64? {
        defer { sqlite3_reset(probe) }
        return sqlite3_step(probe) == SQLITE_ROW ? sqlite3_column_int64(probe, 0) : nil
    }

    /// Whether there is a temporary database: a connection that needs none is not to get one.
    private var hasTemporaryDatabase: Bool {
        handleIfAccessible.map { sqlite3_db_filename($0, "temp") != nil } ?? false
    }

    /// The number of the temporary database's schema; nil without one, and for one that can't be read.
    var temporarySchemaVersion: Int64? {
        hasTemporaryDatabase ? probe(temporarySchemaVersionProbe, number) : nil
    }

    /// The names of the temporary tables and views.
    var temporaryTableNames: [String] {
        guard hasTemporaryDatabase else { return [] }
        let names = probe(temporaryTablesProbe) { probe in
            defer { sqlite3_reset(probe) }
            var names: [String] = []
            while sqlite3_step(probe) == SQLITE_ROW {
                if let name = sqlite3_column_text(probe, 0) { names.append(String(cString: name)) }
            }
            return names
        }
        return names ?? []
    }

    private func probe<T>(_ probe: Probe, _ ask: (OpaquePointer) -> T?) -> T? {
        probing { handle in probe.prepared(handle).flatMap(ask) }
    }

    /// Runs `body`, of whose statements no user's hook hears.
    func probing<T>(_ body: (OpaquePointer) -> T?) -> T? {
        guard let handle = handleIfAccessible else { return nil }
        let was = (isUnasked, isProbing)
        (isUnasked, isProbing) = (true, true)
        defer { (isUnasked, isProbing) = was }
        return body(handle)
    }

    /// A number of a database that is greater by one after each commit of this connection, and another one once it has
    /// begun to read after others have committed; nil for no such database.
    ///
    /// See [SQLITE_FCNTL_DATA_VERSION](https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
    func dataVersion(of database: UnsafePointer<CChar>) -> UInt32? {
        var version: UInt32 = 0
        let code = sqlite3_file_control(handle, database, SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }
}
