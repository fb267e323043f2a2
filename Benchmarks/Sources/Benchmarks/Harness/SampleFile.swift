import Foundation

/// Each round's times, as CSV.
struct SampleFile {
    private var text = "row,workload,contender,round,operations,nanoseconds_per_operation\n"

    mutating func add(_ measurement: Measurement) {
        let workload = measurement.workload
        for contender in workload.contenders {
            for (round, time) in (measurement.samples[contender.name] ?? []).enumerated() {
                let cells = [
                    workload.row, workload.name, contender.name, "\(round + 1)",
                    "\(workload.operations / contender.share)",
                    String(format: "%.1f", time),
                ]
                text += cells.map(Self.quoted).joined(separator: ",") + "\n"
            }
        }
    }

    func write(to path: String) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private static func quoted(_ cell: String) -> String {
        cell.contains { ",\"\n".contains($0) } ? "\"\(cell.replacing("\"", with: "\"\""))\"" : cell
    }
}
