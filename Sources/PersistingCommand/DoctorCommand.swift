#if Tool
    import ArgumentParser
    import Foundation
    import PersistingDiagnostics
    import PersistingTool

    /// `persisting doctor FILE`.
    struct DoctorCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "doctor", abstract: "Looks for what is wrong in a database, and prints the SQL that mends it.",
            discussion: """
                Values of rows aren't printed. --mend runs the statements that change no row, such as REINDEX and \
                CREATE INDEX. With --allow-changes it also runs those that change or delete rows: copy the file first. \
                Exits with status 1 if something is wrong, after --mend if something still is.
                """)

        @Argument(help: ArgumentHelp("The database.", valueName: "file"))
        var file: String

        @Flag(help: "Run the statements that change no row.")
        var mend = false

        @Flag(help: "With --mend, also run the statements that change or delete rows.")
        var allowChanges = false

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            if allowChanges, !mend { throw ValidationError("--allow-changes says what --mend may do: add --mend.") }
        }

        private func examine(_ doctor: FileDoctor) throws -> [FileFinding] {
            let progress = Progress(totalUnitCount: 0)
            let line = progress.observeLine("Examining")
            defer { line.end() }
            return try doctor.examine(progress: progress)
        }

        func run() throws {
            let doctor = try FileDoctor(path: file)
            var findings = try examine(doctor)
            if mend {
                let before = findings
                findings = try doctor.mend(findings, allowing: allowChanges ? .changes : .rebuilds)
                for finding in before {
                    let isLeft = findings.contains {
                        ($0.kind, $0.table, $0.columns) == (finding.kind, finding.table, finding.columns)
                    }
                    if !isLeft { Output.note("Mended: \(finding.message)") }
                }
            }
            if json {
                try Output.json(findings)
            } else if findings.isEmpty {
                print("Nothing is wrong with \(file).")
            } else {
                for finding in findings { print(finding) }
            }
            if !findings.isEmpty { throw ExitCode.failure }
        }
    }
#endif
