/// A hash that is the same in every process: [FNV-1a](http://www.isthe.com/chongo/tech/comp/fnv/).
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Adds a text and its end, which no text in UTF-8 has in it.
    mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(0xFF as UInt8)
    }
}
