import Foundation
import SQLiteKit
import Testing

/// Values bound to something that isn't a statement.
@Suite("A parameter sink")
struct ParameterSinkTests {
    /// What was bound, by its parameter.
    private final class Values: ParameterSink {
        var bound: [Int: SQLiteValue] = [:]

        func bindNull(at index: Int) { bound[index] = .null }
        func bind(int64 value: Int64, at index: Int) { bound[index] = .integer(value) }
        func bind(double value: Double, at index: Int) { bound[index] = .real(value) }
        func bind(text: String, at index: Int) { bound[index] = .text(text) }
        func bind(blob bytes: UnsafeRawBufferPointer, at index: Int) { bound[index] = .blob(Data(bytes)) }
    }

    /// A type that has no way of its own to bind.
    private struct Point: SQLiteValueConvertible {
        var x: Double

        init(x: Double) { self.x = x }
        init(sqliteValue: SQLiteValue) throws { x = try Double(sqliteValue: sqliteValue) }
        func sqliteValue() -> SQLiteValue { .text("x = \(x)") }
    }

    @Test(
        "takes what a statement would",
        arguments: [
            1, Int64.min, true, 2.5, Float(0.5), "text", "", Data([1, 2]), Data(), [UInt8(3)], Int?.none as Int?,
            Int?.some(4) as Int?, Point(x: 1), UUID(), Date(timeIntervalSince1970: 0.25), SQLiteValue.null,
        ] as [any SQLiteValueConvertible])
    func takes(_ value: any SQLiteValueConvertible) throws {
        let values = Values()
        try value.bind(to: values, at: 3)
        let stored = try Database(.memory).scalar("SELECT \(value)", as: SQLiteValue.self) ?? .null
        #expect(values.bound == [3: stored])
    }
}
