internal import CSystemSQLite

extension Database {
    /// The cipher that the SQLite has which the program is linked with: `SQLCipher` with its version, or of SQLite3
    /// Multiple Ciphers the name of the one in use, such as `chacha20`; nil where it has none.
    ///
    /// - Throws: ``SQLiteError``.
    public var cipher: String? {
        get throws(SQLiteError) {
            let was = (connection.isUnasked, connection.isProbing)
            (connection.isUnasked, connection.isProbing) = (true, true)
            defer { (connection.isUnasked, connection.isProbing) = was }
            // An unknown pragma has no rows.
            guard keyFunctions != nil else { return nil }
            if let version = try scalar("PRAGMA cipher_version", as: String.self) { return "SQLCipher \(version)" }
            return try scalar("PRAGMA cipher", as: String.self)
        }
    }

    /// The key of `main`, where it has one.
    package var key: DatabaseKey? { connection.key }

    /// Encrypts the file with another key, in one transaction.
    ///
    /// It is for a connection of its own: in a queue, pool or manager, all connections change their keys, by
    /// `rekey(_:)` of that. No one else may have the file open.
    ///
    /// - Parameter key: The new key. ``DatabaseKey/plain`` decrypts the file, which SQLCipher can't: there,
    ///   ``vacuum(into:from:key:)`` writes a plain copy.
    /// - Throws: ``ResultCode/missingFeature`` where SQLite has no cipher, or one that can't do that;
    ///   ``ResultCode/misuse`` for what can be no key, and of a database without a file; ``ResultCode/busy`` when
    ///   another connection has the file open, which is noticed where it has a write-ahead log;
    ///   ``ResultCode/notAllowedHere`` inside of a transaction, and for a connection of a queue or pool. Then the key
    ///   is as it was.
    public func rekey(_ key: DatabaseKey) throws(SQLiteError) {
        guard connection.holder == nil else {
            throw connection.failure(
                .notAllowedHere, "the key of a queue or pool is changed by its own rekey, outside of its closures")
        }
        try changeKey(key)
    }

    /// The same of a connection of which no other is in use.
    ///
    /// - Parameter willChange: Called before the cipher is. What is thrown earlier has changed nothing.
    func changeKey(_ key: DatabaseKey, willChange: () -> Void = {}) throws(SQLiteError) {
        let handle = try connection.accessible()
        guard location.path != nil else {
            throw connection.failure(.misuse, "\(location) has no file that a key could protect")
        }
        guard !isInTransaction else {
            throw connection.failure(.notAllowedHere, "a key can't be changed inside of a transaction")
        }
        let (functions, cipher, bytes) = (try keys(), try self.cipher, try connection.bytes(of: key))
        if cipher?.hasPrefix("SQLCipher") == true, bytes == nil || connection.key == nil {
            throw connection.failure(
                .missingFeature,
                "SQLCipher can't encrypt a plain file in place, nor decrypt one: write a copy with vacuum(into:key:)")
        }
        // Only who is alone can leave the write-ahead log; others would read with the old key.
        let hadLog = try hasLog
        if hadLog, try scalar("PRAGMA main.journal_mode = delete", as: String.self) != "delete" {
            throw connection.failure(.busy, "another connection has the file open, and would go on with the old key")
        }
        let result = Result { () throws(SQLiteError) in
            willChange()
            try set(key.settings)
            try connection.check(functions.rekey(handle, "main", bytes ?? [], Int32(bytes?.count ?? 0)))
            connection.key = bytes == nil ? nil : key
        }
        if hadLog { _ = try scalar("PRAGMA main.journal_mode = wal", as: String.self) }
        try result.get()
    }

    /// Hands the key of the configuration to the cipher, before anything is read.
    func applyKey() throws(SQLiteError) {
        // What is in memory is in no file.
        guard let key = configuration.key, key != .plain, !location.isInMemory else { return }
        guard location.path != nil else {
            throw connection.failure(.misuse, "a temporary file has a key of its own or is plain: name a file")
        }
        let (functions, bytes) = (try keys(), try connection.bytes(of: key) ?? [])
        let isSQLCipher = try cipher?.hasPrefix("SQLCipher") == true
        if !isSQLCipher { try set(key.settings) }
        try connection.check(functions.key(try connection.accessible(), "main", bytes, Int32(bytes.count)))
        if isSQLCipher { try set(key.settings) }
        connection.key = key
        // Sorts and temporary tables would be in plain files.
        try execute("PRAGMA temp_store = memory")
    }

    private func set(_ settings: [DatabaseKey.Setting]) throws(SQLiteError) {
        for setting in settings {
            try execute("PRAGMA \(identifier: setting.name) = \(sql: SQL(SQLText.literal(setting.value) as String))")
        }
    }

    /// The functions that take keys.
    ///
    /// - Throws: ``ResultCode/missingFeature`` unless a cipher answers: a function alone may be there and do nothing.
    func keys() throws(SQLiteError) -> KeyFunctions {
        guard let keyFunctions, try cipher != nil else {
            throw connection.failure(
                .missingFeature,
                "a key is given, and the SQLite \(SQLiteLibrary.version) that this program is linked with has no cipher: "
                    + "the file would be plain")
        }
        return keyFunctions
    }
}

extension Connection {
    /// The bytes of a key, with the path in the error.
    func bytes(of key: DatabaseKey) throws(SQLiteError) -> [UInt8]? {
        do throws(SQLiteError) { return try key.bytes() } catch { throw error.adding(path: path) }
    }

    /// What an error of the first read says where a key is set.
    func explainingKey(_ error: SQLiteError) -> SQLiteError {
        guard key != nil, error.code == .notADatabase else { return error }
        return failure(.wrongKey, "the key isn't that of the file, or the file is plain or no database")
    }
}

/// The functions of a SQLite with a cipher. They are those of
/// [SEE](https://www.sqlite.org/com/see.html), and of all ciphers.
struct KeyFunctions: Sendable {
    typealias Function = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeRawPointer?, Int32) -> Int32

    let key: Function
    let rekey: Function
}

private let keyFunctions: KeyFunctions? = {
    guard let key = SQLiteLibrary.symbol("sqlite3_key_v2"), let rekey = SQLiteLibrary.symbol("sqlite3_rekey_v2") else {
        return nil
    }
    return KeyFunctions(
        key: unsafeBitCast(key, to: KeyFunctions.Function.self),
        rekey: unsafeBitCast(rekey, to: KeyFunctions.Function.self))
}()
