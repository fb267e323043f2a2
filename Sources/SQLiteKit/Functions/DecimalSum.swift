package import Foundation

/// `sqlitekit_sum`: the exact sum of decimal numbers. SQLite's `sum` adds texts as floating-point numbers.
struct DecimalSum: AggregateFunction {
    private var sum: Decimal?

    mutating func step(_ arguments: borrowing FunctionArguments) throws {
        guard arguments.storageClass(at: 0) != .null else { return }
        let value: Decimal = try arguments[0]
        sum = try sum?.adding(value) ?? value
    }

    func value() -> (any SQLiteValueConvertible)? { sum }
}

extension Decimal {
    /// The exact sum of both.
    ///
    /// - Throws: ``SQLiteError`` where it has more digits than a Decimal holds.
    package func adding(_ other: Decimal) throws(SQLiteError) -> Decimal {
        var (lhs, rhs, sum) = (self, other, Decimal())
        guard NSDecimalAdd(&sum, &lhs, &rhs, .plain) == .noError else {
            throw SQLiteError(.error, "the sum has more digits than a Decimal holds")
        }
        return sum
    }
}
