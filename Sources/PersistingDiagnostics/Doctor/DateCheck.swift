internal import SQLiteKit

/// Dates of one column in several forms: sorting and comparing them gives wrong results.
enum DateCheck {
    /// How a date is stored, in the order of the SQL below.
    private enum Form: Int, CaseIterable {
        case day, text, iso8601, otherText, julianDay, seconds, milliseconds, microseconds

        var words: String {
            switch self {
            case .day: "YYYY-MM-DD"
            case .text: "YYYY-MM-DD HH:MM"
            case .iso8601: "YYYY-MM-DDTHH:MM"
            case .otherText: "other texts"
            case .julianDay: "Julian days"
            case .seconds: "seconds"
            case .milliseconds: "milliseconds"
            case .microseconds: "microseconds"
            }
        }

        /// Whether a value has the form.
        func condition(_ name: String) -> String {
            let day = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
            func magnitude(_ least: String, _ most: String) -> String {
                "typeof(\(name)) IN ('integer', 'real') AND abs(\(name)) >= \(least) AND abs(\(name)) < \(most)"
            }
            return switch self {
            case .day: "typeof(\(name)) = 'text' AND \(name) GLOB '\(day)'"
            case .text: "typeof(\(name)) = 'text' AND \(name) GLOB '\(day) [0-9][0-9]:[0-9][0-9]*'"
            case .iso8601: "typeof(\(name)) = 'text' AND \(name) GLOB '\(day)T[0-9][0-9]:[0-9][0-9]*'"
            case .otherText: "typeof(\(name)) = 'text' AND \(name) NOT GLOB '\(day)*' AND \(name) <> ''"
            case .julianDay: magnitude("2000000", "3000000")
            case .seconds: magnitude("100000000", "100000000000")
            case .milliseconds: magnitude("100000000000", "100000000000000")
            case .microseconds: magnitude("100000000000000", "100000000000000000")
            }
        }

        /// The arguments by which SQLite's functions read the form.
        func arguments(_ name: String) -> String {
            switch self {
            case .day, .text, .iso8601, .otherText, .julianDay: name
            case .seconds: "\(name), 'unixepoch'"
            case .milliseconds: "\(name) / 1000.0, 'unixepoch'"
            case .microseconds: "\(name) / 1000000.0, 'unixepoch'"
            }
        }

        /// The condition of a date that is one, and that this form can hold: all but Julian days are in whole seconds.
        func holds(_ value: String, _ arguments: String, of form: Form, _ name: String) -> String {
            let isDate = "\(value) IS NOT NULL"
            return self == .julianDay ? isDate : "\(isDate) AND \(form.isInSeconds(name, arguments))"
        }

        /// The condition of a value that has no part of a second. SQLite's functions round to thousandths.
        private func isInSeconds(_ name: String, _ arguments: String) -> String {
            func isMultiple(_ unit: Int) -> String { "\(name) = CAST(\(name) AS INTEGER) AND \(name) % \(unit) = 0" }
            return switch self {
            case .seconds: isMultiple(1)
            case .milliseconds: isMultiple(1_000)
            case .microseconds: isMultiple(1_000_000)
            case .julianDay: "strftime('%f', \(arguments)) GLOB '*.000'"
            case .day, .text, .iso8601, .otherText: "\(name) NOT GLOB '*.*[1-9]*'"
            }
        }

        /// The value in this form; nil where it would lose the time, and for texts that aren't dates.
        func value(_ arguments: String) -> String? {
            switch self {
            case .day, .otherText: nil
            case .text: "datetime(\(arguments))"
            case .iso8601: "strftime('%Y-%m-%dT%H:%M:%SZ', \(arguments))"
            case .julianDay: "julianday(\(arguments))"
            case .seconds: "CAST(strftime('%s', \(arguments)) AS INTEGER)"
            case .milliseconds: "CAST(strftime('%s', \(arguments)) AS INTEGER) * 1000"
            case .microseconds: "CAST(strftime('%s', \(arguments)) AS INTEGER) * 1000000"
            }
        }
    }

    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        try database.tables.flatMap { table in
            try table.columns.filter(isOfDates).compactMap { try finding($0, table, database) }
        }
    }

    /// Whether a column is declared for dates, or named like one that has no type for them.
    private static func isOfDates(_ column: DatabaseSchema.Column) -> Bool {
        guard column.kind == .ordinary else { return false }
        let (type, name) = (column.declaredType.lowercased(), column.name.lowercased())
        if type != "time", type.contains("date") || type.contains("time") { return true }
        return name.hasSuffix("_at") || name.hasSuffix("_date") || name == "date" || column.name.hasSuffix("Date")
            || column.name.hasSuffix("At")
    }

    private static func finding(
        _ column: DatabaseSchema.Column, _ table: DatabaseSchema.Table, _ database: ExaminedDatabase
    ) throws -> FileFinding? {
        let name = quoted(column.name)
        let terms = Form.allCases.map { "count(CASE WHEN \($0.condition(name)) THEN 1 END)" }
        let rows = try database.db.query(
            "SELECT \(sql: SQL(terms.joined(separator: ", "))) FROM \(identifier: table.name)")
        guard let row = try rows.next() else { return nil }
        let counts = try Form.allCases.map { (form: $0, count: try row.value(at: $0.rawValue, as: Int.self)) }
            .filter { $0.count > 0 }
        // A column of which nothing is a date isn't one of dates, whatever it is called.
        guard counts.count > 1, counts.contains(where: { $0.form != .otherText }) else { return nil }
        let most = counts.max { $0.count < $1.count }?.form ?? .text
        let list = counts.map { "\($0.form.words) (\($0.count))" }.joined(separator: ", ")
        let remedy = counts.map(\.form).filter { $0 != most && $0 != .otherText }.compactMap { form in
            let arguments = form.arguments(name)
            return most.value(arguments).map { value in
                "UPDATE \(quoted(table.name)) SET \(name) = \(value) WHERE \(form.condition(name)) "
                    + "AND \(most.holds(value, arguments, of: form, name))"
            }
        }
        return FileFinding(
            .mixedDates, table.name, [column.name],
            "the dates of \(table.name).\(column.name) have several forms: \(list)", remedy: remedy, .changes)
    }
}
