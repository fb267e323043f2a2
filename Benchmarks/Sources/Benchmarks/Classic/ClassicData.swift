/// What a row is made of.
struct ClassicValues {
    let a: Int
    let b: Int
    let c: String
}

/// How many rows a query found, and the average of `b` in them.
struct ClassicAverage: Summed {
    let count: Int
    let average: Double?

    func add(to sum: inout Checksum) {
        sum.add(count)
        sum.add(average)
    }
}

/// The data of the tests, the same for all.
struct ClassicData {
    /// The rows of tests 1, 2, 3 and 15.
    let few: [ClassicValues]
    let unindexed: [ClassicValues]
    let indexed: [ClassicValues]
    let replacement: [ClassicValues]
    /// The ranges of `b` of tests 4 and 7.
    let wideRanges: [Range<Int>]
    let narrowRanges: [Range<Int>]
    /// The texts of test 5.
    let parts: [String]
    /// The ranges of `a` of test 8.
    let doubled: [Range<Int>]
    /// The values of tests 9 and 10, for the row whose `a` is the value's place, from 1.
    let numbers: [Int]
    let words: [String]
    /// The range of `a` of test 13.
    let deleted: Range<Int>

    init(_ options: Options) {
        var random = SplitMix64(seed: options.seed)
        func number() -> Int { Int(random.next() % 100_000) }
        func rows(_ count: Int) -> [ClassicValues] {
            (1...count).map { a in
                let b = number()
                return ClassicValues(a: a, b: b, c: b.inWords)
            }
        }
        few = rows(options.size(1000))
        unindexed = rows(options.size(25_000))
        indexed = rows(options.size(25_000))
        replacement = rows(options.size(12_000))
        wideRanges = (0..<options.size(100)).map { $0 * 100..<$0 * 100 + 1000 }
        narrowRanges = (0..<options.size(5000)).map { $0 * 100..<$0 * 100 + 100 }
        parts = (1...options.size(100)).map(\.inWords)
        doubled = (0..<options.size(1000)).map { $0 * 10..<$0 * 10 + 10 }
        numbers = indexed.map { _ in number() }
        words = indexed.map { _ in number().inWords }
        deleted = 11..<options.size(20_000)
    }
}

extension Int {
    /// The number in words, such as `thirteen thousand one hundred fifty three`, below a million.
    fileprivate var inWords: String {
        let small = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
        ]
        let tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
        func joined(_ unit: Int, _ name: String, _ head: String) -> String {
            head + name + (self % unit == 0 ? "" : " " + (self % unit).inWords)
        }
        switch self {
        case ..<20: return small[self]
        case ..<100: return joined(10, "", tens[self / 10])
        case ..<1000: return joined(100, " hundred", (self / 100).inWords)
        default: return joined(1000, " thousand", (self / 1000).inWords)
        }
    }
}
