/// A name with its ASCII letters in lower case and all others as they are: how SQLite compares names.
package func asciiLowercased(_ name: String) -> String {
    guard name.utf8.contains(where: { 65 <= $0 && $0 <= 90 }) else { return name }
    var name = name
    return name.withUTF8 { bytes in
        String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for (index, byte) in bytes.enumerated() { buffer[index] = 65 <= byte && byte <= 90 ? byte | 32 : byte }
            return bytes.count
        }
    }
}

/// Whether two names are one to SQLite.
package func isSameName(_ lhs: String, _ rhs: String) -> Bool {
    func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }
    return lhs.utf8.count == rhs.utf8.count && zip(lhs.utf8, rhs.utf8).allSatisfy { lowercased($0) == lowercased($1) }
}
