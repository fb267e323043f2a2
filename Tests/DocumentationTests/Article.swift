import Foundation
import Testing

/// An article's snippets, in its order, with what they need around them: `SavingArticle` has those of `Saving.md`.
///
/// `Scripts/snippets` copies a snippet between `// snippet.show` and `// snippet.hide`; the rest of a file is its own, and
/// says with `#expect` what the article says in words.
protocol Article: Sendable {
    /// What the compiler reads.
    var sourceFile: URL { get }

    /// Runs the article from end to end.
    func run() async throws
}

let articles: [any Article] = [
    READMEArticle(), TourArticle(), PersistingArticle(), PersistingDiagnosticsArticle(), GettingStartedArticle(),
    DefiningModelsArticle(), PrimaryKeysArticle(),
    ClassHierarchiesArticle(), TypesAndTransformsArticle(), SavingArticle(), FindingObjectsArticle(),
    RowsAndSQLTextArticle(), EvolvingASchemaArticle(), ImportingAndExportingArticle(), ConcurrencyArticle(),
    WatchingForChangesArticle(), ComingFromFMPersistingArticle(), ComingFromFOMappingMTLFMDBAdapterAndFMDBxArticle(),
    SQLiteKitArticle(), AccessAndConcurrencyArticle(), FunctionsHooksAndTracesArticle(), SQLAloneArticle(),
    ComingFromFMDBArticle(), RelatingObjectsArticle(), GroupingAndComputingArticle(), SearchingTextArticle(),
    KeepingAHistoryArticle(), ExtendingSQLiteArticle(), EncryptingADatabaseArticle(),
    QueryingJSONArticle(), TestingAndPreviewsArticle(),
    UsingOtherLibrariesArticle(), RunningOnAClusterArticle(), ServingOverHTTPArticle(), UsingTheToolArticle(),
    SeeingWhatRunsArticle(),
]

extension Article {
    /// The name of the Markdown file.
    var name: String { String("\(Self.self)".dropLast("Article".count)) }

    var sourceFile: URL { Documents.folder.appending(path: "Articles/\(Self.self).swift") }
}

/// The article whose snippets are lines of an example, which is a package of its own.
struct ServingOverHTTPArticle: Article {
    var sourceFile: URL { Documents.root.appending(path: "Examples/Server/Sources/Server/Server.swift") }

    func run() {}
}

/// The article whose snippets are lines of an example that `Scripts/tool` runs.
struct UsingTheToolArticle: Article {
    var sourceFile: URL { Documents.root.appending(path: "Examples/AlbumTool/AlbumTool.swift") }

    func run() {}
}

/// The article whose snippets need the trait Observability. The tests with the trait run them.
struct SeeingWhatRunsArticle: Article {
    var sourceFile: URL {
        Documents.root.appending(
            path: "Tests/Observability/Tests/PersistingObservabilityTests/SeeingWhatRunsArticle.swift")
    }

    func run() {}
}

/// The package's Markdown.
enum Documents {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let root = folder.deletingLastPathComponent().deletingLastPathComponent()

    /// README and the articles, by name.
    static func all() throws -> [String: URL] {
        var documents = ["README": root.appending(path: "README.md")]
        let sources = root.appending(path: "Sources")
        for case let path as String in FileManager.default.enumerator(atPath: sources.path) ?? .init()
        where path.hasSuffix(".md") {
            let document = sources.appending(path: path)
            documents[document.deletingPathExtension().lastPathComponent] = document
        }
        return documents
    }

    /// The lines of the fenced blocks of Swift, but for imports and for pieces of a package manifest.
    static func snippets(in document: URL) throws -> [[String]] {
        try blocks(in: document, from: "```swift", to: "```")
            .filter { block in !block.contains { $0.contains(".package(") || $0.contains(".product(") } }
    }

    /// The lines of an article's Swift file that the article shows.
    static func shownBlocks(in source: URL) throws -> [[String]] {
        try blocks(in: source, from: "// snippet.show", to: "// snippet.hide")
    }

    /// The lines between two marks, each block moved to the left margin.
    private static func blocks(in file: URL, from begin: String, to end: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [Substring]?
        for line in try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            switch (line.trimmingPrefix { $0 == " " }, block) {
            case (begin[...], nil):
                block = []
            case (end[...], let lines?):
                let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
                let code = lines.filter { !$0.hasPrefix("import ") }
                blocks.append(code.drop(while: \.isEmpty).map { String($0.dropFirst(margin)) })
                block = nil
            default:
                block?.append(line)
            }
        }
        return blocks
    }
}
