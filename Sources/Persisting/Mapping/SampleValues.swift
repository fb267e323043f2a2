internal import Foundation

extension FieldCodec {
    /// Values of the property's type, as different from each other as they can be made without knowing it.
    var samples: [Value] {
        if let type = Value.self as? any CaseIterable.Type { return allCases(of: type).compactMap { $0 as? Value } }
        // What the type refuses is no sample of it.
        return storedSamples.compactMap { try? decode($0) }
    }
}

private let storedSamples: [SQLiteValue] =
    [
        .null, .integer(0), .integer(1), .integer(-1), .integer(1_000_003), .integer(-129), .text(""), .text("a"),
        .text("Aa \u{C9}e\u{301}\0 z "), .real(0.5), .real(-1.5), .real(1e9), .blob(Data()), .blob(Data([1])),
        .blob(Data([0, 255, 1])), .text("00000000-0000-0000-0000-000000000000"),
        .text("C0FFEE00-0000-0000-0000-000000000001"), .text("https://example.org/A?b#c"), .text("-1.50"),
        .text("{}"), .text("[]"), .text("\"a\""), .text("2001-02-03T04:05:06.789Z"),
    ] + (2..<16).map { .integer($0) }

private func allCases<T: CaseIterable>(of type: T.Type) -> [Any] {
    type.allCases.map { $0 }
}
