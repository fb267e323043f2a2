#if Tool
    internal import ArgumentParser
    internal import Foundation
    internal import Persisting

    /// `migrate FILE`.
    struct MigrateCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate", abstract: "Runs pending migrations, and makes the tables match their classes.",
            discussion: """
                Everything runs on a temporary copy first. If that fails, the database isn't touched. A new database \
                is created if the file is missing.
                """)

        /// What a plan may do.
        enum Risk: String, CaseIterable, ExpressibleByArgument {
            case adds, rewrites, loses

            var value: SchemaPlan.Risk {
                switch self {
                case .adds: .adds
                case .rewrites: .rewrites
                case .loses: .loses
                }
            }
        }

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @Flag(help: "Only try it on the copy.")
        var dryRun = false

        @Option(help: ArgumentHelp("Copy the database to this file first.", valueName: "path"))
        var backup: String?

        @Option(help: "The greatest risk that a step may have.")
        var allow = Risk.adds

        @OptionGroup var report: ReportOptions

        func run() throws {
            let program = Program.current
            let exists = FileManager.default.fileExists(atPath: file)
            let copy = FileManager.default.temporaryDirectory.appending(path: "migrate-\(UUID().uuidString).sqlite")
                .path
            defer {
                for suffix in ["", "-wal", "-shm", "-journal"] {
                    try? FileManager.default.removeItem(atPath: copy + suffix)
                }
            }
            if exists {
                let source = try program.open(file, .readOnly)
                try source.database.backup(to: .file(copy))
                try source.close()
            }
            let tried = try run(on: copy, program)
            if dryRun { return try say(tried, "Would run", "Would do") }
            if let backup, exists {
                let source = try program.open(file, .readOnly)
                try source.database.backup(to: .file(backup))
                try source.close()
                Output.note("Copied \(file) to \(backup)")
            }
            try say(try run(on: file, program), "Ran", "Did")
        }

        /// What was done.
        private struct Result: Encodable {
            var migrations: [Int] = []
            var steps: [String] = []
        }

        private func run(on path: String, _ program: Program) throws -> Result {
            let manager = try program.open(path, .create)
            defer { try? manager.close() }
            let progress = Progress(totalUnitCount: 0)
            let line = progress.observeLine(path == file ? "Migrating" : "Trying")
            defer { line.end() }
            let ran = try manager.migrate(program.migrations, progress: progress)
            let plan = try manager.schemaPlan(for: program.types)
            try manager.apply(plan, allowing: allow.value)
            return Result(migrations: ran, steps: plan.steps.map { "\($0.table), \($0.risk): \($0.reason)" })
        }

        private func say(_ result: Result, _ ran: String, _ did: String) throws {
            if report.json { return try Output.json(result) }
            for version in result.migrations { print("\(ran) migration \(version)") }
            for step in result.steps { print("\(did): \(step)") }
            if result.migrations.isEmpty, result.steps.isEmpty { print("Nothing to do.") }
        }
    }
#endif
