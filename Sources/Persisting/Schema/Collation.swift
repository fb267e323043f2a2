/// A collation: how texts are compared. See [Collating
/// Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
public struct Collation: RawRepresentable, Hashable, Sendable {
    /// The collation's name.
    public let rawValue: String

    /// A collation by its name. Your own collations must be registered with every connection.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// By bytes: SQLite's default.
    public static let binary = Collation(rawValue: "BINARY")
    /// Without regard to the case of ASCII letters.
    public static let nocase = Collation(rawValue: "NOCASE")
    /// By bytes, without regard to trailing blanks.
    public static let rtrim = Collation(rawValue: "RTRIM")
    /// Decimal numbers in their order.
    public static let decimal = Collation(rawValue: "DECIMAL")
}
