/// A piece of a format's text.
struct FormatToken {
    enum Kind {
        /// A word as it is written: a key, or one of the language's own.
        case word(String)
        /// A word that is a key whatever the language says: `#order`, or in backquotes.
        case key(String)
        /// A quoted text, its escapes resolved.
        case text(String)
        case integer(UInt64)
        case real(Double)
        /// What stands for an argument, without its `%`.
        case argument(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    /// Where it stands, in Unicode scalars from 0.
    let range: Range<Int>

    /// The word in upper case, as the language compares its own; nil for another piece.
    var keyword: String? {
        if case .word(let word) = kind { asciiUppercased(word) } else { nil }
    }

    /// Whether it begins with a key, or with a word that may be one.
    var isKey: Bool {
        switch kind {
        case .word, .key, .argument("K"): true
        default: false
        }
    }

    func isSymbol(_ symbol: String) -> Bool {
        if case .symbol(symbol) = kind { true } else { false }
    }
}

private func asciiUppercased(_ text: String) -> String {
    String(
        decoding: text.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 },
        as: UTF8.self)
}
