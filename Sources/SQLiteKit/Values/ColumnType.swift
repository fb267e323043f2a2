/// The type a column is declared with.
///
/// SQLite derives a column's affinity from it. The type is open: any text that SQL takes as a type name will do, though
/// a STRICT table takes the five here alone. See [Datatypes In
/// SQLite](https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
public struct ColumnType: RawRepresentable, Hashable, Sendable {
    /// The type as SQL writes it.
    public let rawValue: String

    /// A type by its SQL text.
    public init(rawValue: String) {
        self.init(rawValue, isNumberInText: false)
    }

    /// Whether the column's texts spell numbers: what is SQLite's TEXT, and a type of its own in Swift.
    private let isNumberInText: Bool

    init(_ rawValue: String, isNumberInText: Bool) {
        self.rawValue = rawValue
        self.isNumberInText = isNumberInText
    }

    /// Whether two types are the same: ``decimal`` and ``text`` are not, though SQL writes both `TEXT`.
    public static func == (lhs: ColumnType, rhs: ColumnType) -> Bool {
        lhs.rawValue == rhs.rawValue && lhs.isNumberInText == rhs.isNumberInText
    }

    /// Feeds the type's SQL text to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// `INTEGER`
    public static let integer = ColumnType(rawValue: "INTEGER")
    /// `REAL`
    public static let real = ColumnType(rawValue: "REAL")
    /// `TEXT`
    public static let text = ColumnType(rawValue: "TEXT")
    /// `BLOB`
    public static let blob = ColumnType(rawValue: "BLOB")
    /// Values of any class, stored as they come: no type at all, or `ANY` in a STRICT table.
    public static let any = ColumnType(rawValue: "")
}
