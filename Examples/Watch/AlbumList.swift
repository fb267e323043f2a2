import Foundation
import Persisting

/// The albums by artist, as the terminal shows them: what a table view does with a controller.
@MainActor final class AlbumList {
    private let controller: FetchedResultsController<Album, String>

    init(_ manager: PersistenceManager) {
        controller = FetchedResultsController(
            Album.sorted(by: [.ascending(\.artist), .ascending(\.title)]), sectionedBy: \.artist, in: manager,
            otherProcessesEvery: .milliseconds(200))
    }

    /// The album with a number of the list, which counts from 1.
    func album(_ number: Int) -> Album? {
        let albums = controller.objects
        return albums.indices.contains(number - 1) ? albums[number - 1] : nil
    }

    /// Reads the list, and shows it again after each change, with what has changed.
    func follow() async throws {
        try controller.fetch()
        show(FetchedResultsChange?.none)
        for try await change in controller.changes { show(change) }
    }

    private func show(_ change: FetchedResultsChange?) {
        var lines = ["", change.map(Self.summary)].compactMap(\.self)
        var number = 0
        for (place, section) in controller.sections.enumerated() {
            lines.append("\(section.name) (\(section.count))")
            for (row, album) in section.objects.enumerated() {
                number += 1
                let mark = change.map { Self.mark(of: [place, row], in: $0) } ?? " "
                lines.append("\(mark) \(number). \(album.title)\(album.year.map { ", \($0)" } ?? "")")
            }
        }
        if number == 0 { lines.append("No albums yet. Type: add Kind of Blue / Miles Davis / 1959") }
        Terminal.show(lines.joined(separator: "\n"))
    }

    /// `+` for a new row, `>` for one that has moved, `*` for one with other values.
    private static func mark(of path: IndexPath, in change: FetchedResultsChange) -> String {
        if change.insertions.contains(path) { return "+" }
        if change.moves.contains(where: { $0.to == path }) { return ">" }
        return change.updates.contains { $0.to == path } ? "*" : " "
    }

    private static func summary(of change: FetchedResultsChange) -> String {
        let counts = [
            ("inserted", change.insertions.count), ("deleted", change.deletions.count), ("moved", change.moves.count),
            ("updated", change.updates.count), ("sections inserted", change.sectionInsertions.count),
            ("sections deleted", change.sectionDeletions.count),
        ]
        return "-- " + counts.filter { $1 > 0 }.map { "\($1) \($0)" }.joined(separator: ", ")
    }
}
