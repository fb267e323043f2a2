internal import Foundation

/// The numbers that are read as one value: a `Float` has fewer digits than SQLite's numbers, and a `Date` counts its
/// seconds from 2001, near 1970 less finely than a number counts them from there. Those of one value are a range, which
/// an index finds.
enum Rounding {
    case float, date

    /// The number that a class would write for one that it has read.
    func round(_ number: Double) -> Double {
        switch self {
        case .float: Double(Float(number))
        case .date: Date(timeIntervalSince1970: number).timeIntervalSince1970
        }
    }

    /// The numbers that are read as another; nil for one that a class wouldn't write, and where there is no other.
    func numbers(readAs number: Double) -> ClosedRange<Double>? {
        guard number.isFinite, round(number) == number else { return nil }
        // The dates of today are as fine as the numbers.
        guard round(number.nextUp) == number || round(number.nextDown) == number else { return nil }
        let least = Self.first(from: -.greatestFiniteMagnitude, to: number) { round($0) >= number }
        let greatest = -Self.first(from: -.greatestFiniteMagnitude, to: -number) { round(-$0) <= number }
        return least < greatest ? least...greatest : nil
    }

    /// A column in SQL as the class would write what it reads.
    func sql(_ column: String) -> String {
        switch self {
        case .float: "sqlitekit_float(\(column))"
        case .date:
            "(\(column) - \(Date.timeIntervalBetween1970AndReferenceDate)"
                + " + \(Date.timeIntervalBetween1970AndReferenceDate))"
        }
    }

    /// The least number of a range for which something holds, as it does for all above it.
    private static func first(from least: Double, to greatest: Double, _ holds: (Double) -> Bool) -> Double {
        var (low, high) = (order(least), order(greatest))
        while low < high {
            // Their difference may be more than an Int64.
            let middle = (low & high) + ((low ^ high) >> 1)
            if holds(number(middle)) { high = middle } else { low = middle + 1 }
        }
        return number(low)
    }

    /// The place of a number among all.
    private static func order(_ number: Double) -> Int64 {
        let bits = Int64(bitPattern: number.magnitude.bitPattern)
        return number.sign == .minus ? -bits : bits
    }

    private static func number(_ order: Int64) -> Double {
        let magnitude = Double(bitPattern: UInt64(order.magnitude))
        return order < 0 ? -magnitude : magnitude
    }
}
