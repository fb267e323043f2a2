/// The columns that a class declares, in order: `["ID": .int, "TITLE": .string.notNull]`.
///
/// Each name finds its property in the class's own list, by the class's ``Naming`` or by
/// ``ColumnDeclaration/property(_:)``. Properties that no column names are not persisted.
public struct Columns: Sendable, ExpressibleByDictionaryLiteral {
    /// The names and declarations, in order.
    public private(set) var elements: [(name: String, declaration: ColumnDeclaration)]

    /// Whether all stored properties are columns, and ``elements`` says only more of some.
    let isAutomatic: Bool

    private init(_ elements: [(name: String, declaration: ColumnDeclaration)], isAutomatic: Bool) {
        self.elements = elements
        self.isAutomatic = isAutomatic
    }

    /// Columns in the order of the literal.
    public init(dictionaryLiteral elements: (String, ColumnDeclaration)...) {
        self.init(elements.map { (name: $0.0, declaration: $0.1) }, isAutomatic: false)
    }

    /// Columns made at run time, in order.
    ///
    /// - Parameter elements: The elements of the literal.
    public init(_ elements: [(name: String, declaration: ColumnDeclaration)]) {
        self.init(elements, isAutomatic: false)
    }

    /// All stored properties of the class, as Swift declares them: the default of a class that declares no columns.
    ///
    /// To say more of some, and leave the others as they are, set those:
    ///
    /// ```swift
    /// override class var columns: Columns {
    ///     var columns = super.columns
    ///     columns["EMAIL"] = .string.unique
    ///     return columns
    /// }
    /// ```
    public static var automatic: Columns { Columns([], isAutomatic: true) }

    /// The declaration of a column by its name. Setting one that is not there adds it at the end, and nil removes it:
    /// of ``automatic`` columns, only what was declared.
    public subscript(name: String) -> ColumnDeclaration? {
        get { elements.first { $0.name == name }?.declaration }
        set {
            let index = elements.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let declaration?): elements[index].declaration = declaration
            case (let index?, nil): elements.remove(at: index)
            case (nil, let declaration?): elements.append((name: name, declaration: declaration))
            case (nil, nil): break
            }
        }
    }
}

/// The declaration of a column: a type, and the rest of its line in CREATE TABLE.
///
/// ```swift
/// override class var columns: Columns {
///     [
///         "ID": .int, "GIVEN_NAME": .string.property("firstName").notNull,
///         "EMAIL": .string.unique.collate(.nocase),
///         "RATING": .double.default(0.5).check("RATING BETWEEN 0 AND 1"),
///         "CREATED": .date.stored(as: .iso8601),
///     ]
/// }
/// ```
///
/// NOT NULL need not be said of a property that is not Optional.
public struct ColumnDeclaration: Sendable {
    package enum Kind: String {
        case int, double, bool, string, data, date, uuid, url, decimal, json, any, path
    }

    package let kind: Kind
    private(set) var propertyName: String?
    package private(set) var isNotNull = false
    package private(set) var isUnique = false
    package private(set) var defaultValue: SQLiteValue?
    package private(set) var check: SQL?
    package private(set) var collation: Collation?
    package private(set) var dateStorage: DateStorage?
    package private(set) var uuidStorage: UUIDStorage?
    package private(set) var isBitPattern = false
    private(set) var transform: AnyTransform?
    private(set) var nullHandling = NullHandling.refused
    package private(set) var reference: Reference?
    package private(set) var isDeferred = false
    private(set) var path: PathColumn?
    package private(set) var generation: Generation?
    package private(set) var timestamp: Timestamp?
    package private(set) var formerNames: [String] = []
    package private(set) var isAutoincrement = false

    package var isPath: Bool { path != nil }
    package var hasTransform: Bool { transform != nil }
    package var takesDefaultForNull: Bool { nullHandling == .default }

    init(_ kind: Kind) {
        self.kind = kind
    }

    init(_ path: PathColumn) {
        kind = .path
        self.path = path
    }

    private func with(_ change: (inout ColumnDeclaration) -> Void) -> ColumnDeclaration {
        var copy = self
        change(&copy)
        return copy
    }

