/// The columns and constraints of a CREATE TABLE as they are written, without being read.
///
/// ALTER TABLE adds to the text of a table and cuts from it: what it leaves alone has the bytes that it was created
/// with.
struct TableParts {
    /// What stands between the outer brackets, without the blanks around.
    let parts: [String]
    /// What follows them.
    let options: String

    /// - Returns: Nil for a text with a comment to the end of a line, and for one that ends before its brackets do.
    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        var ranges: [Range<Int>] = []
        var (start, depth, index) = (0, 0, 0)
        scan: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                let end = bytes[index] == UInt8(ascii: "[") ? UInt8(ascii: "]") : bytes[index]
                // Two quotes within are one end and one beginning.
                guard let close = bytes[(index + 1)...].firstIndex(of: end) else { return nil }
                index = close
            case UInt8(ascii: "-") where bytes[index...].starts(with: "--".utf8): return nil
            case UInt8(ascii: "/") where bytes[index...].starts(with: "/*".utf8):
                index += 2
                while index < bytes.count, !bytes[index...].starts(with: "*/".utf8) { index += 1 }
                index += 1
            case UInt8(ascii: "("):
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: ")"):
                depth -= 1
                guard depth == 0 else { break }
                ranges.append(start..<index)
                break scan
            case UInt8(ascii: ",") where depth == 1:
                ranges.append(start..<index)
                start = index + 1
            default: break
            }
            index += 1
        }
        guard index < bytes.count else { return nil }
        parts = ranges.map { Self.trimmed(bytes[$0]) }
        options = Self.trimmed(bytes[(index + 1)...])
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
