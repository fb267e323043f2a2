internal import Foundation

/// The tables of a database that have histories, as SELECTs of the past read them.
final class PastTables: Sendable {
    /// What is known of a name after FROM or JOIN.
    private enum Found {
        /// No table: a common table expression or a function.
        case other
        /// A table without a history.
        case present(isVirtual: Bool)
        /// The common table expression, up to the number of the transaction and from there on.
        case past(parts: [String])
    }

    private let lock = NSLock()
    // Both guarded by `lock`.
    nonisolated(unsafe) private var found: [String: Found] = [:]
    nonisolated(unsafe) private var rewritten: [String: Rewritten] = [:]

    /// A statement, up to the number of the transaction and from there on, and the logs that it reads.
    struct Rewritten {
        var parts: [String]
        var logs: [String] = []
    }

    /// A table without a history, where the past is asked for.
    struct NoHistory: Error {
        let table: String
        /// Whether it is one of a module, such as a search index.
        let isVirtual: Bool
    }

    /// How many statements are kept.
    private static let limit = 500

    /// Forgets what was read of the schema.
    func forget() {
        lock.withLock { (found, rewritten) = ([:], [:]) }
    }

    /// The number of the transaction that a moment means.
    ///
    /// - Throws: ``PersistenceError/Code/noHistory``.
    func number(of moment: HistoryMoment, _ db: any EngineConnection) throws -> Int64 {
        guard
            try db.scalar(
                "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = \(HistoryTable.transactions)",
                as: Int.self) != nil
        else {
            throw PersistenceError(
                .noHistory, "no class of the database has a history: override history, and update the schema")
        }
        return switch moment {
        case .transaction(let number): number
        case .date(let date):
            try db.scalar("SELECT max(number) FROM history_transactions WHERE date <= \(date)", as: Int64.self) ?? 0
        }
    }

    /// A SELECT of what the tables had after a transaction.
    func past(_ text: String, _ db: any EngineConnection) throws -> Rewritten {
        if let known = lock.withLock({ rewritten[text] }) { return known }
        let new = try rewrite(text, db)
        lock.withLock {
            if rewritten.count >= Self.limit { rewritten = [:] }
            rewritten[text] = new
        }
        return new
    }

    private func rewrite(_ text: String, _ db: any EngineConnection) throws -> Rewritten {
        let tokens = SQLTokens(text)
        let all = tokens.tokens
        guard all.first?.isWord("SELECT") == true || all.first?.isWord("WITH") == true else {
            return Rewritten(parts: [text])
        }
        var (dropped, tables) = (Set<Int>(), [String: [String]]())
        for index in all.indices.dropLast() where all[index].isWord("FROM") || all[index].isWord("JOIN") {
            var place = index + 1
            let isQualified = place + 2 < all.count && all[place].isWord("main") && all[place + 1].isSymbol(".")
            if isQualified { place += 2 }
            guard let name = all[place].name, place + 1 >= all.count || !all[place + 1].isSymbol("(") else { continue }
            switch try find(name, db) {
            case .other: continue
            case .present(let isVirtual):
                throw NoHistory(table: name, isVirtual: isVirtual)
            case .past(let parts):
                tables[asciiLowercased(name)] = parts
                if isQualified { dropped.formUnion([index + 1, index + 2]) }
            }
        }
        guard !tables.isEmpty else { return Rewritten(parts: [text]) }
        let (hasWith, isRecursive) = (all[0].isWord("WITH"), all[1].isWord("RECURSIVE"))
        if hasWith { dropped.formUnion(isRecursive ? [0, 1] : [0]) }
        let select = tokens.replacing { dropped.contains($0) ? "" : nil }
        // Each part ends where the number goes.
        var parts = [hasWith && isRecursive ? "WITH RECURSIVE " : "WITH "]
        for (place, table) in tables.sorted(by: { $0.key < $1.key }).map(\.value).enumerated() {
            parts[parts.count - 1] += (place == 0 ? "" : ", ") + table[0]
            parts += table.dropFirst()
        }
        parts[parts.count - 1] += (hasWith ? ", " : " ") + select
        let logs = tables.keys.sorted().map { "main.\(SQLText.identifier(HistoryTable.name(of: $0)))" }
        return Rewritten(parts: parts, logs: logs)
    }

