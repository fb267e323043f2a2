/// A column that a statement reads.
public struct ColumnRead: Sendable, Hashable {
    /// The database: `main`, `temp`, or the name one was attached as; nil where SQLite does not say, which is for a
    /// table that the statement names without a database, and of which it reads no column.
    public let database: String?
    /// The table or view.
    public let table: String
    /// The column; empty for a table of which no column is read, as in `SELECT count(*)`.
    public let column: String
}
