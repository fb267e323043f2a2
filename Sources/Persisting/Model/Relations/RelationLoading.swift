/// How an object loads a relation that wasn't loaded ahead by `with(…)`.
///
/// ```swift
/// manager.relationLoading = .strict  // in tests: each relation is loaded ahead
/// // for the objects of one query
/// let shows = try manager.fetchAll(Query(Show.self).relations(.alone))
/// ```
public enum RelationLoading: UInt8, Sendable {
    /// For all objects of the same fetch, in one query. This is the default.
    case siblings
    /// For the object that is asked, alone.
    case alone
    /// Not at all: the call throws ``PersistenceError/Code/relationNotLoaded``, with the SQL that it would run.
    case strict
}

/// How rows were fetched: what their objects know, and how their relations are loaded.
struct FetchTraits: Sendable {
    /// Whether the objects were fetched together, for one caller: they belong to one isolation, and may share what they
    /// load.
    var isTogether = false
    /// Whether the fetch was of all rows of the table.
    var isWholeTable = false
    /// What the query says of loading; nil leaves it to the manager.
    var loading: RelationLoading?
    /// The columns that were left out, except for deferred ones: the objects have what `init()` made.
    var unread = ColumnSet()
    /// The transaction after which the rows were so; nil for rows of now.
    var past: Int64?
}
