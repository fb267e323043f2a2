internal import Foundation

/// Names in camel case and in snake case, one form from the other.
///
/// ```swift
/// NameText.snakeCase("imageURL")          // image_url
/// NameText.upperSnakeCase("userIDs")      // USER_IDS
/// NameText.camelCase("MEDIA_KEY")         // mediaKey
/// ```
///
/// Acronyms stay whole, and only ASCII letters change case.
public enum NameText {
    /// The words of a camel-case name in lower case, separated by `_`: `imageURL` gives image_url.
    ///
    /// - Parameter name: The name.
    public static func snakeCase(_ name: String) -> String { snake(name) { $0 | 0x20 } }

    /// The words of a camel-case name in upper case, separated by `_`: `imageURL` gives IMAGE_URL.
    ///
    /// - Parameter name: The name.
    public static func upperSnakeCase(_ name: String) -> String { snake(name) { $0 & ~0x20 } }

    /// The words of a name that `_` separates as a name in camel case: `IMAGE_URL` gives imageURL, `user_id` userID. A
    /// name in camel case keeps its words: `LastName` gives lastName.
    ///
    /// - Parameter name: The name.
    public static func camelCase(_ name: String) -> String { camel(name) { $0.isEmpty } }

    /// The same as ``camelCase(_:)`` with a leading capital: `podcast_episode` gives PodcastEpisode.
    ///
    /// - Parameter name: The name.
    public static func upperCamelCase(_ name: String) -> String { camel(name) { _ in false } }

    /// The plural of an English word by its last letters: `category` gives categories, `box` boxes, `user` users.
    ///
    /// - Parameter word: The word.
    public static func plural(_ word: String) -> String {
        if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) {
            return word.dropLast() + "ies"
        }
        return word + (["s", "x", "z", "ch", "sh"].contains(where: word.hasSuffix) ? "es" : "s")
    }

    /// The text without leading and trailing white space and line ends.
    ///
    /// - Parameter text: The text.
    public static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Whether the text is empty, or holds only white space and line ends.
    ///
    /// - Parameter text: The text.
    public static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }
}

extension NameText {
    /// - Parameter isLower: Whether the next word is in lower case, given the words before it.
    private static func camel(_ name: String, _ isLower: (String) -> Bool) -> String {
        snakeCase(name).split(separator: "_").reduce(into: "") { result, word in
            if isLower(result) {
                result += word
            } else if ["id", "url", "uuid"].contains(word) {
                result += word.utf8.map { String(UnicodeScalar($0 & ~0x20)) }.joined()
            } else {
                result += word.prefix(1).uppercased() + word.dropFirst()
            }
        }
    }

    private enum Letter {
        case upper, lower, digit, underscore, other

        init(_ byte: UInt8) {
            self =
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
                case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
                case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
                case UInt8(ascii: "_"): .underscore
                default: .other
                }
        }
    }

    private static func snake(_ name: String, _ fold: (UInt8) -> UInt8) -> String {
        let bytes = Array(name.utf8)
        func kind(_ index: Int) -> Letter? { bytes.indices.contains(index) ? Letter(bytes[index]) : nil }

        // A capital begins a word after anything but a capital; within a run of capitals, the last one does if a
        // lower-case letter follows it: the D of "didIDie", not that of "userIDs", whose s makes a plural.
        func beginsWord(_ index: Int) -> Bool {
            guard kind(index) == .upper, let before = kind(index - 1), before != .underscore else { return false }
            guard before == .upper else { return true }
            guard kind(index + 1) == .lower else { return false }
            let isPlural =
                bytes[index + 1] == UInt8(ascii: "s") && (kind(index + 2) == nil || kind(index + 2) == .upper)
            return !isPlural
        }

        var result: [UInt8] = []
        for index in bytes.indices {
            if beginsWord(index) { result.append(UInt8(ascii: "_")) }
            result.append(kind(index) == .upper || kind(index) == .lower ? fold(bytes[index]) : bytes[index])
        }
        return String(decoding: result, as: UTF8.self)
    }
}
