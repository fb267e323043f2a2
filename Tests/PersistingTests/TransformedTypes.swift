import Foundation
import Persisting

/// A type that says nothing of how it is stored.
struct Shade: Equatable, Sendable {
    var level = 0

    init(_ level: Int = 0) { self.level = level }
}

/// Money in cents, which are ordered as the amounts are.
struct Price: Comparable, Sendable {
    var cents = 0

    init(_ cents: Int = 0) { self.cents = cents }

    static func < (lhs: Price, rhs: Price) -> Bool { lhs.cents < rhs.cents }
}

struct NoShade: Error {}

extension Transform where Value == Shade {
    /// Two hexadecimal digits.
    static let hex = Transform(
        encode: { shade in
            guard (0...255).contains(shade.level) else { throw NoShade() }
            return (shade.level < 16 ? "0" : "") + String(shade.level, radix: 16)
        },
        decode: { (text: String) in
            guard text.utf8.count == 2, let level = Int(text, radix: 16) else { throw NoShade() }
            return Shade(level)
        })

    static let number = Transform(encode: { $0.level }, decode: { (level: Int) in Shade(level) })
}

extension Transform where Value == Shade? {
    /// Nil is the text "none", and NULL a shade of its own.
    static let orNone = Transform(
        encode: { $0.map { String($0.level) } ?? "none" },
        decode: { (text: String?) in
            guard let text else { return Shade(-1) }
            if text == "none" { return nil }
            guard let level = Int(text) else { throw NoShade() }
            return Shade(level)
        })
}

extension Transform where Value == Price {
    static let cents = Transform(encode: { $0.cents }, decode: { (cents: Int) in Price(cents) })
}

extension Transform where Value == String {
    static let lowercased = Transform(encode: { $0.lowercased() }, decode: { (text: String) in text })
}

extension Transform where Value == Int {
    static let asText = Transform(
        encode: { "\($0)" },
        decode: { (text: String) in
            guard let number = Int(text) else { throw NoShade() }
            return number
        })
}

extension Transform where Value == Double {
    /// Degrees Celsius, stored in Fahrenheit.
    static let fahrenheit = Transform(
        encode: { $0 * 9 / 5 + 32 }, decode: { (degrees: Double) in (degrees - 32) * 5 / 9 })
}

extension Transform where Value == Date {
    static let year = Transform(
        encode: { date in Int((date.timeIntervalSince1970 / 31_557_600).rounded(.down)) + 1970 },
        decode: { (year: Int) in Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600) })
}
