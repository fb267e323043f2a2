/// How a text that a person has typed is searched for.
public enum FullTextMode: Sendable, Hashable {
    /// All words, of which the last may be the beginning of one: for a search while a person types.
    case prefixOfLastWord
    /// All words, whole, in any order.
    case allWords
    /// At least one of the words, whole.
    case anyWord
    /// All words one after the other, in one property.
    case phrase
}

extension FullTextIndex {
    /// The rows that have what a person has typed.
    ///
    /// Whatever the text is, it is words and never a query: quotes and operators mean nothing, and a text without words
    /// finds no row.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - mode: How it is searched for.
    ///   - properties: Properties of the index to look in; none is all.
    public func matches(
        _ text: String, mode: FullTextMode = .prefixOfLastWord, in properties: PartialKeyPath<Model>...
    ) -> Criteria<Model> {
        let query =
            switch mode {
            case .prefixOfLastWord: FTS5Query(prefixOfLastWord: text)
            case .allWords: FTS5Query(allWords: text)
            case .anyWord: FTS5Query(anyWord: text)
            case .phrase: FTS5Query(phrase: text)
            }
        return matches(query, in: properties)
    }

    /// The rows that a query in FTS5's language takes, with its operators; see
    /// [Full-text Query Syntax](https://www.sqlite.org/fts5.html#full_text_query_syntax).
    ///
    /// - Parameters:
    ///   - query: The query, such as `FTS5Query(expression: "sail NOT wind")`. One that FTS5 doesn't understand throws
    ///     when it is used.
    ///   - properties: Properties of the index to look in; none is all.
    public func matches(_ query: FTS5Query, in properties: PartialKeyPath<Model>...) -> Criteria<Model> {
        matches(query, in: properties)
    }

    private func matches(_ query: FTS5Query, in properties: [PartialKeyPath<Model>]) -> Criteria<Model> {
        Criteria(catching: {
            let mapping = try Mapping.of(Model.self)
            let keys = try properties.isEmpty ? nil : properties.map { try mapping.key(of: $0) }
            return .fullText(FullTextMatch(declaration: declaration, query: query.text, keys: keys))
        })
    }

    /// The order from the row that fits best to the one that fits least, by the index's weights. The query needs a
    /// condition by this index that holds for every row: `Note.where(Note.text.matches(text)).sorted(by: Note.text.rank)`.
    ///
    /// See [bm25()](https://www.sqlite.org/fts5.html#the_bm25_function).
    public var rank: Ordering<Model> { Ordering(terms: [.rank(declaration)]) }

    /// The order by an auxiliary function that `Database.addAuxiliaryFunction` has added to each connection: from the
    /// row with the least value to the one with the greatest. The function gets the index's weights.
    ///
    /// - Parameter function: Its name, of letters, digits and underscores.
    public func rank(by function: String) -> Ordering<Model> {
        guard FullTextTable.isName(function) else {
            let error = PersistenceError(
                .invalidOrdering, "\(function.debugDescription) can't name an auxiliary function",
                model: declaration.model())
            return Ordering(terms: [.invalid(error)])
        }
        var declaration = declaration
        declaration.function = function
        return Ordering(terms: [.rank(declaration)])
    }
}

/// A full-text condition made ready for its class.
struct ResolvedFullTextMatch: Sendable {
    let table: FullTextTable
    let query: String
}

extension CriteriaResolver {
    func resolved(_ match: FullTextMatch) throws -> ResolvedFullTextMatch {
        let table = try mapping.fullTextTable(match.declaration)
        guard let keys = match.keys else { return ResolvedFullTextMatch(table: table, query: match.query) }
        let names = try keys.map { key in
            let index = try mapping.index(ofKey: key)
            guard table.columns.contains(index) else {
                throw criteriaError("the full-text index \(table.name) doesn't have the property", key: key)
            }
            return SQLText.identifier(mapping.columns[index].name)
        }
        return ResolvedFullTextMatch(table: table, query: "{\(names.joined(separator: " "))} : (\(match.query))")
    }
}

/// Full-text conditions and orders.
extension CriteriaSQL {
    /// Adds the condition that the row is one of those that the index finds: `ID IN (SELECT rowid FROM NOTE_text WHERE
    /// NOTE_text MATCH ?)`.
    mutating func append(_ match: ResolvedFullTextMatch) {
        let (table, sql) = (match.table, mapping.sql)
        let name = SQLText.identifier(table.table)
        let found = "(SELECT rowid FROM \(table.sql) WHERE \(name) MATCH ?)"
        let key = mapping.key.map { sql.columns[$0] }.joined(separator: ", ")
        if table.isByKey {
            append("\(key) IN \(found)")
        } else {
            let texts = FullTextTable.sql(of: table.textsTable, mapping)
            append("(\(key)) IN (SELECT \(key) FROM \(texts) WHERE _number IN \(found))")
        }
        bind(.text(match.query))
    }

