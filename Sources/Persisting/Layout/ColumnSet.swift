/// A set of a class's columns by their index. Up to 64 columns it needs no memory of its own.
struct ColumnSet: Hashable, Sendable, Sequence {
    private var low: UInt64 = 0
    /// The others, if there are any; the last is not 0.
    private var high: [UInt64]?

    func contains(_ index: Int) -> Bool {
        if index < 64 { return low & (1 << UInt64(index)) != 0 }
        guard let high else { return false }
        let word = index / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(index % 64)) != 0
    }

    mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(index)
        } else {
            let word = index / 64 - 1
            var words = high ?? []
            high = nil
            while words.count <= word { words.append(0) }
            words[word] |= 1 << UInt64(index % 64)
            high = words
        }
    }

    static func == (lhs: ColumnSet, rhs: ColumnSet) -> Bool {
        lhs.low == rhs.low && (lhs.high == nil && rhs.high == nil || lhs.high == rhs.high)
    }

    var isEmpty: Bool { low == 0 && high == nil }

    var count: Int { (high ?? []).reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

    mutating func remove(_ index: Int) {
        if contains(index) { self = subtracting(ColumnSet(index)) }
    }

    /// The index of a set of one column below 64; nil for any other.
    var only: Int? { high == nil && low.nonzeroBitCount == 1 ? low.trailingZeroBitCount : nil }

    func union(_ other: ColumnSet) -> ColumnSet {
        combining(other, |)
    }

    func subtracting(_ other: ColumnSet) -> ColumnSet {
        combining(other) { $0 & ~$1 }
    }

    func intersection(_ other: ColumnSet) -> ColumnSet {
        combining(other, &)
    }

    @inline(__always)
    private func combining(_ other: ColumnSet, _ combine: (UInt64, UInt64) -> UInt64) -> ColumnSet {
        var result = ColumnSet()
        result.low = combine(low, other.low)
        if high == nil, other.high == nil { return result }
        let (mine, others) = (high ?? [], other.high ?? [])
        var words = (0..<Swift.max(mine.count, others.count)).map { word in
            combine(word < mine.count ? mine[word] : 0, word < others.count ? others[word] : 0)
        }
        // Equal sets are equal values.
        while words.last == 0 { words.removeLast() }
        result.high = words.isEmpty ? nil : words
        return result
    }

    init() {}

    init(_ index: Int) {
        insert(index)
    }

    init(_ indices: some Sequence<Int>) {
        for index in indices { insert(index) }
    }

    /// The indices, in order.
    func makeIterator() -> Iterator { Iterator(bits: low, rest: high) }

    struct Iterator: IteratorProtocol {
        private var bits: UInt64
        private let rest: [UInt64]?
        /// Where in `rest` the next bits are, and the column that the first of these is.
        private var word = 0
        private var first = 0

        fileprivate init(bits: UInt64, rest: [UInt64]?) {
            self.bits = bits
            self.rest = rest
        }

        @inline(__always)
        mutating func next() -> Int? {
            if bits == 0, !goOn() { return nil }
            let index = first &+ bits.trailingZeroBitCount
            bits &= bits &- 1
            return index
        }

        /// Goes to the next word with any bits; false when there is none.
        private mutating func goOn() -> Bool {
            guard let rest else { return false }
            while bits == 0 {
                guard word < rest.count else { return false }
                bits = rest[word]
                word += 1
                first += 64
            }
            return true
        }
    }
}
