/// The figures of one row of the table.
struct Figures: CustomStringConvertible {
    private let name: String
    private let start = ContinuousClock.now
    private var cases = 0
    private var counts: [Fault.Kind: Int] = [:]
    /// The first of each kind, for whoever looks for the cause.
    private var examples: [Fault.Kind: String] = [:]
    private var seconds = 0.0

    init(_ name: String) { self.name = name }

    var isClean: Bool { counts.isEmpty && cases > 0 }

    /// Adds a case.
    ///
    /// - Parameter place: What makes it happen again.
    mutating func add(_ faults: [Fault], _ place: String) {
        cases += 1
        for fault in faults {
            counts[fault.kind, default: 0] += 1
            if examples[fault.kind] == nil { examples[fault.kind] = "\(place): \(fault.words)" }
        }
        let duration = (ContinuousClock.now - start).components
        seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    }

    var description: String {
        let found = Fault.Kind.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
        let tenths = Int((seconds * 10).rounded())
        let lines = Fault.Kind.allCases.compactMap { kind in examples[kind].map { "\n    \(kind.rawValue) - \($0)" } }
        return "\(name): \(cases) cases, \(found), \(tenths / 10).\(tenths % 10) s" + lines.joined()
    }
}
