/// The names of a result's columns, and where each name stands.
///
/// SQLite compares names without regard to the case of ASCII letters, and so does the look-up: of several columns that
/// match a name, the first is found. See [sqlite3_column_name](https://www.sqlite.org/c3ref/column_name.html).
package final class ColumnNames: Sendable {
    package let names: [String]
    private let tables: [String?]
    /// The first column of each name, by the names as they are written and in lower case; empty for so few columns that
    /// they are looked through as fast.
    private let first: [String: Int]

    /// Columns of no table.
    package convenience init(names: [String]) {
        self.init(names: names, tables: Array(repeating: nil, count: names.count))
    }

    /// - Parameter tables: The table of each; nil where SQLite knows none.
    init(names: [String], tables: [String?]) {
        (self.names, self.tables) = (names, tables)
        var first: [String: Int] = [:]
        for (index, name) in names.enumerated() where names.count > 16 {
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
        return names.firstIndex { isSameName($0, name) } ?? qualified(name).first
    }

    /// The names with their tables', `table.column`, where SQLite knows the table; otherwise the names.
    package var qualifiedNames: [String] {
        zip(names, tables).map { name, table in table.map { "\($0).\(name)" } ?? name }
    }

    /// All columns of a name, or of `table.column`.
    func indices(of name: String) -> [Int] {
        let found = names.indices.filter { isSameName(names[$0], name) }
        return found.isEmpty ? qualified(name) : found
    }

    private func qualified(_ name: String) -> [Int] {
        guard let dot = name.lastIndex(of: ".") else { return [] }
        let (table, column) = (String(name[..<dot]), String(name[name.index(after: dot)...]))
        return names.indices.filter { index in
            tables[index].map { isSameName($0, table) } == true && isSameName(names[index], column)
        }
    }
}
