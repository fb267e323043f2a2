internal import Persisting
internal import SQLiteKit

/// Values of another type than their column is declared for.
enum ValueCheck {
    /// Values that don't fit, as a condition.
    private struct Question {
        let column: String
        let condition: String
        /// What the values are.
        let words: String
        let remedy: String?
    }

    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        // The integrity check finds these in STRICT tables.
        try database.tables.filter { !$0.isStrict }.flatMap { try findings($0, database) }
    }

    private static func findings(_ table: DatabaseSchema.Table, _ database: ExaminedDatabase) throws -> [FileFinding] {
        var rest = table.columns.filter { $0.kind == .ordinary }.flatMap { questions($0, table) }[...]
        var findings: [FileFinding] = []
        // SQLite limits the number of terms.
        while !rest.isEmpty {
            let some = Array(rest.prefix(100))
            rest = rest.dropFirst(100)
            let terms = some.map { "count(CASE WHEN \($0.condition) THEN 1 END)" }.joined(separator: ", ")
            let rows = try database.db.query("SELECT \(sql: SQL(terms)) FROM \(identifier: table.name)")
            guard let row = try rows.next() else { continue }
            for (index, question) in some.enumerated() {
                let count: Int = try row.value(at: index, as: Int.self)
                guard count > 0 else { continue }
                findings.append(
                    FileFinding(
                        .unfitValue, table.name, [question.column],
                        "\(count.rows(of: table.name)) \(count == 1 ? "has" : "have") \(question.words) in "
                            + "\(question.column); find them with: SELECT * FROM \(quoted(table.name)) "
                            + "WHERE \(question.condition)",
                        remedy: [question.remedy].compactMap { $0 }, .changes))
            }
        }
        return findings
    }

    private static func questions(_ column: DatabaseSchema.Column, _ table: DatabaseSchema.Table) -> [Question] {
        let (name, type) = (quoted(column.name), column.declaredType)
        let mayBeNull = !column.isNotNull && column.primaryKeyPosition == nil
        func question(
            _ condition: String, _ words: String, _ value: String? = nil, where isFit: String? = nil
        ) -> Question {
            let fit = isFit.map { " AND \($0)" } ?? ""
            let remedy = value.map { "UPDATE \(quoted(table.name)) SET \(name) = \($0) WHERE \(condition)\(fit)" }
            return Question(
                column: column.name, condition: condition, words: "\(words), though the column is \(type),",
                remedy: remedy)
        }
        let affinity = Affinity(declaredType: type, isStrict: false)
        switch affinity {
        // SQLite takes POINT and INTERVAL for integers, since INT is in them.
        case .integer where !isOfNumbers(type): return []
        case .integer, .real:
            let numbers = [
                question("\(name) = ''", "an empty text", mayBeNull ? "NULL" : nil),
                question("typeof(\(name)) = 'text' AND \(name) <> ''", "a text"),
                question("typeof(\(name)) = 'blob'", "a blob"),
            ]
            return affinity == .real ? numbers : numbers + [question("typeof(\(name)) = 'real'", "a fraction")]
        case .text:
            return [
                // Bytes that aren't UTF-8 would be a text that nobody can read. SQLite tells ASCII from others alone.
                question(
                    "typeof(\(name)) = 'blob'", "a blob", "CAST(\(name) AS TEXT)",
                    where: "instr(\(name), x'00') = 0 AND CAST(\(name) AS TEXT) NOT GLOB "
                        + "'*[^' || char(9, 10, 13) || ' -~]*'"),
                question("typeof(\(name)) IN ('integer', 'real')", "a number", "CAST(\(name) AS TEXT)"),
            ]
        case .numeric where type.lowercased().contains("bool"):
            return [
                question("typeof(\(name)) <> 'text' AND \(name) NOT IN (0, 1)", "neither 0 nor 1"),
                question(
                    "typeof(\(name)) = 'text' AND lower(\(name)) IN ('true', 'false', 't', 'f', 'yes', 'no')",
                    "a text", "lower(\(name)) IN ('true', 't', 'yes')"),
            ]
        case .numeric, .blob: return []
        }
    }

    /// Whether a word of a type is INTEGER, INT8, BIGINT or the like.
    private static func isOfNumbers(_ type: String) -> Bool {
        type.lowercased().split { !$0.isLetter }.contains { word in
            word.hasSuffix("int") && word != "point" || word == "integer"
        }
    }
}
