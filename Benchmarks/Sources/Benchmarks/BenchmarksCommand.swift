import Foundation

@main
struct BenchmarksCommand {
    static func main() {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.asksForHelp { return show(Options.usage) }
            guard isRelease else {
                throw BenchmarkFailure("only a release build tells anything: swift run -c release …")
            }
            if let (task, contender) = options.child {
                try runChild(task, contender, options)
            } else if try !run(options) {
                exit(1)
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\nFor the options: --help\n".utf8))
            exit(2)
        }
    }

    private static var isRelease: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// Prints the table.
    ///
    /// - Returns: Whether all figures are within their limits.
    private static func run(_ options: Options) throws -> Bool {
        let unknown = options.only.subtracting(Workloads.all.map(\.row))
        guard unknown.isEmpty else {
            throw BenchmarkFailure("there is no row \(unknown.sorted().joined(separator: ", "))")
        }
        show(Environment.description(options) + "\n")
        if options.measuresGrowth { return try GrowthReport.print(options) }
        if options.measuresContention { return try ContentionReport.print(options) }
        if options.measuresCluster { return try ClusterReport.print(options) }
        if options.measuresClassic { return try ClassicReport.print(options) }
        if options.measuresPython { return try PythonReport.print(options) }
        let start = ContinuousClock.now
        var random = SplitMix64(seed: options.seed)
        var table = Table()
        var samples = SampleFile()
        show(Table.header)
        for (row, make) in Workloads.all where options.wants(row) {
            let measurement = try Measurement(make(options), rounds: options.countedRounds, random: &random)
            samples.add(measurement)
            show(table.lines(measurement).joined(separator: "\n"))
        }
        try samples.write(to: options.csv)
        let memory = try MemoryReport.print(options)
        if options.measuresBuild, options.wants("13") { try BuildTimes.print() }
        show("\nEach round's times: \(options.csv)")
        show(String(format: "It took %.0f s.", (ContinuousClock.now - start).seconds))
        return !table.isBeyond && memory
    }

    private static func runChild(_ task: String, _ contender: String, _ options: Options) throws {
        switch task {
        case "node": try LocalNodes.run(contender)
        case "contend": try ContentionReport.measure(contender)
        case "start": try Starting.measure(contender)
        case "stream": try Streaming.measureMemory(contender, options)
        case "import": try Importing.measureMemory(contender, options)
        case "fill": try Streaming.fill(contender, options)
        case "objects": try MemoryReport.measureObjects(contender, options)
        case "transaction": try GrowthReport.measureTransaction(contender)
        case "register": try GrowthReport.measureRegistering(contender)
        default: throw BenchmarkFailure("there is no task \(task)")
        }
    }
}
