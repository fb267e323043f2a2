/// How a connection is opened and what it is set to.
///
/// ```swift
/// var configuration = DatabaseConfiguration()
/// configuration.busyTimeout = .seconds(30)
/// configuration.prepare = { db in try db.execute("PRAGMA cache_size = -20000") }
/// let queue = try DatabaseQueue(.file(path), configuration: configuration)
/// ```
public struct DatabaseConfiguration: Sendable {
    /// What opening does if the file exists or is missing.
    public enum OpenMode: Sendable, Hashable {
        /// Reads and writes, and creates the file with its directories if it is missing.
        case create
        /// Reads and writes a file that must exist.
        case readWrite
        /// Reads a file that must exist, and never writes it.
        case readOnly
        /// Reads a file that must exist and that nothing changes while it is open, on a read-only medium for example:
        /// no locks are taken, and no `-wal` file is looked for. When something does change it, results are wrong. See
        /// [the URI parameter immutable](https://www.sqlite.org/c3ref/open.html).
        case immutable
    }

    /// What opening does if the file exists or is missing. ``OpenMode/create`` by default.
    public var openMode = OpenMode.create

    /// The name of the VFS, SQLite's layer between it and the operating system, which opens the files: `unix-dotfile`
    /// where locks of the usual kind do not work, or one that the program has registered. Nil, the default, takes
    /// SQLite's default VFS.
    ///
    /// It holds for attached databases and temporary files as well. ``DatabaseLocation/sharedMemory(_:)`` has a VFS of
    /// its own, `memdb`, and ignores this one. With ``OpenMode/immutable`` the VFS is told that nothing changes the
    /// file; a custom VFS must respect that. A VFS without shared memory has no ``JournalMode/wal``, so a
    /// ``DatabasePool`` cannot use it. See [The OS Interface or "VFS"](https://www.sqlite.org/vfs.html).
    ///
    /// Opening throws ``ResultCode/cannotOpen`` for a name that no VFS has, and lists those that there are. Missing
    /// directories of a file are created without a VFS alone: what a path means to one is not known here.
    public var vfs: String?

    /// The journal mode to switch to. Nil, the default, gives WAL to a file that SQLite creates here and leaves every
    /// other as it is.
    ///
    /// A mode that is asked for and is unavailable throws when the database is opened. Ignored in memory and for
    /// read-only files.
    public var journalMode: JournalMode?

    /// How hard a commit waits for the disk, in `main` and in attached databases. ``SynchronousMode/extra`` by default:
    /// a commit that returned survives a power cut, whatever the journal mode.
    ///
    /// With a write-ahead log it is ``SynchronousMode/full``; with a rollback journal it syncs the directory as well.
    public var synchronous = SynchronousMode.extra

    /// Whether foreign keys are enforced. True by default.
    public var foreignKeys = true

    /// How long a statement waits for another connection's lock before it throws ``ResultCode/busy``. 5 seconds by
    /// default; zero doesn't wait.
    ///
    /// It tries again every 0.1 to 3 ms, more often the longer it has waited, so that of several processes that write
    /// to one file each gets its share. A task that is cancelled stops waiting. `PRAGMA busy_timeout` replaces this
    /// with SQLite's own way of waiting, at ever longer intervals. See
    /// [Register A Callback To Handle SQLITE_BUSY Errors](https://www.sqlite.org/c3ref/busy_handler.html).
    public var busyTimeout = Duration.seconds(5)

    /// How long a call waits for access before it throws ``ResultCode/accessTimeout``. Nil, the default, waits forever.
    public var accessTimeout: Duration?

    /// How many connections of a ``DatabasePool`` read, from 1 to 1000. 5 by default. They are opened when they are
    /// needed.
    public var maximumReaders = 5

    /// How a write transaction begins. ``TransactionKind/immediate`` by default, so that an unavailable lock is noticed
    /// before any work is done.
    public var writeTransaction = TransactionKind.immediate

    /// How many prepared statements are kept for reuse. 128 by default; 0 keeps none.
    public var statementCacheCapacity = 128

    /// What reading does with a text whose bytes are not UTF-8. ``InvalidText/refused`` by default.
    public var invalidText = InvalidText.refused

