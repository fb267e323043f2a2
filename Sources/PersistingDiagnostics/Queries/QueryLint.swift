package import Persisting
package import SQLiteKit

/// Judges statements by their plans, and tries indexes on an empty copy of the schema.
package final class QueryLint {
    private let db: Database
    private let mappings: [Mapping]
    private let minimumRows: Int
    private let schema: DatabaseSchema
    /// Whether tables have the least number of rows.
    private var isLarge: [String: Bool] = [:]
    /// The numbers of rows in the statistics, by the tables' names.
    private let statistics: [String: Int]
    /// The tables whose statistics have been looked at: they are told once.
    private var tablesOfStatistics: Set<String> = []
    /// The copy of the schema; nil where it can't be made.
    private lazy var copy: Database? = try? emptyCopy()

    /// - Parameters:
    ///   - db: The database in which the statements run.
    ///   - mappings: Classes whose declarations are suggested; for other tables, SQL is.
    ///   - minimumRows: How many rows a table has at least for its scan or sort to be told.
    package init(_ db: Database, _ mappings: [Mapping] = [], minimumRows: Int) throws {
        self.db = db
        self.mappings = mappings
        self.minimumRows = minimumRows
        schema = try db.schema()
        statistics = try StatisticsCheck.known(db, schema)
    }

    /// What is to be said of a statement.
    package func advice(on sql: String) throws -> [QueryAdvice] {
        let text = LintedText(sql, schema)
        let statistics = try adviceOnStatistics(text)
        let findings = try findings(text, db).filter { try isWorthTelling($0, text) }
        guard !findings.isEmpty else { return statistics }
        let best = try copy.flatMap { try bestIndex(text.withIndexedDates, for: findings, in: $0) }
        return findings.map { finding in
            let helps = best.map { !$0.remaining.contains(finding) } ?? false
            return QueryAdvice(sql: sql, finding: finding, remedy: helps ? best.map(declaration) : nil)
        } + statistics
    }

    /// What is to be said of the statistics of tables of which a statement chooses rows, as the doctor would.
    private func adviceOnStatistics(_ text: LintedText) throws -> [QueryAdvice] {
        guard text.hasConditions else { return [] }
        var tables: [String] = []
        func visit(_ nodes: [QueryPlan.Node]) {
            for node in nodes {
                // A row's identifier needs no choice.
                if let (table, how) = text.table(in: node.detail), !how.hasPrefix("USING INTEGER PRIMARY KEY") {
                    tables.append(table)
                }
                visit(node.children)
            }
        }
        visit(try db.queryPlan(of: SQL(text.sql)).nodes)
        return try tables.compactMap { table in
            guard schema.table(table)?.indexes.isEmpty == false, tablesOfStatistics.insert(table).inserted else {
                return nil
            }
            let noted = statistics[asciiLowercased(table)]
            let limit = StatisticsCheck.rowsToCount(noted: noted)
            let finding: QueryAdvice.Finding? =
                switch StatisticsCheck.fault(noted: noted, count: try count(table, upTo: limit)) {
                case .missing: .missingStatistics(table: table)
                case .outdated: .outdatedStatistics(table: table)
                case nil: nil
                }
            return finding.map { QueryAdvice(sql: text.sql, finding: $0, remedy: StatisticsCheck.remedy(table)) }
        }
    }

    private func count(_ table: String, upTo limit: Int) throws -> Int {
        try db.scalar("SELECT count(*) FROM (SELECT 1 FROM \(identifier: table) LIMIT \(limit))", as: Int.self) ?? 0
    }

    /// A table of few rows is read in no time, and who asks for all rows is given all.
    private func isWorthTelling(_ finding: QueryAdvice.Finding, _ text: LintedText) throws -> Bool {
        if case .scan = finding, !text.hasConditions { return false }
        let table = finding.table
        if let known = isLarge[table] { return known }
        let isEnough = try count(table, upTo: minimumRows) >= minimumRows
        isLarge[table] = isEnough
        return isEnough
    }

    // MARK: Plans

    private func findings(_ text: LintedText, _ db: Database) throws -> [QueryAdvice.Finding] {
        var findings: [QueryAdvice.Finding] = []
        func visit(_ nodes: [QueryPlan.Node], isCorrelated: Bool) {
            var first: String?
            for node in nodes {
                let detail = node.detail
                if let (table, how) = text.table(in: detail) {
                    first = first ?? table
                    if how.hasPrefix("USING AUTOMATIC") {
                        findings.append(.automaticIndex(table: table))
                    } else if how.isEmpty {
                        // The SEARCH for a least or greatest value is a scan where there is no index.
                        findings.append(isCorrelated ? .correlatedScan(table: table) : .scan(table: table))
                    }
                } else if detail.hasPrefix("USE TEMP B-TREE FOR"), detail.hasSuffix("ORDER BY"), let first {
                    findings.append(.sort(table: first))
                }
                visit(node.children, isCorrelated: isCorrelated || detail.hasPrefix("CORRELATED"))
            }
        }
        visit(try db.queryPlan(of: SQL(text.sql)).nodes, isCorrelated: false)
        return findings.reduce(into: []) { known, finding in
            if !known.contains(finding) { known.append(finding) }
        }
    }

    // MARK: Remedies

    private struct Candidate {
        let table: String
        let terms: [LintedText.Term]
        /// What is still found with the index.
        var remaining: [QueryAdvice.Finding] = []

        func index(named name: String? = nil) -> IndexDefinition {
            let parts = terms.map { term in
                (title: ([term.column] + term.path).joined(separator: "_"), expression: term.expression)
            }
            return IndexDefinition(name, on: table, parts: parts, isUnique: false, where: nil)
        }
    }

    /// A database in memory with the tables and indexes, and no rows.
    private func emptyCopy() throws -> Database {
        let copy = try Database(.memory, configuration: db.configuration.inMemory)
        // That of a pool's reader rejects writes.
        try copy.execute("PRAGMA query_only = 0")
        let texts = try db.column(
            """
            SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite^_%' ESCAPE '^'
            ORDER BY type <> 'table', type <> 'index', rowid
            """, as: String.self)
        for text in texts {
            // The tables behind a virtual one come with it; a trigger may need what only the program has.
            do { try copy.execute(SQL(text)) } catch { continue }
        }
        return copy
    }

    /// The name of the index that is tried.
    private static let tried = "sqlitekit_lint"

    /// The index with which least is found.
    private func bestIndex(
        _ text: LintedText, for findings: [QueryAdvice.Finding], in copy: Database
    ) throws -> Candidate? {
        var best: Candidate?
        // A table that the copy lacks has no plan there.
        guard var count = (try? self.findings(text, copy))?.filter(findings.contains).count, count > 0 else {
            return nil
        }
        for table in findings.map(\.table).reduce(into: [String](), { if !$0.contains($1) { $0.append($1) } }) {
            for terms in text.candidates(of: table) {
                var candidate = Candidate(table: table, terms: terms)
                try copy.execute(SQL(candidate.index(named: Self.tried).sql))
                candidate.remaining = try self.findings(text, copy).filter(findings.contains)
                try copy.execute("DROP INDEX \(identifier: Self.tried)")
                guard candidate.remaining.count < count else { continue }
                count = candidate.remaining.count
                best = candidate
                if count == 0 { return best }
            }
        }
        return best
    }

    /// The index as the class of its table declares it.
    private func declaration(_ index: Candidate) -> String {
        let mapping = mappings.first { isSameName($0.tableName, index.table) }
        let keys = index.terms.map { term in
            mapping?.tableColumns.first { isSameName($0.name, term.column) }?.key
        }
        guard let mapping, !keys.contains(nil) else { return index.index().sql }
        // A value inside of JSON has no name by itself: there, all are key paths.
        let isPath = index.terms.contains { $0.expression != nil }
        let names = zip(index.terms, keys.compactMap { $0 }).enumerated().map { place, named in
            let path = ([named.1] + named.0.path).joined(separator: ".")
            return isPath ? "\\\(place == 0 ? mapping.modelName : "").\(path)" : "\"\(path)\""
        }
        let declaration = "Index(\(names.joined(separator: ", ")))"
        guard mapping.modelType.indexes.isEmpty else {
            return "add \(declaration) to \(mapping.modelName).indexes"
        }
        return "\(mapping.modelName): override class var indexes: [Index] { [\(declaration)] }"
    }
}
