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

/// `sqlitekit_average`: the average of decimal numbers, whose sum is exact.
struct DecimalAverage: AggregateFunction {
    private var values: [Decimal] = []

    mutating func step(_ arguments: borrowing FunctionArguments) throws {
        guard arguments.storageClass(at: 0) != .null else { return }
        values.append(try arguments[0])
    }

    func value() -> (any SQLiteValueConvertible)? { Decimal.average(of: values) }
}

extension Decimal {
    /// The average of values, rounded to the nearest floating-point number; nil without any.
    package static func average(of values: [Decimal]) -> Double? {
        guard !values.isEmpty else { return nil }
        // A sum with more digits than a Decimal holds is one of floating-point numbers.
        guard let sum = try? values.reduce(Decimal(), { try $0.adding($1) }) else {
            return values.reduce(0) { $0 + (Double("\($1)") ?? 0) } / Double(values.count)
        }
        // By its digits: Foundation's own conversion isn't to the nearest.
        let average = sum / Decimal(values.count)
        // One that is too small for a Decimal isn't for a Double.
        return average.isFinite ? Double("\(average)") : (Double("\(sum)") ?? 0) / Double(values.count)
    }

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
