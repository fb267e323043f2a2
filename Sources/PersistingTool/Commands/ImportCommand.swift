#if Tool
    internal import ArgumentParser
    internal import Foundation
    internal import Persisting

    /// `import FILE CLASS INPUT`.
    struct ImportCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Imports rows of a class from CSV or JSON: all of them, or none.")

        /// What to do with a row that is already there.
        enum Conflict: String, CaseIterable, ExpressibleByArgument {
            case fail, ignore, replace, update

            var value: ImportConflict {
                switch self {
                case .fail: .fail
                case .ignore: .ignore
                case .replace: .replace
                case .update: .update()
                }
            }
        }

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @Argument(help: ArgumentHelp("The name of the class.", valueName: "class"))
        var type: String

        @Argument(help: ArgumentHelp("The file with the rows.", valueName: "input"))
        var input: String

        @Option(help: "How the rows are written; by default as the input's name says.")
        var format: RowFormat?

        @Option(help: "What to do with a row that is already in the table.")
        var onConflict = Conflict.fail

        @Option(help: ArgumentHelp("Skip up to this many rows that can't be imported.", valueName: "count"))
        var skipErrors = 0

        @Flag(help: "Write nothing, and report what would be.")
        var dryRun = false

        @OptionGroup var report: ReportOptions

        func run() throws {
            let program = Program.current
            let type = try program.type(named: type)
            let format = try RowFormat.chosen(format, for: input)
            let manager = try program.open(file, .readWrite)
            defer { try? manager.close() }
            let progress = Progress(totalUnitCount: 0)
            let line = progress.observeLine("Importing")
            defer { line.end() }
            let errors = skipErrors > 0 ? ImportErrors.collect(max: skipErrors) : .stop
            let source = URL(filePath: input)
            let result =
                switch format {
                case .csv:
                    try manager.importCSV(
                        type, contentsOf: source, onConflict: onConflict.value, errors: errors, dryRun: dryRun,
                        progress: progress)
                case .json, .lines:
                    try manager.importJSON(
                        type, contentsOf: source, format == .json ? .array : .lines, onConflict: onConflict.value,
                        errors: errors, dryRun: dryRun, progress: progress)
                }
            try say(result)
        }

        /// A report as JSON.
        private struct Report: Encodable {
            let inserted: Int
            let updated: Int
            let skipped: Int
            let failures: [String]
            let ignoredKeys: [String]
            let isDryRun: Bool
        }

        private func say(_ result: ImportReport) throws {
            // A failure says the value, which may be a secret.
            let failures = result.failures.map { "line \($0.line)\($0.column.map { ", \($0)" } ?? ""): \($0.reason)" }
            if report.json {
                try Output.json(
                    Report(
                        inserted: result.inserted, updated: result.updated, skipped: result.skipped, failures: failures,
                        ignoredKeys: result.ignoredKeys, isDryRun: result.isDryRun))
            } else {
                print(
                    "\(result.inserted) inserted, \(result.updated) updated, \(result.skipped) skipped, "
                        + "\(failures.count) failed" + (result.isDryRun ? " (nothing was written)" : ""))
                for failure in failures { print(failure) }
                if !result.ignoredKeys.isEmpty { print("Ignored: \(result.ignoredKeys.joined(separator: ", "))") }
            }
            if !failures.isEmpty { throw ExitCode.failure }
        }
    }
#endif
