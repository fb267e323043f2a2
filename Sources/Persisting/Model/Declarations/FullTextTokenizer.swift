/// What makes words of texts, in a full-text index and in what is searched for.
///
/// See [Tokenizers](https://www.sqlite.org/fts5.html#tokenizers).
public struct FullTextTokenizer: Sendable, Hashable {
    /// The words of FTS5's option `tokenize`.
    let words: [String]

    /// What a letter with diacritics is: `é` the same as `e`, or another letter.
    public enum Diacritics: Int, Sendable, Hashable {
        /// `é` and `e` are two letters.
        case kept = 0
        /// They are the same, except for some letters with two diacritics.
        case removed = 1
        /// They are the same, always.
        case removedFromAll = 2
    }

    /// Words of letters and digits as Unicode has them, without regard to case.
    ///
    /// - Parameters:
    ///   - diacritics: Whether letters with and without diacritics are the same.
    ///   - tokenCharacters: More characters that are part of a word, such as `-_`.
    ///   - separators: Characters that aren't part of a word.
    public static func unicode61(
        diacritics: Diacritics = .removedFromAll, tokenCharacters: String = "", separators: String = ""
    ) -> FullTextTokenizer {
        var words = ["unicode61", "remove_diacritics", "\(diacritics.rawValue)"]
        if !tokenCharacters.isEmpty { words += ["tokenchars", tokenCharacters] }
        if !separators.isEmpty { words += ["separators", separators] }
        return FullTextTokenizer(words: words)
    }

    /// ``unicode61(diacritics:tokenCharacters:separators:)`` with what reduces words to stems: `.unicode61(.porter)`.
    ///
    /// - Parameter stemmer: What reduces the words.
    public static func unicode61(_ stemmer: FullTextStemmer) -> FullTextTokenizer {
        FullTextTokenizer(words: [stemmer.rawValue] + unicode61().words)
    }

    /// Words of ASCII's letters and digits and of all other characters, without regard to ASCII's case.
    public static let ascii = FullTextTokenizer(words: ["ascii"])

    /// Any three characters that follow each other, so that parts of words are found, and texts without blanks between
    /// words. A search needs three characters.
    ///
    /// - Parameter isCaseSensitive: Whether small and large letters differ.
    public static func trigram(isCaseSensitive: Bool = false) -> FullTextTokenizer {
        FullTextTokenizer(words: isCaseSensitive ? ["trigram", "case_sensitive", "1"] : ["trigram"])
    }

    /// A tokenizer that has been registered with each connection.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - arguments: Its arguments.
    public static func custom(_ name: String, _ arguments: String...) -> FullTextTokenizer {
        FullTextTokenizer(words: [name] + arguments)
    }

    /// The same, with English words reduced to their stems, so that `sail` finds `sailing`.
    public var porter: FullTextTokenizer { FullTextTokenizer(words: ["porter"] + words) }

    /// The value of the option.
    var option: String { words.map { "'" + $0.replacing("'", with: "''") + "'" }.joined(separator: " ") }
}

/// What reduces words to stems.
public enum FullTextStemmer: String, Sendable, Hashable {
    /// Martin Porter's, for English.
    case porter
}
