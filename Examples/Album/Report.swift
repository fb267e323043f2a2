import Foundation
import Persisting

/// What the example prints: each step with the call it made and what SQLite stored, and the albums as a table.
enum Report {
    static func step(_ call: String, _ result: String) {
        print("\(call)\n    -> \(result)")
    }

    /// What a column of an album's row holds, as SQLite says it.
    static func stored(_ column: String, of album: Album, in manager: PersistenceManager) async throws -> String {
        let key = album.primaryKeyValue
        let row = try await manager.read { db in
            try db.rows(
                "SELECT quote(\(identifier: column)), typeof(\(identifier: column)) FROM ALBUM WHERE ID = \(key)"
            ).first
        }
        guard let row else { return "no row with ID = \(key)" }
        let value: String = try row[0]
        let type: String = try row[1]
        return "row \(key): \(column) = \(value) (\(type.uppercased()))"
    }

    static func table(_ albums: [Album]) {
        let header = ["ID", "Title", "Artist", "Published", "Cover", "Flags", "Last played"]
        let rows = albums.map { album in
            [
                album.id.map(String.init) ?? "", album.title ?? "", album.artist ?? "", date(album.publishDate),
                album.coverImageData.map { "\($0.count) bytes" } ?? "", flags(album), date(album.lastPlayedDate),
            ]
        }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [header, widths.map { String(repeating: "-", count: $0) }] + rows {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            print("    " + cells.joined(separator: "  "))
        }
    }

    private static func date(_ date: Date?) -> String {
        date?.formatted(.iso8601.year().month().day()) ?? ""
    }

    private static func flags(_ album: Album) -> String {
        let flags = AlbumFlags(rawValue: album.flags ?? 0)
        return (flags.contains(.favorite) ? "♥" : "-") + (flags.contains(.live) ? "L" : "-")
    }
}
