// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct EncryptingADatabaseArticle: Article {
    func run() throws {
        // Without a cipher all of it is an error.
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let hasCipher = try Database(.memory).cipher != nil
        guard hasCipher else {
            let error = #expect(throws: SQLiteError.self) { try encrypt(directory) }
            #expect(error?.extendedCode == .missingFeature)
            return
        }
        try encrypt(directory)
    }

    private func encrypt(_ directory: URL) throws {
        func file(_ name: String) -> String { directory.appending(path: name).path }
        let (secret, path, copy, other, export) = ("secret", file("a"), file("b"), file("c"), file("d"))
        let bytes = Array(repeating: UInt8(7), count: 32)
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.key = .passphrase(secret)
        let queue = try DatabaseQueue(.file(path), configuration: configuration)
        // snippet.hide
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        // snippet.show
        try queue.rekey(.raw(bytes))
        // snippet.hide
        // snippet.show
        try queue.backup(to: .file(copy))
        try queue.withoutTransaction { db in
            try db.attach(.file(other), as: "other", key: .passphrase("another"))
            try db.vacuum(into: .file(export), key: .plain)
        }
        // snippet.hide
        #expect(try Database(.file(export)).scalar("SELECT count(*) FROM t", as: Int.self) == 0)
        // snippet.show
        configuration.key = .passphrase(
            secret, settings: ["cipher": "sqlcipher", "legacy": "4"])
        // snippet.hide
    }
}
