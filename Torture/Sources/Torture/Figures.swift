/// The figures of one row of the table.
struct Figures: CustomStringConvertible {
    private let name: String
    private let start = ContinuousClock.now
    private var cases = 0
    private var counts: [Fault.Kind: Int] = [:]
    /// The first of each kind, for whoever looks for the cause.
    private var examples: [Fault.Kind: String] = [:]
    private var seconds = 0.0
    /// What else is worth telling, in order.
    private var notes: [(name: String, count: Int)] = []

    /// The fault that must be found, since nothing guards against it.
    private let expected: Fault.Kind?

    /// What is looked for.
    private let kinds: [Fault.Kind]

    init(_ name: String, expecting expected: Fault.Kind? = nil, kinds: [Fault.Kind] = Fault.Kind.ofADatabase) {
        self.name = name
        self.expected = expected
        self.kinds = kinds
    }

    var isClean: Bool { expected.map { counts[$0, default: 0] > 0 } ?? (counts.isEmpty && cases > 0) }

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

    /// Counts what isn't a fault.
    mutating func count(_ name: String, _ count: Int = 1) {
        if let place = notes.firstIndex(where: { $0.name == name }) {
            notes[place].count += count
        } else {
            notes.append((name, count))
        }
    }

    var description: String {
        let found = kinds.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
        let tenths = Int((seconds * 10).rounded())
        let lines =
            expected != nil
            ? [] : Fault.Kind.allCases.compactMap { kind in examples[kind].map { "\n    \(kind.rawValue) - \($0)" } }
        let notes = notes.map { "\($0.count) \($0.name), " }.joined()
        return "\(name): \(cases) cases, \(notes)\(found), \(tenths / 10).\(tenths % 10) s" + lines.joined()
    }
}
