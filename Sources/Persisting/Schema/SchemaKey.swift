/// The primary key of a table as its schema says it.
package struct SchemaKey: Hashable, Sendable {
    /// The names of the columns, in the key's order and in lower case; none without a key.
    let columns: [String]
    /// Whether it is another name of the row identifier, which SQLite generates: an INTEGER PRIMARY KEY.
    let isRowID: Bool
}