    /// An INTEGER: any integer type, `Bool`, or an enum with such a raw value.
    public static let int = ColumnDeclaration(.int)
    /// A REAL: `Double` or `Float`, or an enum with such a raw value.
    public static let double = ColumnDeclaration(.double)
    /// An INTEGER, 0 or 1: `Bool`.
    public static let bool = ColumnDeclaration(.bool)
    /// A TEXT: `String`, or any type that is stored as text.
    public static let string = ColumnDeclaration(.string)
    /// A BLOB: `Data` or `[UInt8]`.
    public static let data = ColumnDeclaration(.data)
    /// A `Date`, in the form the manager stores dates in, or in that of `stored(as:)`.
    public static let date = ColumnDeclaration(.date)
    /// A `UUID`, as text, or in the form of ``UUIDStorage`` that the column says.
    public static let uuid = ColumnDeclaration(.uuid)
    /// A TEXT: `URL`.
    public static let url = ColumnDeclaration(.url)
    /// A TEXT in the order of numbers: `Decimal`.
    public static let decimal = ColumnDeclaration(.decimal)
    /// A TEXT of JSON: any type that is Codable, such as `[String]`. Keys are sorted, dates are seconds since 1970.
    ///
    /// A `Set` is written in an order that is each copy's own, so that an equal set may count as a change.
    public static let json = ColumnDeclaration(.json)
    /// Whatever the property's type is stored as.
    public static let any = ColumnDeclaration(.any)

    /// The property that the column stores, where its name does not follow from the column's.
    ///
    /// - Parameter name: The property's name.
    public func property(_ name: String) -> ColumnDeclaration { with { $0.propertyName = name } }

    /// NOT NULL.
    public var notNull: ColumnDeclaration { with { $0.isNotNull = true } }

    /// UNIQUE.
    public var unique: ColumnDeclaration { with { $0.isUnique = true } }

    /// DEFAULT: what the database stores in a row without a value for the column. An object's nil isn't a value.
    ///
    /// It is a stored value: of a column with a transform, what that makes of one.
    ///
    /// - Parameter value: The value.
    public func `default`(_ value: SQLiteValue) -> ColumnDeclaration { with { $0.defaultValue = value } }

    /// CHECK.
    ///
    /// - Parameter expression: SQL that must not be false for any row. Interpolated values become literals in it, since
    ///   a table's own SQL has no parameters.
    public func check(_ expression: SQL) -> ColumnDeclaration { with { $0.check = expression } }

    /// AUTOINCREMENT: SQLite never generates the key of a row again that was deleted.
    ///
    /// Only for a generated key; it costs a second write with each insert. See
    /// [SQLite Autoincrement](https://www.sqlite.org/autoinc.html).
    public var autoincrement: ColumnDeclaration { with { $0.isAutoincrement = true } }

    /// The names that the column had before: `PersistenceManager.schemaPlan(for:dropping:)` renames it, so that its
    /// values are kept. All columns are renamed together: one may take the name that another gives up, and two may
    /// exchange theirs.
    ///
    /// - Parameters:
    ///   - name: A former name of the column.
    ///   - more: More of them, the latest first.
    public func formerly(_ name: String, _ more: String...) -> ColumnDeclaration {
        with { $0.formerNames = [name] + more }
    }

    /// GENERATED: the value is computed of the row's other columns, and nothing is written to it.
    ///
    /// ```swift
    /// "TOTAL": .int.generated(as: "PRICE * QUANTITY")
    /// ```
    ///
    /// An object has the value after it has been inserted or updated; one that it was given before is skipped. A
    /// column that is generated in an existing table need not say so.
    ///
    /// See [Generated Columns](https://www.sqlite.org/gencol.html).
    ///
    /// - Parameters:
    ///   - expression: SQL of the row's columns, by their names. Interpolated values become literals in it.
    ///   - storage: Whether the value is computed when it is read, or when the row is written.
    public func generated(as expression: SQL, _ storage: GeneratedStorage = .virtual) -> ColumnDeclaration {
        with { $0.generation = Generation(expression: expression, storage: storage) }
    }

    /// COLLATE: the order and equality of the column's texts.
    ///
    /// - Parameter collation: The collation.
    public func collate(_ collation: Collation) -> ColumnDeclaration { with { $0.collation = collation } }

