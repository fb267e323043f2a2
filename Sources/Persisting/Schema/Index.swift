/// An index on a class's table.
///
/// ```swift
/// override class var indexes: [Index] {
///     [
///         Index("title", "artist"), .unique("mediaKey"),
///         Index("dueDate", where: "DONE = 0"),
///     ]
/// }
/// ```
///
/// See [CREATE INDEX](https://www.sqlite.org/lang_createindex.html).
public struct Index: Sendable, Hashable {
    /// What an index is sorted by.
    enum Part: Sendable, Hashable {
        case key(String)
        case keyPath(any AnyKeyPath & Sendable)

        static func == (one: Part, other: Part) -> Bool {
            switch (one, other) {
            case (.key(let one), .key(let other)): one == other
            case (.keyPath(let one), .keyPath(let other)): (one as AnyKeyPath) == (other as AnyKeyPath)
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .key(let key): hasher.combine(key)
            case .keyPath(let keyPath): hasher.combine(keyPath as AnyKeyPath)
            }
        }
    }

    let parts: [Part]
    let isUnique: Bool
    let condition: SQL?
    let name: String?

    /// An index on properties, in this order.
    ///
    /// - Parameters:
    ///   - key: A property's name.
    ///   - more: More of them.
    ///   - condition: SQL that says which rows are in the index; nil is all. Interpolated values become literals in it.
    ///   - name: The index's name; nil makes one of the table's and the columns'.
    public init(_ key: String, _ more: String..., where condition: SQL? = nil, name: String? = nil) {
        self.init(([key] + more).map(Part.key), isUnique: false, condition, name)
    }

    /// An index that lets no two rows have the same values: of one property, or of several together. NULL equals no
    /// other value.
    ///
    /// - Parameters:
    ///   - key: A property's name.
    ///   - more: More of them.
    ///   - condition: SQL that says which rows are in the index; nil is all. Interpolated values become literals in it.
    ///   - name: The index's name; nil makes one of the table's and the columns'.
    public static func unique(
        _ key: String, _ more: String..., where condition: SQL? = nil, name: String? = nil
    ) -> Index {
        Index(([key] + more).map(Part.key), isUnique: true, condition, name)
    }

    init(_ parts: [Part], isUnique: Bool, _ condition: SQL?, _ name: String?) {
        self.parts = parts
        self.isUnique = isUnique
        self.condition = condition
        self.name = name
    }
}

/// The options of a class's table.
///
/// ```swift
/// override class var tableOptions: TableOptions { [.strict, .withoutRowID] }
/// ```
public struct TableOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// A set by its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// STRICT: SQLite rejects values of another type than the column's. See
    /// [STRICT Tables](https://www.sqlite.org/stricttables.html).
    public static let strict = TableOptions(rawValue: 1 << 0)
    /// WITHOUT ROWID: rows are stored by their primary key, which is assigned. See
    /// [Clustered Indexes](https://www.sqlite.org/withoutrowid.html).
    public static let withoutRowID = TableOptions(rawValue: 1 << 1)
}
