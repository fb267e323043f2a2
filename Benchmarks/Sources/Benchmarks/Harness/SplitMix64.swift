/// Sebastiano Vigna's generator: the same seed gives the same numbers on every machine.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A text of small letters and blanks.
    mutating func text(_ lengths: ClosedRange<Int>) -> String {
        let letters = Array("etaoin shrdlu cmfwyp vbgkqj xz ".utf8)
        let length = Int.random(in: lengths, using: &self)
        return String(decoding: (0..<length).map { _ in letters[Int(next() % UInt64(letters.count))] }, as: UTF8.self)
    }

    /// True once in so many times.
    mutating func one(in count: UInt64) -> Bool { next() % count == 0 }
}
