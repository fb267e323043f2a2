// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct ExtendingSQLiteArticle: Article {
    func run() throws {
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.extensions = [.file("/usr/lib/sqlite/vec0")]
        // snippet.hide
        #expect(throws: SQLiteError.self) { _ = try Database(.memory, configuration: configuration) }
        @Sendable func sqlite3_other_init(
            _ db: OpaquePointer?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ api: OpaquePointer?
        ) -> Int32 { 0 }
        // snippet.show
        configuration.extensions = [.entryPoint(sqlite3_other_init)]
        // snippet.hide
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        func sqlite3_db_readonly(_ handle: OpaquePointer, _ name: String) -> Int32 { 0 }
        // snippet.show
        let isReadOnly = try queue.read { db in
            try db.withUnsafeHandle { handle in sqlite3_db_readonly(handle, "main") == 1 }
        }
        // snippet.hide
        #expect(!isReadOnly)
    }
}
