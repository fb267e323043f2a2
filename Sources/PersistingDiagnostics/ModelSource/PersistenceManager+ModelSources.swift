public import Persisting
internal import SQLiteKit

extension PersistenceManager {
    /// Swift source of classes for several tables, with the relations between them, to paste into a program and change.
    ///
    /// ```swift
    /// print(try manager.modelSources())
    /// // …
    /// // final class Track: PersistingModel {
    /// //     var id: Int64?
    /// //     var albumID: Int64?
    /// // …
    /// //     static let album = ToOne(\Track.albumID, Album.self)
    /// //     override class var relations: Relations { ["album": album] }
    /// // }
    /// ```
    ///
    /// The classes are those of ``modelSource(table:)``. A foreign key between two of the tables is a
    /// ``/Persisting/ToOne`` relation, and its inverse a ``/Persisting/ToMany`` relation of the parent's class. One
    /// whose columns have other types than the parent's, or that refers to another table, is declared with its column.
    /// A class that would hide a type, and a property that would hide a member of every object, have other names, and
    /// comments say so.
    ///
    /// - Parameter names: The names of tables and views, without regard to the case of ASCII letters. None means all,
    ///   except virtual tables, their own tables, and SQLite's.
    /// - Throws: ``PersistenceError/Code/noTable`` for a name that no table has; ``/SQLiteKit/SQLiteError``.
    public func modelSources(tables names: [String] = []) throws -> String {
        let sources = try engine.query { db in
            let all = try db.schema().tables
            for name in names where !all.contains(where: { isSameName($0.name, name) }) {
                throw PersistenceError(.noTable, "there is no table or view \(name)", model: name)
            }
            let chosen = all.filter { table in
                names.isEmpty
                    ? [.table, .view].contains(table.kind) && !table.isInternal
                    : names.contains { isSameName($0, table.name) }
            }
            let classNames = ModelSource.classNames(chosen)
            return try chosen.map { try ModelSource($0, db, classNames) }
        }
        let classes = RelatedModels(sources).sources.map(\.classText)
        return "import Foundation\nimport Persisting\n\n" + classes.joined(separator: "\n")
    }

    /// The same, while the task is suspended.
    public func modelSources(tables names: [String] = []) async throws -> String {
        try await onReadingSide { manager in try manager.modelSources(tables: names) }
    }
}
