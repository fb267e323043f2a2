#if Tool
    internal import ArgumentParser
    internal import Foundation
    internal import Persisting

    /// `export FILE CLASS`.
    struct ExportCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Exports the rows of a class as CSV or JSON.")

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @Argument(help: ArgumentHelp("The name of the class.", valueName: "class"))
        var type: String

        @Option(help: "How to write the rows; by default as the name of --out says, or JSON.")
        var format: RowFormat?

        @Option(help: ArgumentHelp("Write to this file, which is replaced once it is whole.", valueName: "path"))
        var out: String?

        func run() throws {
            let program = Program.current
            let type = try program.type(named: type)
            let format = try RowFormat.chosen(format, for: out)
            let manager = try program.open(file, .readOnly)
            defer { try? manager.close() }
            if let out {
                let count = try export(type, format, to: URL(filePath: out), manager)
                Output.note("\(count) rows")
            } else {
                _ = try export(type, format, to: FileHandle.standardOutput, manager)
            }
        }

        private func export<Model: PersistingModel>(
            _ type: Model.Type, _ format: RowFormat, to destination: some ExportDestination,
            _ manager: PersistenceManager
        ) throws -> Int {
            switch format {
            case .csv: try manager.exportCSV(Query(type), to: destination)
            case .json: try manager.exportJSON(Query(type), to: destination)
            case .lines: try manager.exportJSON(Query(type), to: destination, .lines)
            }
        }
    }
#endif
