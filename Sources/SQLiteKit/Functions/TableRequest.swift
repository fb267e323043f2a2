/// What a statement asks of a table that `Database.addTable(_:columns:_:rows:)` has added: the values that it is called
/// with, conditions, and how many rows are wanted.
public struct TableRequest: Sendable {
    /// A condition on a column.
    public struct Condition: Sendable, Hashable {
        /// How a value of the column compares with the condition's.
        public enum Comparison: Sendable, Hashable {
            /// `=`
            case equal
            /// `<`
            case less
            /// `<=`
            case lessOrEqual
            /// `>`
            case greater
            /// `>=`
            case greaterOrEqual
        }

        /// The name of the column, as it was declared.
        public let column: String
        /// How its values compare.
        public let comparison: Comparison
        /// What they are compared with; of the column's own kind, and not NULL.
        public let value: SQLiteValue
    }

    /// The table's name, for errors.
    let table: String
    /// The values of hidden columns.
    let arguments: [String: SQLiteValue]
    /// What stands in the parentheses of `CREATE VIRTUAL TABLE … USING`; none for a table that is there by its name.
    public let declaration: [String]
    /// What rows must fulfil, all of it. SQLite looks at each row again: a row too many does no harm, and whoever has
    /// no use for them ignores them.
    ///
    /// Conditions that SQLite can't hand over are missing, such as those with a collation or with a value of another
    /// kind than the column's.
    public let conditions: [Condition]
    /// How many rows are wanted at most, where SQLite knows it; a sequence that is lazy needn't look.
    public let limit: Int?

    /// The value that the table is called with for a hidden column: `sequence(1, 10)`, or a condition with `=`.
    ///
    /// - Parameters:
    ///   - column: The name of the column, as it was declared.
    ///   - type: The type to read.
    /// - Returns: Nil when the table is called without it, or with NULL.
    /// - Throws: ``ResultCode/typeMismatch`` for a value that the type can't hold.
    public func value<Value: SQLiteValueConvertible>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value? {
        guard let value = arguments[column], value != .null else { return nil }
        do {
            return try Value(sqliteValue: value)
        } catch {
            throw SQLiteError(.typeMismatch, "the argument \(column) of \(table): \(reason(of: error))")
        }
    }
}
