import Faults
import Foundation

/// Fails calls of the disk and of memory one after the other, cuts the power, and looks for what was lost.
///
/// `swift run --package-path Torture Torture [R1 R3 R4] [--quick] [--seed N]`. It ends with 1 when anything was lost.
@main struct TortureCommand {
    static func main() throws {
        guard FaultyMemory.install() else { throw Complaint("SQLite was in use before its allocator could be set") }
        let options = try Options(CommandLine.arguments.dropFirst())
        print("seed \(options.seed)")
        let directory = try CaseDirectory()
        var isClean = true
        for row in Row.allCases where options.rows.contains(row) {
            for figures in try row.run(options, directory) {
                print(figures)
                fflush(nil)
                isClean = isClean && figures.isClean
            }
        }
        if !isClean { exit(1) }
    }
}

/// A row of the table of what is to be shown.
enum Row: String, CaseIterable {
    case ioErrors = "R1"
    case powerCuts = "R3"
    case outOfMemory = "R4"

    func run(_ options: Options, _ directory: CaseDirectory) throws -> [Figures] {
        switch self {
        case .ioErrors: try IOErrors.run(options, directory)
        case .powerCuts: try PowerCuts.run(options, directory)
        case .outOfMemory: try OutOfMemory.run(options, directory)
        }
    }
}
