/// Orderings as texts.
extension OrderingTerm {
    /// How long a phrase made at run time may be, in bytes, and how many terms it may have. Each term may be a
    /// subquery.
    private static let (greatestLength, greatestCount) = (1_000, 16)

    /// - Parameter isLiteral: Whether the phrase is a literal. One that is made at run time may be a request's text: it
    ///   has no calculations, which can take any amount of time and memory.
    static func parse(_ phrase: String, model: String, isLiteral: Bool) throws -> [OrderingTerm] {
        func failure(_ reason: String) -> PersistenceError {
            let text = phrase.utf8.count > greatestLength ? phrase.prefix(100) + "…" : phrase[...]
            return PersistenceError(.invalidOrdering, "\(reason) in the ordering \"\(text)\"", model: model)
        }
        guard isLiteral || phrase.utf8.count <= greatestLength else {
            throw failure("there are more than \(greatestLength) bytes")
        }
        let parts = FormatParser.parts(of: phrase)
        guard isLiteral || parts.count <= greatestCount else {
            throw failure("there are more than \(greatestCount) terms")
        }
        return try parts.map { part in
            let words = part.split(whereSeparator: \.isWhitespace)
            guard let key = words.first else { throw failure("the key is missing") }
            let direction: SortDirection? =
                switch words.dropFirst().last?.lowercased() {
                case "asc", "ascending": .ascending
                case "desc", "descending": .descending
                default: nil
                }
            // Blanks in quotes stay what they are.
            let text = String(part[key.startIndex..<words[words.count - (direction == nil ? 1 : 2)].endIndex])
            if FormatParser.isCalculation(text) {
                guard isLiteral else {
                    throw failure(
                        "\"\(text)\" is a calculation, which a phrase made at run time can't have: write it as a "
                            + "literal, or as an expression, such as .ascending(\\.price * \\.quantity),")
                }
                let term = try FormatParser.term(text, model: model)
                return .column(.init(text, direction ?? .ascending, related: term))
            }
            guard words.count <= 2 else { throw failure("\"\(words[2])\" is one word too many") }
            guard direction != nil || words.count == 1 else {
                throw failure("\"\(words[1])\" isn't a direction: use asc or desc")
            }
            return .column(.init(String(key), direction ?? .ascending))
        }
    }
}
