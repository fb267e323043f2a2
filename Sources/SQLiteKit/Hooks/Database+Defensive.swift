internal import CSystemSQLite

/// A setting of a connection that is on or off. The type is open, for settings that a later SQLite has.
///
/// See [Database Connection Configuration Options](https://www.sqlite.org/c3ref/c_dbconfig_defensive.html).
public struct ConnectionFlag: RawRepresentable, Hashable, Sendable {
    /// The number SQLite gives the setting.
    public let rawValue: Int32

    /// A setting by SQLite's number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Whether SQL is kept from what may damage the file, such as writing the schema's own table.
    public static let defensive = ConnectionFlag(rawValue: SQLITE_DBCONFIG_DEFENSIVE)
    /// Whether views, triggers and constraints of the file may use functions that are not
    /// ``FunctionFlags/innocuous``.
    public static let trustedSchema = ConnectionFlag(rawValue: SQLITE_DBCONFIG_TRUSTED_SCHEMA)
    /// Whether foreign keys are enforced. Unlike the pragma, it can be changed inside a transaction.
    public static let foreignKeys = ConnectionFlag(rawValue: SQLITE_DBCONFIG_ENABLE_FKEY)
    /// Whether triggers run.
    public static let triggers = ConnectionFlag(rawValue: SQLITE_DBCONFIG_ENABLE_TRIGGER)
    /// Whether views can be used.
    public static let views = ConnectionFlag(rawValue: SQLITE_DBCONFIG_ENABLE_VIEW)
}

extension Database {
    /// Turns a setting on or off.
    ///
    /// - Parameters:
    ///   - flag: The flag.
    ///   - isOn: Whether it is on.
    /// - Throws: ``ResultCode/misuse`` for a number that isn't a setting which is on or off, ``ResultCode/error`` for a
    ///   setting that this SQLite does not have.
    public func setFlag(_ flag: ConnectionFlag, _ isOn: Bool) throws(SQLiteError) {
        // The numbers below are of options that take addresses.
        guard flag.rawValue >= SQLITE_DBCONFIG_ENABLE_FKEY else {
            throw connection.failure(.misuse, "the setting \(flag.rawValue) is not one that is on or off")
        }
        try connection.check(csqlite_db_config_flag(connection.accessible(), flag.rawValue, isOn ? 1 : 0))
    }

    /// Sets what ``DatabaseConfiguration/isDefensive`` says.
    func beDefensive() throws(SQLiteError) {
        try setFlag(.defensive, true)
        try setFlag(.trustedSchema, false)
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA mmap_size = 0")
        // Ten times what https://www.sqlite.org/security.html advises for SQL from strangers, since the program's own
        // statements meet these limits, too; what a file cannot reach, such as the number of parameters, is left.
        let limits: [(Limit, Int)] = [
            (.length, 10_000_000), (.sqlLength, 1_000_000), (.columns, 1000), (.expressionDepth, 100),
            (.compoundSelect, 30), (.instructions, 250_000), (.functionArguments, 80), (.likePatternLength, 500),
            (.triggerDepth, 10),
        ]
        for (limit, value) in limits { try setLimit(limit, to: value) }
    }
}