    /// REFERENCES: a foreign key to another class's table, or to the class's own.
    ///
    /// - Parameters:
    ///   - type: The class whose table holds the parent rows.
    ///   - column: The column there; nil is its primary key.
    ///   - onDelete: What happens to this row when its parent is deleted. Nil rejects the deletion.
    ///   - onUpdate: What happens to this row when its parent's key changes. Nil prevents the change.
    ///   - isDeferred: Whether the parent may be missing until the transaction is committed.
    ///
    /// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
    public func references(
        _ type: PersistingModel.Type, _ column: String? = nil, onDelete: ForeignKeyAction? = nil,
        onUpdate: ForeignKeyAction? = nil, isDeferred: Bool = false
    ) -> ColumnDeclaration {
        with {
            $0.reference = Reference(
                type: type, column: column, onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred)
        }
    }

    /// The form in which a date column stores its dates, whatever the manager's is.
    ///
    /// - Parameter storage: How the value is stored.
    public func stored(as storage: DateStorage) -> ColumnDeclaration { with { $0.dateStorage = storage } }

    /// The form in which a UUID column stores its UUIDs. Both forms are read, whichever is written.
    ///
    /// A column that references another one's UUIDs has the same form.
    ///
    /// - Parameter storage: How the value is stored.
    public func stored(as storage: UUIDStorage) -> ColumnDeclaration { with { $0.uuidStorage = storage } }

    /// An INTEGER with the bits of a `UInt64` or `UInt`, or of an `OptionSet` or enum with such a raw value:
    /// `Int64(bitPattern:)`. Without it a value above `Int64.max` throws.
    ///
    /// SQLite takes the bits for a signed number, so the column can be asked for equal values, and not for lesser or
    /// greater ones: such a condition, an ordering, a sum or an extreme throws.
    public var bitPattern: ColumnDeclaration { with { $0.isBitPattern = true } }

    /// The column stores what a transform makes of the property's values: `.any.transformed(by: .hex)`.
    ///
    /// The property has the type that the transform is of, or an Optional of it, whose nil is then NULL. Any other is
    /// rejected when the class is first used. It goes before the class's own ``PersistingModel/transforms``.
    ///
    /// - Parameter transform: The transform.
    public func transformed<Value>(by transform: Transform<Value>) -> ColumnDeclaration {
        with { $0.transform = AnyTransform(transform) }
    }

    /// Holds when the row was made. An insert sets it, unless the property is an Optional that has a value; nothing
    /// sets it later.
    ///
    /// ```swift
    /// override class var columns: Columns {
    ///     var columns = super.columns
    ///     columns["CREATED_AT"] = .date.created  // var createdAt: Date?
    ///     // var updatedAt: Date?
    ///     columns["UPDATED_AT"] = .date.updated.stored(as: .iso8601)
    ///     return columns
    /// }
    /// ```
    ///
    /// The property is a `Date`, in any stored form. It has the time when the write has succeeded, and the old value
    /// again when the write's transaction is rolled back.
    public var created: ColumnDeclaration { with { $0.timestamp = .created } }

    /// Holds when the row was last written. An insert sets it, unless the property is an Optional that has a value, and
    /// so does each update that writes another column, unless it writes this one because you have changed the property.
    ///
    /// An update of a query's rows sets it too. See ``created``.
    public var updated: ColumnDeclaration { with { $0.timestamp = .updated } }

    /// Left out when objects are fetched, and read by `load(_:)`: for large values that are seldom
    /// needed. The property is Optional.
    ///
    /// Until it is loaded the property is nil, and a save leaves the column as it is. A value that is set is saved;
    /// `update(_:to:)` with nil stores NULL. A copy of the object, or the object itself saved to another database,
    /// has what is loaded and no more.
    public var deferred: ColumnDeclaration { with { $0.isDeferred = true } }

    /// What reading does with a NULL for a property that is not Optional.
    ///
    /// - Parameter handling: What NULL becomes.
    public func onNull(_ handling: NullHandling) -> ColumnDeclaration { with { $0.nullHandling = handling } }
}

/// What reading does with a NULL for a property that is not Optional.
public enum NullHandling: Sendable, Hashable {
    /// It throws ``PersistenceError/Code/typeMismatch``.
    case refused
    /// The property keeps the value that `init()` gave it.
    case `default`
}
