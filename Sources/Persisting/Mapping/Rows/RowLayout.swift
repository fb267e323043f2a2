internal import Foundation

/// Where the rows of some SQL have a class's columns: found by name once, for all rows of a statement.
struct RowLayout: Sendable {
    /// The mapping's fields with their places in the row.
    let fields: ContiguousArray<Field>
    /// Up to where the row has them.
    let width: Int
    /// The columns that the row doesn't have, except for deferred ones.
    let unread: ColumnSet
    /// The places that are all NULL where an outer join has found no row: the key's, or without a key all.
    private let identifying: [Int]

    /// - Parameters:
    ///   - names: The names of the row's columns. Of several of one name, the first counts.
    ///   - prefix: What stands before the columns' own names.
    ///   - partial: Whether the row may lack columns, except for those of the key and of the version.
    /// - Throws: ``PersistenceError/Code/missingColumn``.
    init(_ mapping: Mapping, in names: ColumnNames, prefix: String, partial: Bool) throws {
        var fields = mapping.fields
        var unread = ColumnSet()
        for index in fields.indices {
            var place = names.index(of: prefix + mapping.columns[index].name)
            // SQLite calls it rowid whatever it was asked for by.
            if place == nil, index == mapping.rowID { place = names.index(of: prefix + "rowid") }
            fields[index].position = place.map(Int32.init(clamping:)) ?? Field.nowhere
            guard place == nil, !fields[index].isDeferred else { continue }
            guard partial, !fields[index].isKept else { throw mapping.missing(index, in: names, prefix, partial) }
            unread.insert(index)
        }
        let read = fields.indices.filter { fields[$0].position >= 0 }
        // A row with none of the columns is another's.
        guard !read.isEmpty else { throw mapping.missing(0, in: names, prefix, partial) }
        self.fields = fields
        width = read.reduce(0) { max($0, Int(fields[$1].position) + 1) }
        self.unread = unread
        identifying = (mapping.key.isEmpty ? read : mapping.key).map { Int(fields[$0].position) }
    }

    /// Whether there is no row of the class in a joined row.
    func isAbsent(from row: some ColumnSource) -> Bool {
        identifying.allSatisfy { row.storageClass(at: $0) == .null }
    }
}

/// The layouts of the statements that a class was read from last. Those who read a row at a time find theirs here.
final class RowLayouts: Sendable {
    private struct Entry {
        /// Held, so that no other has its identity.
        let names: ColumnNames
        let prefix: String
        let partial: Bool
        let layout: RowLayout
    }

    /// How many are kept.
    private static let limit = 8
    private let lock = NSLock()
    nonisolated(unsafe) private var entries: [Entry] = []  // guarded by `lock`

    func layout(_ mapping: Mapping, in names: ColumnNames, prefix: String, partial: Bool) throws -> RowLayout {
        try lock.withLock {
            if let known = entries.first(where: { $0.names === names && $0.partial == partial && $0.prefix == prefix })
            {
                return known.layout
            }
            let layout = try RowLayout(mapping, in: names, prefix: prefix, partial: partial)
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append(Entry(names: names, prefix: prefix, partial: partial, layout: layout))
            return layout
        }
    }
}

extension Mapping {
    func layout(in names: ColumnNames, prefix: String = "", partial: Bool) throws -> RowLayout {
        try rowLayouts.layout(self, in: names, prefix: prefix, partial: partial)
    }

    fileprivate func missing(
        _ index: Int, in names: ColumnNames, _ prefix: String, _ partial: Bool
    ) -> PersistenceError {
        let known = names.names.joined(separator: ", ")
        let hint = partial && fields[index].isKept ? "; its object could not be saved without" : ""
        return PersistenceError(
            .missingColumn,
            "the row has no column \(prefix)\(columns[index].name); it has: \(known)\(hint)", model: modelName,
            key: columns[index].key)
    }
}
