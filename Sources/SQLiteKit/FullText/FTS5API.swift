internal import CSystemSQLite

/// FTS5's functions for its own extensions.
extension Connection {
    /// Asks FTS5 of this connection for its functions.
    ///
    /// See [Extending FTS5](https://www.sqlite.org/fts5.html#extending_fts5).
    ///
    /// - Throws: ``ResultCode/missingFeature`` where SQLite was built without FTS5.
    func fts5() throws(SQLiteError) -> UnsafeMutablePointer<fts5_api> {
        let handle = try accessible()
        let was = (isUnasked, isProbing)
        (isUnasked, isProbing) = (true, true)
        defer { (isUnasked, isProbing) = was }
        var (statement, api): (OpaquePointer?, UnsafeMutablePointer<fts5_api>?)
        defer { sqlite3_finalize(statement) }
        // The name must stay: SQLite compares it when the function runs.
        let name: StaticString = "fts5_api_ptr"
        let isKnown = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK
        withUnsafeMutablePointer(to: &api) { place in
            name.withUTF8Buffer { name in
                name.withMemoryRebound(to: CChar.self) { name in
                    guard isKnown, sqlite3_bind_pointer(statement, 1, place, name.baseAddress, nil) == SQLITE_OK else {
                        return
                    }
                    _ = sqlite3_step(statement)
                }
            }
        }
        guard let api, api.pointee.iVersion >= 2 else {
            throw failure(.missingFeature, "this system's SQLite has no FTS5 (SQLITE_ENABLE_FTS5)")
        }
        return api
    }

    /// Throws for a name that can't be one of FTS5's.
    func checkFTS5(_ name: String, _ kind: String) throws(SQLiteError) {
        guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else {
            throw failure(.misuse, "\(name.debugDescription) cannot name \(kind): 1 to 255 bytes, no NUL")
        }
    }
}
