public import Foundation

/// Where a database lives.
///
/// See [Opening A New Database Connection](https://www.sqlite.org/c3ref/open.html) and
/// [In-Memory Databases](https://www.sqlite.org/inmemorydb.html).
public struct DatabaseLocation: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Hashable {
        /// With the path as it was given.
        case file(String, given: String)
        case memory
        case sharedMemory(String)
        case temporary
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// A file.
    ///
    /// - Parameter path: Absolute, or relative to the directory that is current now. A leading `~` is the home directory.
    ///   As in SQLite, `:memory:` is ``memory`` and the empty path ``temporary``. A path is never taken for a URI.
    public static func file(_ path: String) -> DatabaseLocation {
        switch path {
        case ":memory:": memory
        case "": temporary
        default: DatabaseLocation(absolute: (path as NSString).expandingTildeInPath)
        }
    }

    /// - Parameter path: One that is relative becomes absolute, since SQLite would ask for the current directory at
    ///   each connection, which may be another by then.
    private init(absolute path: String) {
        let directory = FileManager.default.currentDirectoryPath
        // Without a current directory there is no file, but the path must not become another one, or a URI.
        let start = directory == "/" ? "" : directory.isEmpty ? "." : directory
        self.init(.file(path.utf8.first == UInt8(ascii: "/") ? path : "\(start)/\(path)", given: path))
    }

    /// A file by its URL.
    ///
    /// - Parameter url: The file.
    public static func file(_ url: URL) -> DatabaseLocation {
        DatabaseLocation(absolute: url.absoluteURL.path(percentEncoded: false))
    }

    /// A file in the folder where this user's programs keep their data, in a folder of this program's own.
    ///
    /// That is `Application Support` on Apple's systems, and `$XDG_DATA_HOME` or `~/.local/share` on Linux. The
    /// program's folder has its bundle identifier's name, or without one the process's. Opening the database creates
    /// it.
    ///
    /// - Parameter name: The file's name, or a path below the program's folder. An absolute path is taken as it is.
    public static func applicationData(_ name: String) -> DatabaseLocation {
        if name.hasPrefix("/") { return file(name) }
        let base =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(filePath: NSHomeDirectory()).appending(path: ".local/share")
        let program = Bundle.main.bundleIdentifier ?? processName
        return file(base.appending(path: program).appending(path: name))
    }

    /// The process's name. Linux adds to it when the program's file has been replaced since the process began, as an
    /// upgrade does.
    private static var processName: String {
        let (name, mark) = (ProcessInfo.processInfo.processName, " (deleted)")
        return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    }

    /// A database in memory, which ends with its connection.
    public static var memory: DatabaseLocation { DatabaseLocation(.memory) }

    /// A database in memory that all connections of this process to the same name share; it ends with the last of them.
    ///
    /// They wait for each other as they do at a file without a write-ahead log. It needs a library with SQLite's
    /// `memdb` file system, as most are; without it, opening throws. See
    /// [The Memory VFS](https://www.sqlite.org/vfs.html#standard_unix_vfses).
    ///
    /// - Parameter name: The name.
    public static func sharedMemory(_ name: String) -> DatabaseLocation {
        DatabaseLocation(.sharedMemory(name))
    }

    /// A database in a temporary file, which is created when the database outgrows the cache, and deleted with its
    /// connection.
    public static let temporary = DatabaseLocation(.temporary)

    /// The absolute path of the file; nil for a database without one.
    public var path: String? {
        if case .file(let path, _) = kind { path } else { nil }
    }

    /// Whether it is in no file, not even a temporary one.
    var isInMemory: Bool {
        switch kind {
        case .memory, .sharedMemory: true
        case .file, .temporary: false
        }
    }

    /// Whether it can have several connections.
    var isShared: Bool {
        switch kind {
        case .file, .sharedMemory: true
        case .memory, .temporary: false
        }
    }

    /// The absolute path, `:memory:`, `:memory:` with the name of a shared database, or `temporary`.
    public var description: String {
        switch kind {
        case .file(let path, _): path
        case .memory: ":memory:"
        case .sharedMemory(let name): ":memory:\(name)"
        case .temporary: "temporary"
        }
    }

    /// The name to hand to SQLite, which reads one that begins with "file:" as a URI: "./" keeps it from that.
    ///
    /// - Parameter isGiven: Whether a path is as it was given, for a VFS that knows alone what a path is.
    func name(isGiven: Bool = false) -> String {
        switch kind {
        case .file(_, let given) where isGiven: given.hasPrefix("file:") || given.hasPrefix(":") ? "./" + given : given
        case .file(let path, _): path
        case .memory: ":memory:"
        // SQLite shares what has a name of more than "/". The empty authority keeps it from reading one in the name.
        case .sharedMemory(let name): "file:///\(uriEscaped(name))/?vfs=memdb"
        case .temporary: ""
        }
    }

    /// The name of a file with a parameter of SQLite's URIs.
    func name(with parameter: StaticString, _ value: String, isGiven: Bool = false) -> String {
        guard case .file(let path, let given) = kind else { return name() }
        let name = isGiven ? given : path
        // Without the authority, which is empty, a path that begins with two slashes would be taken to begin with one.
        let start = name.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
        return "\(start)\(uriEscaped(name))?\(parameter)=\(uriEscaped(value))"
    }
}

/// A text as a part of a URI. A NUL stays one, and is rejected with any other name that has one.
private func uriEscaped(_ text: String) -> String {
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case 0, 65...90, 97...122, 48...57, UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            [byte]
        default: Array("%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
