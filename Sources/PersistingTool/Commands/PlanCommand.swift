#if Tool
    internal import ArgumentParser
    internal import Persisting

    /// `plan FILE`.
    struct PlanCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan", abstract: "Prints what would make the tables match their classes.",
            discussion: """
                Prints pending migrations, and the SQL with its risks. Nothing runs. Exits with status 1 if there is \
                something to do.
                """)

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @OptionGroup var report: ReportOptions

        func run() throws {
            let program = Program.current
            let manager = try program.open(file, .readOnly)
            let pending = try program.pending(manager)
            let plan = try manager.schemaPlan(for: program.types)
            try manager.close()
            if report.json {
                try Output.json(PlanReport(plan, pending))
            } else {
                for migration in pending { print("To run: \(migration.title)") }
                print(plan)
            }
            if !plan.isEmpty || !plan.obstacles.isEmpty || !pending.isEmpty { throw ExitCode.failure }
        }
    }

    /// A plan as JSON.
    struct PlanReport: Encodable {
        struct Step: Encodable {
            let table: String
            let risk: String
            let rows: Int
            let reason: String
            let sql: [String]
        }

        let migrations: [Int]
        let steps: [Step]
        let obstacles: [String]
        let notes: [String]

        init(_ plan: SchemaPlan, _ pending: [Migration]) {
            migrations = pending.map(\.version)
            steps = plan.steps.map {
                Step(table: $0.table, risk: "\($0.risk)", rows: $0.rows, reason: $0.reason, sql: $0.sql)
            }
            obstacles = plan.obstacles.map(\.message)
            notes = plan.notes.map(\.message)
        }
    }
#endif
