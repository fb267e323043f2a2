/// Orderings as texts.
extension OrderingTerm {
    static func parse(_ phrase: String, model: String) throws -> [OrderingTerm] {
        try FormatParser.parts(of: phrase).map { part in
            let words = part.split(whereSeparator: \.isWhitespace)
            func failure(_ reason: String) -> PersistenceError {
                PersistenceError(.invalidOrdering, "\(reason) in the ordering \"\(phrase)\"", model: model)
            }
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
