import SQLiteKit
import Testing

@Suite("Reals")
struct RealTests {
    // K4
    @Test(
        "a Double keeps its bits",
        arguments: [
            0.1, -0.1, 1.0, .pi, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, .infinity, -.infinity, 9_007_199_254_740_993.0, 1e300,
        ])
    func bits(_ value: Double) throws {
        #expect(try roundTrip(value).bitPattern == value.bitPattern)
    }

    // K4
    @Test("a whole Double is stored as REAL")
    func storageClass() throws {
        #expect(try memory().scalar("SELECT typeof(?)", [1.0], as: String.self) == "real")
    }

    // K4
    @Test("minus zero reads back as zero")
    func minusZero() throws {
        #expect(try roundTrip(-Double.zero) == Double.zero)
    }

    // K4
    @Test("NaN is stored as NULL")
    func nan() throws {
        #expect(try roundTrip(Double?.some(.nan)) == nil)
    }

    // K4
    @Test("NaN stored into a NOT NULL column is rejected")
    func nanNotNull() throws {
        let db = try memory("CREATE TABLE t (v REAL NOT NULL)")
        #expect(failure { try db.execute("INSERT INTO t VALUES (?)", [Double.nan]) }?.isConstraint(.notNull) == true)
    }

    // K4
    @Test("an integer that a Double holds exactly is read as one")
    func exactInteger() throws {
        #expect(try read("9007199254740992", as: Double.self) == 9_007_199_254_740_992)
    }

    // K4
    @Test("an integer that a Double cannot hold exactly is rejected")
    func inexactInteger() {
        #expect(failure { try read("9007199254740993", as: Double.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("text, blob and NULL aren't a Double", arguments: ["'1.5'", "X''", "NULL"])
    func mismatch(_ literal: String) {
        #expect(failure { try read(literal, as: Double.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test(
        "a Float keeps its bits", arguments: [Float(0.1), .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity])
    func float(_ value: Float) throws {
        #expect(try roundTrip(value).bitPattern == value.bitPattern)
    }

    // K4
    @Test("a decimal fraction written by others is rounded to the nearest Float")
    func roundedFloat() throws {
        #expect(try read("0.1", as: Float.self) == 0.1)
    }

    // K4
    @Test("a finite number beyond Float is rejected", arguments: ["1e39", "-1e300"])
    func floatRange(_ literal: String) {
        #expect(failure { try read(literal, as: Float.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("an infinite number is an infinite Float")
    func infiniteFloat() throws {
        #expect(try read("9e999", as: Float.self) == .infinity)
    }
}
