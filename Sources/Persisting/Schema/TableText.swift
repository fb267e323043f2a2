internal import Foundation

/// The words of a CREATE statement that the schema's pragmas don't tell.
struct TableText {
    private enum Token: Equatable {
        case open, close, comma
        /// A word, in lower case.
        case word(String)
        /// A name in quotes, in lower case.
        case quoted(String)
        case other
    }

    private let text: [UInt8]
    private var tokens: [(token: Token, range: Range<Int>)] = []

    init(_ sql: String) {
        text = Array(sql.utf8)
        var start = 0
        while start < text.count {
            let (token, end) = next(start)
            if let token { tokens.append((token, start..<end)) }
            start = end
        }
    }

    /// The CHECKs, each with the column in whose definition it stands; nil for those of the table.
    var checks: [(column: String?, expression: String)] {
        var checks: [(column: String?, expression: String)] = []
        var (depth, column) = (0, String?.none)
        for (place, item) in tokens.enumerated() {
            switch item.token {
            case .open: depth += 1
            case .close: depth -= 1
            default: break
            }
            guard depth == 1 else { continue }
            if item.token == .comma || item.token == .open { column = name(at: place + 1) }
            guard item.token == .word("check"), place + 1 < tokens.count, tokens[place + 1].token == .open,
                let end = close(of: place + 1)
            else { continue }
            let inside = tokens[place + 1].range.upperBound..<tokens[end].range.lowerBound
            checks.append(
                (column, String(decoding: text[inside], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        return checks
    }

    /// What follows WHERE in a CREATE INDEX; nil without one.
    var condition: String? {
        var depth = 0
        for item in tokens {
            switch item.token {
            case .open: depth += 1
            case .close: depth -= 1
            case .word("where") where depth == 0:
                return String(decoding: text[item.range.upperBound...], as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            default: break
            }
        }
        return nil
    }

    /// The name of the column whose definition begins at a token; nil for a constraint of the table.
    private func name(at place: Int) -> String? {
        guard place < tokens.count else { return nil }
        return switch tokens[place].token {
        case .word("constraint"), .word("check"), .word("unique"), .word("primary"), .word("foreign"): nil
        case .word(let name), .quoted(let name): name
        default: nil
        }
    }

    private func close(of place: Int) -> Int? {
        var depth = 0
        for index in place..<tokens.count {
            if tokens[index].token == .open { depth += 1 }
            if tokens[index].token == .close { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The token at a place, nil for blanks and comments, and where the next begins.
    private func next(_ start: Int) -> (Token?, Int) {
        func end(of closing: String, from place: Int) -> Int {
            let closing = Array(closing.utf8)
            var place = place
            while place < text.count {
                if text[place...].starts(with: closing) { return place + closing.count }
                place += 1
            }
            return text.count
        }
        func isWord(_ byte: UInt8) -> Bool {
            byte >= 128 || byte == 95 || byte == 36 || (48...57).contains(byte) || (97...122).contains(byte | 32)
        }
        switch text[start] {
        case UInt8(ascii: "("): return (.open, start + 1)
        case UInt8(ascii: ")"): return (.close, start + 1)
        case UInt8(ascii: ","): return (.comma, start + 1)
        case 9...13, 32: return (nil, start + 1)
        case UInt8(ascii: "-") where text[start...].starts(with: Array("--".utf8)):
            return (nil, end(of: "\n", from: start))
        case UInt8(ascii: "/") where text[start...].starts(with: Array("/*".utf8)):
            return (nil, end(of: "*/", from: start + 2))
        case UInt8(ascii: "["):
            let end = end(of: "]", from: start)
            return (
                .quoted(asciiLowercased(String(decoding: text[(start + 1)..<max(start + 1, end - 1)], as: UTF8.self))),
                end
            )
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(start)
        case let byte where isWord(byte):
            let end = text[start...].firstIndex { !isWord($0) } ?? text.count
            return (.word(asciiLowercased(String(decoding: text[start..<end], as: UTF8.self))), end)
        default: return (.other, start + 1)
        }
    }

    /// A text or name in quotes, which stand twice inside.
    private func quoted(_ start: Int) -> (Token?, Int) {
        let quote = text[start]
        var (place, name) = (start + 1, [UInt8]())
        while place < text.count {
            if text[place] == quote {
                guard place + 1 < text.count, text[place + 1] == quote else { break }
                place += 1
            }
            name.append(text[place])
            place += 1
        }
        let token: Token = .quoted(asciiLowercased(String(decoding: name, as: UTF8.self)))
        return (token, min(place + 1, text.count))
    }
}
