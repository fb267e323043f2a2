internal import Foundation

/// The tree of a condition. Columns go by the keys of their properties, so that a class's condition holds for its
/// subclasses.
///
/// A condition is true or false, never unknown: a comparison with NULL is false, but that NULL is equal to NULL, and
/// `not` turns each into the other.
indirect enum CriteriaNode: Sendable {
    /// "Unequal" is the negation of equal.
    enum Comparison: String, Sendable {
        case equal = "="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// How a text is found in another, or has a form.
    enum TextMatch: Sendable {
        case contains
        /// The first is a list, and the second one of its elements.
        case hasElement
        case hasPrefix
        case hasSuffix
        /// By NSPredicate's wildcards: `*` is any characters, `?` is one; a backslash makes each of these, and itself,
        /// plain.
        case like
        /// The whole text matches a regular expression.
        case regularExpression
    }

    /// All of them; true when there are none.
    case and([CriteriaNode])
    /// One of them; false when there are none.
    case or([CriteriaNode])
    case not(CriteriaNode)
    case compares(CriteriaTerm, Comparison, CriteriaTerm, TextOptions)
    /// The first has the second in it, or the form that the second describes.
    case matches(CriteriaTerm, TextMatch, CriteriaTerm, TextOptions)
    /// An element of a list that is stored as JSON, at least, meets a condition.
    case anyElement(CriteriaTerm, CriteriaNode)
    /// Equal to one of the terms, nil among them meaning NULL.
    case isIn(CriteriaTerm, [CriteriaTerm], TextOptions)
    /// One of a relation's rows, at least, meets a condition.
    case related(RelationReference, CriteriaNode)
    /// A relation leads to the row from one that has these values in the columns that the relation starts from.
    case isRelated(ResolvedRelation, from: RelationKey)
    /// One of the values that another query has.
    case isInQuery(CriteriaTerm, SubqueryTerm)
    /// Another query has a row, of which properties are equal to some of this row's.
    case queryHasRow(SubqueryTerm, [(inner: CriteriaTerm, outer: CriteriaTerm)])
    /// The row is one of those of a query of its own class.
    case isRow(SubqueryTerm)
    /// The row has what is searched for.
    case fullText(FullTextMatch)
    case sql(String, Arguments)
    /// A mistake, to be thrown when the condition is used.
    case invalid(PersistenceError)
}

/// What a condition compares.
indirect enum CriteriaTerm: Sendable {
    enum Arithmetic: String, Sendable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case remainder = "%"
    }

    /// A property, a bit field or an alias; with dots, a value of related rows, such as `show.title`.
    case key(String)
    /// A value inside of a column of JSON.
    case json(JSONTerm)
    case value(CriteriaValue)
    case arithmetic(CriteriaTerm, Arithmetic, CriteriaTerm)
    /// The first term where the condition is true, else the second.
    case conditional(CriteriaNode, CriteriaTerm, CriteriaTerm)
    case related(RelationReference, RelatedLeaf)
    case function(RowFunction, [CriteriaTerm])
    /// A part of a date, or the start of one.
    case date(DateFunction, CriteriaTerm)
    /// The value of the first row of another query.
    case subquery(SubqueryTerm)
    /// What is computed of the rows of a group.
    case aggregate(AggregateTerm)

    /// A value as it was given; nil and `NSNull` are NULL.
    static func value(_ value: (any Sendable)?) -> CriteriaTerm {
        .value(CriteriaValue(value: value is NSNull ? nil : value))
    }
}

extension CriteriaTerm {
    /// How many conditions and calculations stand inside each other.
    var depth: Int {
        switch self {
        case .key, .json, .value: 0
        case .arithmetic(let lhs, _, let rhs): 1 + max(lhs.depth, rhs.depth)
        case .conditional(let node, let then, let other): 1 + max(node.depth, then.depth, other.depth)
        case .related(_, let leaf): 1 + leaf.depth
        case .function(_, let terms): 1 + terms.reduce(0) { max($0, $1.depth) }
        case .date(_, let term): 1 + term.depth
        case .subquery(let query): 1 + query.depth
        case .aggregate(let aggregate): 1 + aggregate.depth
        }
    }

    /// The key that the term is.
    var key: String? {
        switch self {
        case .key(let key): key
        case .json(let term): term.name
        default: nil
        }
    }

