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
    /// Whether it is a string of JSON, or a field of CSV in quotation marks.
    var isString = false

    static var null: ImportValue { ImportValue(kind: .null, start: nil, count: 0) }

    @inline(__always)
    init(kind: Kind, start: UnsafePointer<UInt8>?, count: Int, isString: Bool = false) {
        self.kind = kind
        self.start = start
        self.count = count
        self.isString = isString
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

    /// The text, except for what is beyond 200 bytes.
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

    /// What the value is by itself, for a property that takes any value.
    ///
    /// A string of JSON, or a field of CSV in quotation marks, is a text. Another field is what it looks like:
    /// `x'0a'` is bytes, `Infinity` a number, and others are as ``plainOfUTF8`` says.
    func plain() throws -> SQLiteValue {
        guard isUTF8(bytes) else { throw ImportProblem(reason: "the text isn't UTF-8") }
        if isString { return .text(text) }
        if kind == .container {
            // Another object is its text.
            let json =
                bytes.first == 0x7B && bytes.contains(0x22) ? try? JSONSerialization.jsonObject(with: Data(bytes)) : nil
            return (json as? [String: Any]).flatMap { SQLiteValue(json: $0) } ?? .text(text)
        }
        if kind == .text {
            if let infinity = infinity { return .real(infinity) }
            if let data = hexadecimalBytes { return .blob(data) }
        }
        return plainOfUTF8
    }

    private var infinity: Double? {
        switch bytes.first {
        case 0x49: text == "Infinity" ? .infinity : nil
        case 0x2D where count == 9: text == "-Infinity" ? -.infinity : nil
        default: nil
        }
    }

    /// The bytes that a literal such as `x'0a'` stands for.
    private var hexadecimalBytes: Data? {
        guard count >= 3, count % 2 == 1, bytes[0] | 0x20 == 0x78, bytes[1] == 0x27, bytes[count - 1] == 0x27 else {
            return nil
        }
        var data = Data(capacity: (count - 3) / 2)
        for place in stride(from: 2, to: count - 1, by: 2) {
            guard let high = hexadecimal(bytes[place]), let low = hexadecimal(bytes[place + 1]) else { return nil }
            data.append(UInt8(high << 4 | low))
        }
        return data
    }

    /// The value that a text looks like: digits are an integer, and so are YES, true, NO and false, as 1 and 0; other
    /// numbers are real. What has leading zeros or is too large stays text.
    ///
    /// The bytes are known to be UTF-8.
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
