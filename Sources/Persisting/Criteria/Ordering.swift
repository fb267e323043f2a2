/// The order of rows.
///
/// ```swift
/// try User.all(sortedBy: "lastName desc, luckyNumber")
/// try User.all(sortedBy: [.descending(\.lastName), .ascending("luckyNumber")])
/// try User.all(sortedBy: ["lastName": .descending])
/// try User.all(sortedBy: .ascending(\.lastName, by: .localized, nils: .last))
/// try User.all(sortedBy: .sql("length(NAME)"))
/// let ordering = try Ordering<User>(phrase)  // a phrase made at run time
/// ```
///
/// Texts are ordered by their bytes or by their column's collation, and NULL comes before any value, unless the
/// ordering says otherwise. A mistake in a literal, such as an unknown key or direction, is thrown when it is used.
public struct Ordering<Model: PersistingModel>: Sendable {
    let terms: [OrderingTerm]

    /// Terms by a phrase made at run time: properties' names with commas between, each optionally followed by `asc` or
    /// `desc`. A name may lead to a related value, such as `show.title` or `episodes.@count`.
    ///
    /// The phrase may come from a request: it has no calculations, at most 16 terms, and at most 1,000 bytes. Each
    /// property of the class can be named, so check the name if some of them are private.
    ///
    /// A literal in the place of `phrase` is Swift's literal form, ``init(stringLiteral:)``, which throws when it is
    /// used.
    ///
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` for an empty phrase or part of it, for another word than
    ///   `asc` or `desc`, for a calculation, and for a phrase that is too long; ``PersistenceError/Code/unknownKey``
    ///   for a name that isn't a property with a column.
    public init(_ phrase: String) throws {
        let mapping = try Mapping.of(Model.self)
        terms = try OrderingTerm.parse(phrase, model: mapping.modelName, isLiteral: false)
        for case .column(let term) in terms { _ = try CriteriaResolver(mapping: mapping).operand(of: term) }
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
    ///   - nils: Where NULL comes; nil is after all values.
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
    ///   - nils: Where NULL comes; nil is after all values.
    public static func descending(
        _ key: String, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        Ordering(terms: [.column(.init(key, .descending, comparison, nils))])
    }

    /// The terms of ORDER BY, as SQL.
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
            let term = try Mapping.of(Model.self).term(of: keyPath)
            if case .json(let value) = term {
                return Ordering(terms: [.column(.init(value.name, direction, comparison, nils, related: term))])
            }
            return Ordering(terms: [.column(.init(term.key ?? "", direction, comparison, nils))])
        } catch {
            return Ordering(terms: [.invalid(error)])
        }
    }
}

extension Ordering: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Terms by a phrase: `"lastName desc, luckyNumber"`. A literal may have calculations, such as
    /// `"price * quantity desc"`.
    public init(stringLiteral phrase: String) {
        do {
            terms = try OrderingTerm.parse(phrase, model: ModelDescription.name(of: Model.self), isLiteral: true)
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

extension CriteriaSQL {
    /// Adds ` ORDER BY …`, or nothing where no order is asked for.
    ///
    /// - Parameter node: The rows' condition, by which they can have a rank.
    mutating func appendOrder(_ terms: [OrderingTerm], of node: CriteriaNode? = nil) throws {
        for (position, term) in terms.enumerated() {
            append(position == 0 ? " ORDER BY " : ", ")
            switch term {
            case .column(let term): try append(term)
            case .sql(let sql):
                append(sql.sql)
                try append(sql.arguments)
            case .rank(let declaration, let direction):
                try append(rank: declaration, of: node)
                if direction == .descending { append(" DESC") }
            case .invalid(let error): throw error
            }
        }
    }

    private mutating func append(_ term: OrderingTerm.Column) throws {
        let operand = try CriteriaResolver(mapping: mapping, subject: subject).operand(of: term)
        if case .column(let column) = operand, column.json == nil {
            append(try term.compared(column, forms))
        } else {
            try append(operand, comparedBy: term)
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
    /// Throws for a limit or an offset that is negative.
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
