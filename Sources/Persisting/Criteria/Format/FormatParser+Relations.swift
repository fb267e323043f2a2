/// A key that a format names, and where.
struct FormatKey {
    /// With dots, one that leads through relations.
    let key: String
    /// In Unicode scalars from 0.
    let position: Int
    /// The relations whose rows are asked one by one, before the key.
    var relations: [String] = []

    /// Checks that a class has the key.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/invalidCriteria``.
    func check(_ mapping: Mapping) throws {
        let owner = try relations.reduce(mapping) { try CriteriaResolver(mapping: $0).relation(.named($1)).target }
        let resolver = CriteriaResolver(mapping: owner)
        if let (reference, leaf) = try resolver.relatedValue(key) {
            _ = try resolver.operand(resolver.relation(reference), leaf)
        } else {
            _ = try resolver.column(key)
        }
    }
}

/// Keys with dots, and comparisons of several rows.
extension FormatParser {
    /// The key that begins with the one just read: `show.title`, `episodes.@sum.seconds`, `settings.limits."a.b"`.
    mutating func path(_ key: String) throws -> String {
        var path = key
        while true {
            let digits = text[token.range].dropFirst()
            if case .real = token.kind, text[token.range].hasPrefix("."), digits.allSatisfy(\.isNumber) {
                // A key of JSON, which looks like a fraction.
                path += "." + digits
            } else {
                guard token.isSymbol(".") else { return path }
                try advance()
                switch token.kind {
                case .word(let word), .key(let word): path += "." + word
                case .text where text[token.range].hasPrefix("\""): path += "." + text[token.range]
                default: throw unexpected("a property of the related row, or a key in JSON")
                }
            }
            try advance()
        }
    }

    /// `ANY episodes.seconds > 60`, and the same with `SOME`, `ALL` and `NONE`.
    mutating func quantified(_ keyword: String, _ word: String, _ start: FormatToken) throws -> Piece {
        let position = start.range.lowerBound
        let mistake = text.failure(
            "\(word) needs a property of related rows: \(word) episodes.seconds > 60\(Self.hint(word))", at: position)
        try advance()
        switch token.kind {
        case .word, .key, .argument("K"), .symbol("("): break
        default: throw mistake
        }
        let (subject, known) = (try piece(.sum), keys.count)
        guard case .term(.key(let path)) = subject.content, let (relations, key) = split(path) else {
            throw mistake
        }
        keys[known - 1] = FormatKey(key: key, position: subject.position, relations: relations)
        let comparison = try comparison(Piece(content: .term(.key(key)), position: subject.position))
        guard keys.count == known else {
            throw text.failure(
                "\(word) compares with values: \(keys[known].key) would be one of the related row",
                at: keys[known].position)
        }
        var node = try condition(comparison)
        if keyword == "ALL" { node = node.negated }
        node = relations.reversed().reduce(node) { .related(.named($1), $0) }
        if keyword == "ALL" || keyword == "NONE" { node = node.negated }
        var related = comparison
        related.depth += relations.count
        return try deeper(.condition(node), [related], at: position)
    }

    /// The relations of a path and the key after them, to which an aggregate's relation belongs, and a path inside of
    /// JSON; nil for a path without relations.
    private func split(_ path: String) -> (relations: [String], key: String)? {
        let parts = path.split(separator: ".").map(String.init)
        var end = (parts.firstIndex { $0.hasPrefix("@") } ?? parts.count) - 1
        guard end > 0 else { return nil }
        var owner = mapping
        for (place, name) in parts[..<end].enumerated() {
            guard let mapping = owner else { break }
            if place > 0, mapping.jsonTerm(ofKey: parts[place...].joined(separator: ".")) != nil {
                end = place
                break
            }
            owner = try? CriteriaResolver(mapping: mapping).relation(.named(name)).target
        }
        return (Array(parts[..<end]), parts[end...].joined(separator: "."))
    }
}
