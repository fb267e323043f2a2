/// Returns a type's name for a message, as in source and without modules: `Int?`, `[String: [Int]]`.
///
/// - Parameter type: The type.
package func sourceName(of type: Any.Type) -> String {
    let name = String(describing: type)
    return name.utf8.contains(UInt8(ascii: "<")) ? SourceName.shortened(name[...]) : name
}

extension DefaultStringInterpolation {
    /// Adds a type's name as it is written in source.
    package mutating func appendInterpolation(source type: Any.Type) { appendLiteral(sourceName(of: type)) }

    /// Adds the name of a value's own type as it is written in source.
    package mutating func appendInterpolation(typeOf value: Any) { appendLiteral(sourceName(of: type(of: value))) }
}

/// Shortens the runtime's names of types.
private enum SourceName {
    /// The name with `Optional<…>`, `Array<…>` and `Dictionary<…>` as `…?`, `[…]` and `[…: …]`.
    static func shortened(_ name: Substring) -> String {
        var text = ""
        var rest = name
        while let open = rest.firstIndex(of: "<") {
            let start = rest[..<open].lastIndex { !isOfName($0) }.map { rest.index(after: $0) } ?? rest.startIndex
            let (word, before) = (rest[start..<open], rest[..<start])
            guard let close = end(of: rest[rest.index(after: open)...]) else { break }
            let arguments = arguments(rest[rest.index(after: open)..<close])
            text += before + form(word, arguments)
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    private static func form(_ word: Substring, _ arguments: [String]) -> String {
        switch (word, arguments.count) {
        // `A & B` and function types have spaces outside brackets.
        case ("Optional", 1): isOneWord(arguments[0]) ? arguments[0] + "?" : "(\(arguments[0]))?"
        case ("Array", 1): "[\(arguments[0])]"
        case ("Dictionary", 2): "[\(arguments[0]): \(arguments[1])]"
        default: "\(word)<\(arguments.joined(separator: ", "))>"
        }
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "."
    }

    /// The end of the bracket that is open before a text.
    private static func end(of text: Substring) -> Substring.Index? {
        var depth = 1
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            if character == "<" { depth += 1 }
            // The `>` of an arrow isn't a bracket.
            if character == ">", previous != "-" { depth -= 1 }
            if depth == 0 { return index }
            previous = character
        }
        return nil
    }

    /// The arguments between brackets, shortened.
    private static func arguments(_ text: Substring) -> [String] {
        parts(of: text, at: ",").map { part in shortened(part.first == " " ? part.dropFirst() : part) }
    }

    private static func isOneWord(_ text: String) -> Bool { parts(of: text[...], at: " ").count == 1 }

    /// Splits a text at a character, except inside brackets.
    private static func parts(of text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var (depth, start) = (0, text.startIndex)
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            switch character {
            case "<", "(", "[": depth += 1
            case ">" where previous == "-": break
            case ">", ")", "]": depth -= 1
            case separator where depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
            previous = character
        }
        return parts + [text[start...]]
    }
}
