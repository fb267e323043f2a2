internal import SQLiteKit

/// Full-text indexes that don't have what their tables have.
enum SearchIndexCheck {
    static func findings(_ patient: Patient) throws -> [FileFinding] {
        let indexes = patient.schema.tables.compactMap { table -> (name: String, module: String)? in
            guard table.kind == .virtual, let module = table.sql.flatMap(module), module.hasPrefix("fts") else {
                return nil
            }
            return (table.name, module)
        }
        guard !indexes.isEmpty else { return [] }
        // The check is an INSERT, though it changes nothing.
        var configuration = FileDoctor.careful(patient.db.configuration)
        configuration.openMode = .create
        configuration.journalMode = .delete
        let copy = try Database(.temporary, configuration: configuration)
        try patient.db.backup(to: copy)
        return indexes.compactMap { index in finding(index.name, index.module, copy) }
    }

    private static func finding(_ name: String, _ module: String, _ copy: Database) -> FileFinding? {
        let table = quoted(name)
        do {
            let columns: SQL =
                module == "fts5" ? ", rank) VALUES ('integrity-check', 1)" : ") VALUES ('integrity-check')"
            try copy.execute("INSERT INTO \(identifier: name) (\(identifier: name)\(sql: columns)")
            return nil
        } catch  where error.code == .corrupt {
            return FileFinding(
                .searchIndex, name, [], "the full-text index \(name) doesn't have the texts that its table has",
                remedy: ["INSERT INTO \(table) (\(table)) VALUES ('rebuild')"])
        } catch {
            guard error.message.contains("no such table") else {
                // A tokenizer or a function of the program that made the file isn't here.
                return nil
            }
            return FileFinding(
                .searchIndex, name, [], "the table of the full-text index \(name) is gone: \(error.message)",
                remedy: ["DROP TABLE \(table)"], .changes)
        }
    }

    /// The name after USING.
    private static func module(_ sql: String) -> String? {
        let tokens = SQLTokens(sql).tokens
        guard let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count else { return nil }
        return tokens[using + 1].name.map(asciiLowercased)
    }
}