    /// A common table expression of all versions of a table's rows, with the transactions that began and ended them.
    ///
    /// - Parameter condition: Which, by columns of `_entry`. It stands there twice.
    /// - Throws: ``PersistenceError/Code/noHistory``.
    func versions(of table: String, where condition: String, _ db: any EngineConnection) throws -> String {
        guard let columns = try recordedColumns(of: table, db) else {
            throw PersistenceError(.noHistory, "the table \(table) has no history yet: update the schema")
        }
        let (log, current) = HistoryTable.sources(of: table)
        return "\(SQLText.identifier(table)) AS (SELECT \(columns.list), _began, _ended FROM \(log) AS _entry "
            + "WHERE _ended > _began AND \(condition) UNION ALL SELECT \(columns.ofRow), _entry._began, NULL "
            + "FROM (SELECT *, NULL AS _ended FROM \(current)) AS _entry "
            + "CROSS JOIN main.\(SQLText.identifier(table)) AS _row ON \(columns.isRow) WHERE \(condition))"
    }

    /// A table's columns, as a history has them.
    private struct Columns {
        /// Those of the log or of the table alone.
        let list: String
        /// The same of a `_row` that is joined with an `_entry`.
        let ofRow: String
        /// Whether an `_entry` is of a `_row`.
        let isRow: String
    }

    /// - Returns: Nil for a table without a history.
    private func recordedColumns(of table: String, _ db: any EngineConnection) throws(SQLiteError) -> Columns? {
        let columns = try db.columns(of: table, in: "main")
        let log = try db.columns(of: HistoryTable.name(of: table), in: "main")
        let recorded = Set(log.map { asciiLowercased($0.name) })
        guard recorded.isSuperset(of: HistoryTable.ownColumns) else { return nil }
        func list(_ row: String) -> String {
            columns.map { column in
                let name = SQLText.identifier(column.name)
                // What isn't recorded isn't known of a row that hasn't changed, either.
                return recorded.contains(asciiLowercased(column.name))
                    ? row + name : "\(column.defaultSQL ?? "NULL") AS \(name)"
            }.list(", ")
        }
        let key = primaryKeyNames(columns).map(SQLText.identifier)
        return Columns(
            list: list(""), ofRow: list("_row."), isRow: key.map { "_entry.\($0) = _row.\($0)" }.list(" AND "))
    }

    private func find(_ name: String, _ db: any EngineConnection) throws(SQLiteError) -> Found {
        let key = asciiLowercased(name)
        if let known = lock.withLock({ found[key] }) { return known }
        let new = try read(name, db)
        lock.withLock { found[key] = new }
        return new
    }

    private func read(_ name: String, _ db: any EngineConnection) throws(SQLiteError) -> Found {
        if try db.columns(of: name, in: "main").isEmpty { return .other }
        guard let columns = try recordedColumns(of: name, db) else {
            let isVirtual = try db.scalar(
                """
                SELECT sql LIKE 'CREATE VIRTUAL %' FROM main.sqlite_schema
                WHERE type = 'table' AND name = \(name) COLLATE NOCASE
                """, as: Bool?.self)
            return .present(isVirtual: isVirtual == true)
        }
        let (log, current) = HistoryTable.sources(of: name)
        let table = SQLText.identifier(name)
        // The unary plus has SQLite look among those that ended later, which are few where the past is near.
        return .past(parts: [
            "\(table) AS NOT MATERIALIZED (SELECT \(columns.list) FROM \(log) WHERE +_began <= ", " AND _ended > ",
            " UNION ALL SELECT \(columns.list) FROM main.\(table) AS _row WHERE EXISTS (SELECT 1 FROM \(current) "
                + "AS _entry WHERE \(columns.isRow) AND _entry._began <= ", "))",
        ])
    }
}
