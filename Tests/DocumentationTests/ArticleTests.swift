import Foundation
import Testing

/// What the articles show is compiled, run and true.
@Suite struct ArticleTests {
    @Test("Every document with Swift in it is compiled and run")
    func everyArticle() throws {
        let withSnippets = try Documents.all().filter { try !Documents.snippets(in: $0.value).isEmpty }
        #expect(Set(withSnippets.keys) == Set(articles.map(\.name)))
    }

    @Test("The compiler reads an article's snippets, whole and in order", arguments: articles)
    func snippets(article: any Article) throws {
        let snippets = try Documents.snippets(in: #require(Documents.all()[article.name]))
        let shown = try Documents.shownBlocks(in: article.sourceFile)
        for (snippet, block) in zip(snippets, shown) where snippet != block {
            let line = zip(snippet, block).first { $0 != $1 }?.0 ?? "the snippet's end"
            Issue.record("\(article.name) has another line than its Swift file: \(line). Run Scripts/snippets")
        }
        #expect(snippets.count == shown.count, "Scripts/snippets says what to do")
    }

    @Test("Articles run from end to end, and print what they show")
    func runs() async {
        // In a process of its own, since an article may write into the current folder and set the shared manager.
        await #expect(processExitsWith: .success) {
            for article in articles { try await ArticleTests.run(article) }
        }
    }

    /// Runs one in a folder of its own.
    private static func run(_ article: any Article) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
        do {
            try await article.run()
        } catch {
            Issue.record(error, "\(article.name)")
        }
        let fileName = article.sourceFile.lastPathComponent
        for (line, expected) in Output.shown(in: article.sourceFile) where !Output.printed.contains(line, of: fileName)
        {
            Issue.record("\(fileName):\(line) has not printed \(expected)")
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test("An ellipsis is any text") func ellipsis() {
        #expect(Output.matches("CREATE TABLE A (ID)", "CREATE TABLE A (…"))
        #expect(Output.matches("INSERT INTO A VALUES (1)", "… VALUES (1)"))
        #expect(!Output.matches("INSERT INTO A VALUES (2)", "… VALUES (1)"))
        #expect(!Output.matches("1 2", "1"))
    }
}
