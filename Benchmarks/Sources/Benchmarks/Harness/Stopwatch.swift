/// Measures the part of a run that counts: what a run prepares before and checks afterwards is left out.
struct Stopwatch {
    /// Seconds.
    private(set) var elapsed = 0.0

    @inline(never)
    mutating func measure<T>(_ body: () throws -> T) rethrows -> T {
        let start = ContinuousClock.now
        let result = try body()
        elapsed += (ContinuousClock.now - start).seconds
        return result
    }

    /// Takes a time that was measured elsewhere, such as in a process of its own.
    mutating func add(seconds: Double) {
        elapsed += seconds
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
