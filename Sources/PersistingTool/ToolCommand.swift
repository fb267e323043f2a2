#if Tool
    internal import ArgumentParser
    internal import Foundation

    /// The command that has all others.
    struct ToolCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: URL(filePath: CommandLine.arguments.first ?? "tool").lastPathComponent,
            abstract: "Plans, migrates, checks and draws the database of this program.",
            discussion: """
                FILE is always the database. Only migrate and import write to it. Commands that find something exit \
                with status 1, which suits a build server.
                """,
            subcommands: [
                PlanCommand.self, MigrateCommand.self, CheckCommand.self, DiagramCommand.self, ImportCommand.self,
                ExportCommand.self, HistoryCommand.self,
            ])
    }

    /// What all commands with a result for machines have.
    struct ReportOptions: ParsableArguments {
        @Flag(help: "Print JSON.")
        var json = false
    }
#endif
