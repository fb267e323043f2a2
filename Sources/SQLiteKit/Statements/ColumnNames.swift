/// The names of a result's columns, and where each name stands.
///
/// SQLite compares names without regard to the case of ASCII letters, and so does the look-up: of several columns that
/// match a name, the first is found. See [sqlite3_column_name](https://www.sqlite.org/c3ref/column_name.html).
package final class ColumnNames: Sendable {
    struct Column: Sendable {
        let name: String
        let table: String?
    }

    package let names: [String]
    private let tables: [String?]
    /// The first column of each name, by the names as they are written and in lower case.
    private let first: [String: Int]

    /// Columns of no table.
    package convenience init(names: [String]) {
        self.init(names.map { Column(name: $0, table: nil) })
    }

    init(_ columns: [Column]) {
        names = columns.map(\.name)
        tables = columns.map(\.table)
        var first: [String: Int] = [:]
        for (index, name) in names.enumerated() {
            let lowercased = asciiLowercased(name)
            let found = first[lowercased] ?? index
            first[lowercased] = found
            if first[name] == nil { first[name] = found }
        }
        self.first = first
    }

    /// The first column of a name, or of `table.column`.
    package func index(of name: String) -> Int? {
        // A dictionary of Swift's takes two spellings of one letter for equal; SQLite does not.
        if let index = first[name] {
            if haveSameBytes(names[index], name) { return index }
            if haveSameBytes(asciiLowercased(names[index]), asciiLowercased(name)) { return index }
        }
        return indices(of: name).first
    }

    /// The names with their tables', `table.column`, where SQLite knows the table; otherwise the names.
    package var qualifiedNames: [String] {
        zip(names, tables).map { name, table in table.map { "\($0).\(name)" } ?? name }
    }

    /// All columns of a name, or of `table.column`.
    func indices(of name: String) -> [Int] {
        let wanted = asciiLowercased(name)
        let found = names.indices.filter { haveSameBytes(asciiLowercased(names[$0]), wanted) }
        return found.isEmpty ? qualified(name) : found
    }

    private func qualified(_ name: String) -> [Int] {
        guard let dot = name.lastIndex(of: ".") else { return [] }
        let table = asciiLowercased(String(name[..<dot]))
        let column = asciiLowercased(String(name[name.index(after: dot)...]))
        return names.indices.filter {
            guard let own = tables[$0] else { return false }
            return haveSameBytes(asciiLowercased(names[$0]), column) && haveSameBytes(asciiLowercased(own), table)
        }
    }
}
