/// A value of related rows: what a to-one relation's row holds, `Episode.show[\.title]`, or what is computed of a
/// to-many relation's rows, `Show.episodes.count`.
///
/// It is compared in conditions and orders rows:
///
/// ```swift
/// let long = try manager.fetchAll(
///     Show.self, where: Show.episodes.sum(\.seconds) > 3600)
/// let shows = try manager.fetchAll(
///     Show.sorted(by: .descending(Show.episodes.count)))
/// let news = try manager.fetchAll(
///     Episode.self, where: Episode.show[\.title] == "News")
/// ```
///
/// The value is nil where there is no row to take it from, and for a sum, an average or an extreme of no values. A
/// count of no rows is 0.
///
/// In SQL it is a subquery: `(SELECT count(*) FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID)`. Of a value compared with
/// one of a to-one relation's row, the rows are found from there: `SHOW_ID IN (SELECT ID FROM SHOW WHERE TITLE = ?)`.
public struct RelatedValue<Source: PersistingModel, Value: Sendable>: Loadable {
    let reference: RelationReference
    let leaf: RelatedLeaf

    var term: CriteriaTerm { .related(reference, leaf) }

    /// What is to be loaded. For the library's use.
    public var load: RelatedLoad { RelatedLoad(kind: .value(term)) }

    /// The value. For the library's use.
    public var related: (FoundRelated) throws -> Value {
        { found in
            guard case .value(let stored) = found.kind else {
                throw PersistenceError(.invalidRelation, "a value was asked for, and objects were loaded")
            }
            return try stored.decoded(as: Value.self)
        }
    }
}

extension RelatedValue: ComparedValue {
    /// The rows whose related value compares so with another. For the library's use.
    public func compared(_ comparison: ValueComparison, with value: Value?) -> Criteria<Source> {
        Criteria(.compares(term, comparison.comparison, .value(value), []))
    }
}

extension Ordering {
    /// From the least to the greatest related value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - comparison: How texts are compared.
    ///   - nils: Where rows without a value come; nil is before any value.
    public static func ascending<Value>(
        _ value: RelatedValue<Model, Value>, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        related(value, .ascending, comparison, nils)
    }

    /// From the greatest to the least related value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - comparison: How texts are compared.
    ///   - nils: Where rows without a value come; nil is after all values.
    public static func descending<Value>(
        _ value: RelatedValue<Model, Value>, by comparison: TextComparison = .stored, nils: NilPlacement? = nil
    ) -> Ordering {
        related(value, .descending, comparison, nils)
    }

    private static func related<Value>(
        _ value: RelatedValue<Model, Value>, _ direction: SortDirection, _ comparison: TextComparison,
        _ nils: NilPlacement?
    ) -> Ordering {
        Ordering(terms: [.column(.init("the related value", direction, comparison, nils, related: value.term))])
    }
}
