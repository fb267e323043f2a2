internal import Foundation
internal import SQLiteKit

/// A reader of a message's body, which comes from a stranger: nothing that it says of itself is believed.
struct MessageReader {
    let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - place }

    mutating func uint64() throws(SQLiteError) -> UInt64 {
        guard remaining >= 8 else { throw cut("a number") }
        defer { place += 8 }
        return word(at: place)
    }

    mutating func uint32() throws(SQLiteError) -> UInt32 {
        guard remaining >= 4 else { throw cut("a number") }
        defer { place += 4 }
        return bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
    }

    mutating func byte() throws(SQLiteError) -> UInt8 {
        guard remaining >= 1 else { throw cut("a byte") }
        defer { place += 1 }
        return bytes[place]
    }

    /// How many of something follow, each of which takes some bytes at the least.
    mutating func count(of what: String, each size: Int) throws(SQLiteError) -> Int {
        let count = try uint64()
        guard let count = Int(exactly: count), count <= remaining / size else {
            throw .invalidMessage("it counts \(count) \(what), and \(remaining) bytes follow")
        }
        return count
    }

    /// Where the bytes of a text are.
    mutating func textRange() throws(SQLiteError) -> Range<Int> {
        let start = place
        let length = bytes.withUnsafeBytes { buffer -> Int? in
            guard remaining > 0, let base = buffer.baseAddress else { return nil }
            return memchr(base + start, 0, remaining).map { UnsafeRawPointer($0) - (base + start) }
        }
        guard let length else { throw cut("a text") }
        try skip(length + 1, "a text")
        return start..<start + length
    }

    /// A text. Bytes that are not UTF-8 are repaired.
    mutating func text() throws(SQLiteError) -> String {
        String(decoding: bytes[try textRange()], as: UTF8.self)
    }

    /// Where the bytes of a blob are, which its length precedes.
    mutating func blobRange() throws(SQLiteError) -> Range<Int> {
        let length = try count(of: "bytes of a blob", each: 1)
        let start = place
        try skip(length, "a blob")
        return start..<start + length
    }

    /// Skips bytes, and those that fill their last word.
    mutating func skip(_ count: Int, _ what: String) throws(SQLiteError) {
        guard count <= remaining else { throw cut(what) }
        let (end, overflows) = place.addingReportingOverflow((count + 7) / 8 * 8)
        // The body is made of whole words, and so is what stands before.
        guard !overflows, end <= bytes.count else { throw cut(what) }
        place = end
    }

    /// The number in a word that is known to be there.
    private func word(at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    }

    private func cut(_ what: String) -> SQLiteError {
        .invalidMessage("it ends within \(what), at byte \(place) of \(bytes.count)")
    }
}
