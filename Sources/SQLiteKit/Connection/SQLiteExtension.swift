internal import CSystemSQLite

/// An extension of SQLite in C, such as one for vectors or for geography, which a configuration has loaded.
///
/// ```swift
/// configuration.extensions = [.file("/usr/lib/sqlite/vec0"), .entryPoint(sqlite3_other_init)]
/// ```
///
/// It is loaded on every connection of a queue, pool or manager, before the file is read. SQL can't load any: the call is
/// open to the library alone, and closed again at once. See [Run-Time Loadable
/// Extensions](https://www.sqlite.org/loadext.html).
///
/// An extension has all rights of the program. A configuration that is ``DatabaseConfiguration/isDefensive`` loads none.
public struct SQLiteExtension: Sendable {
    /// What an extension begins with: it is given the connection, a place for a message that `sqlite3_free` frees, and
    /// nil. It returns `SQLITE_OK`.
    public typealias EntryPoint =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> Int32

    fileprivate enum Source: Sendable {
        case file(String, entryPoint: String?)
        case entryPoint(EntryPoint)
    }

    fileprivate let source: Source

    /// A shared library.
    ///
    /// - Parameters:
    ///   - path: Its path. The ending of the system's libraries may be left out.
    ///   - entryPoint: The name of the function that it begins with; nil takes SQLite's default, which follows from the
    ///     file's name.
    public static func file(_ path: String, entryPoint: String? = nil) -> SQLiteExtension {
        SQLiteExtension(source: .file(path, entryPoint: entryPoint))
    }

    /// A function of an extension that is linked into the program. It must be compiled with `SQLITE_CORE`, so that it
    /// calls the SQLite that the program is linked with.
    ///
    /// - Parameter function: The function.
    public static func entryPoint(_ function: @escaping EntryPoint) -> SQLiteExtension {
        SQLiteExtension(source: .entryPoint(function))
    }
}

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
