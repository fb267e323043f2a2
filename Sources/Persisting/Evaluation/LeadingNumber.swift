/// The number with which a text begins.
struct LeadingNumber {
    private let digits: Substring.UTF8View
    private var whole: Int

    init(_ text: String) {
        digits = text[...].utf8.drop { [9, 10, 11, 12, 13, 32].contains($0) }
        whole = 0
        whole = length(from: sign)
    }

    private var sign: Int { digits.first == 43 || digits.first == 45 ? 1 : 0 }

    /// How many bytes from the beginning on there are, with the digits at a place.
    private func length(from place: Int) -> Int {
        place + digits.dropFirst(place).prefix { (48...57).contains($0) }.count
    }

    private func prefix(_ count: Int) -> String { String(decoding: digits.prefix(count), as: UTF8.self) }

    /// Beyond Int64, the greatest or the least.
    var integer: Int64 {
        guard whole > sign else { return 0 }
        return Int64(prefix(whole)) ?? (digits.first == 45 ? .min : .max)
    }

    var real: Double {
        var (end, count) = (whole, whole - sign)
        func byte(_ place: Int) -> UInt8? { digits.dropFirst(place).first }
        if byte(end) == 46 {
            let fraction = length(from: end + 1)
            count += fraction - end - 1
            end = fraction
        }
        guard count > 0 else { return 0 }
        let mantissa = prefix(end)
        if byte(end) == 69 || byte(end) == 101 {
            let start = byte(end + 1) == 43 || byte(end + 1) == 45 ? end + 2 : end + 1
            let exponent = length(from: start)
            if exponent > start { return Double(prefix(exponent)) ?? 0 }
        }
        // Swift reads no number that ends with its point.
        return Double(mantissa.hasSuffix(".") ? String(mantissa.dropLast()) : mantissa) ?? 0
    }
}
