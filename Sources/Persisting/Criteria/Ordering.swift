/// The order of rows.
///
/// ```swift
/// try User.all(sortedBy: "lastName desc, luckyNumber")
/// try User.all(sortedBy: [.descending(\.lastName), .ascending("luckyNumber")])
/// try User.all(sortedBy: ["lastName": .descending])
/// try User.all(sortedBy: .ascending(\.lastName, by: .localized, nils: .last))
/// try User.all(sortedBy: .sql("length(NAME)"))
/// let ordering = try Ordering<User>(phrase)                // a phrase made at run time
/// ```
///
/// Texts are ordered by their bytes or by their column's collation, and NULL comes before any value, unless the
/// ordering says otherwise. A mistake in a literal, such as an unknown key or direction, is thrown when it is used.
public struct Ordering<Model: PersistingModel>: Sendable {
    let terms: [OrderingTerm]

    /// Terms by a phrase made at run time: properties' names with commas between, each with `asc` or `desc` behind it
    /// or without.
    ///
    /// A literal in the place of `phrase` is Swift's literal form, ``init(stringLiteral:)``, which throws when it is
    /// used.
    ///
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` for an empty phrase or part of it, and for another word than
    ///   `asc` or `desc`; ``PersistenceError/Code/unknownKey`` for a name that is no property with a column.
    public init(_ phrase: String) throws {
        let mapping = try Mapping.of(Model.self)
        terms = try OrderingTerm.parse(phrase, model: mapping.modelName)
        for case .column(let term) in terms where try CriteriaResolver(mapping: mapping).operand(of: term) == nil {
            _ = try mapping.operand(ofKey: term.key)
        }
    }

    /// One ordering after the other, made at run time: the later ones order what the earlier ones leave equal.
    ///
    /// - Parameter orderings: The orderings, the first of which counts most.
    public init(_ orderings: [Ordering]) {
        terms = orderings.flatMap(\.terms)
    }

    init(terms: [OrderingTerm]) {
        self.terms = terms
    }

    /// From the least to the greatest value of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - comparison: How its texts are compared.
    ///   - nils: Where NULL comes; nil is before any value.
    public static func ascending<Value>(
        _ keyPath: KeyPath<Model, Value>, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        term(keyPath, .ascending, comparison, nils)
    }

    /// From the greatest to the least value of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - comparison: How its texts are compared.
    ///   - nils: Where NULL comes; nil is behind all values.
    public static func descending<Value>(
        _ keyPath: KeyPath<Model, Value>, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        term(keyPath, .descending, comparison, nils)
    }

    /// From the least to the greatest value of a property, by its name.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - comparison: How its texts are compared.
    ///   - nils: Where NULL comes; nil is before any value.
    public static func ascending(
        _ key: String, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        Ordering(terms: [.column(.init(key, .ascending, comparison, nils))])
    }

    /// From the greatest to the least value of a property, by its name.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - comparison: How its texts are compared.
    ///   - nils: Where NULL comes; nil is behind all values.
    public static func descending(
        _ key: String, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        Ordering(terms: [.column(.init(key, .descending, comparison, nils))])
    }

    /// What stands behind ORDER BY, as SQL.
    ///
    /// - Parameters:
    ///   - terms: A literal, whose interpolated values are bound, or `SQL(text)` for SQL that is made at run time:
    ///     never of what came from outside.
    ///   - arguments: Values for its parameters.
    public static func sql(_ terms: SQL, _ arguments: Arguments = []) -> Ordering {
        Ordering(terms: [.sql(SQL(terms.sql, terms.arguments + arguments))])
    }

    static func term(
        _ keyPath: PartialKeyPath<Model>, _ direction: SortDirection, _ comparison: TextComparison,
        _ nils: NilPlacement?
    ) -> Ordering {
        do {
            let key = try Mapping.of(Model.self).key(of: keyPath)
            return Ordering(terms: [.column(.init(key, direction, comparison, nils))])
        } catch {
            return Ordering(terms: [.invalid(error)])
        }
    }
}

/// A direction of ordering.
public enum SortDirection: String, Sendable, Hashable {
    /// From the least to the greatest.
    case ascending = "ASC"
    /// From the greatest to the least.
    case descending = "DESC"
}

/// Where the rows without a value come.
public enum NilPlacement: String, Sendable, Hashable {
    /// Before all others, whatever the direction.
    case first = "NULLS FIRST"
    /// Behind all others, whatever the direction.
    case last = "NULLS LAST"
}

/// How an ordering compares texts. The type is open: a later version may have more.
public struct TextComparison: Sendable, Hashable {
    enum Kind: Hashable {
        case stored, folded(TextOptions), localized
    }

    let kind: Kind

    /// By the column's collation, which is by bytes unless it declares another. An index on the column can serve.
    public static let stored = TextComparison(kind: .stored)
    /// Large and small letters are the same.
    public static let caseInsensitive = TextComparison(kind: .folded(.caseInsensitive))
    /// Letters with and without accents, large and small, are the same.
    public static let unaccented = TextComparison(kind: .folded([.caseInsensitive, .diacriticInsensitive]))
    /// As the current locale sorts, with numbers in texts by their value: Foundation's `localizedStandardCompare`.
    public static let localized = TextComparison(kind: .localized)
}

extension Ordering: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Terms by a phrase: `"lastName desc, luckyNumber"`.
    public init(stringLiteral phrase: String) {
        do {
            terms = try OrderingTerm.parse(phrase, model: ModelDescription.name(of: Model.self))
        } catch {
            terms = [.invalid(error)]
        }
    }

    /// One ordering after the other: the later ones order what the earlier ones leave equal. An empty literal leaves
    /// the order to SQLite.
    public init(arrayLiteral orderings: Ordering...) {
        self.init(orderings)
    }

    /// Terms by properties' names, in order.
    public init(dictionaryLiteral elements: (String, SortDirection)...) {
        terms = elements.map { .column(.init($0.0, $0.1)) }
    }
}

enum OrderingTerm: Sendable {
    struct Column: Sendable {
        let key: String
        /// The calculated or related value that is ordered by; nil for what the key says.
        let related: CriteriaTerm?
        let direction: SortDirection
        let comparison: TextComparison
        let nils: NilPlacement?

        init(
            _ key: String, _ direction: SortDirection, _ comparison: TextComparison = .stored,
            _ nils: NilPlacement? = nil, related: CriteriaTerm? = nil
        ) {
            self.key = key
            self.related = related
            self.direction = direction
            self.comparison = comparison
            self.nils = nils
        }

        /// What SQLite compares of a column.
        func compared(_ column: ColumnOperand, _ forms: StoredForms) throws -> String {
            comparison == .stored ? try forms.ordered(column) : compared(column.sql, forms)
        }

        /// What is compared of a column or a value.
        func compared(_ sql: String, _ forms: StoredForms) -> String {
            switch comparison.kind {
            case .stored: sql
            case .folded(let options): "fold(\(sql), '\(options.letters)')" + (forms.isUTF16 ? " COLLATE UTF8" : "")
            case .localized: "\(sql) COLLATE LOCALIZED"
            }
        }
    }

    case column(Column)
    case sql(SQL)
    /// A mistake, to be thrown when the ordering is used.
    case invalid(any Error)

    static func parse(_ phrase: String, model: String) throws -> [OrderingTerm] {
        try FormatParser.parts(of: phrase).map { part in
            let words = part.split(whereSeparator: \.isWhitespace)
            func failure(_ reason: String) -> PersistenceError {
                PersistenceError(.invalidOrdering, "\(reason) in the ordering \"\(phrase)\"", model: model)
            }
            guard let key = words.first else { throw failure("the key is missing") }
            let direction: SortDirection? =
                switch words.dropFirst().last?.lowercased() {
                case "asc", "ascending": .ascending
                case "desc", "descending": .descending
                default: nil
                }
            let text = words.dropLast(direction == nil ? 0 : 1).joined(separator: " ")
            if FormatParser.isCalculation(text) {
                let term = try FormatParser.term(text, model: model)
                return .column(.init(text, direction ?? .ascending, related: term))
            }
            guard words.count <= 2 else { throw failure("\"\(words[2])\" is one word too many") }
            guard direction != nil || words.count == 1 else {
                throw failure("\"\(words[1])\" isn't a direction: use asc or desc")
            }
            return .column(.init(String(key), direction ?? .ascending))
        }
    }
}

extension Mapping {
    /// The column of an ordering's term.
    ///
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` for a comparison of texts where there are none.
    func operand(of term: OrderingTerm.Column) throws -> ColumnOperand {
        let operand = try columnOperand(term.key)
        try checkOrder(operand.column)
        guard term.comparison == .stored || operand.kind == .text else {
            throw PersistenceError(
                .invalidOrdering, "a text comparison needs a text, but the property is stored as \(operand.kind)",
                model: modelName, key: term.key, found: operand.column.type)
        }
        return operand
    }
}

