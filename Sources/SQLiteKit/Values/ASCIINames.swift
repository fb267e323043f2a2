/// A name with its ASCII letters in lower case and all others as they are: how SQLite compares names.
package func asciiLowercased(_ name: String) -> String {
    guard name.utf8.contains(where: { 65 <= $0 && $0 <= 90 }) else { return name }
    return String(decoding: name.utf8.map { 65 <= $0 && $0 <= 90 ? $0 | 32 : $0 }, as: UTF8.self)
}

/// Whether two names are one to SQLite.
package func isSameName(_ lhs: String, _ rhs: String) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }
    return lhs.utf8.count == rhs.utf8.count && zip(lhs.utf8, rhs.utf8).allSatisfy { lowercased($0) == lowercased($1) }
}
