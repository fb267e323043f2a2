/// An extension of SQLite in C, such as one for vectors or for geography, which a configuration has loaded.
///
/// ```swift
/// configuration.extensions = [
///     .file("/usr/lib/sqlite/vec0"), .entryPoint(sqlite3_other_init),
/// ]
/// ```
///
/// It is loaded on every connection of a queue, pool or manager, before the file is read. SQL can't load any: the call
/// is open to the library alone, and closed again immediately. See [Run-Time Loadable
/// Extensions](https://www.sqlite.org/loadext.html).
///
/// An extension has all rights of the program. A configuration that is ``DatabaseConfiguration/isDefensive`` loads
/// none.
public struct SQLiteExtension: Sendable {
    /// What an extension begins with: it is given the connection, a place for a message that `sqlite3_free` frees, and
    /// nil. It returns `SQLITE_OK`.
    public typealias EntryPoint =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> Int32

    enum Source: Sendable {
        case file(String, entryPoint: String?)
        case entryPoint(EntryPoint)
    }

    let source: Source

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
