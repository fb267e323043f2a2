import Foundation
import Testing

/// Every Swift snippet of a document stands in a file of this target, where the compiler reads it.
@Suite struct SnippetTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Documents, and the file that holds their snippets.
    static let documents =
        [
            ("README.md", "Tests/DocumentationTests/README.swift")
        ]
        + ["SQLiteKit", "ComingFromFMDB", "AccessAndConcurrency", "FunctionsHooksAndTraces", "SQLAlone"].map {
            ("Sources/SQLiteKit/SQLiteKit.docc/\($0).md", "Tests/DocumentationTests/SQLiteKitArticles.swift")
        }
        + ["Persisting", "GettingStarted", "DefiningModels", "Concurrency", "FindingObjects", "ComingFromFMPersisting"]
        .map {
            ("Sources/Persisting/Persisting.docc/\($0).md", "Tests/DocumentationTests/PersistingArticles.swift")
        }
        + [
            ("Saving", "SavingArticle"), ("EvolvingASchema", "EvolvingArticle"), ("PrimaryKeys", "KeysAndTypesArticles"),
            ("TypesAndTransforms", "KeysAndTypesArticles"), ("RowsAndSQLText", "RowsArticle"),
            ("ComingFromFOMappingMTLFMDBAdapterAndFMDBx", "ObjectiveCArticle"),
        ].map {
            ("Sources/Persisting/Persisting.docc/\($0.0).md", "Tests/DocumentationTests/\($0.1).swift")
        }

    @Test("every snippet is compiled", arguments: documents)
    func snippetsAreCompiled(document: String, source: String) throws {
        let compiled = try lines(of: source)
        for snippet in snippets(in: try lines(of: document)) {
            for line in snippet where !line.isEmpty && !line.hasPrefix("import ") {
                #expect(compiled.contains(line), "in \(document), but not in \(source)")
            }
        }
    }

    @Test("a document has snippets to compile", arguments: documents)
    func snippetsAreFound(document: String, source: String) throws {
        #expect(!snippets(in: try lines(of: document)).isEmpty)
    }

    private func lines(of file: String) throws -> [String] {
        try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The fenced blocks of Swift, but for pieces of a package manifest.
    private func snippets(in lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in lines {
            if let open = block, line == "```" {
                blocks.append(open)
                block = nil
            } else if block != nil {
                block?.append(line)
            } else if line == "```swift" {
                block = []
            }
        }
        return blocks.filter { block in !block.contains { $0.contains(".package(") || $0.contains(".product(") } }
    }
}
