import Foundation
import SQLiteKit
import Testing

@Suite("Edges") struct EdgeTests {
    // K4
    @Test(
        "a date far outside the calendar's years isn't an ISO text", arguments: [-9_223_372_036_854.775, 1e300, -1e300])
    func farDates(seconds: Double) {
        let error = failure { try DateStorage.iso8601.value(for: Date(timeIntervalSince1970: seconds)) }
        #expect(error?.extendedCode == .typeMismatch)
    }

    // K1
    @Test("an offset before the text is its first line")
    func negativeOffset() {
        #expect(SQLiteError(.error, "x", sql: "a\nb", offset: -1).line == 1)
    }

    // K8
    @Test("a Data property takes the bytes of a text that is not UTF-8")
    func bytesOfInvalidText() throws {
        struct Holder: Decodable { var a: Data? }
        let rows = try Database(.memory).query("SELECT CAST(X'FF' AS TEXT) AS a")
        #expect(try rows.next()?.decode(Holder.self).a == Data([0xFF]))
    }
}
