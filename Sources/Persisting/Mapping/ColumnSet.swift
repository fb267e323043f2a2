/// A set of a class's columns by their index. Up to 64 columns it needs no memory of its own.
struct ColumnSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    func contains(_ index: Int) -> Bool {
        if index < 64 { return low & (1 << UInt64(index)) != 0 }
        let word = index / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(index % 64)) != 0
    }

    mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(index)
        } else {
            let word = index / 64 - 1
            while high.count <= word { high.append(0) }
            high[word] |= 1 << UInt64(index % 64)
        }
    }

    var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    func union(_ other: ColumnSet) -> ColumnSet {
        combining(other, |)
    }

    func subtracting(_ other: ColumnSet) -> ColumnSet {
        combining(other) { $0 & ~$1 }
    }

    private func combining(_ other: ColumnSet, _ combine: (UInt64, UInt64) -> UInt64) -> ColumnSet {
        var result = self
        result.low = combine(low, other.low)
        guard !high.isEmpty || !other.high.isEmpty else { return result }
        result.high = (0..<max(high.count, other.high.count)).map { word in
            combine(word < high.count ? high[word] : 0, word < other.high.count ? other.high[word] : 0)
        }
        // Equal sets are equal values.
        while result.high.last == 0 { result.high.removeLast() }
        return result
    }

    /// Calls `body` with each index, in order.
    func forEach(_ body: (Int) throws -> Void) rethrows {
        for word in 0...high.count {
            var bits = word == 0 ? low : high[word - 1]
            while bits != 0 {
                try body(word * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
    }

    init() {}

    init(_ indices: some Sequence<Int>) {
        for index in indices { insert(index) }
    }
}
