#if Tool
    internal import ArgumentParser
    internal import Foundation

    /// The formats of files with rows.
    enum RowFormat: String, CaseIterable, ExpressibleByArgument {
        case csv, json, lines

        /// The format that is chosen, or that a file's name says.
        static func chosen(_ format: RowFormat?, for path: String?) throws -> RowFormat {
            if let format { return format }
            switch path.map({ URL(filePath: $0).pathExtension.lowercased() }) {
            case "csv": return .csv
            case "json", nil: return .json
            case "jsonl", "ndjson": return .lines
            case let other:
                throw ValidationError(
                    "'.\(other ?? "")' says nothing about the format. Use --format csv, --format json or "
                        + "--format lines."
                )
            }
        }
    }
#endif
