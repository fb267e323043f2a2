/// An object that a search has found, with how well it fits and where the words are.
public struct FullTextHit<Model: PersistingModel> {
    /// The object, as a fetch gives it.
    public let object: Model
    /// How well it fits: the best has the least, which is below 0. See
    /// [bm25()](https://www.sqlite.org/fts5.html#the_bm25_function).
    public let rank: Double
    /// The part of a text that has the words, or the whole of it, with marks around them; nil where none was asked for,
    /// or the text is nil.
    public let excerpt: String?
}

/// What part of a text a hit shows, and how it marks the words that were searched for.
public struct FullTextExcerpt<Model: PersistingModel>: Sendable {
    /// Whose text; nil is the property that fits best.
    let property: (any PartialKeyPath<Model> & Sendable)?
    /// How many words; nil is the whole text.
    let words: Int?
    let marks: (before: String, after: String, ellipsis: String)

    /// A part of a property's text, or all of it.
    ///
    /// - Parameters:
    ///   - property: A property of the index.
    ///   - words: How many words the part has, at least 1 and at most 64; nil is the whole text.
    ///   - before: What stands before each word that was found.
    ///   - after: What stands after it.
    ///   - ellipsis: What stands where the text goes on.
    public init<Value>(
        _ property: any KeyPath<Model, Value> & Sendable, words: Int? = 10, from before: String, to after: String,
        ellipsis: String = "…"
    ) {
        self.init(property: property, words, (before, after, ellipsis))
    }

    /// A part of the text of the property that fits best.
    ///
    /// - Parameters:
    ///   - words: How many words the part has, at least 1 and at most 64.
    ///   - before: What stands before each word that was found.
    ///   - after: What stands after it.
    ///   - ellipsis: What stands where the text goes on.
    public init(words: Int = 10, from before: String, to after: String, ellipsis: String = "…") {
        self.init(property: nil, words, (before, after, ellipsis))
    }

    private init(
        property: (any PartialKeyPath<Model> & Sendable)?, _ words: Int?,
        _ marks: (before: String, after: String, ellipsis: String)
    ) {
        (self.property, self.words, self.marks) = (property, words, marks)
    }
}

extension PersistenceManager {
    /// The objects that a search finds, from the best to the least, each with its rank and a part of its text.
    ///
    /// ```swift
    /// for hit in try manager.hits(
    ///     Note.where(Note.text.matches(typed)).limit(20),
    ///     excerpt: .init(\.body, words: 8, from: "<b>", to: "</b>"))
    /// {
    ///     print(hit.object.title, hit.excerpt ?? "")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows, with a condition by a full-text index that holds for each. An order of its own goes before
    ///     the rank.
    ///   - excerpt: What part of a text to give with each; nil is none.
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for a query without such a condition, or an excerpt of
    ///   another property than the index's.
    public func hits<Model: PersistingModel>(
        _ query: Query<Model>, excerpt: FullTextExcerpt<Model>? = nil
    ) throws -> [FullTextHit<Model>] {
        let table = try table(of: query.modelType)
        let mapping = table.mapping
        return try reading(table, asOf: query.past) { db in
            let fetch = try query.traits(mapping)
            let declaration = try query.terms.ranked ?? mapping.searched(query.node)
            let isRanked = query.terms.ranked != nil
            let ordered =
                isRanked ? query : query.sorted(by: Ordering(terms: query.terms + [.rank(declaration)]))
            let statement = try ordered.hitsSQL(declaration, excerpt, table.forms(db, query.node), mapping)
            let loader = RelationLoader(manager: self, db: db, rollbacks: rollbacksSoFar(db))
            return try loader.ofOneMoment {
                let hits: [FullTextHit<Model>] = try readHits(statement, mapping, fetch, db)
                try loader.load(
                    query.loads, of: ContiguousArray(hits.map { $0.object as PersistingModel }), mapping, fetch)
                return hits
            }
        }
    }

