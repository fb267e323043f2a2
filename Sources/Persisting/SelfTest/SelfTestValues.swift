internal import Foundation

extension FieldCodec {
    /// Values to test a column with, as the codec stores them: ordinary and extreme ones, and NULL. None are invented
    /// of a type whose values only code of the user's can make.
    var selfTestValues: [SQLiteValue] {
        let none = (Any?.none as? Value).map { [$0] } ?? []
        let empty = (emptyCollection(Value.self) as? Value).map { [$0] } ?? []
        let made =
            Value.self is any CaseIterable.Type ? samples : values(of: storedSamples + extremes) + empty
        // The type throws for what it cannot store, such as a date before the years that a text has.
        return (none + made).compactMap { try? encode($0) }
    }
}

private let extremes: [SQLiteValue] =
    [8, 16, 32].flatMap { bits -> [SQLiteValue] in
        let limit = Int64(1) << (bits - 1)
        return [-limit, limit - 1, 2 * limit - 1].map { .integer($0) }
    } + [
        .integer(.min), .integer(.max), .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
        .real(-.infinity), .real(0.1), .text(String(repeating: "\u{1F600}'\"\n", count: 1000)),
        .blob(Data(repeating: 0, count: 5000)), .text("79228162514264337593543950335"),
    ]
