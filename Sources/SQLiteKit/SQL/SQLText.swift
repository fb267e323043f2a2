internal import CSystemSQLite

/// The writing of names and texts into SQL.
///
/// See [SQLite Keywords](https://www.sqlite.org/lang_keywords.html).
public enum SQLText {
    /// A name as SQL takes it: plain names as they are; others, and keywords, in double quotes with quotes doubled.
    ///
    /// - Parameter name: A table, column, index or database name. An empty name is written `""`, which SQLite accepts.
    public static func identifier(_ name: String) -> String {
        isPlain(name) ? name : quoted(name, UInt8(ascii: "\""))
    }

    /// A text as an SQL literal: in single quotes with quotes doubled. Values are better bound than written.
    ///
    /// - Parameter text: The text.
    public static func literal(_ text: String) -> String {
        literal(SQLiteValue.text(text))
    }

    /// A value as an SQL literal, from which SQLite reads the same value: `NULL`, `42`, `0.5`, `'it''s'`, `X'CAFE'`.
    ///
    /// A text with a NUL is a cast of its bytes, infinity a number too large, and NaN, which SQLite stores as NULL, is
    /// that. Some releases of SQLite read a number of many digits as the one next to it; a bound value is exact. See
    /// [Literal Values](https://www.sqlite.org/lang_expr.html#literal_values_constants_).
    ///
    /// - Parameter value: The value.
    @_disfavoredOverload
    public static func literal(_ value: SQLiteValue) -> String {
        value.description
    }

    /// Whether a text ends with a whole statement and its `;`, so that what a user types can be run. See
    /// [sqlite3_complete](https://www.sqlite.org/c3ref/complete.html).
    ///
    /// - Parameter sql: The SQL text.
    public static func isComplete(_ sql: String) -> Bool { sqlite3_complete(sql) == 1 }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        let isWord = name.utf8.allSatisfy { byte in
            (65...90).contains(byte) || (97...122).contains(byte) || (48...57).contains(byte) || byte == 95
        }
        guard isWord else { return false }
        return name.withCString { sqlite3_keyword_check($0, Int32(name.utf8.count)) } == 0
    }
}