extension CriteriaSQL {
    /// Adds ` ORDER BY …`, or nothing where no order is asked for.
    mutating func appendOrder(_ terms: [OrderingTerm]) throws {
        for (position, term) in terms.enumerated() {
            append(position == 0 ? " ORDER BY " : ", ")
            switch term {
            case .column(let term): try append(term)
            case .sql(let sql):
                append(sql.sql)
                try append(sql.arguments)
            case .invalid(let error): throw error
            }
        }
    }

    private mutating func append(_ term: OrderingTerm.Column) throws {
        if let operand = try CriteriaResolver(mapping: mapping, subject: subject).operand(of: term) {
            try append(operand, comparedBy: term)
        } else {
            append(try term.compared(subject.checked(mapping.operand(of: term), mapping), forms))
        }
        append((term.direction == .descending ? " DESC" : "") + (term.nils.map { " \($0.rawValue)" } ?? ""))
    }

    /// Adds ` LIMIT … OFFSET …`, or nothing.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRange`` when one is negative.
    mutating func appendLimit(_ limit: Int?, offset: Int?) throws {
        if limit == nil, offset == nil { return }
        try mapping.checkLimit(limit, offset: offset)
        guard limit != nil || offset ?? 0 > 0 else { return }
        // In SQLite a negative limit is none, and an offset needs a limit.
        append(" LIMIT ?")
        bind(.integer(Int64(limit ?? -1)))
        if let offset, offset > 0 {
            append(" OFFSET ?")
            bind(.integer(Int64(offset)))
        }
    }
}

extension Mapping {
    /// Refuses a limit or an offset that is negative.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRange``.
    func checkLimit(_ limit: Int?, offset: Int?) throws {
        for (name, number) in [("limit", limit), ("offset", offset)] {
            if let number, number < 0 {
                throw PersistenceError(.invalidRange, "the \(name) \(number) is negative", model: modelName)
            }
        }
    }
}
