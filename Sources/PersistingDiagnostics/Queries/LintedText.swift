internal import Persisting
internal import SQLiteKit

/// A statement's words, as far as they tell which indexes could serve it. What is guessed here, SQLite confirms.
struct LintedText {
    let sql: String
    private let words: SQLTokens
    private var tokens: [SQLTokens.Token] { words.tokens }
    private let schema: DatabaseSchema
    /// Whether rows are chosen or joined.
    let hasConditions: Bool

    /// How many columns are tried in pairs.
    private static let limit = 8

    init(_ sql: String, _ schema: DatabaseSchema) {
        self.sql = sql
        self.schema = schema
        words = SQLTokens(sql)
        hasConditions = words.tokens.contains { $0.isWord("WHERE") || $0.isWord("ON") || $0.isWord("USING") }
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

    /// What an index could be on: a column, or a value inside of one of JSON.
    struct Term: Hashable {
        let column: String
        /// The keys that lead to the value in the JSON; none for the column itself.
        var path: [String] = []
        /// The value as the statement has it; nil for the column itself.
        var expression: String?
    }

    /// The terms of indexes that could serve, the likeliest first: those that are equal to something, then one in a
    /// range, or those of the order.
    func candidates(of table: String) -> [[Term]] {
        guard let table = schema.table(table) else { return [] }
        var (equal, ranged, ordered, all) = ([Term](), [Term](), [Term](), [Term]())
        var (isOrder, place) = (false, 0)
        func add(_ term: Term, to list: inout [Term]) { if !list.contains(term) { list.append(term) } }
        while place < tokens.count {
            let token = tokens[place]
            if token.isWord("ORDER") { isOrder = true }
            if token.isWord("LIMIT") || token.isSymbol(")") { isOrder = false }
            let found = term(at: place, of: table)
            let (start, end) = (place, found?.end ?? place)
            place = end + 1
            guard let term = found?.term else { continue }
            add(term, to: &all)
            if isOrder {
                add(term, to: &ordered)
            } else if isEqual(from: start, through: end) {
                add(term, to: &equal)
            } else if isRanged(through: end) {
                add(term, to: &ranged)
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

    /// The term that begins at a place, and where it ends.
    private func term(at place: Int, of table: DatabaseSchema.Table) -> (term: Term, end: Int)? {
        if let value = valueInJSON(at: place, of: table) { return value }
        guard let column = column(at: place, of: table) else { return nil }
        return (Term(column: column), place)
    }

    private func column(at place: Int, of table: DatabaseSchema.Table) -> String? {
        guard let word = token(place)?.name, isColumn(at: place, of: table) else { return nil }
        return table.column(word)?.name
    }

    /// A value inside of JSON as conditions have it: `CASE WHEN json_valid(C) THEN json_extract(C, '$."a"') END`, which
    /// may stand in `ifnull(…, 5)`.
    private func valueInJSON(at place: Int, of table: DatabaseSchema.Table) -> (term: Term, end: Int)? {
        let isDefaulted = token(place)?.isWord("ifnull") == true
        let start = isDefaulted ? place + 2 : place
        guard token(start)?.isWord("CASE") == true, token(start + 2)?.isWord("json_valid") == true,
            let column = column(at: start + 4, of: table),
            let caseEnd = tokens[start...].firstIndex(where: { $0.isWord("END") })
        else { return nil }
        let end = isDefaulted ? words.closing(place + 1) : caseEnd
        let path = tokens[start...caseEnd].lazy.compactMap { token in
            if case .text(let text) = token.kind { JSONPlace(path: text) } else { nil }
        }.first
        guard let end, let path else { return nil }
        return (Term(column: column, path: path.keys, expression: words.text(place..<end + 1)), end)
    }

    /// The statement that would run if an index had its columns of dates. Without one, each date is converted.
    var withIndexedDates: LintedText {
        let conversions = tokens.indices.compactMap(conversion)
        let text = words.replacing { place in
            conversions.first { $0.range.contains(place) }.map { $0.range.lowerBound == place ? $0.column : "" }
        }
        return LintedText(text, schema)
    }

    /// A date in the form of its class, by its call's place: `sqlitekit_date(C, 'iso8601')`, or
    /// `CASE WHEN C >= '' THEN sqlitekit_date(C, 'unixSeconds') ELSE C END`.
    private func conversion(at place: Int) -> (range: ClosedRange<Int>, column: String)? {
        guard tokens[place].isWord("sqlitekit_date"), token(place + 1)?.isSymbol("(") == true,
            let end = words.closing(place + 1), end > place + 4, tokens[end - 2].isSymbol(",")
        else { return nil }
        let column = place + 2..<end - 2
        guard tokens[column].allSatisfy({ $0.name != nil || $0.isSymbol(".") }) else { return nil }
        let (first, last) = (place - column.count - 6, end + column.count + 2)
        let isCase = token(first)?.isWord("CASE") == true && token(last)?.isWord("END") == true
        return (isCase ? first...last : place...end, words.text(column))
    }

    /// Whether a name is not that of another table's column.
    private func isColumn(at place: Int, of table: DatabaseSchema.Table) -> Bool {
        if case .text = tokens[place].kind { return false }
        guard place > 1, tokens[place - 1].isSymbol("."), let qualifier = tokens[place - 2].name else { return true }
        return self.table(named: qualifier) == table.name
    }

    private func isEqual(from place: Int, through end: Int) -> Bool {
        if let next = token(end + 1) {
            if next.isSymbol("=") || next.isWord("IN") { return true }
            if next.isWord("IS") { return token(end + 2)?.isWord("NOT") != true }
        }
        let start = token(place - 1)?.isSymbol(".") == true ? place - 3 : place - 1
        guard token(start)?.isSymbol("=") == true, let before = token(start - 1) else { return false }
        return !["<", ">", "!"].contains { before.isSymbol($0) }
    }

    private func isRanged(through end: Int) -> Bool {
        guard let next = token(end + 1) else { return false }
        return next.isSymbol("<") || next.isSymbol(">") || next.isWord("BETWEEN") || next.isWord("GLOB")
    }

    private func token(_ place: Int) -> SQLTokens.Token? { tokens.indices.contains(place) ? tokens[place] : nil }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
