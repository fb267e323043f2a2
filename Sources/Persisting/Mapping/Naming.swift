internal import Foundation

/// How a class's name becomes its table's, and a property's name its column's.
///
/// ```swift
/// override class var naming: Naming { .pluralSnakeCase }                 // Category.imageURL: categories.image_url
/// override class var naming: Naming { Naming(table: { "t_" + $0 }, column: { $0 }) }
/// ```
///
/// Acronyms stay whole: `imageURL` becomes IMAGE_URL, `userIDs` USER_IDS, `didIDie` DID_I_DIE. Only ASCII letters
/// change case.
public struct Naming: Sendable {
    /// The table's name for a class's.
    public let table: @Sendable (String) -> String
    /// The column's name for a property's.
    public let column: @Sendable (String) -> String

    /// A strategy of your own.
    ///
    /// - Parameters:
    ///   - table: Turns the name of a class, without its module, into a table's.
    ///   - column: Turns the name of a property into a column's.
    public init(table: @escaping @Sendable (String) -> String, column: @escaping @Sendable (String) -> String) {
        self.table = table
        self.column = column
    }

    /// `PodcastEpisode.feedURL`: PODCAST_EPISODE.FEED_URL. The default.
    public static let upperSnakeCase = Naming(table: \.upperSnakeCased, column: \.upperSnakeCased)
    /// `PodcastEpisode.feedURL`: podcast_episode.feed_url.
    public static let snakeCase = Naming(table: \.snakeCased, column: \.snakeCased)
    /// `PodcastEpisode.feedURL`: podcast_episodes.feed_url.
    public static let pluralSnakeCase = Naming(table: \.snakeCased.pluralized, column: \.snakeCased)
    /// `PodcastEpisode.feedURL`: PodcastEpisode.feedURL.
    public static let identity = Naming(table: { $0 }, column: { $0 })
}

extension String {
    /// The words of a camel-case name in lower case with `_` between: `imageURL` gives image_url.
    public var snakeCased: String { snake { $0 | 0x20 } }

    /// The words of a camel-case name in upper case with `_` between: `imageURL` gives IMAGE_URL.
    public var upperSnakeCased: String { snake { $0 & ~0x20 } }

    /// The words of a name with `_` between as a name in camel case: `IMAGE_URL` gives imageURL, `user_id` userID. A
    /// name in camel case keeps its words: `LastName` gives lastName.
    public var camelCased: String { camel { $0.isEmpty } }

    /// The same as ``camelCased`` with a capital at its beginning: `podcast_episode` gives PodcastEpisode.
    public var upperCamelCased: String { camel { _ in false } }

    /// - Parameter isLower: Whether the next word is in lower case, by the words before it.
    private func camel(_ isLower: (String) -> Bool) -> String {
        snakeCased.split(separator: "_").reduce(into: "") { result, word in
            if isLower(result) {
                result += word
            } else if ["id", "url", "uuid"].contains(word) {
                result += word.utf8.map { String(UnicodeScalar($0 & ~0x20)) }.joined()
            } else {
                result += word.prefix(1).uppercased() + word.dropFirst()
            }
        }
    }

    private enum Letter { case upper, lower, digit, underscore, other }

    private func snake(_ fold: (UInt8) -> UInt8) -> String {
        let bytes = Array(utf8)
        let kinds = bytes.map { byte -> Letter in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
            case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
            case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
            case UInt8(ascii: "_"): .underscore
            default: .other
            }
        }
        func kind(_ index: Int) -> Letter? { kinds.indices.contains(index) ? kinds[index] : nil }

        // A capital begins a word behind anything but a capital; within a run of capitals, the last does when a
        // lower-case letter follows it: the D of "didIDie", not that of "userIDs", whose s makes a plural.
        func beginsWord(_ index: Int) -> Bool {
            guard kinds[index] == .upper, let before = kind(index - 1), before != .underscore else { return false }
            guard before == .upper else { return true }
            guard kind(index + 1) == .lower else { return false }
            let isPlural =
                bytes[index + 1] == UInt8(ascii: "s") && (kind(index + 2) == nil || kind(index + 2) == .upper)
            return !isPlural
        }

        var result: [UInt8] = []
        for index in bytes.indices {
            if beginsWord(index) { result.append(UInt8(ascii: "_")) }
            result.append(kinds[index] == .upper || kinds[index] == .lower ? fold(bytes[index]) : bytes[index])
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text without blanks and line ends at its beginning and its end.
    public var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Whether the text is empty, or holds nothing but blanks and line ends.
    public var isBlank: Bool { allSatisfy(\.isWhitespace) }

    /// The plural of an English word by its last letters: `category` gives categories, `box` boxes, `user` users.
    public var pluralized: String {
        if hasSuffix("y"), let before = dropLast().last, !"aeiou".contains(before) { return dropLast() + "ies" }
        if ["s", "x", "z", "ch", "sh"].contains(where: hasSuffix) { return self + "es" }
        return self + "s"
    }
}