    /// Receives each statement that has ended, for a log for example. Nil, the default, costs nothing.
    public var trace: Trace?

    /// Whether the file is untrusted. False by default.
    ///
    /// Then SQL can do nothing that might damage the file's structure; what the file brings along can use no function
    /// that is not ``FunctionFlags/innocuous``, in a view or trigger when it runs, in a table's definition when the
    /// file is opened (in a CHECK, SQLite guards ``FunctionFlags/deterministic`` functions alone); damage in the file
    /// is looked for with more care; and ``Limit``s are lowered: no text or blob beyond 10 MB, no expression or trigger
    /// of great depth. A limit that is too low for you can be set in ``prepare``. `PRAGMA quick_check`, which reads all
    /// of the file, is left to you, and is the thing to do first.
    ///
    /// See [Defense Against The Dark Arts](https://www.sqlite.org/security.html).
    public var isDefensive = false

    /// The key of the file, which a cipher encrypts it with. Nil, the default, opens and makes a plain file.
    ///
    /// It is set before anything else on each connection, and what SQLite would write to temporary files is kept in
    /// memory. Opening throws ``ResultCode/missingFeature`` where the SQLite that is linked has no cipher, and
    /// ``ResultCode/wrongKey`` for a file that the key doesn't open. A database in memory has no use for a key, and
    /// ignores it. See <doc:EncryptingADatabase>.
    public var key: DatabaseKey?

    /// Extensions in C that each connection loads, in their order. None by default.
    ///
    /// Opening throws ``ResultCode/error`` with SQLite's text and the path for one that can't be loaded, and
    /// ``ResultCode/misuse`` where ``isDefensive`` is set.
    public var extensions: [SQLiteExtension] = []

    /// Whether Apple's systems leave the file out of their backups, which suits what a program can download again.
    /// False by default.
    ///
    /// It's a property of the file, set each time the database is opened for writing. Setting this to false doesn't
    /// remove it. Other systems ignore it. See
    /// [isExcludedFromBackup](https://developer.apple.com/documentation/foundation/urlresourcevalues/isexcludedfrombackup).
    public var isExcludedFromBackup = false

    /// Called with each new connection, before the file is read and before anyone uses it: for keys, pragmas,
    /// functions, collations, attached databases. The other settings follow it.
    ///
    /// What it throws makes opening fail.
    public var prepare: (@Sendable (Database) throws -> Void)?

    /// The default configuration.
    public init() {}
}

/// A journal mode. See [PRAGMA journal_mode](https://www.sqlite.org/pragma.html#pragma_journal_mode).
public struct JournalMode: RawRepresentable, Hashable, Sendable {
    /// The mode as the pragma writes it.
    public let rawValue: String

    /// A mode by the pragma's name for it, in lower case.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A write-ahead log: readers and a writer do not wait for each other.
    public static let wal = JournalMode(rawValue: "wal")
    /// A rollback journal that is deleted at each commit.
    public static let delete = JournalMode(rawValue: "delete")
    /// A rollback journal that is cut to zero length at each commit.
    public static let truncate = JournalMode(rawValue: "truncate")
    /// A rollback journal whose header is overwritten at each commit.
    public static let persist = JournalMode(rawValue: "persist")
    /// A rollback journal in memory: a crash may damage the file.
    public static let memory = JournalMode(rawValue: "memory")
    /// No journal, no rollback.
    public static let off = JournalMode(rawValue: "off")
}

/// How a transaction begins. See [Transactions](https://www.sqlite.org/lang_transaction.html).
public enum TransactionKind: String, Sendable, Hashable {
    /// Takes no lock until the first statement needs it.
    case deferred = "BEGIN DEFERRED"
    /// Takes the write lock immediately.
    case immediate = "BEGIN IMMEDIATE"
    /// Takes the write lock immediately, and without WAL keeps readers out too.
    case exclusive = "BEGIN EXCLUSIVE"
}

/// What reading does with a text whose bytes are not UTF-8.
public enum InvalidText: Sendable, Hashable {
    /// Throws ``ResultCode/invalidText`` and names the column. The bytes can be read as `Data`.
    case refused
    /// Replaces what is invalid by U+FFFD.
    case repaired
}
