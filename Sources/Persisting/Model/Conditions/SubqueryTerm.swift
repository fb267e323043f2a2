/// Another query, in the tree of a condition.
struct SubqueryTerm: Sendable {
    let modelType: PersistingModel.Type
    let node: CriteriaNode?
    let ordering: [OrderingTerm]
    let limit: Int?
    let offset: Int?
    /// The moment that the query asks for by itself.
    let past: HistoryMoment?
    /// What is asked of its rows, an aggregate of them among that; nil for the rows.
    let value: Result<CriteriaTerm, PersistenceError>?

    var isPartial: Bool { limit != nil || offset != nil }
    /// How many conditions and calculations stand inside each other. A mistake has no depth: it is thrown when the
    /// query is resolved.
    var depth: Int { Swift.max(node?.depth ?? 0, (try? value?.get())?.depth ?? 0) }
}
