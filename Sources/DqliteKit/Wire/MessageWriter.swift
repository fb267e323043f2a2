internal import Foundation
internal import SQLiteKit

/// A message that is being written: a header, and a body of words of eight bytes.
///
/// Numbers have their lowest byte first. Texts end with a NUL, and with as many more as fill the word. See
/// [Wire protocol](https://dqlite.io/docs/protocol).
struct MessageWriter {
    private(set) var bytes: [UInt8]

    init(_ type: RequestType) {
        // The count of words comes when the body is complete. All bodies are of the first form.
        bytes = [0, 0, 0, 0, type.rawValue, 0, 0, 0]
    }

    mutating func append(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// - Throws: `.unsupported` for a text that contains a NUL, which the other side would take for its end.
    mutating func append(text: String) throws(SQLiteError) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        guard !bytes[start...].contains(0) else { throw .textWithNUL }
        bytes.append(0)
        pad()
    }

    private mutating func append(blob: Data) {
        append(UInt64(blob.count))
        bytes.append(contentsOf: blob)
        pad()
    }

    /// The values of a statement's parameters: how many, the class of each, and then each by itself.
    ///
    /// - Throws: `.unsupported` for more than 255, or a text with a NUL.
    mutating func append(_ values: [SQLiteValue]) throws(SQLiteError) {
        if values.isEmpty { return }
        guard let count = UInt8(exactly: values.count) else { throw .tooManyParameters(values.count) }
        bytes.append(count)
        for value in values { bytes.append(ValueType(value).rawValue) }
        pad()
        for value in values {
            switch value {
            case .null: append(UInt64(0))
            case .integer(let value): append(UInt64(bitPattern: value))
            case .real(let value): append(value.bitPattern)
            case .text(let text): try append(text: text)
            case .blob(let blob): append(blob: blob)
            }
        }
    }

    /// Fills the last word.
    private mutating func pad() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }

    /// The whole message.
    ///
    /// - Throws: `.tooBig` when the header can't count the words.
    consuming func finished() throws(SQLiteError) -> [UInt8] {
        guard let words = UInt32(exactly: bytes.count / 8 - 1) else {
            throw SQLiteError(.tooBig, "a request of \(bytes.count) bytes is larger than the protocol allows")
        }
        withUnsafeBytes(of: words.littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
        return bytes
    }
}
