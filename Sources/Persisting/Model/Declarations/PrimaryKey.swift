/// What identifies a row of a class's table.
///
/// ```swift
/// override class var primaryKey: PrimaryKey { .assigned("guid") }
/// ```
///
/// Keys are named by property. See [ROWIDs and the INTEGER PRIMARY
/// KEY](https://www.sqlite.org/lang_createtable.html#rowid).
public struct PrimaryKey: Sendable, Hashable {
    enum Kind: Hashable { case automatic, generated, assigned, fromSchema, rowID, none }

    let kind: Kind
    let keys: [String]

    private init(_ kind: Kind, _ keys: [String] = []) {
        self.kind = kind
        self.keys = keys
    }

    /// The property `id`, `ID` or `Id`, or one whose column has this name: generated if it is an Optional integer,
    /// assigned if it is of another type than an integer. A class without such a property has no key. The default.
    public static var automatic: PrimaryKey { PrimaryKey(.automatic) }

    /// An Optional integer that SQLite generates while it is nil.
    ///
    /// - Parameter key: The property's name.
    public static func generated(_ key: String) -> PrimaryKey { PrimaryKey(.generated, [key]) }

    /// A property of any type that has its value before the object is saved.
    ///
    /// - Parameter key: The property's name.
    public static func assigned(_ key: String) -> PrimaryKey { PrimaryKey(.assigned, [key]) }

    /// Several properties together, in this order, that have their values before the object is saved.
    ///
    /// - Parameters:
    ///   - first: The first property's name.
    ///   - second: The second property's name.
    ///   - more: More properties' names.
    public static func composite(_ first: String, _ second: String, _ more: String...) -> PrimaryKey {
        PrimaryKey(.assigned, [first, second] + more)
    }

    /// The PRIMARY KEY of an existing table, in its order.
    ///
    /// ```swift
    /// // CREATE TABLE batter (name TEXT PRIMARY KEY, hr INTEGER)
    /// final class Batter: PersistingModel {
    ///     var name = ""
    ///     var hr: Int?
    ///     override class var naming: Naming { .identity }
    ///     override class var primaryKey: PrimaryKey { .fromSchema }
    /// }
    /// ```
    ///
    /// An INTEGER PRIMARY KEY is generated where its property is an Optional integer; any other key is assigned. A
    /// table without a key, and a view, give a class without one. A column of the key that no property stores is an
    /// error.
    ///
    /// A manager looks when it first uses the class, and again when the schema has changed. What is asked without one
    /// does not know the key: an object that is in no table yet has a ``ActiveRecord/primaryKeyValue`` of NULL. The
    /// library cannot create such a table.
    public static let fromSchema = PrimaryKey(.fromSchema)

    /// SQLite's row identifier, for a table without a declared key.
    ///
    /// ```swift
    /// final class Entry: PersistingModel {  // CREATE TABLE ENTRY (MESSAGE TEXT)
    ///     var message = ""
    ///     override class var primaryKey: PrimaryKey { .rowID }
    /// }
    /// ```
    ///
    /// An object has it after it was inserted or fetched, as its ``ActiveRecord/primaryKeyValue``, an integer. No
    /// property stores it; conditions and orderings know it by the key `rowID`, and rows of raw SQL have it in a column
    /// `_rowid_` or `rowid`. VACUUM may give the rows of such a table other identifiers, so don't keep them elsewhere.
    /// A view, and a table WITHOUT ROWID, have none: their use throws ``PersistenceError/Code/invalidModel``.
    ///
    /// See [ROWIDs and the INTEGER PRIMARY KEY](https://www.sqlite.org/lang_createtable.html#rowid).
    public static let rowID = PrimaryKey(.rowID)

    /// No key: objects can be inserted and fetched, but not updated or deleted one by one.
    public static let none = PrimaryKey(.none)
}
