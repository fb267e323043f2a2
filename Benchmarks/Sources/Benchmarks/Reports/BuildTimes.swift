import Foundation

/// How long a clean release build of each library takes, each alone and into a folder of its own.
enum BuildTimes {
    static func print() throws {
        let root = Options.package.deletingLastPathComponent()
        let peer = Options.package.appending(path: ".build/checkouts/GRDB.swift")
        show("\nClean release builds\n\n| of | seconds |\n| --- | ---: |")
        for (name, package, target) in [("Persisting", root, "Persisting"), ("GRDB", peer, "GRDB")] {
            show("| \(name) | \(String(format: "%.0f", try seconds(package, target))) |")
        }
    }

    private static func seconds(_ package: URL, _ target: String) throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        // The system clears its folder for temporary files, should it not go.
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        try Child.output(
            of: URL(filePath: "/usr/bin/env"),
            [
                "swift", "build", "-c", "release", "--package-path", package.path, "--scratch-path", folder.path,
                "--target", target,
            ])
        return (ContinuousClock.now - start).seconds
    }
}
