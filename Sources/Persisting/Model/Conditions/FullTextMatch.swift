/// That a row has what is searched for, by a full-text index.
struct FullTextMatch: Sendable {
    let declaration: FullTextDeclaration
    /// The query in FTS5's language.
    let query: String
    /// The keys of the properties to look in; nil is all of the index.
    let keys: [String]?
}
