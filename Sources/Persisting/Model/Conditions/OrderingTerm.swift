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
    /// After all others, whatever the direction.
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
    }

    case column(Column)
    case sql(SQL)
    /// By how well the rows fit what is searched for.
    case rank(FullTextDeclaration, SortDirection = .ascending)
    /// A mistake, to be thrown when the ordering is used.
    case invalid(any Error)
}
