/// A question whose answer is the rows that prevent a change.
struct RowCheck: Sendable {
    let table: String
    /// What is asked: `FROM … WHERE …`, of rows that have a column `_row_name`.
    let source: String
    /// What is wrong with the rows.
    let message: String

    func obstacle(_ db: any EngineConnection) throws -> SchemaPlan.Obstacle? {
        let from = SQL(source)
        let counts = try db.rows("SELECT count(*) \(sql: from)", cached: false)
        let count: Int = try counts.first?.value(at: 0, as: Int.self) ?? 0
        guard count > 0 else { return nil }
        let rows = try db.rows("SELECT _row_name \(sql: from) LIMIT 5", cached: false)
        var names: [String] = try rows.map { row in try row.value(at: 0, as: SQLiteValue.self).description }
        if count > names.count { names.append("\(count - names.count) more") }
        let subject = count == 1 ? "1 row" : "\(count) rows"
        return SchemaPlan.Obstacle(
            table: table, message: "\(subject) of \(table) (\(names.joined(separator: ", "))) \(message)", rows: count)
    }
}

extension RowCheck {
    /// The rule by which a value becomes one of another type, and the rows that it doesn't hold for.
    ///
    /// - Returns: The expression of the new value, and the condition of a value that can't be converted.
    static func conversion(_ column: String, to type: Affinity) -> (expression: String, condition: String) {
        let cast = "CAST(\(column) AS \(type.rawValue))"
        func isUnfit(unless cases: (type: String, test: String)...) -> String {
            var tests = ""
            for one in cases { tests += " WHEN '\(one.type)' THEN NOT (\(one.test))" }
            return "CASE typeof(\(column)) WHEN 'null' THEN 0\(tests) ELSE 1 END"
        }
        let condition =
            switch type {
            case .integer:
                // A text that another number spells too, such as 007, isn't that number.
                isUnfit(
                    unless: ("integer", "1"), ("real", "\(cast) = +\(column)"),
                    ("text", "CAST(\(cast) AS TEXT) = +\(column) COLLATE BINARY"))
            case .real:
                isUnfit(
                    unless: ("real", "1"), ("integer", "\(cast) = +\(column)"), ("text", "\(cast) = +\(column)"))
            case .text:
                isUnfit(
                    unless: ("text", "1"), ("integer", "1"), ("real", "CAST(\(cast) AS REAL) = +\(column)"))
            case .blob: isUnfit(unless: ("blob", "1"), ("text", "1"))
            case .numeric: "0"
            }
        return (type == .numeric ? column : cast, condition)
    }

    /// The rule in words.
    static func rule(_ type: Affinity) -> String {
        switch type {
        case .integer: "integers stay, whole numbers and the exact digits of an integer become one"
        case .real: "numbers stay, and so do texts that are numbers"
        case .text: "texts stay, and numbers become their digits"
        case .blob: "bytes stay, and texts become their UTF-8"
        case .numeric: "all values stay"
        }
    }
}
