import Faults
import Foundation

/// Fails calls of the disk and of memory one after the other, cuts the power, kills processes, and looks for what was
/// lost.
///
/// `swift run --package-path Torture Torture [R1 R2 …] [--quick | --long] [--seed N]`. It ends with 1 when anything was
/// lost.
@main struct TortureCommand {
    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "--child" {
            return try Child.Work.run(CommandLine.arguments.dropFirst(2))
        }
        guard FaultyMemory.install() else { throw Complaint("SQLite was in use before its allocator could be set") }
        let options: Options
        do {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            FileHandle.standardError.write(Data("Torture: \(error)\n".utf8))
            exit(64)
        }
        print("seed \(options.seed)")
        var isClean = true
        for row in Row.allCases where options.rows.contains(row) {
            for figures in try row.run(options) {
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
    case diskFull = "R2"
    case powerCuts = "R3"
    case outOfMemory = "R4"
    case kills = "R5"
    case busyStorm = "R6"
    case damage = "R7"
    case hostileNames = "R8"
    case hostileValues = "R9"
    case limits = "R10"
    case leaks = "R12"
    case model = "R13"
    case migrations = "R14"
    case cluster = "R15"
    case randomTables = "R17"
    case brokenFiles = "R18"
    case watchers = "R19"
    case meetings = "R20"

    static var names: String { allCases.map(\.rawValue).joined(separator: " ") }

    func run(_ options: Options) throws -> [Figures] {
        switch self {
        case .ioErrors: try IOErrors.run(options)
        case .diskFull: try DiskFull.run(options)
        case .powerCuts: try PowerCuts.run(options)
        case .outOfMemory: try OutOfMemory.run(options)
        case .kills: try Kills.run(options)
        case .busyStorm: try BusyStorm.run(options)
        case .damage: try Damage.run(options)
        case .hostileNames: try HostileNames.run(options)
        case .hostileValues: try HostileValues.run(options)
        case .limits: try Limits.run(options)
        case .leaks: try Leaks.run(options)
        case .model: try ModelTest.run(options)
        case .migrations: try MigrationFaults.run(options)
        case .cluster: try ClusterCheck.run(options)
        case .randomTables: try RandomTables.run(options)
        case .brokenFiles: try BrokenFiles.run(options)
        case .watchers: try WatchSoak.run(options)
        case .meetings: try Meetings.run(options)
        }
    }
}
