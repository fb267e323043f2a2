/// The order of rows.
///
/// ```swift
/// try User.all(sortedBy: "lastName desc, luckyNumber")
/// try User.all(sortedBy: [.descending(\.lastName), .ascending("luckyNumber")])
/// try User.all(sortedBy: ["lastName": .descending])
/// try User.all(sortedBy: .sql("length(NAME)"))
/// let ordering = try Ordering<User>(phrase)                // a phrase made at run time
/// ```
///
/// Texts are ordered by their bytes, and NULL comes before any value. A mistake in a literal, such as an unknown key or
/// direction, is thrown when it is used.
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
        for case .column(let key, _) in terms { _ = try mapping.operand(ofKey: key) }
    }

    init(terms: [OrderingTerm]) {
        self.terms = terms
    }

    /// From the least to the greatest value of a property.
    public static func ascending<Value>(_ keyPath: KeyPath<Model, Value>) -> Ordering { term(keyPath, .ascending) }

    /// From the greatest to the least value of a property.
    public static func descending<Value>(_ keyPath: KeyPath<Model, Value>) -> Ordering { term(keyPath, .descending) }

    /// From the least to the greatest value of a property, by its name.
    public static func ascending(_ key: String) -> Ordering { Ordering(terms: [.column(key, .ascending)]) }

    /// From the greatest to the least value of a property, by its name.
    public static func descending(_ key: String) -> Ordering { Ordering(terms: [.column(key, .descending)]) }

    /// What stands behind ORDER BY, as SQL. Never pass what came from outside.
    public static func sql(_ text: String) -> Ordering { Ordering(terms: [.sql(text)]) }

    private static func term<Value>(_ keyPath: KeyPath<Model, Value>, _ direction: SortDirection) -> Ordering {
        do {
            let mapping = try Mapping.of(Model.self)
            return Ordering(terms: [.column(try mapping.key(of: keyPath), direction)])
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
        terms = orderings.flatMap(\.terms)
    }

    /// Terms by properties' names, in order.
    public init(dictionaryLiteral elements: (String, SortDirection)...) {
        terms = elements.map { .column($0.0, $0.1) }
    }
}

enum OrderingTerm: Sendable {
    case column(String, SortDirection)
    case sql(String)
    /// A mistake, to be thrown when the ordering is used.
    case invalid(any Error)

    static func parse(_ phrase: String, model: String) throws -> [OrderingTerm] {
        try phrase.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let words = part.split(whereSeparator: \.isWhitespace)
            func failure(_ reason: String) -> PersistenceError {
                PersistenceError(.invalidOrdering, "\(reason) in the ordering \"\(phrase)\"", model: model)
            }
            guard let key = words.first else { throw failure("a key is missing") }
            guard words.count <= 2 else { throw failure("\"\(words[2])\" is one word too many") }
            switch words.dropFirst().first?.lowercased() {
            case nil, "asc", "ascending": return .column(String(key), .ascending)
            case "desc", "descending": return .column(String(key), .descending)
            default: throw failure("\"\(words[1])\" is no direction: it is asc or desc")
            }
        }
    }
}

extension CriteriaSQL {
    /// Adds ` ORDER BY …`, or nothing where no order is asked for.
    mutating func appendOrder(_ terms: [OrderingTerm]) throws {
        guard !terms.isEmpty else { return }
        let parts = try terms.map { term in
            switch term {
            case .column(let key, let direction):
                try mapping.operand(ofKey: key).sql + (direction == .descending ? " DESC" : "")
            case .sql(let text): text
            case .invalid(let error): throw error
            }
        }
        append(" ORDER BY " + parts.joined(separator: ", "))
    }

    /// Adds ` LIMIT … OFFSET …`, or nothing.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRange`` when one is negative.
    mutating func appendLimit(_ limit: Int?, offset: Int?) throws {
        for (name, number) in [("limit", limit), ("offset", offset)] {
            if let number, number < 0 {
                throw PersistenceError(.invalidRange, "the \(name) \(number) is negative", model: mapping.modelName)
            }
        }
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
