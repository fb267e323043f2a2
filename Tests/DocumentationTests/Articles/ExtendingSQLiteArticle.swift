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
        // snippet.show
        configuration.prepare = { db in
            try db.addTable(
                "sequence", columns: ["value INTEGER", "first HIDDEN", "last HIDDEN"]
            ) { request in
                let (first, last) = (
                    try request.value("first") ?? 1,
                    try request.value("last") ?? Int.max
                )
                return (first...max(first, last)).lazy.map { [$0] }
            }
        }
        let numbers = try DatabaseQueue(.memory, configuration: configuration)
        let even = try numbers.read { db in
            try db.column(
                "SELECT value FROM sequence(1, 10) WHERE value % 2 = 0", as: Int.self)
        }
        // snippet.hide
        #expect(even == [2, 4, 6, 8, 10])
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        func sqlite3_db_readonly(_ handle: OpaquePointer, _ name: String) -> Int32 { 0 }
        // snippet.show
        let isReadOnly = try queue.read { db in
            try db.withUnsafeHandle { handle in sqlite3_db_readonly(handle, "main") == 1
            }
        }
        // snippet.hide
        #expect(!isReadOnly)
    }
}