    /// The same, while the task is suspended.
    public func hits<Model: PersistingModel>(
        _ query: Query<Model>, excerpt: FullTextExcerpt<Model>? = nil
    ) async throws -> sending [FullTextHit<Model>] {
        try await onReadingSide(of: query.modelType) { manager in try manager.hits(query, excerpt: excerpt) }
    }

    private func readHits<Model: PersistingModel>(
        _ sql: CriteriaSQL, _ mapping: Mapping, _ fetch: FetchTraits, _ db: any EngineConnection
    ) throws -> [FullTextHit<Model>] {
        var rows = RowObjects.selected(by: mapping, self, tracked: true, fetch: fetch)
        func read(_ statement: some EngineStatement) throws -> [FullTextHit<Model>] {
            defer { statement.clear() }
            try sql.bind(to: statement)
            var hits: [FullTextHit<Model>] = []
            while try statement.step() {
                let end = statement.columnCount
                let rank = try Double(sqliteValue: statement.value(at: end - 2))
                let excerpt = try String?(sqliteValue: statement.value(at: end - 1))
                let object = try rows.object(from: statement)
                hits.append(FullTextHit(object: downcast(object, to: Model.self), rank: rank, excerpt: excerpt))
            }
            return hits
        }
        return switch try db.statement(CachedSQL(sql.text)) {
        case .local(let statement): try read(statement)
        case .other(let statement): try read(statement)
        }
    }
}

extension Query {
    /// The SELECT of hits: the fetched columns, the rank and the excerpt.
    fileprivate func hitsSQL(
        _ declaration: FullTextDeclaration, _ excerpt: FullTextExcerpt<Model>?, _ forms: StoredForms, _ mapping: Mapping
    ) throws -> CriteriaSQL {
        let expression = try excerpt?.sql(mapping.fullTextTable(declaration), mapping)
        var sql = CriteriaSQL(mapping, forms)
        sql.append("SELECT \(mapping.sql.fetchedColumns), _found._rank, _found._excerpt FROM \(mapping.sql.table)")
        let rest = try sql.appendJoin(
            declaration, node, selecting: "\(expression?.text ?? "NULL") AS _excerpt", expression?.values ?? [])
        try sql.appendWhere(rest)
        try sql.appendOrder(terms, of: node)
        try sql.appendLimit(limit, offset: offset)
        return sql
    }
}

extension FullTextExcerpt {
    /// The expression of the excerpt, and the values of its parameters.
    fileprivate func sql(_ table: FullTextTable, _ mapping: Mapping) throws -> (text: String, values: [SQLiteValue]) {
        func invalid(_ message: String, key: String? = nil) -> PersistenceError {
            PersistenceError(.invalidCriteria, "the excerpt \(message)", model: mapping.modelName, key: key)
        }
        var column = -1
        if let property {
            let key = try mapping.key(of: property)
            guard let place = try table.columns.firstIndex(of: mapping.index(ofKey: key)) else {
                throw invalid("is of a property that the full-text index \(table.name) doesn't have", key: key)
            }
            column = place
        }
        let name = SQLText.identifier(table.table)
        let values = [marks.before, marks.after].map { SQLiteValue.text($0) }
        guard let words else {
            return ("highlight(\(name), \(column), ?, ?)", values)
        }
        guard (1...64).contains(words) else { throw invalid("has \(words) words, and SQLite takes 1 to 64") }
        return ("snippet(\(name), \(column), ?, ?, ?, \(words))", values + [.text(marks.ellipsis)])
    }
}

extension Mapping {
    /// The full-text index that a condition searches, which holds for every row.
    fileprivate func searched(_ node: CriteriaNode?) throws -> FullTextDeclaration {
        func search(_ nodes: [CriteriaNode]) -> FullTextDeclaration? {
            for node in nodes {
                if case .fullText(let match) = node { return match.declaration }
                if case .and(let others) = node, let found = search(others) { return found }
            }
            return nil
        }
        if let node, let found = search(node.conjuncts) { return found }
        throw PersistenceError(
            .invalidCriteria, "hits need a condition by a full-text index that holds for every row: use matches(_:)",
            model: modelName)
    }
}
