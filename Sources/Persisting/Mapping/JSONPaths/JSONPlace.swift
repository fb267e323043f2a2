/// Where a value is inside of a column of JSON: the keys of objects, one inside the other.
package struct JSONPlace: Hashable, Sendable {
    package let keys: [String]

    /// The path as [SQLite writes it](https://www.sqlite.org/json1.html#path_arguments).
    var text: String { keys.reduce("$") { $0 + ".\"\($1)\"" } }

    /// Whether SQLite finds each key by its name: one that JSON writes with a backslash can't be in a path.
    var isPlain: Bool { keys.allSatisfy(Self.isPlain) }

    private static func isPlain(_ key: String) -> Bool {
        !key.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    }

    /// The path in a key, such as `font.size`; `self` for no path. What has a dot or a quote in it is written in
    /// quotes, as JSON is.
    var name: String {
        if keys.isEmpty { return "self" }
        return keys.map { key in
            key.isEmpty || key.contains(".") || key.contains("\"") ? JSONContent.quoted(key) : key
        }.joined(separator: ".")
    }

    /// The path of a key that doesn't begin with the column's.
    ///
    /// - Returns: Nil for an empty name, and for a quote that isn't closed.
    init?(name: some StringProtocol) {
        var (keys, rest) = ([String](), name[...])
        while true {
            let end = rest.first == "\"" ? Self.endOfQuoted(rest) : rest.firstIndex(of: ".") ?? rest.endIndex
            guard let end, end > rest.startIndex else { return nil }
            let key = String(rest[..<end])
            if rest.first == "\"" {
                guard case .text(let text)? = JSONContent(key) else { return nil }
                keys.append(text)
            } else {
                keys.append(key)
            }
            guard end < rest.endIndex else { break }
            guard rest[end] == "." else { return nil }
            rest = rest[rest.index(after: end)...]
        }
        self.keys = keys
    }

    init(_ keys: [String]) {
        self.keys = keys
    }

    /// The path as ``text`` writes it; nil for any other text.
    package init?(path: String) {
        guard path.hasPrefix("$.\"") else { return nil }
        self.init(name: path.dropFirst(2))
    }

    private static func endOfQuoted<Text: StringProtocol>(_ text: Text) -> Text.Index? {
        var index = text.index(after: text.startIndex)
        while index < text.endIndex, text[index] != "\"" {
            if text[index] == "\\" { index = text.index(after: index) }
            guard index < text.endIndex else { return nil }
            index = text.index(after: index)
        }
        return index < text.endIndex ? text.index(after: index) : nil
    }
}
