internal import Foundation

/// Values in a list that is one parameter: as JSON it has every value to the bit, where JSON itself would round real
/// numbers, has no blobs, and ends a text at a NUL. The SQL function
/// `sqlitekit_value` reads them.
extension SQLiteValue {
    /// The value as the elements of such a list spell it; nil for NULL.
    package var listed: String? {
        switch self {
        case .null: nil
        case .integer(let integer): "i\(integer)"
        case .real(let real): "r\(real.bitPattern)"
        case .text(let text): "t" + hexadecimal(text.utf8)
        case .blob(let bytes): "b" + hexadecimal(bytes)
        }
    }

    /// The value of an element; nil for a text that is none.
    init?(listed text: String) {
        let rest = text.utf8.dropFirst()
        switch text.utf8.first {
        case UInt8(ascii: "i"):
            guard let integer = Int64(text.dropFirst()) else { return nil }
            self = .integer(integer)
        case UInt8(ascii: "r"):
            guard let bits = UInt64(text.dropFirst()) else { return nil }
            self = .real(Double(bitPattern: bits))
        case UInt8(ascii: "t"):
            guard let text = bytes(rest).flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
            self = .text(text)
        case UInt8(ascii: "b"):
            guard let bytes = bytes(rest) else { return nil }
            self = .blob(Data(bytes))
        default: return nil
        }
    }
}

private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

private func bytes(_ hexadecimal: Substring.UTF8View) -> [UInt8]? {
    func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
    var (bytes, digits) = ([UInt8](), hexadecimal.makeIterator())
    bytes.reserveCapacity(hexadecimal.count / 2)
    while let digit = digits.next() {
        guard let high = number(digit), let low = digits.next().flatMap(number) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}
