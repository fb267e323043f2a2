internal import CSystemSQLite

/// The writing of names and texts into SQL.
///
/// See [SQLite Keywords](https://www.sqlite.org/lang_keywords.html).
public enum SQLText {
    /// A name as SQL takes it: plain names as they are; others, and keywords, in double quotes with quotes doubled.
    ///
    /// - Parameter name: A table, column, index or database name. An empty name is written `""`, which SQLite accepts.
    public static func identifier(_ name: String) -> String {
        isPlain(name) ? name : "\"" + name.replacing("\"", with: "\"\"") + "\""
    }

    /// A text as an SQL literal: in single quotes with quotes doubled. Values are better bound than written.
    public static func literal(_ text: String) -> String {
        SQLiteValue.text(text).description
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        let isWord = name.utf8.allSatisfy { byte in
            (65...90).contains(byte) || (97...122).contains(byte) || (48...57).contains(byte) || byte == 95
        }
        guard isWord else { return false }
        return name.withCString { sqlite3_keyword_check($0, Int32(name.utf8.count)) } == 0
    }
}