    /// Whether the term is made of values alone.
    var isFixed: Bool {
        switch self {
        case .value: true
        case .arithmetic(let lhs, _, let rhs): lhs.isFixed && rhs.isFixed
        case .function(_, let terms): terms.allSatisfy(\.isFixed)
        case .date(_, let term): term.isFixed
        case .key, .json, .conditional, .related, .subquery, .aggregate: false
        }
    }

    /// Whether it is stored in the form that what it stands with asks for, since it has none of its own.
    var takesForm: Bool {
        switch self {
        case .conditional(_, let then, let other): then.takesForm && other.takesForm
        case .function(.coalesced, let terms): terms.allSatisfy(\.takesForm)
        case .value: true
        default: false
        }
    }
}

/// A value that is compared, as it was given: the column it is compared with makes the stored form when that is known.
struct CriteriaValue: Sendable {
    let value: (any Sendable)?
}

extension CriteriaNode {
    /// The conditions of an AND; of any other, itself.
    var conjuncts: [CriteriaNode] {
        if case .and(let nodes) = self { nodes } else { [self] }
    }

    /// The conditions of an OR; of any other, itself.
    var disjuncts: [CriteriaNode] {
        if case .or(let nodes) = self { nodes } else { [self] }
    }

    /// The opposite.
    var negated: CriteriaNode {
        if case .not(let node) = self { node } else { .not(self) }
    }

    /// How many conditions and calculations stand inside each other.
    var depth: Int {
        func deepest(_ nodes: [CriteriaNode]) -> Int { nodes.reduce(0) { max($0, $1.depth) } }
        return switch self {
        case .and(let nodes), .or(let nodes): 1 + deepest(nodes)
        case .not(let node): 1 + node.depth
        case .compares(let lhs, _, let rhs, _), .matches(let lhs, _, let rhs, _): 1 + max(lhs.depth, rhs.depth)
        case .isIn(let term, let terms, _): 1 + terms.reduce(term.depth) { max($0, $1.depth) }
        case .related(_, let node): 1 + node.depth
        case .anyElement(let list, let node): 1 + max(list.depth, node.depth)
        case .isInQuery(let term, let query): 1 + max(term.depth, query.depth)
        case .queryHasRow(let query, _), .isRow(let query): 1 + query.depth
        case .isRelated, .fullText, .sql, .invalid: 1
        }
    }

    /// Whether the condition takes every row by its form.
    var isEveryRow: Bool {
        switch self {
        case .and(let nodes): nodes.allSatisfy(\.isEveryRow)
        case .or(let nodes): nodes.contains(where: \.isEveryRow)
        case .not(let node): node.isNoRow
        case .sql(let condition, let arguments): arguments.isEmpty && condition.allSatisfy(\.isWhitespace)
        default: false
        }
    }

    /// Whether the condition takes no row by its form.
    var isNoRow: Bool {
        switch self {
        case .and(let nodes): nodes.contains(where: \.isNoRow)
        case .or(let nodes): nodes.allSatisfy(\.isNoRow)
        case .not(let node): node.isEveryRow
        case .isIn(_, let terms, _): terms.isEmpty
        default: false
        }
    }

    /// Whether the condition may take every row by its form, comparisons that name no property among them, whatever
    /// they come to: what a write to many rows rejects.
    func mayTakeEveryRow(isNegated: Bool = false) -> Bool {
        switch self {
        case .and(let nodes) where !isNegated, .or(let nodes) where isNegated:
            nodes.allSatisfy { $0.mayTakeEveryRow(isNegated: isNegated) }
        case .and(let nodes), .or(let nodes): nodes.contains { $0.mayTakeEveryRow(isNegated: isNegated) }
        case .not(let node): node.mayTakeEveryRow(isNegated: !isNegated)
        case .compares(let lhs, _, let rhs, _), .matches(let lhs, _, let rhs, _): lhs.isFixed && rhs.isFixed
        case .isIn(_, let terms, _) where terms.isEmpty: isNegated
        case .isIn(let term, let terms, _): term.isFixed && terms.allSatisfy(\.isFixed)
        case .sql: !isNegated && isEveryRow
        case .related, .anyElement, .isRelated, .isInQuery, .queryHasRow, .isRow, .fullText, .invalid: false
        }
    }
}
