internal import Foundation

/// A text in quotes, with the quotes in it doubled. It looks at bytes, because Swift takes a quote and a combining mark
/// after it for one character, and SQL takes the quote for a quote.
func quoted(_ text: String, _ quote: UInt8) -> String {
    var bytes = [quote]
    for byte in text.utf8 {
        if byte == quote { bytes.append(quote) }
        bytes.append(byte)
    }
    return String(decoding: bytes + [quote], as: UTF8.self)
}

/// Whether two texts are the same bytes. Texts that Swift calls equal may differ in them, and to SQLite they are two.
package func haveSameBytes(_ lhs: String, _ rhs: String) -> Bool {
    withUTF8(of: lhs) { lhs in
        withUTF8(of: rhs) { rhs in
            guard lhs.count == rhs.count, let left = lhs.baseAddress, let right = rhs.baseAddress else {
                return lhs.count == rhs.count
            }
            return memcmp(left, right, lhs.count) == 0
        }
    }
}

/// Calls `body` with the bytes of a text, which is copied only where it is not Swift's own.
@inline(__always)
func withUTF8<T>(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text
    return copy.withUTF8(body)
}

/// How many bytes of a text come before the first of a value; nil when there is none.
func offset(of byte: UInt8, in text: String) -> Int? {
    withUTF8(of: text) { bytes in
        bytes.baseAddress.flatMap { start in
            memchr(start, Int32(byte), bytes.count).map { UnsafeRawPointer($0) - UnsafeRawPointer(start) }
        }
    }
}
