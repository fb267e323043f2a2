internal import Foundation

/// What a look at a table has shown of how its values are stored, where that is not as the class declares it: what SQL
/// has to say of a column so that SQLite compares its values as the class does.
struct StoredForms: Sendable {
    /// What a column of dates holds, where it may be other forms than the one that the class writes.
    struct Dates: Sendable {
        enum Contents {
            /// Any forms, and no index to find them by.
            case any
            /// Texts alone, in an index.
            case texts
            /// Numbers and texts, in an index: the numbers come first.
            case numbersAndTexts
        }

        /// The form that the class writes.
        let form: DateStorage
        let contents: Contents
    }

    /// What the class's own table holds.
    static let declared = StoredForms()

    /// The columns of dates that may hold other forms.
    var dates: [Int: Dates] = [:]
    /// Whether the database's texts are UTF-16, by whose bytes SQLite compares them.
    var isUTF16 = false

    /// A column's value as the class would store it.
    func value(_ column: ColumnOperand) -> String {
        dates[column.index].map { Self.date(column.sql, as: $0.form) } ?? column.sql
    }

    /// The same, which SQLite compares, puts in order and calls the same as the class does.
    func comparable(_ column: ColumnOperand) -> String {
        value(column) + (collation(column).map { " COLLATE \($0)" } ?? "")
    }

    /// A column as SQLite puts its values in the order of the class's. An index may have that order.
    func ordered(_ column: ColumnOperand) -> String {
        dates[column.index]?.contents == .texts ? column.sql : comparable(column)
    }

    /// The collation that SQL has to name, since the column has another, or may have; nil where there is none to name.
    private func collation(_ column: ColumnOperand) -> String? {
        if column.ownCollation == nil { return SQLText.identifier(column.collation.rawValue) }
        return isUTF16 && column.collation == .binary && [.text, .any].contains(column.kind) ? "UTF8" : nil
    }

    /// A value that may be a date in any form, as the stored value of one form.
    static func date(_ sql: String, as form: DateStorage) -> String { "sqlitekit_date(\(sql), '\(form.rawValue)')" }
}

/// Comparisons of dates that an index holds in several forms.
extension CriteriaSQL {
    /// Adds `(RANGES AND `, where an index can find what lies between two dates, whatever the forms, and what lies a day
    /// beside. To be closed by whoever adds the comparison that tells.
    ///
    /// - Parameters:
    ///   - first: The least date, as the class stores it; nil is none.
    ///   - last: The greatest date.
    /// - Returns: Whether anything was added.
    mutating func appendRanges(of operand: Operand, from first: SQLiteValue?, to last: SQLiteValue?) -> Bool {
        guard case .column(let column) = operand, column.mask == nil, let dates = forms.dates[column.index],
            dates.contents != .any
        else { return false }
        let numbers = dates.form.columnType == .text ? DateStorage.unixSeconds : dates.form
        // A text may be in another zone, a day away, and stand for a whole day.
        func bound(_ value: SQLiteValue?, _ days: Double, _ form: DateStorage) -> SQLiteValue? {
            guard let value, let date = try? dates.form.date(from: value) else { return nil }
            return try? form.value(for: date.addingTimeInterval(days * 86_400))
        }
        let texts = (first: bound(first, -1, .date), last: bound(last, 2, .date))
        let isBounded = (first == nil || texts.first != nil) && (last == nil || texts.last != nil)
        guard isBounded, first != nil || last != nil else { return false }
        append("(")
        if dates.contents == .texts {
            append(column.sql, from: texts.first, to: texts.last)
        } else {
            append("(")
            append(column.sql, from: bound(first, -1, numbers), to: bound(last, 2, numbers) ?? .text(""))
            append(" OR ")
            append(column.sql, from: texts.first ?? .text(""), to: texts.last)
            append(")")
        }
        append(" AND ")
        return true
    }

    /// Adds `COLUMN >= ? AND COLUMN < ?`, or the half of it that there is a value for.
    private mutating func append(_ column: String, from first: SQLiteValue?, to last: SQLiteValue?) {
        if let first {
            append("\(column) >= ?")
            bind(first)
        }
        guard let last else { return }
        append("\(first == nil ? "" : " AND ")\(column) < ?")
        bind(last)
    }
}
