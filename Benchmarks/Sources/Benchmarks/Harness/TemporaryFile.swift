import Foundation

/// A database file that goes when it is let go.
final class TemporaryFile: Sendable {
    private let folder: URL

    var path: String { folder.appending(path: "benchmark.sqlite").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // The system clears its folder for temporary files, should it not go.
        try? FileManager.default.removeItem(at: folder)
    }
}
