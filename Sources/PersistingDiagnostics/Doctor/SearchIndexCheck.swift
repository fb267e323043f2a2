internal import Foundation
internal import Persisting
internal import SQLiteKit

/// Full-text indexes that don't have what their tables have.
enum SearchIndexCheck {
    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        var (indexes, findings) = ([(name: String, isOfFTS5: Bool)](), [FileFinding]())
        for table in database.schema.tables where table.kind == .virtual {
            guard let sql = table.sql, let module = module(sql), module.hasPrefix("fts") else { continue }
            if let content = FullTextSource(table.name, sql)?.content, database.schema.table(content) == nil {
                findings.append(
                    FileFinding(
                        .searchIndex, table.name, [],
                        "the full-text index \(table.name) is of \(content), and there is no such table",
                        remedy: ["DROP TABLE \(quoted(table.name))"], .changes))
            } else {
                indexes.append((table.name, module == "fts5"))
            }
        }
        guard !indexes.isEmpty else { return findings }
        // The check is an INSERT, though it changes nothing.
        var configuration = FileDoctor.careful(database.db.configuration)
        configuration.openMode = .create
        configuration.journalMode = .delete
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        // An encrypted file has encrypted copies, and a temporary database has no key.
        let isEncrypted = configuration.key != nil
        if isEncrypted { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        defer { if isEncrypted { try? FileManager.default.removeItem(at: folder) } }
        let location = isEncrypted ? DatabaseLocation.file(folder.appending(path: "copy").path) : .temporary
        let copy = try Database(location, configuration: configuration)
        try database.db.backup(to: copy)
        return findings + indexes.compactMap { finding($0.name, isOfFTS5: $0.isOfFTS5, database, copy) }
    }

    private static func finding(
        _ name: String, isOfFTS5: Bool, _ database: ExaminedDatabase, _ copy: Database
    ) -> FileFinding? {
        do throws(SQLiteError) {
            // A rank has FTS5 compare the index with a table that it doesn't keep itself.
            let columns: SQL = isOfFTS5 ? ", rank) VALUES ('integrity-check', 1)" : ") VALUES ('integrity-check')"
            try copy.execute("INSERT INTO \(identifier: name) (\(identifier: name)\(sql: columns)")
            return nil
        } catch {
            // Otherwise a tokenizer or a function of the program that made the file isn't here.
            guard error.code == .corrupt else { return nil }
            return FileFinding(
                .searchIndex, name, [], "the full-text index \(name) doesn't have the texts that its table has",
                remedy: ["INSERT INTO \(quoted(name)) (\(quoted(name))) VALUES ('rebuild')"],
                mayLeaveOut(name, database) ? .changes : .rebuilds)
        }
    }

    /// Whether another program may have left rows out of an index on purpose.
    private static func mayLeaveOut(_ name: String, _ database: ExaminedDatabase) -> Bool {
        guard let sql = database.schema.table(name)?.sql, let content = FullTextSource(name, sql)?.content else {
            return false
        }
        return database.schema.table(content)?.triggers.contains { trigger in
            RowTriggers.companion(of: trigger.name, trigger.sql).map { isSameName($0, name) } == true
        } != true
    }

    /// The name after USING.
    private static func module(_ sql: String) -> String? {
        let tokens = SQLTokens(sql).tokens
        guard let using = tokens.firstIndex(where: { $0.isWord("USING") }), using + 1 < tokens.count else { return nil }
        return tokens[using + 1].name.map(asciiLowercased)
    }
}
