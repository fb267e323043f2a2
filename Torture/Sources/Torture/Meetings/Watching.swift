import Foundation

/// What an observer of a program observes, and how.
enum Watching: Sendable {
    case query(Kind)
    case count(Kind)
    /// A closure that reads the second class while the first has rows.
    case either(Kind, Kind)
    case object(Kind, Int)
    case notesOfFolders
    case changes
    case handler(Kind)
    case controller(Kind)
    case folderController
    case live(Kind)
    /// The feed of the histories, whose changes make of the rows that there were those that there are.
    case feed

    /// The value that it must have; nil for what has no value, but events.
    func value(_ contents: Contents) -> String? {
        switch self {
        case .query(let kind), .controller(let kind): lines(contents.rows(of: kind).values.map(contents.words))
        case .count(let kind): "\(contents.rows(of: kind).count)"
        case .either(let first, let second):
            contents.rows(of: first).isEmpty ? "-1" : "\(contents.rows(of: second).count)"
        case .object(let kind, let number): contents.row(kind, [number]).map(contents.words) ?? "nil"
        case .notesOfFolders, .folderController:
            lines(
                contents.rows(.folder).keys.compactMap(\.first).map { folder in
                    let notes = contents.rows(.note).values.filter { $0.values["folderID"] == folder }
                    return "\(folder): \(notes.count)"
                })
        case .feed: lines(contents.recorded)
        case .changes, .handler, .live: nil
        }
    }

    /// The classes that it reads.
    var kinds: [Kind] {
        switch self {
        case .query(let kind), .count(let kind), .object(let kind, _), .handler(let kind), .controller(let kind),
            .live(let kind):
            [kind]
        case .either(let first, let second): [first, second]
        case .notesOfFolders, .changes, .folderController, .feed: []
        }
    }

    /// How it observes, for what tells one divergence from another.
    var signature: String {
        switch self {
        case .query(let kind): "query \(kind.table.rawValue)"
        case .count: "count"
        case .either: "either"
        case .object: "object"
        case .notesOfFolders: "notes of folders"
        case .changes: "changes"
        case .handler(let kind): "handler \(kind.table == .media ? "of a hierarchy" : "")"
        case .controller(let kind): "controller \(kind.table == .media ? "of a hierarchy" : "")"
        case .folderController: "controller with relations"
        case .live: "live"
        case .feed: "feed"
        }
    }

    private func lines(_ words: [String]) -> String { words.sorted().joined(separator: "; ") }

    /// As Swift.
    func code(_ manager: String, polls: Bool) -> String {
        let polling = polls ? ", otherProcessesEvery: .milliseconds(5)" : ""
        let only = polls ? "(otherProcessesEvery: .milliseconds(5))" : ""
        return switch self {
        case .query(let kind): "\(manager).observe(Query(\(kind.rawValue).self)\(polling))"
        case .count(let kind): "\(manager).observe\(only) { try $0.count(\(kind.rawValue).self) }"
        case .either(let first, let second):
            "\(manager).observe\(only) { try $0.count(\(first.rawValue).self) == 0 ? -1 : "
                + "$0.count(\(second.rawValue).self) }"
        case .object(let kind, let number):
            "\(manager).observe(\(kind.rawValue).self, \(kind.property("id")?.code(number) ?? "")\(polling))"
        case .notesOfFolders:
            "\(manager).observe\(only) { try $0.fetchAll(Folder.self).map { "
                + "(try $0.related(Folder.notes).count, try \(manager).count($0.rows(Folder.notes))) } }"
        case .changes: "\(manager).changes(\(polls ? "otherProcessesEvery: .milliseconds(5)" : ""))"
        case .handler(let kind): "\(manager).onChange(of: \(kind.rawValue).self) { … }"
        case .controller(let kind): "FetchedResultsController(Query(\(kind.rawValue).self), in: \(manager)\(polling))"
        case .folderController:
            "FetchedResultsController(Folder.with(Folder.notes.count), in: \(manager)\(polling))"
        case .feed: "\(manager).history(since: token, of: classes\(polling))"
        case .live(let kind): "LiveObjects(in: \(manager)\(polling)).fetchAll(Query(\(kind.rawValue).self))"
        }
    }
}
