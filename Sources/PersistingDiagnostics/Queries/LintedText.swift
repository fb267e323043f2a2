internal import Persisting
internal import SQLiteKit

/// A statement's words, as far as they tell which indexes could serve it. What is guessed here, SQLite confirms.
struct LintedText {
    let sql: String
    private let tokens: [SQLTokens.Token]
    private let schema: DatabaseSchema
    /// Whether rows are chosen or joined.
    let hasConditions: Bool

    /// How many columns are tried in pairs.
    private static let limit = 8

    init(_ sql: String, _ schema: DatabaseSchema) {
        self.sql = sql
        self.schema = schema
        tokens = SQLTokens(sql).tokens
        hasConditions = tokens.contains { $0.isWord("WHERE") || $0.isWord("ON") || $0.isWord("USING") }
    }

    /// The table that a step of a plan reads, and by what: `SCAN a USING INDEX b` gives the table of the alias a.
    func table(in detail: String) -> (name: String, how: String)? {
        guard let verb = ["SCAN ", "SEARCH "].first(where: { detail.hasPrefix($0) }) else { return nil }
        let rest = detail.dropFirst(verb.count)
        let parts = rest.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        // A name may have blanks in it.
        let known = names.filter { rest == $0 || rest.hasPrefix($0 + " ") }.max { $0.count < $1.count }
        let name = known ?? String(parts.first ?? "")
        guard let table = table(named: name) else { return nil }
        return (table, String(rest.dropFirst(name.count)).trimmed)
    }

    private var names: [String] { schema.tables.map(\.name) + tokens.compactMap(\.name) }

    /// The table of a name or an alias.
    private func table(named name: String) -> String? {
        if let table = schema.table(name), table.kind == .table { return table.name }
        for (place, token) in tokens.enumerated().dropFirst() {
            guard let own = token.name, isSameName(own, name) else { continue }
            let before = tokens[place - 1].isWord("AS") && place > 1 ? tokens[place - 2] : tokens[place - 1]
            if let table = before.name.flatMap({ schema.table($0) }), table.kind == .table { return table.name }
        }
        return nil
    }

    /// The columns of indexes that could serve, the likeliest first: those that are equal to something, then one in a
    /// range, or those of the order.
    func candidates(of table: String) -> [[String]] {
        guard let table = schema.table(table) else { return [] }
        var (equal, ranged, ordered, all) = ([String](), [String](), [String](), [String]())
        var isOrder = false
        func add(_ name: String, to list: inout [String]) { if !list.contains(name) { list.append(name) } }
        for (place, token) in tokens.enumerated() {
            if token.isWord("ORDER") { isOrder = true }
            if token.isWord("LIMIT") || token.isSymbol(")") { isOrder = false }
            guard let word = token.name, let column = table.column(word)?.name, isColumn(at: place, of: table) else {
                continue
            }
            add(column, to: &all)
            if isOrder {
                add(column, to: &ordered)
            } else if isEqual(at: place) {
                add(column, to: &equal)
            } else if isRanged(at: place) {
                add(column, to: &ranged)
            }
        }
        let range = Array(ranged.filter { !equal.contains($0) }.prefix(1))
        let order = ordered.filter { !equal.contains($0) }
        all = Array(all.prefix(Self.limit))
        let pairs = all.flatMap { first in all.filter { $0 != first }.map { [first, $0] } }
        let likely = order.isEmpty ? [equal + range] : [equal + order, equal + range]
        let found = likely + [equal, ordered, range] + all.map { [$0] } + pairs
        return found.reduce(into: []) { known, columns in
            if !columns.isEmpty, !known.contains(columns) { known.append(columns) }
        }
    }

    /// Whether a name is not that of another table's column.
    private func isColumn(at place: Int, of table: DatabaseSchema.Table) -> Bool {
        if case .text = tokens[place].kind { return false }
        guard place > 1, tokens[place - 1].isSymbol("."), let qualifier = tokens[place - 2].name else { return true }
        return self.table(named: qualifier) == table.name
    }

    private func isEqual(at place: Int) -> Bool {
        if let next = token(place + 1) {
            if next.isSymbol("=") || next.isWord("IN") { return true }
            if next.isWord("IS") { return token(place + 2)?.isWord("NOT") != true }
        }
        let start = token(place - 1)?.isSymbol(".") == true ? place - 3 : place - 1
        guard token(start)?.isSymbol("=") == true, let before = token(start - 1) else { return false }
        return !["<", ">", "!"].contains { before.isSymbol($0) }
    }

    private func isRanged(at place: Int) -> Bool {
        guard let next = token(place + 1) else { return false }
        return next.isSymbol("<") || next.isSymbol(">") || next.isWord("BETWEEN") || next.isWord("GLOB")
    }

    private func token(_ place: Int) -> SQLTokens.Token? { tokens.indices.contains(place) ? tokens[place] : nil }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
