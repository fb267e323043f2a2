/// A collation: how SQLite compares and orders texts. See
/// [Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
public struct Collation: RawRepresentable, Hashable, Sendable {
    /// The collation's name.
    public let rawValue: String

    /// Creates a collation from its name. Register a collation of your own with every connection.
    ///
    /// - Parameter rawValue: The name, as in SQL.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Compares bytes. This is SQLite's default.
    public static let binary = Collation(rawValue: "BINARY")
    /// Ignores the case of ASCII letters.
    public static let nocase = Collation(rawValue: "NOCASE")
    /// Compares bytes, but ignores trailing spaces.
    public static let rtrim = Collation(rawValue: "RTRIM")
    /// Orders texts as decimal numbers.
    public static let decimal = Collation(rawValue: "DECIMAL")
}
