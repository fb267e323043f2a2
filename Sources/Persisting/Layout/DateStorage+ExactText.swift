internal import Foundation

extension DateStorage {
    /// A date in ISO 8601, with the fewest digits that are read as the same, and nine at most: what is finer is rounded
    /// to the nanosecond. A year that ISO 8601 has no four digits for is the stored number.
    func exactText(of stored: SQLiteValue) throws -> String {
        let date = try self.date(from: stored)
        var seconds = date.timeIntervalSince1970
        if self == .unixSeconds, case .real(let number) = stored { seconds = number }
        if let text = Self.exactText(secondsSince1970: seconds) { return text }
        switch stored {
        case .real(let number): return number.description
        case .integer(let number): return "\(number).0"
        case .text(let text): return text
        case .null, .blob: throw stored.mismatch(Date.self)
        }
    }

    /// The text of a moment; nil outside the years 0 to 9999.
    static func exactText(secondsSince1970 seconds: Double) -> String? {
        guard seconds.isFinite else { return nil }
        // Of a moment before 1970 as well, the fraction counts from the second before.
        var whole = seconds.rounded(.down)
        let fraction = seconds - whole
        var digits = 0
        var power = 1.0
        while digits < 9, whole + (fraction * power).rounded() / power != seconds {
            digits += 1
            power *= 10
        }
        var number = Int64((fraction * power).rounded())
        if number == Int64(power) {
            whole += 1
            number = 0
        }
        while digits > 0, number % 10 == 0 {
            number /= 10
            digits -= 1
        }
        let date = Date(timeIntervalSince1970: whole)
        guard case .text(let text)? = try? DateStorage.iso8601.value(for: date) else { return nil }
        if digits == 0 { return text.prefix(19) + "Z" }
        let decimals = String(number)
        return "\(text.prefix(19)).\(String(repeating: "0", count: digits - decimals.count))\(decimals)Z"
    }
}
