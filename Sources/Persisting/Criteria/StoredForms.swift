internal import Foundation

/// How the values of a table are stored, where that is not as the class declares it: what SQL has to say of a column so
/// that SQLite compares its values as the class does.
struct StoredForms {
    /// What a column of dates holds, where it is not numbers of the class's form alone.
    struct Dates {
        enum Contents {
            /// Any forms, or nothing is known of them.
            case any
            /// Texts alone, in an index. Each begins with a year.
            case texts
            /// Numbers and texts, in an index: the numbers come first.
            case numbersAndTexts
        }

        /// The form that the class writes.
        let form: DateStorage
        let contents: Contents
        /// Whether the texts that were seen are in the order of their dates.
        let isSorted: Bool
    }

    /// What the class's own table holds.
    static var declared: StoredForms { StoredForms() }

    /// The columns of dates, at which the statement about to be written looks.
    private let dates: DateContents?
    /// The affinities of columns of decimal numbers that hold numbers, maybe beside texts.
    private let decimals: [Int: Affinity]
    /// The columns of binary texts to which the table gives another collation.
    private let collated: ColumnSet
    /// Whether the database's texts are UTF-16, by whose bytes SQLite compares them.
    let isUTF16: Bool

    /// Whether SQL may call the library's functions.
    let canCall: Bool

    /// How many values a statement may have.
    let greatestParameterCount: Int

    /// What is known of another class's table, which is looked at first: a column that it lacks would be taken for one
    /// of this table.
    private let others: FormsOfOthers?

    init(
        _ dates: DateContents? = nil, decimals: [Int: Affinity] = [:], collated: ColumnSet = ColumnSet(),
        isUTF16: Bool = false, canCall: Bool = true, greatestParameterCount: Int = .max,
        others: FormsOfOthers? = nil
    ) {
        self.dates = dates
        self.decimals = decimals
        self.collated = collated
        self.isUTF16 = isUTF16
        self.canCall = canCall
        self.greatestParameterCount = greatestParameterCount
        self.others = others
    }

    /// A related class, with the key that its table has, and the forms there.
    func related(_ mapping: Mapping) throws -> (mapping: Mapping, forms: StoredForms) {
        try others?.of(mapping) ?? (mapping, .declared)
    }

    /// Whether a transaction would tell more of the columns that have been asked for.
    var wantTransaction: Bool { dates?.wantsTransaction ?? false }

    /// What a column of dates holds now; nil for any other column, and for one of numbers alone.
    func dates(in column: ColumnOperand) throws -> Dates? {
        if let home = column.home { return try related(home.mapping).forms.dates?.contents(home.index) }
        return try dates?.contents(column.index)
    }

    /// Whether SQLite compares a column's decimal numbers with texts as numbers by itself.
    func areNumeric(_ column: ColumnOperand) throws -> Bool {
        try affinity(ofDecimals: column).map { $0 != .blob } ?? false
    }

    /// Whether the table compares a column's texts otherwise than the class, which compares their bytes.
    func haveOtherCollation(_ column: ColumnOperand) throws -> Bool {
        guard column.mask == nil else { return false }
        if let home = column.home { return try related(home.mapping).forms.collated.contains(home.index) }
        return column.index != ColumnOperand.nowhere && collated.contains(column.index)
    }

    private func affinity(ofDecimals column: ColumnOperand) throws -> Affinity? {
        guard column.mask == nil else { return nil }
        if let home = column.home { return try related(home.mapping).forms.decimals[home.index] }
        return decimals[column.index]
    }

    /// A column's value as the class would store it.
    func value(_ column: ColumnOperand) throws -> String {
        if try affinity(ofDecimals: column) != nil { return "CAST(\(column.sql) AS TEXT)" }
        guard let form = try dates(in: column)?.form else {
            return canCall ? column.comparedForm.sql(column.sql) : column.sql
        }
        let date = form.sql(of: column.sql)
        // Numbers come before the empty text, and are of the form's unit.
        return form.columnType == .text ? date : "CASE WHEN \(column.sql) >= '' THEN \(date) ELSE \(column.sql) END"
    }

    /// The same, which SQLite compares, puts in order and calls the same as the class does.
    func comparable(_ column: ColumnOperand) throws -> String {
        try value(column) + (collation(column).map { " COLLATE \($0)" } ?? "")
    }

    /// A column as SQLite puts its values in the order of the class's. An index may have that order.
    func ordered(_ column: ColumnOperand) throws -> String {
        if let dates = try dates(in: column), dates.contents == .texts, dates.isSorted { return column.sql }
        if try areNumeric(column) { return column.sql }
        // Rounding keeps the order of numbers.
        if case .rounded(.float) = column.comparedForm { return column.sql }
        return try comparable(column)
    }

    /// The collation that SQL has to name, since the column has another, or may have; nil where there is none to name.
    private func collation(_ column: ColumnOperand) -> String? {
        if column.ownCollation == nil { return SQLText.identifier(column.collation.rawValue) }
        return isUTF16 && column.collation == .binary && [.text, .any].contains(column.kind) ? "UTF8" : nil
    }
}

/// Comparisons of dates that an index holds in several forms.
extension CriteriaSQL {
    /// Adds `(RANGES AND `, where an index can find what lies between two dates, whatever the forms, and what lies a
    /// day around it. To be closed by whoever adds the comparison that tells.
    ///
    /// - Parameters:
    ///   - first: The least date, as the class stores it; nil is none.
    ///   - last: The greatest date.
    /// - Returns: Whether anything was added.
    mutating func appendRanges(of operand: Operand, from first: SQLiteValue?, to last: SQLiteValue?) throws -> Bool {
        guard case .column(let column) = operand, column.mask == nil, let dates = try forms.dates(in: column),
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
