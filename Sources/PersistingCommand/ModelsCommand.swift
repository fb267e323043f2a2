#if Tool
    import ArgumentParser
    import Persisting
    import PersistingDiagnostics
    import PersistingTool

    /// `persisting models FILE`.
    struct ModelsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "models", abstract: "Prints Swift classes for the tables, with their relations.")

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @OptionGroup var options: TableOptions

        func run() throws {
            let manager = try PersistenceManager(path: file, configuration: FileDoctor.careful())
            defer { try? manager.close() }
            try Output.write(manager.modelSources(tables: options.table), to: options.out)
        }

        /// Which tables, and where to write.
        struct TableOptions: ParsableArguments {
            @Option(help: ArgumentHelp("A table or view; repeat it for several. By default all.", valueName: "name"))
            var table: [String] = []

            @Option(help: ArgumentHelp("Write to this file.", valueName: "path"))
            var out: String?
        }
    }
#endif
