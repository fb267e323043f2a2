import Foundation
import Persisting
import SQLiteKit

/// A directory with one file, made again for each case. It goes with the value.
final class CaseDirectory {
    private let url = FileManager.default.temporaryDirectory.appending(path: "torture-\(UUID().uuidString)")

    private let prepare: (PersistenceManager) throws -> Void

    /// - Parameter prepare: Makes the file that every case begins with.
    init(_ prepare: @escaping (PersistenceManager) throws -> Void = Workload.prepare) throws {
        self.prepare = prepare
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing can be done about a directory that stays.
        try? FileManager.default.removeItem(at: url)
    }

    /// The file of the case.
    var path: String { url.appending(path: "case.sqlite").path(percentEncoded: false) }

    private func template(_ mode: JournalMode) -> String {
        url.appending(path: "\(mode.rawValue).sqlite").path(percentEncoded: false)
    }

    /// Puts the file there as every case begins.
    func reset(_ mode: JournalMode) throws {
        let template = template(mode)
        if !FileManager.default.fileExists(atPath: template) {
            var configuration = DatabaseConfiguration()
            configuration.journalMode = mode
            let manager = try PersistenceManager(path: template, configuration: configuration)
            try prepare(manager)
            try manager.close()
        }
        for suffix in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        try FileManager.default.copyItem(atPath: template, toPath: path)
    }
}
