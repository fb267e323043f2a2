#if Tool
    internal import ArgumentParser
    internal import Persisting
    internal import PersistingDiagnostics

    /// `diagram`.
    struct DiagramCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diagram", abstract: "Draws the tables of the classes, and their relations.")

        @Option(help: "How to draw.")
        var format = DiagramFormat.mermaid

        @Option(help: ArgumentHelp("Write to this file.", valueName: "path"))
        var out: String?

        func run() throws {
            let diagram = try PersistenceManager.schemaDiagram(of: Program.current.types)
            try Output.write(format.text(of: diagram), to: out)
        }
    }
#endif
