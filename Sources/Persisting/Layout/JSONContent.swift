internal import Foundation

/// A JSON text as a tree. Numbers keep their digits, which `JSONSerialization` doesn't.
indirect enum JSONContent: Hashable, Sendable {
    case null
    case truth(Bool)
    /// A number, as it is written.
    case number(String)
    case text(String)
    case array([JSONContent])
    case object([String: JSONContent])

    /// - Returns: Nil for a text that isn't JSON.
    init?(_ text: String) {
        var parser = JSONContentParser(text)
        guard let tree = parser.whole() else { return nil }
        self = tree
    }

    /// The tree of what is stored; nil for what isn't JSON.
    init?(_ stored: SQLiteValue) {
        switch stored {
        case .text(let text): self.init(text)
        case .blob(let data): self.init(String(decoding: data, as: UTF8.self))
        default: return nil
        }
    }

    /// The text, with sorted keys and no blanks.
    var text: String {
        switch self {
        case .null: "null"
        case .truth(let truth): truth ? "true" : "false"
        case .number(let digits): digits
        case .text(let text): Self.quoted(text)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.text }
                .joined(separator: ",") + "}"
        }
    }

    /// The tree with the elements of each array in the order of their texts.
    var withoutOrder: JSONContent {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutOrder).sorted { $0.text < $1.text })
        case .object(let members): .object(members.mapValues(\.withoutOrder))
        case .null, .truth, .number, .text: self
        }
    }

    /// A text as JSON has it.
    static func quoted(_ text: String) -> String {
        // A text is always encoded.
        (try? StoredJSON.encode(text)) ?? "\"\""
    }

    /// What a path of objects' keys leads to; nil where there is nothing.
    func value(at keys: some Collection<String>) -> JSONContent? {
        guard let key = keys.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members[key]?.value(at: keys.dropFirst())
    }

    /// The tree with another value at a path, or without any there; nil where nothing has the path's last key.
    func replacing(_ keys: some Collection<String>, by value: JSONContent?) -> JSONContent? {
        guard let key = keys.first else { return value }
        guard case .object(var members) = self else { return nil }
        if keys.count == 1 {
            members[key] = value
        } else {
            guard let member = (members[key] ?? .object([:])).replacing(keys.dropFirst(), by: value) else { return nil }
            members[key] = member
        }
        return .object(members)
    }

    /// The paths of all values in objects, those of containers before what is in them.
    var paths: [[String]] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }.flatMap { key, value in
            [[key]] + value.paths.map { [key] + $0 }
        }
    }

    /// The path under which all differences from another tree are; nil where there are none.
    func difference(from other: JSONContent) -> [String]? {
        guard self != other else { return nil }
        guard case .object(let own) = self, case .object(let others) = other else { return [] }
        let keys = Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }
        guard keys.count == 1, let key = keys.first else { return [] }
        guard let value = own[key], let another = others[key] else { return [key] }
        return [key] + (value.difference(from: another) ?? [])
    }
}

/// Parses a JSON text.
private struct JSONContentParser {
    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0

    /// What Foundation's decoder takes.
    private static let deepest = 512

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func whole() -> JSONContent? {
        guard let tree = value() else { return nil }
        skipBlanks()
        return place == bytes.count ? tree : nil
    }

    private mutating func value() -> JSONContent? {
        skipBlanks()
        guard place < bytes.count, depth < Self.deepest else { return nil }
        switch bytes[place] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return text().map { .text($0) }
        default:
            let start = place
            while place < bytes.count, !Self.ends.contains(bytes[place]) { place += 1 }
            return word(String(decoding: bytes[start..<place], as: UTF8.self))
        }
    }

    private static let ends = Set(",]} \t\r\n".utf8)

    private func word(_ word: String) -> JSONContent? {
        switch word {
        case "null": .null
        case "true": .truth(true)
        case "false": .truth(false)
        default: word.first.map { "-0123456789".contains($0) } ?? false && Double(word) != nil ? .number(word) : nil
        }
    }

    private mutating func text() -> String? {
        let start = place
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.count else { return nil }
        place += 1
        let quoted = bytes[start..<place]
        if quoted.contains(UInt8(ascii: "\\")) { return try? StoredJSON.decode(String.self, from: Data(quoted)) }
        return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }

    private mutating func array() -> JSONContent? {
        var elements: [JSONContent] = []
        let isClosed = list(until: UInt8(ascii: "]")) { parser in
            guard let element = parser.value() else { return false }
            elements.append(element)
            return true
        }
        return isClosed ? .array(elements) : nil
    }

    private mutating func object() -> JSONContent? {
        var members: [String: JSONContent] = [:]
        let isClosed = list(until: UInt8(ascii: "}")) { parser in
            parser.skipBlanks()
            guard parser.place < parser.bytes.count, parser.bytes[parser.place] == UInt8(ascii: "\""),
                let key = parser.text(), parser.skip(UInt8(ascii: ":")), let value = parser.value()
            else { return false }
            // Of two members with one key, SQLite takes the first, and so does Foundation.
            members[key] = members[key] ?? value
            return true
        }
        return isClosed ? .object(members) : nil
    }

    private mutating func list(until end: UInt8, _ element: (inout JSONContentParser) -> Bool) -> Bool {
        place += 1
        depth += 1
        defer { depth -= 1 }
        if skip(end) { return true }
        repeat {
            guard element(&self) else { return false }
        } while skip(UInt8(ascii: ","))
        return skip(end)
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while place < bytes.count, Self.blanks.contains(bytes[place]) { place += 1 }
    }

    private static let blanks = Set(" \t\r\n".utf8)
}
