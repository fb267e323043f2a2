#if Tool
    import ArgumentParser
    import Persisting
    import PersistingDiagnostics
    import PersistingTool

    /// `persisting diagram FILE`.
    struct DiagramCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diagram", abstract: "Draws the tables and their foreign keys.")

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @Option(help: "How to draw.")
        var format = DiagramFormat.mermaid

        @OptionGroup var options: ModelsCommand.TableOptions

        func run() throws {
            let manager = try PersistenceManager(path: file, configuration: FileDoctor.careful())
            defer { try? manager.close() }
            try Output.write(format.text(of: manager.schemaDiagram(tables: options.table)), to: options.out)
        }
    }
#endif
