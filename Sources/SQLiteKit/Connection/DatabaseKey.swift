internal import Foundation

/// The key of a file that is encrypted.
///
/// ```swift
/// configuration.key = .passphrase(secret)
/// let queue = try DatabaseQueue(.file(path), configuration: configuration)
/// ```
///
/// SQLite itself has no encryption, and takes no notice of a key: it would write a plain file. So a key is used only
/// where the SQLite that the program is linked with has a cipher, as
/// [SQLCipher](https://www.zetetic.net/sqlcipher/) and
/// [SQLite3 Multiple Ciphers](https://utelle.github.io/SQLite3MultipleCiphers/) do. Elsewhere opening throws
/// ``ResultCode/missingFeature``. <doc:EncryptingADatabase> says how to link one.
///
/// The key stands in no error, log or trace.
public struct DatabaseKey: Sendable, Hashable {
    /// What the cipher is handed; nil for a plain file.
    enum Secret: Sendable, Hashable {
        case passphrase(String)
        case raw([UInt8])
        case none
    }

    let secret: Secret
    let settings: [Setting]

    /// A setting of the cipher.
    struct Setting: Sendable, Hashable {
        let name: String
        let value: String
    }

    private init(_ secret: Secret, _ settings: KeyValuePairs<String, String> = [:]) {
        self.secret = secret
        self.settings = settings.map { Setting(name: $0.key, value: $0.value) }
    }

    /// A passphrase, from which the cipher derives a key. That takes long on purpose, up to a tenth of a second for
    /// each connection.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase, which isn't empty and has no NUL character. It is taken by its UTF-8, so that
    ///     two ways to write `é` are two passphrases.
    ///   - settings: Pragmas of the cipher with their values, in their order, such as `["cipher": "sqlcipher"]` or
    ///     `["cipher_compatibility": "3"]`, for the main database. They are set when the cipher wants them: after the
    ///     key with SQLCipher, before it with SQLite3 Multiple Ciphers.
    public static func passphrase(
        _ passphrase: String, settings: KeyValuePairs<String, String> = [:]
    ) -> DatabaseKey {
        DatabaseKey(.passphrase(passphrase), settings)
    }

    /// The key itself, from which nothing is derived.
    ///
    /// - Parameters:
    ///   - bytes: 32 random bytes; or 48, of which the last 16 are the salt of the file, instead of a random one that
    ///     the file holds.
    ///   - settings: Pragmas of the cipher, as for a passphrase.
    public static func raw(_ bytes: some Sequence<UInt8>, settings: KeyValuePairs<String, String> = [:]) -> DatabaseKey
    {
        DatabaseKey(.raw(Array(bytes)), settings)
    }

    /// None: the file is plain, as with a key that is nil. It is for files that would take the key of the connection
    /// otherwise: attached ones and copies.
    public static let plain = DatabaseKey(.none)

    /// The bytes for the cipher; nil for a plain file.
    ///
    /// - Throws: ``ResultCode/misuse`` for what can be no key. SQLite takes an empty one for none.
    func bytes() throws(SQLiteError) -> [UInt8]? {
        switch secret {
        case .none: return nil
        case .passphrase(let passphrase):
            guard !passphrase.isEmpty, !passphrase.utf8.contains(0) else {
                throw SQLiteError(.misuse, "the passphrase of a database can't be empty or hold a NUL character")
            }
            return Array(passphrase.utf8)
        case .raw(let bytes):
            guard bytes.count == 32 || bytes.count == 48 else {
                throw SQLiteError(.misuse, "the raw key of a database has 32 or 48 bytes, not \(bytes.count)")
            }
            // The form in which ciphers tell a key from a passphrase.
            return Array("x'\(bytes.map { String(format: "%02X", $0) }.joined())'".utf8)
        }
    }
}

extension DatabaseKey: CustomStringConvertible, CustomReflectable {
    /// What kind of key it is, without the key.
    public var description: String {
        switch secret {
        case .passphrase: "a passphrase"
        case .raw: "a raw key"
        case .none: "no key"
        }
    }

    /// Nothing, so that no dump of a configuration shows a key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
