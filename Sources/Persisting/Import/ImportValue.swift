internal import Foundation

/// A field of a row that is imported, as the file has it.
struct ImportValue {
    enum Kind: UInt8 {
        case null, no, yes, number, text
        /// An object or an array of JSON.
        case container
    }

    var kind: Kind
    var start: UnsafePointer<UInt8>?
    var count: Int

    static var null: ImportValue { ImportValue(kind: .null, start: nil, count: 0) }

    @inline(__always)
    init(kind: Kind, start: UnsafePointer<UInt8>?, count: Int) {
        self.kind = kind
        self.start = start
        self.count = count
    }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    /// The bytes without blanks around them, as a number, a date or a word may have in a CSV text.
    var trimmed: UnsafeBufferPointer<UInt8> {
        var bytes = bytes[...]
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return UnsafeBufferPointer(rebasing: bytes)
    }

    /// The text, as far as it is UTF-8.
    var text: String {
        switch kind {
        case .null: "null"
        case .no where start == nil: "false"
        case .yes where start == nil: "true"
        default: String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The text, but for what is beyond 200 bytes.
    var beginning: String {
        guard count > 200 else { return text }
        return String(decoding: bytes.prefix(200), as: UTF8.self)
    }

    /// Whether the text says true or false; nil for another.
    var truth: Bool? {
        switch kind {
        case .yes: return true
        case .no: return false
        case .null, .container: return nil
        case .number, .text: break
        }
        let bytes = trimmed
        guard bytes.count <= 5 else { return nil }
        switch asciiLowercased(String(decoding: bytes, as: UTF8.self)) {
        case "1", "true", "yes", "t", "y": return true
        case "0", "false", "no", "f", "n": return false
        default: return nil
        }
    }

    /// What the value is by itself, for a property that takes any value: digits are an integer, and so are YES, true,
    /// NO and false, as 1 and 0; other numbers are real. What has leading zeros or is too large stays text.
    func plain() throws -> SQLiteValue {
        guard isUTF8(bytes) else { throw ImportProblem(reason: "the text isn't UTF-8") }
        return plainOfUTF8
    }

    /// The same for bytes that are known to be UTF-8.
    var plainOfUTF8: SQLiteValue {
        switch kind {
        case .null: return .null
        case .yes: return .integer(1)
        case .no: return .integer(0)
        case .container, .number, .text: break
        }
        if kind == .container { return .text(text) }
        let digits = bytes.drop { $0 == 0x2D }
        let hasLeadingZero = digits.count > 1 && digits.first == 0x30 && digits.dropFirst().first != 0x2E
        if kind == .number || !hasLeadingZero && bytes.first != 0x2B {
            switch NumberText.number(bytes) {
            case .integer(let number)?: return .integer(number)
            case .real(let number)? where kind == .number || bytes.contains(0x2E): return .real(number)
            default: break
            }
        }
        switch text {
        case "YES", "yes", "TRUE", "true": return .integer(1)
        case "NO", "no", "FALSE", "false": return .integer(0)
        default: return .text(text)
        }
    }
}

/// Keeps the value that is bound to it.
final class ValueSink: ParameterSink {
    private(set) var value = SQLiteValue.null

    func bindNull(at index: Int) { value = .null }
    func bind(int64 number: Int64, at index: Int) { value = .integer(number) }
    func bind(double number: Double, at index: Int) { value = .real(number) }
    func bind(text: String, at index: Int) { value = .text(text) }
    func bind(blob: some ContiguousBytes, at index: Int) { value = .blob(blob.withUnsafeBytes { Data($0) }) }
}
