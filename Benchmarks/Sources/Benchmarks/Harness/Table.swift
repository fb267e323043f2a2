import Foundation

/// The table: a line for each comparison, and one for each further peer. It is Markdown, and lined up to be read as it
/// is.
struct Table {
    private(set) var isBeyond = false

    private static let columns: [(title: String, width: Int)] = [
        ("#", -2), ("workload", -46), ("floor", 9), ("ours", 9), ("ours ÷ floor", -15), ("at most", 8), ("", -6),
        ("peer", -26), ("its time", 9), ("peer ÷ ours", -15), ("at least", 8), ("", -6),
    ]

    static var header: String {
        line(columns.map(\.title)) + "\n"
            + line(columns.map { $0.width < 0 ? String(repeating: "-", count: -$0.width) : "---:" })
    }

    /// The lines of a measurement.
    mutating func lines(_ measurement: Measurement) -> [String] {
        measurement.workload.comparisons.flatMap { lines($0, measurement) }
    }

    private mutating func lines(_ comparison: Comparison, _ measurement: Measurement) -> [String] {
        let workload = measurement.workload
        let name = [workload.name, comparison.name].filter { !$0.isEmpty }.joined(separator: ", ")
        var cells = [
            workload.row, name, comparison.floor.map { Self.time(measurement.time($0)) } ?? "",
            Self.time(measurement.time(comparison.subject)),
        ]
        cells += floorCells(comparison, measurement)
        var lines: [String] = []
        for peer in comparison.peers {
            let faster = measurement.perRound(peer.contender, comparison.subject, /)
            let verdict = peer.atLeast.map { Verdict(faster, atLeast: $0) }
            note(verdict)
            cells += [
                peer.contender, Self.time(measurement.time(peer.contender)), Self.ratio(faster),
                peer.atLeast.map { Self.number($0) } ?? "", verdict?.rawValue ?? "",
            ]
            lines.append(Self.line(cells))
            cells = Array(repeating: "", count: 7)
        }
        return lines.isEmpty ? [Self.line(cells + Array(repeating: "", count: 5))] : lines
    }

    private mutating func floorCells(_ comparison: Comparison, _ measurement: Measurement) -> [String] {
        let time = Spread(measurement.samples[comparison.subject] ?? [])
        let ratio = comparison.floor.map { measurement.perRound(comparison.subject, $0, /) }
        let shown = ratio.map(Self.ratio) ?? ""
        let verdict: Verdict
        switch comparison.limit {
        case .none:
            return [shown, "", ""]
        case .ratio(let limit):
            guard let ratio else { return [shown, "", ""] }
            verdict = Verdict(ratio, atMost: limit)
            note(verdict)
            return [shown, Self.number(limit), verdict.rawValue]
        case .over(let limit):
            guard let floor = comparison.floor else { return [shown, "", ""] }
            let over = measurement.perRound(comparison.subject, floor, -)
            verdict = Verdict(over, atMost: limit)
            note(verdict)
            return [String(format: "+%.0f ±%.0f ns", over.median, over.interquartileRange), "+\(Self.time(limit))"]
                + [verdict.rawValue]
        case .time(let limit):
            verdict = Verdict(time, atMost: limit)
            note(verdict)
            return [shown, Self.time(limit), verdict.rawValue]
        }
    }

    private mutating func note(_ verdict: Verdict?) {
        if verdict == .beyond { isBeyond = true }
    }

    private static func line(_ cells: [String]) -> String {
        "| " + zip(cells, columns).map { padded($0, to: $1.width) }.joined(separator: " | ") + " |"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? text + blanks : blanks + text
    }

    private static func ratio(_ spread: Spread) -> String {
        "\(number(spread.median)) ±\(number(spread.interquartileRange))"
    }

    /// With two places.
    static func number(_ value: Double) -> String { String(format: "%.2f", value) }

    /// Nanoseconds, in the unit that reads best.
    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<9_999.5: String(format: "%.0f ns", nanoseconds)
        case ..<9_999_500: String(format: "%.1f µs", nanoseconds / 1e3)
        case ..<9_999_500_000: String(format: "%.1f ms", nanoseconds / 1e6)
        default: String(format: "%.1f s", nanoseconds / 1e9)
        }
    }
}

extension Int {
    /// With a comma between thousands.
    var grouped: String {
        let digits = String(magnitude)
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in
            digits.dropLast(digits.count - end).suffix(3)
        }
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
