#if Tool
    import ArgumentParser

    /// The command `persisting`: what needs only a database file.
    @main struct PersistingCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "persisting", abstract: "Looks into SQLite databases of any program.",
            discussion: """
                FILE is opened read-only and as if a stranger had made it. Only doctor --mend writes to it.
                """,
            subcommands: [ModelsCommand.self, DiagramCommand.self, DoctorCommand.self])
    }
#else
    import Foundation

    @main struct PersistingCommand {
        static func main() {
            FileHandle.standardError.write(Data("persisting: build it with --traits Tool\n".utf8))
            exit(69)
        }
    }
#endif
