import Foundation
import Persisting
import PersistingDiagnostics
import SQLiteKit

/// Prints the classes of all tables of the databases in a folder, and a list of them: `PrintModels FOLDER`.
@main struct PrintModels {
    static func main() throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? ".")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sqlite" }.sorted { $0.path < $1.path }
        var list: [String] = []
        print("import Foundation\nimport Persisting\n")
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            let manager = try PersistenceManager(path: file.path)
            print("enum \(name)_file {")
            for table in try manager.read({ db in try db.schema().tables.map(\.name) })
            where !table.hasPrefix("sqlite_") {
                let source = try manager.modelSource(table: table)
                let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
                    .filter { !$0.hasPrefix("import ") }
                print(lines.map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n"))
                guard let line = lines.first(where: { $0.contains("class ") && $0.contains(": PersistingModel") }),
                    let type = line.split(separator: " ").first(where: { $0.hasSuffix(":") })?.dropLast()
                else { throw Complaint(description: "no class in the source of \(name).\(table): \(source)") }
                list.append("    try checks.check(\(name)_file.\(type).self, \"\(name)\", \(table.debugDescription))")
            }
            print("}\n")
        }
        print("func checkAll(_ checks: Checks) throws {\n\(list.joined(separator: "\n"))\n}")
    }
}

/// What went wrong.
struct Complaint: Error, CustomStringConvertible {
    let description: String
}
