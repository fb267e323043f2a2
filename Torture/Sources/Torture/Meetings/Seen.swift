import Foundation
import SQLiteKit

/// What an observer has seen or heard.
final class Seen: Sendable {
    private struct Heard {
        var values: [String] = []
        var names: Set<Contents.Touch.Name> = []
        /// The tables of which any row may have changed.
        var tables: Set<TableName> = []
        /// Whether anything may have changed.
        var isAnything = false
        var problems: [String] = []
    }

    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var heard = Heard()

    var values: [String] { lock.withLock { heard.values } }

    func put(_ value: String) { lock.withLock { heard.values.append(value) } }

    /// What `changes()` gives.
    func put(_ commit: CommittedChanges) {
        lock.withLock {
            guard let tables = commit.tables else { return heard.isAnything = true }
            for (name, table) in tables {
                guard let known = TableName(rawValue: name.uppercased()) else { continue }
                guard let rows = table.rows else {
                    heard.tables.insert(known)
                    continue
                }
                for row in rows {
                    let names = known.properties.filter { row.columns.contains($0.column) }.map(\.name)
                    put(known, row.key, names)
                }
            }
        }
    }

    /// What a handler is called with.
    func put(_ kind: Kind, _ change: RowChangeKind?, _ key: [SQLiteValue], _ properties: Set<String>) {
        lock.withLock {
            if change == nil { heard.isAnything = true } else { put(kind.table, key, properties) }
        }
    }

    private func put(_ table: TableName, _ key: [SQLiteValue], _ properties: some Collection<String>) {
        let properties = properties.filter { table.property($0) != nil }
        guard table.isKeyed else {
            for property in properties { heard.names.insert(.init(table: table, key: nil, property: property)) }
            return
        }
        let numbers = zip(table.keys, key).compactMap { name, value in table.property(name)?.number(value) }
        if numbers.count != table.keys.count { heard.problems.append("\(table.rawValue) \(key)") }
        for property in properties { heard.names.insert(.init(table: table, key: numbers, property: property)) }
    }

    /// What was to be heard, and wasn't.
    func missing(of due: Set<Contents.Touch.Name>) -> String? {
        let heard = lock.withLock { self.heard }
        if heard.isAnything { return nil }
        let missing = due.filter { name in
            if heard.tables.contains(name.table) || heard.names.contains(name) { return false }
            // A generated column isn't written.
            if name.property == "doubled" { return false }
            return name.property.isEmpty
                ? !heard.names.contains { $0.table == name.table && $0.key == name.key } : true
        }
        return missing.isEmpty ? nil : Self.words(missing)
    }

    /// What was heard of rows that nobody has written.
    func unwritten(_ allowed: Set<Contents.Touch.Name>) -> String? {
        let heard = lock.withLock { self.heard }
        if let problem = heard.problems.first { return "the key of \(problem)" }
        // Of a row that was written, more columns may be reported than were changed: that hides nothing.
        let rows = Set(allowed.map { Contents.Touch.Name(table: $0.table, key: $0.key, property: "") })
        let unwritten = heard.names.filter { !rows.contains(.init(table: $0.table, key: $0.key, property: "")) }
        return unwritten.isEmpty ? nil : Self.words(unwritten)
    }

    private static func words(_ names: Set<Contents.Touch.Name>) -> String {
        names.map { name in
            "\(name.table.rawValue) \(name.key.map { "\($0)" } ?? "") \(name.property)"
        }.sorted().prefix(6).joined(separator: ", ")
    }
}
