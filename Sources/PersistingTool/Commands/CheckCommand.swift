#if Tool
    internal import ArgumentParser
    internal import Persisting
    internal import PersistingDiagnostics

    /// `check [FILE]`.
    struct CheckCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Checks the classes, and whether a database has what they need.",
            discussion: """
                Each class is mapped, and its values are stored and read back in memory. Relations have to fit each \
                other, and to have indexes. Exits with status 1 if something is wrong.
                """)

        @Argument(help: ArgumentHelp("The database; without it, only the classes are checked.", valueName: "file"))
        var file: String?

        @OptionGroup var report: ReportOptions

        func run() throws {
            let program = Program.current
            var findings = try PersistenceManager.check(program.types, examples: program.examples())
            if let file {
                let manager = try program.open(file, .readOnly)
                let plan = try manager.schemaPlan(for: program.types)
                findings += plan.steps.map { ModelFinding(model: $0.table, key: nil, reason: $0.reason) }
                findings += plan.obstacles.map { ModelFinding(model: $0.table, key: nil, reason: $0.message) }
                try manager.close()
            }
            if report.json {
                try Output.json(findings)
            } else if findings.isEmpty {
                print("\(program.types.count) classes are fine.")
            } else {
                for finding in findings { print(finding) }
            }
            if !findings.isEmpty { throw ExitCode.failure }
        }
    }
#endif
