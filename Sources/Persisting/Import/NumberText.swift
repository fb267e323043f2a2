/// Numbers as texts spell them, whatever the locale, read from their bytes.
enum NumberText {
    /// A number: an integer that `Int64` holds, or any other.
    enum Number {
        case integer(Int64)
        case real(Double)
    }

    /// The number that all of the bytes spell; nil when they spell none, and for one beyond all Doubles.
    ///
    /// A sign, digits, a fraction and an exponent, as JSON has them, and also `+1`, `.5` and `5.`.
    static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Number? {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        let count = bytes.count
        var position = 0
        let isNegative = start[0] == 0x2D
        if isNegative || start[0] == 0x2B { position = 1 }
        let digits = position
        // More than 18 digits may be too many, and are counted again.
        var magnitude: UInt64 = 0
        @inline(__always)
        func takeDigits() {
            while position < count, case let digit = start[position] &- 0x30, digit < 10 {
                magnitude = magnitude &* 10 &+ UInt64(digit)
                position &+= 1
            }
        }
        takeDigits()
        if position == count, position > digits {
            if position - digits <= 18 {
                let value = Int64(bitPattern: magnitude)
                return .integer(isNegative ? -value : value)
            }
            if let value = long(start, digits..<count, isNegative) { return .integer(value) }
            return slow(bytes)
        }
        if position < count, start[position] == 0x2E {
            let point = position
            position &+= 1
            takeDigits()
            // As a rule there is nothing else.
            if position == count, position &- digits <= 19, magnitude < 1 << 53, position &- digits > 1 {
                let value = Double(magnitude) / power(position &- point &- 1)
                return .real(isNegative ? -value : value)
            }
        }
        return real(bytes, digits: digits, isNegative)
    }

    private static func long(_ start: UnsafePointer<UInt8>, _ digits: Range<Int>, _ isNegative: Bool) -> Int64? {
        var value: Int64 = 0
        for position in digits {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(start[position] - 0x30)
            let (sum, carry) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// 10 to a power up to 22, which a Double holds exactly.
    @inline(__always)
    private static func power(_ exponent: Int) -> Double {
        var power = 1.0
        for _ in 0..<exponent { power *= 10 }
        return power
    }

    private static func real(_ bytes: UnsafeBufferPointer<UInt8>, digits: Int, _ isNegative: Bool) -> Number? {
        guard let start = bytes.baseAddress else { return nil }
        let count = bytes.count
        var position = digits
        var mantissa: UInt64 = 0
        var digitCount = 0
        var significant = 0
        var exponent = 0
        var isFraction = false
        while position < count {
            let digit = start[position] &- 0x30
            if digit < 10 {
                if significant > 0 || digit > 0 { significant += 1 }
                if significant <= 18 { mantissa = mantissa &* 10 &+ UInt64(digit) }
                digitCount += 1
                if isFraction { exponent -= 1 }
            } else if start[position] == 0x2E, !isFraction {
                isFraction = true
            } else {
                break
            }
            position += 1
        }
        guard digitCount > 0 else { return nil }
        if position < count {
            guard let written = self.exponent(start, position..<count) else { return nil }
            exponent += written
        }
        // Both factors are exact, and so one rounding makes the nearest Double there is.
        if significant <= 18, mantissa < 1 << 53, (-22...22).contains(exponent) {
            let value = exponent < 0 ? Double(mantissa) / power(-exponent) : Double(mantissa) * power(exponent)
            return .real(isNegative ? -value : value)
        }
        return slow(bytes)
    }

    /// The value of an exponent, such as that of `e-7`; nil for other text.
    private static func exponent(_ start: UnsafePointer<UInt8>, _ places: Range<Int>) -> Int? {
        guard start[places.lowerBound] | 0x20 == 0x65 else { return nil }
        var position = places.lowerBound + 1
        let isSmall = position < places.upperBound && start[position] == 0x2D
        if position < places.upperBound, isSmall || start[position] == 0x2B { position += 1 }
        guard position < places.upperBound else { return nil }
        var power = 0
        while position < places.upperBound {
            let digit = start[position] &- 0x30
            guard digit < 10 else { return nil }
            power = min(power * 10 + Int(digit), 1_000_000)
            position += 1
        }
        return isSmall ? -power : power
    }

    /// What an export writes for which JSON has no number.
    static func infinity(_ text: String) -> Double? {
        switch text {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: nil
        }
    }

    private static func slow(_ bytes: UnsafeBufferPointer<UInt8>) -> Number? {
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
        return .real(value)
    }
}

/// Whether bytes are UTF-8.
func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = bytes.count
    guard let start = bytes.baseAddress else { return true }
    let raw = UnsafeRawPointer(start)
    var position = 0
    while position < count {
        // Most texts are ASCII, of which eight bytes are looked at in one step.
        if position &+ 8 <= count,
            raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            position &+= 8
            continue
        }
        let byte = start[position]
        if byte < 0x80 {
            position &+= 1
            continue
        }
        // The first of the bytes that follow has a range of its own: no longer form than needed, no surrogate.
        let length: Int
        var range: ClosedRange<UInt8> = 0x80...0xBF
        switch byte {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, range) = (3, 0xA0...0xBF)
        case 0xED: (length, range) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, range) = (4, 0x90...0xBF)
        case 0xF4: (length, range) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return false
        }
        guard position &+ length <= count, range.contains(start[position &+ 1]) else { return false }
        for next in 2..<max(2, length) where start[position &+ next] & 0xC0 != 0x80 { return false }
        position &+= length
    }
    return true
}
