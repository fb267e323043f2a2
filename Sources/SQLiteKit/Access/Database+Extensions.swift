internal import CSystemSQLite

extension Database {
    /// Loads the extensions of the configuration.
    func loadExtensions() throws(SQLiteError) {
        guard !configuration.extensions.isEmpty else { return }
        guard !configuration.isDefensive else {
            throw connection.failure(
                .misuse, "a defensive configuration loads no extensions: an extension has all rights of the program")
        }
        for found in configuration.extensions { try load(found) }
    }

    private func load(_ found: SQLiteExtension) throws(SQLiteError) {
        let handle = try connection.accessible()
        var message: UnsafeMutablePointer<CChar>?
        defer { sqlite3_free(message) }
        let (code, name): (Int32, String)
        switch found.source {
        case .entryPoint(let function): (code, name) = (function(handle, &message, nil), "that is linked in")
        case .file(let path, let entryPoint):
            guard let load = loadExtension else {
                throw connection.failure(
                    .missingFeature, "this system's SQLite loads no extensions (SQLITE_OMIT_LOAD_EXTENSION)")
            }
            guard !path.utf8.contains(0), entryPoint?.utf8.contains(0) != true else {
                throw connection.failure(.cannotOpen, "the path of an extension cannot hold a NUL character")
            }
            try setFlag(.loadExtension, true)
            code = load(handle, path, entryPoint, &message)
            try setFlag(.loadExtension, false)
            name = path
        }
        // SQLITE_OK_LOAD_PERMANENTLY
        guard code != SQLITE_OK, code != SQLITE_OK | 1 << 8 else { return }
        let reason = message.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code))
        throw connection.failure(.error, "the extension \(name) can't be loaded: \(reason)")
    }
}

extension ConnectionFlag {
    /// Whether the C interface loads extensions. SQL doesn't.
    fileprivate static let loadExtension = ConnectionFlag(rawValue: SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION)
}

private typealias LoadExtension =
    @convention(c) (
        OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

/// `sqlite3_load_extension`, which SQLITE_OMIT_LOAD_EXTENSION leaves out.
private let loadExtension: LoadExtension? = SQLiteLibrary.symbol("sqlite3_load_extension").map {
    // The symbol has this type wherever it exists: https://www.sqlite.org/c3ref/load_extension.html
    unsafeBitCast($0, to: LoadExtension.self)
}
