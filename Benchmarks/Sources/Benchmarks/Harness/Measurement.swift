/// The times of a workload's contenders, in rounds.
struct Measurement {
    let workload: Workload
    /// Nanoseconds for an operation, by contender, a value for each round.
    private(set) var samples: [String: [Double]] = [:]

    /// Runs each contender once in every round, in an order that chance gives, after a round that warms up and is not
    /// counted. What slows the machine down for a while so slows all alike.
    ///
    /// - Throws: ``BenchmarkFailure`` when the contenders did not do the same work.
    init(_ workload: Workload, rounds: Int, random: inout SplitMix64) throws {
        self.workload = workload
        for round in 0...rounds { try run(isCounted: round > 0, &random) }
    }

    private init(_ workload: Workload) {
        self.workload = workload
    }

    /// The same for workloads that build on each other: each round runs all of them, in order.
    static func inOrder(_ workloads: [Workload], rounds: Int, random: inout SplitMix64) throws -> [Measurement] {
        var measurements = workloads.map { Measurement($0) }
        for round in 0...rounds {
            for index in measurements.indices { try measurements[index].run(isCounted: round > 0, &random) }
        }
        return measurements
    }

    private mutating func run(isCounted: Bool, _ random: inout SplitMix64) throws {
        var expected: (name: String, sum: Checksum)?
        for contender in workload.contenders.shuffled(using: &random) {
            var stopwatch = Stopwatch()
            let sum: Checksum
            do {
                sum = try contender.run(&stopwatch)
            } catch {
                throw BenchmarkFailure("row \(workload.row), \(workload.name), \(contender.name): \(error)")
            }
            if contender.share == 1, let expected, expected.sum != sum {
                throw BenchmarkFailure(
                    "row \(workload.row), \(workload.name): \(contender.name) did other work than "
                        + "\(expected.name): \(sum), and not \(expected.sum)")
            }
            if contender.share == 1 { expected = (contender.name, sum) }
            if isCounted {
                let operations = Double(workload.operations / contender.share)
                samples[contender.name, default: []].append(stopwatch.elapsed * 1e9 / operations)
            }
        }
    }

    /// Nanoseconds for an operation: the rounds' median.
    func time(_ contender: String) -> Double { Spread(samples[contender] ?? []).median }

    /// What each round gives for two contenders.
    func perRound(_ one: String, _ other: String, _ combine: (Double, Double) -> Double) -> Spread {
        Spread(zip(samples[one] ?? [], samples[other] ?? []).map(combine))
    }
}

/// The middle of some values, and how far they spread around it.
struct Spread {
    let median: Double
    /// The distance between the quartiles.
    let interquartileRange: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        func quantile(_ part: Double) -> Double {
            guard let last = sorted.indices.last else { return .nan }
            let place = part * Double(last)
            let below = Int(place)
            let above = min(below + 1, last)
            return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
        }
        median = quantile(0.5)
        interquartileRange = quantile(0.75) - quantile(0.25)
    }
}
