internal import Foundation
internal import Persisting
internal import SQLiteKit

/// Pieces of Swift source text.
enum SwiftSource {
    /// A text as a literal.
    static func literal(_ text: String) -> String {
        // It escapes the apostrophe, which needs none in these quotes.
        text.debugDescription.replacing("\\'", with: "'")
    }

    /// A stored value as an expression of the type ``/SQLiteKit/SQLiteValue``.
    static func literal(_ value: SQLiteValue) -> String {
        switch value {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .real(let number) where number.isFinite: "\(number)"
        case .real(let number): number.isNaN ? "nil" : ".real(\(number < 0 ? "-" : "").infinity)"
        case .text(let text): literal(text)
        case .blob(let data): ".blob(Data([\(data.map { "\($0)" }.joined(separator: ", "))]))"
        }
    }

    /// A text for a comment of one line. A name in a hostile file may have lines of Swift in it.
    static func line(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined(separator: " ") }

    /// A type's name as it can be written where it is in sight: without its module.
    static func name(of type: any Any.Type) -> String {
        let full = String(reflecting: type)
        guard !full.contains("(unknown context"), let dot = full.firstIndex(of: ".") else {
            return String(describing: type)
        }
        return String(full[full.index(after: dot)...])
    }

    /// A name as an identifier, in backticks where Swift would read it otherwise.
    static func identifier(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The letters and digits of a name, with `_` for each run of anything else.
    static func words(_ name: String) -> String {
        name.unicodeScalars.split { !($0.properties.isXIDContinue && $0 != "_") }.map { String($0) }
            .joined(separator: "_")
    }

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try",
        "typealias", "var", "where", "while",
    ]
}
