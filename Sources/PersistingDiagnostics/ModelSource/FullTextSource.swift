internal import Persisting
internal import SQLiteKit

/// An FTS5 table whose texts are those of another table, as ``/Persisting/FullTextIndex`` declares it.
struct FullTextSource {
    let table: String
    /// The columns that are indexed.
    let columns: [String]
    /// The words of the option `tokenize`.
    private let tokenizer: [String]
    private let prefixes: [Int]
    /// The option `content`.
    let content: String
    /// The other options, such as `detail`, and columns that aren't indexed.
    private let others: Set<String>

    /// - Parameter sql: The text that created it. Nil for another virtual table.
    init?(_ table: String, _ sql: String) {
        let text = SQLTokens(sql)
        guard let using = text.tokens.firstIndex(where: { $0.isWord("USING") }), text.tokens.count > using + 2,
            text.tokens[using + 1].isWord("fts5"), text.tokens[using + 2].isSymbol("("),
            let close = text.closing(using + 2)
        else { return nil }
        var (columns, options, others): ([String], [String: String], Set<String>) = ([], [:], [])
        for part in text.tokens[(using + 3)..<close].split(whereSeparator: { $0.isSymbol(",") }) {
            guard let name = part.first?.name else { return nil }
            if part.dropFirst().first?.isSymbol("=") == true {
                options[asciiLowercased(name)] = part.dropFirst(2).first?.name
            } else if part.count == 1 {
                columns.append(name)
            } else {
                others.insert(name)
            }
        }
        guard let content = options["content"], !content.isEmpty else { return nil }
        (self.table, self.columns, self.content) = (table, columns, content)
        tokenizer = SQLTokens(options["tokenize"] ?? "unicode61").tokens.compactMap(\.name)
        prefixes = (options["prefix"] ?? "").split { $0 == " " || $0 == "," }.compactMap { Int($0) }
        self.others = others.union(options.keys).subtracting(["content", "content_rowid", "tokenize", "prefix"])
    }

    /// The declaration in a class; nil for one that has no property for each column, or more options.
    ///
    /// - Parameter key: The property of a column.
    func declaration(in className: String, _ key: (String) -> String?) -> String? {
        let keys = columns.compactMap(key)
        guard others.isEmpty, !keys.isEmpty, keys.count == columns.count else { return nil }
        var arguments = keys.map { "\\\(className).\(SwiftSource.identifier($0))" }
        if let tokenizer = Self.source(tokenizer[...]) { arguments.append("tokenizer: \(tokenizer)") }
        if !prefixes.isEmpty {
            arguments.append("prefixes: [\(prefixes.map(String.init).joined(separator: ", "))]")
        }
        return "FullTextIndex(\(arguments.joined(separator: ", ")))"
    }

    /// A tokenizer; nil for the one that needs no words.
    private static func source(_ words: ArraySlice<String>) -> String? {
        func other(_ words: ArraySlice<String>) -> String {
            ".custom(\(words.map(SwiftSource.literal).joined(separator: ", ")))"
        }
        switch words.first {
        case "porter":
            guard let inner = source(words.dropFirst()) else { return ".unicode61(.porter)" }
            return inner + ".porter"
        case "ascii" where words.count == 1: return ".ascii"
        case "trigram" where words.count == 1: return ".trigram()"
        case "trigram" where Array(words) == ["trigram", "case_sensitive", "1"]:
            return ".trigram(isCaseSensitive: true)"
        case "unicode61" where words.count > 1 && words.dropFirst().first == "remove_diacritics":
            // In the order in which a class writes them, or as they are.
            var (arguments, rest) = ([String](), Array(words.dropFirst(3)))
            switch words.dropFirst(2).first {
            case "0": arguments.append("diacritics: .kept")
            case "1": arguments.append("diacritics: .removed")
            case "2": break
            default: return other(words)
            }
            for (option, name) in [("tokenchars", "tokenCharacters"), ("separators", "separators")]
            where rest.count > 1 && rest[0] == option && !rest[1].isEmpty {
                arguments.append("\(name): \(SwiftSource.literal(rest[1]))")
                rest.removeFirst(2)
            }
            guard rest.isEmpty else { return other(words) }
            return arguments.isEmpty ? nil : ".unicode61(\(arguments.joined(separator: ", ")))"
        default: return other(words)
        }
    }
}

/// The full-text indexes of a table.
struct FullTextSources {
    /// Those that a class has declared, by their names in it.
    var declared: [(name: String, source: FullTextSource)] = []
    /// Those that other programs keep in step.
    var others: [FullTextSource] = []

    init(of table: DatabaseSchema.Table, _ db: any EngineConnection) throws {
        guard table.kind == .table else { return }
        let tables = try db.rows(
            "SELECT name, sql FROM \(identifier: table.database).sqlite_schema WHERE type = 'table' ORDER BY rowid",
            cached: false
        ).map { row in (try row.value(at: 0, as: String.self), try row.value(at: 1, as: String?.self) ?? "") }
        for (name, sql) in tables where asciiLowercased(String(sql.prefix(14))) == "create virtual" {
            guard let source = FullTextSource(name, sql) else { continue }
            let hasTriggers = tables.contains { isSameName($0.0, "\(name)_gone") }
            let isOwn = asciiLowercased(name).hasPrefix(asciiLowercased(table.name) + "_")
            if hasTriggers, isOwn, [table.name, "\(name)_texts"].contains(where: { isSameName($0, source.content) }) {
                declared.append((String(name.dropFirst(table.name.count + 1)), source))
            } else if isSameName(source.content, table.name) {
                others.append(source)
            }
        }
    }
}

/// What a table has for full-text search.
extension ModelSource {
    private func declaration(_ source: FullTextSource) -> String? {
        source.declaration(in: className) { column in properties.first { isSameName($0.column.name, column) }?.key }
    }

    /// The declarations of the indexes.
    var fullTextDeclarations: [String] {
        let declared = fullText.declared.compactMap { name, source in declaration(source).map { (name, $0) } }
        guard !declared.isEmpty else { return [] }
        func identifier(_ name: String) -> String {
            name.first?.isNumber == true ? "text\(name)" : SwiftSource.identifier(name)
        }
        let list = declared.map { "\(SwiftSource.literal($0.0)): \(identifier($0.0))" }.joined(separator: ", ")
        return [
            declared.map { "    static let \(identifier($0.0)) = \($0.1)\n" }.joined()
                + "    override class var fullTextIndexes: FullTextIndexes { [\(list)] }"
        ]
    }

    /// The indexes that the class doesn't declare.
    var fullTextLeftOut: [String] {
        let unknown = fullText.declared.map(\.source).filter { declaration($0) == nil }
        return unknown.map { "the full-text index \($0.table)" }
            + fullText.others.map { source in
                "the full-text index \(source.table), which other triggers keep in step"
                    + (declaration(source).map { ": a class's own would be \($0)" } ?? "")
            }
    }
}
