import Foundation
import Testing

extension Article {
    /// Stands in for Swift's `print` in an article: a comment after it is what it prints, where `…` is any text.
    func print(_ items: Any..., sourceLocation: SourceLocation = #_sourceLocation) {
        let text = items.map { "\($0)" }.joined(separator: " ")
        Output.printed.insert(sourceLocation.line, of: sourceLocation.fileName)
        guard let expected = Output.shown(in: sourceFile)[sourceLocation.line] else { return }
        #expect(Output.matches(text, expected), "the article shows \(expected)", sourceLocation: sourceLocation)
    }
}

/// What the articles show of their output.
enum Output {
    static let printed = PrintedLines()

    /// What the lines that print have as a comment, by their numbers.
    static func shown(in file: URL) -> [Int: String] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            Issue.record("\(file.path) cannot be read")
            return [:]
        }
        var shown: [Int: String] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let match = line.firstMatch(of: /\bprint\(.*\)\s+\/\/ (.+)$/) { shown[index + 1] = String(match.1) }
        }
        return shown
    }

    static func matches(_ text: String, _ expected: String) -> Bool {
        var parts = expected.split(separator: "…", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard parts.count > 1, let last = parts.popLast() else { return text == expected }
        guard text.hasPrefix(parts.removeFirst()), text.hasSuffix(last) else { return false }
        return parts.allSatisfy(text.contains)
    }
}

/// The lines that have printed.
final class PrintedLines: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var lines: [String: Set<Int>] = [:]  // guarded by `lock`

    func insert(_ line: Int, of fileName: String) {
        lock.withLock { _ = lines[fileName, default: []].insert(line) }
    }

    func contains(_ line: Int, of fileName: String) -> Bool {
        lock.withLock { lines[fileName]?.contains(line) == true }
    }
}
