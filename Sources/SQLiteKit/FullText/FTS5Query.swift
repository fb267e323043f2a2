/// A query of an FTS5 table, made from any text that a user typed.
///
/// FTS5 has a query language: `OR`, `NEAR(…)`, `title:`, quotes and stars have a meaning, and a text in which they do
/// not fit together is an error. Here they are nothing but text: each query is valid, whatever it was made of.
///
/// ```swift
/// try db.execute("CREATE VIRTUAL TABLE book USING fts5 (title, text)")
/// let query = FTS5Query(allWords: searchField)
/// let found = try db.rows(
///     """
///     SELECT rowid, highlight(book, 0, '<b>', '</b>') AS title,
///         snippet(book, 1, '<b>', '</b>', '…', 12) AS text
///     FROM book WHERE book MATCH \(query) ORDER BY rank
///     """)
/// ```
///
/// A word is what stands between blanks, and the table's tokenizer has the last word: it may fold case and diacritics,
/// and take `e-mail` for two words, which then must follow each other. What has no word in it for the tokenizer (`!?`,
/// or two letters for `trigram`) is skipped, and a text without any matches no row. Neither throws.
///
/// A table with `detail=column` or `detail=none` cannot look for words that follow each other, and says so in an error
/// when a word is more than one to its tokenizer.
///
/// See [Full-text Query Syntax](https://www.sqlite.org/fts5.html#full_text_query_syntax).
public struct FTS5Query: Sendable, Hashable {
    /// The query in FTS5's language. It can be made a part of a larger one: `"title : (\(query.text))"`.
    public let text: String

    /// Rows with all the words, in any order and any columns.
    ///
    /// - Parameter text: The text.
    public init(allWords text: String) {
        self.init(Self.strings(of: text))
    }

    /// Rows with at least one of the words.
    ///
    /// - Parameter text: The text.
    public init(anyWord text: String) {
        self.init(Self.strings(of: text), separator: " OR ")
    }

    /// Rows with all the words one after the other, in one column.
    ///
    /// - Parameter text: The text.
    public init(phrase text: String) {
        self.init([Self.string(text.unicodeScalars)])
    }

    /// Rows with all the words, of which the last may be the beginning of a word: for a search while a user types.
    ///
    /// - Parameter text: The text.
    public init(prefixOfLastWord text: String) {
        var strings = Self.strings(of: text)
        if let last = strings.popLast() { strings.append(last + "*") }
        self.init(strings)
    }

    /// A query in FTS5's language, such as `sail NOT (wind OR NEAR("two" "words"))`. One that FTS5 doesn't understand
    /// makes its statement fail.
    ///
    /// - Parameter text: The query; never a text that a person has typed.
    public init(expression text: String) {
        self.text = text
    }

    // Strings side by side are joined by AND, which in this form, and not where it is written out, skips a string
    // that has no word in it.
    private init(_ strings: [String], separator: String = " ") {
        text = strings.isEmpty ? "\"\"" : strings.joined(separator: separator)
    }

    private static func strings(of text: String) -> [String] {
        text.unicodeScalars.split { $0.properties.isWhitespace || $0.value == 0 }.map { string($0) }
    }

    /// A string of FTS5's. It ends at a NUL, even in quotes, so a blank takes its place.
    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.lazy.map { $0.value == 0 ? " " : $0 })
        return quoted(String(text), UInt8(ascii: "\""))
    }
}

/// A query is bound like any other value.
extension FTS5Query: SQLiteValueConvertible {
    /// A TEXT of ``text``.
    public func sqliteValue() -> SQLiteValue { .text(text) }

    /// Throws: a query is bound and not read. To keep a search, keep the text that the query was made of.
    public init(sqliteValue: SQLiteValue) throws { throw sqliteValue.mismatch(FTS5Query.self) }

    /// ``ColumnType/text``
    public static var columnType: ColumnType { .text }
}
