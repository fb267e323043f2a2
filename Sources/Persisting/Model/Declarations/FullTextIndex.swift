/// An index for full-text search in properties of a class, kept by SQLite's FTS5.
///
/// ```swift
/// final class Note: PersistingModel {
///     var id: Int64?
///     var title = "", body = "", isPinned = false
///     static let text = FullTextIndex(
///         \Note.title, \Note.body, weights: [10, 1], prefixes: [2, 3])
///     override class var fullTextIndexes: FullTextIndexes { ["text": text] }
/// }
/// let found = try manager.fetchAll(
///     Note.where(Note.text.matches("sail wi") && \.isPinned)
///         .sorted(by: Note.text.rank).limit(20))
/// ```
///
/// The index belongs to the class's table: it is created with it, planned with it, kept through its changes, and
/// dropped with it. Its name is the table's and its own, such as `NOTE_text`. Triggers keep it in step, so that other
/// programs and raw SQL may write as well, by REPLACE, too.
///
/// What is indexed is what the columns store: texts, such as those that a transform makes, and JSON. NULL has no words.
/// A deferred property is indexed whether it has been loaded or not. Where the primary key is one integer, the index
/// has nothing but the words; for other keys, it keeps the texts a second time.
///
/// See [FTS5](https://www.sqlite.org/fts5.html).
public struct FullTextIndex<Model: PersistingModel>: FullTextIndexing {
    /// What the index was declared as. For the library's use.
    public let declaration: FullTextDeclaration

    /// An index of properties.
    ///
    /// - Parameters:
    ///   - properties: Properties that are stored as texts. The index's first use throws for another one.
    ///   - weights: How much a word counts in each of them when rows are ranked, in their order; 1 where there is none.
    ///   - tokenizer: What makes words of texts.
    ///   - prefixes: For how many letters at the beginning of a word to keep an index of their own, which makes a
    ///     search for words that begin with so many faster.
    public init(
        _ properties: any PartialKeyPath<Model> & Sendable..., weights: [Double] = [],
        tokenizer: FullTextTokenizer = .unicode61(), prefixes: [Int] = []
    ) {
        declaration = FullTextDeclaration(
            keys: { try properties.map { try Mapping.of(Model.self).key(of: $0) } },
            model: { ModelDescription.name(of: Model.self) }, weights: weights, tokenizer: tokenizer,
            prefixes: prefixes)
    }

    private init(_ declaration: FullTextDeclaration) { self.declaration = declaration }

    /// The same index for queries of a subclass, which inherits it:
    /// `Photo.where(Attachment.text.of(Photo.self).matches("harbor"))`.
    ///
    /// - Parameter subclass: The subclass. The index's use throws for a class that doesn't list it.
    public func of<Subclass: PersistingModel>(_ subclass: Subclass.Type) -> FullTextIndex<Subclass> {
        FullTextIndex<Subclass>(declaration)
    }
}

/// An index that stands in ``FullTextIndexes``. Only ``FullTextIndex`` conforms.
public protocol FullTextIndexing: Sendable {
    /// What the index was declared as. For the library's use.
    var declaration: FullTextDeclaration { get }
}

/// What a ``FullTextIndex`` was declared as.
public struct FullTextDeclaration: Sendable {
    /// The keys of the properties.
    let keys: @Sendable () throws -> [String]
    let model: @Sendable () -> String
    let weights: [Double]
    let tokenizer: FullTextTokenizer
    let prefixes: [Int]
    /// The auxiliary function that ranks rows; nil is `bm25`.
    var function: String?
}

/// The full-text indexes of a class, by names.
///
/// ```swift
/// override class var fullTextIndexes: FullTextIndexes { ["text": text] }
/// ```
public struct FullTextIndexes: Sendable, ExpressibleByDictionaryLiteral {
    /// The indexes in the order in which they were named.
    let elements: [(name: String, declaration: FullTextDeclaration)]

    /// No index.
    public static var none: FullTextIndexes { FullTextIndexes(elements: []) }

    /// Indexes by names, each of letters, digits and underscores.
    public init(dictionaryLiteral elements: (String, any FullTextIndexing)...) {
        self.init(elements: elements.map { ($0, $1.declaration) })
    }

    private init(elements: [(name: String, declaration: FullTextDeclaration)]) { self.elements = elements }

    /// These indexes and others: `super.fullTextIndexes + ["lyrics": lyrics]` in a subclass.
    public static func + (lhs: FullTextIndexes, rhs: FullTextIndexes) -> FullTextIndexes {
        FullTextIndexes(elements: lhs.elements + rhs.elements)
    }
}