    /// Joins the class's table, whose name ends the text, with the rows that the index finds, as `_found`.
    ///
    /// The `+` keeps SQLite from looking for each row of the table in the index.
    private mutating func append(
        joining match: ResolvedFullTextMatch, by rank: String, selecting more: String?, _ values: [SQLiteValue]
    ) {
        let (table, sql) = (match.table, mapping.sql)
        let name = SQLText.identifier(table.table)
        let selected = (["rowid AS _row", "rank AS _rank"] + [more].compactMap { $0 }).joined(separator: ", ")
        append(" JOIN (SELECT \(selected) FROM \(table.sql) WHERE \(name) MATCH ? AND rank MATCH ?) AS _found ON ")
        for value in values { bind(value) }
        bind(.text(match.query))
        bind(.text(rank))
        let key = mapping.key.map { sql.columns[$0] }
        guard !table.isByKey else { return append("\(sql.name).\(key[0]) = +_found._row") }
        let (columns, keys) = (key.joined(separator: ", "), key.map { "\(sql.name).\($0)" }.joined(separator: ", "))
        let texts = FullTextTable.sql(of: table.textsTable, mapping)
        append("(\(keys)) = (SELECT \(columns) FROM \(texts) WHERE _number = +_found._row)")
    }
}

extension [OrderingTerm] {
    /// The full-text index whose rank is part of the order.
    var ranked: FullTextDeclaration? {
        for case .rank(let declaration, _) in self { return declaration }
        return nil
    }
}

extension CriteriaNode {
    /// A condition by a full-text index that every row meets, and what is left of the condition without it.
    func taking(_ declaration: FullTextDeclaration) -> (match: FullTextMatch, rest: CriteriaNode)? {
        var rest: [CriteriaNode] = []
        var match: FullTextMatch?
        for node in conjuncts {
            if match == nil, case .fullText(let found) = node, found.declaration.isSame(as: declaration) {
                match = found
            } else if match == nil, case .and = node, let (found, others) = node.taking(declaration) {
                (match, rest) = (found, rest + [others])
            } else {
                rest.append(node)
            }
        }
        return match.map { ($0, .and(rest)) }
    }
}

extension CriteriaSQL {
    /// Adds the rows that an index finds, so that they can be ordered by rank.
    ///
    /// - Parameters:
    ///   - more: What else is selected of the index.
    ///   - values: The values of its parameters.
    /// - Returns: What is left of the condition.
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` where the condition isn't by the index.
    mutating func appendJoin(
        _ ranked: FullTextDeclaration, _ node: CriteriaNode?, selecting more: String? = nil,
        _ values: [SQLiteValue] = []
    ) throws -> CriteriaNode {
        let (match, rest) = try searched(ranked, node)
        append(joining: match, by: ranked.rank, selecting: more, values)
        self.ranked = ranked
        return rest
    }

    /// The condition by an index that every row meets, and what is left of the condition.
    private func searched(
        _ ranked: FullTextDeclaration, _ node: CriteriaNode?
    ) throws -> (match: ResolvedFullTextMatch, rest: CriteriaNode) {
        let table = try mapping.fullTextTable(ranked)
        guard let (match, rest) = node?.taking(ranked) else {
            throw PersistenceError(
                .invalidOrdering,
                "the order by the rank of the full-text index \(table.name) needs a condition by it that holds for every "
                    + "row, such as \(mapping.modelName).\(table.name).matches(…)", model: mapping.modelName)
        }
        return (try CriteriaResolver(mapping: mapping).resolved(match), rest)
    }

    /// Adds the rank of a row: that of the index that is joined; else, as in a relation or a subquery, it is looked up
    /// for each row.
    ///
    /// - Parameter node: The rows' condition.
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` where the condition isn't by the index.
    mutating func append(rank declaration: FullTextDeclaration, of node: CriteriaNode?) throws {
        if let ranked, ranked.isSame(as: declaration), ranked.rank == declaration.rank {
            return append("_found._rank")
        }
        let match = try searched(declaration, node).match
        let (table, name, row) = (match.table, SQLText.identifier(match.table.table), scope)
        let key = mapping.key.map { mapping.sql.columns[$0] }
        append("(SELECT rank FROM \(table.sql) WHERE \(name) MATCH ? AND rank MATCH ? AND rowid = ")
        bind(.text(match.query))
        bind(.text(declaration.rank))
        guard !table.isByKey else { return append("\(row).\(key[0]))") }
        let isRow = key.map { "_text.\($0) = \(row).\($0)" }.joined(separator: " AND ")
        append(
            "(SELECT _number FROM \(FullTextTable.sql(of: table.textsTable, mapping)) AS _text WHERE \(isRow)))")
    }
}
