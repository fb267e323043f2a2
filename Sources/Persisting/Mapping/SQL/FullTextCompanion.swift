/// A full-text index as what belongs to its table.
///
/// An index by key takes the texts from the class's own table, which FTS5 calls external content; otherwise they are in
/// a table of the index's, under numbers. To take a row out, FTS5 wants the texts that it was put in with.
struct FullTextCompanion: CompanionDeclaration {
    /// What follows the table's name in its own.
    private let name: String
    private let columns: [String]
    /// The options of its table, except those that say where the texts are.
    private let options: [String]

    init(_ index: FullTextTable) {
        name = index.name
        columns = index.columns.map { index.mapping.columns[$0].name }
        let (tokenizer, prefixes) = (index.declaration.tokenizer, index.declaration.prefixes)
        options =
            ["tokenize=\(SQLText.literal(tokenizer.option))"]
            + (prefixes.isEmpty ? [] : ["prefix=\(SQLText.literal(prefixes.map(String.init).joined(separator: " ")))"])
    }

    /// An index that is there.
    ///
    /// - Parameters:
    ///   - name: What follows the table's name in its own.
    ///   - sql: The text that created it.
    ///   - final: The name that a column is to have; nil for one that goes.
    /// - Returns: Nil for one that no class has declared, and for one without columns.
    init?(_ name: String, _ sql: String, final: (String) -> String?) {
        guard let parts = TableParts(sql)?.parts.map({ SQLTokens($0) }) else { return nil }
        var (columns, options): ([String], [String]) = ([], [])
        for part in parts {
            if part.tokens.count == 1, let column = part.tokens[0].name {
                if let column = final(column) { columns.append(column) }
            } else if part.tokens.count == 3, part.tokens[1].isSymbol("="), let option = part.tokens[0].name {
                switch asciiLowercased(option) {
                case "content", "content_rowid": break
                case "tokenize", "prefix": options.append(part.text(0..<3))
                default: return nil
                }
            } else {
                return nil
            }
        }
        guard !columns.isEmpty else { return nil }
        (self.name, self.columns, self.options) = (name, columns, options)
    }

    func companion(of table: TableDefinition) throws -> Companion {
        let name = "\(table.name)_\(name)"
        return table.hasRowIDKey ? try byKey(table, name) : try withTexts(table, name)
    }

    /// The text that creates the index.
    private func creating(_ name: String, content: String, rowID: String) -> String {
        let places = ["content=\(SQLText.literal(content))", "content_rowid=\(SQLText.literal(rowID))"]
        let parts = columns.map(SQLText.identifier) + places + options
        return "CREATE VIRTUAL TABLE \(SQLText.identifier(name)) USING fts5(\(parts.joined(separator: ", ")))"
    }

    private func list(_ names: [String], of row: String = "") -> String {
        names.map { row + SQLText.identifier($0) }.joined(separator: ", ")
    }

    private func byKey(_ table: TableDefinition, _ name: String) throws -> Companion {
        let key = table.primaryKey[0]
        let (own, texts) = (SQLText.identifier(name), list(columns))
        let sizes = SQLText.identifier("\(name)_docsize")
        let row = "_row.\(SQLText.identifier(key))"
        return Companion(
            name: name,
            stores: [.init(.table, name, creating(name, content: table.name, rowID: key))],
            triggers: try RowTriggers(
                on: table, named: name, columns: columns,
                added: {
                    "INSERT INTO \(own) (rowid, \(texts)) SELECT \(row), \(list(columns, of: "_row.")) FROM (\($0)) AS _row;"
                },
                removed: "INSERT INTO \(own) (\(own), rowid, \(texts)) SELECT 'delete', _size.id, "
                    + "\(list(columns, of: "old.")) FROM \(sizes) AS _size WHERE _size.id = old.\(SQLText.identifier(key));",
                holds: { "EXISTS (SELECT 1 FROM \(sizes) AS _size WHERE _size.id = \($0[0]))" }),
            filling: { ["INSERT INTO \($0(name)) (\(own)) VALUES ('rebuild')"] })
    }

    /// The columns of a table of the index's own, which compare as those of its table do.
    private func definitions(of columns: [String], in table: TableDefinition) -> String {
        columns.map { column in
            table.column(column).map { table.companion(of: $0, named: column).sql } ?? SQLText.identifier(column)
        }.joined(separator: ", ")
    }

    private func withTexts(_ table: TableDefinition, _ name: String) throws -> Companion {
        let key = try table.companionKey(name)
        let store = "\(name)_texts"
        let all = key + columns.filter { column in !key.contains { isSameName($0, column) } }
        let (own, texts, rows) = (SQLText.identifier(name), list(columns), SQLText.identifier(store))
        let (sizes, number) = (SQLText.identifier("\(name)_docsize"), "_number")
        func isKey(_ values: [String]) -> String {
            zip(key, values).map { "_text.\(SQLText.identifier($0)) = \($1)" }.joined(separator: " AND ")
        }
        let isOld = key.map(SQLText.identifier).map { "\($0) = old.\($0)" }.joined(separator: " AND ")
        return Companion(
            name: name,
            stores: [
                .init(
                    .table, store,
                    "CREATE TABLE \(rows) (\(number) INTEGER PRIMARY KEY, \(definitions(of: all, in: table)))"),
                .init(
                    .index, "\(store)_key",
                    "CREATE UNIQUE INDEX \(SQLText.identifier("\(store)_key")) ON \(rows) (\(list(key)))"),
                .init(.table, name, creating(name, content: store, rowID: number)),
            ],
            triggers: try RowTriggers(
                on: table, named: name, columns: columns,
                added: { query in
                    "INSERT INTO \(rows) (\(list(all))) SELECT \(list(all)) FROM (\(query));\n"
                        + "  INSERT INTO \(own) (rowid, \(texts)) SELECT \(number), \(texts) FROM \(rows) "
                        + "WHERE \(number) = (SELECT max(\(number)) FROM \(rows)) "
                        + "AND NOT EXISTS (SELECT 1 FROM \(sizes) AS _size WHERE _size.id = \(number));"
                },
                removed:
                    "INSERT INTO \(own) (\(own), rowid, \(texts)) SELECT 'delete', \(number), \(texts) "
                    + "FROM \(rows) WHERE \(isOld);\n  DELETE FROM \(rows) WHERE \(isOld);",
                holds: { "EXISTS (SELECT 1 FROM \(rows) AS _text WHERE \(isKey($0)))" }),
            filling: { qualified in
                [
                    "INSERT INTO \(qualified(store)) (\(list(all))) SELECT \(list(all)) FROM \(qualified(table.name))",
                    "INSERT INTO \(qualified(name)) (\(own)) VALUES ('rebuild')",
                ]
            })
    }
}
