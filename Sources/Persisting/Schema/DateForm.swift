/// How a column of dates is written, where that is not as the class declares it: in the form of the row's own text.
struct DateForm: Hashable, Sendable {
    /// The form in which the class stores dates.
    let own: DateStorage
    /// How a date is written where the row has no text of one.
    let new: DateWriting

    /// A date that the class would store, for the place of a value.
    ///
    /// - Parameter old: The value in SQL.
    func sql(of date: String, over old: String) -> String {
        "sqlitekit_date_like(\(date), '\(own.rawValue)', '\(new.name)', \(old))"
    }
}

extension DateStorage {
    /// A value that may be a date in any form, as the stored value of this one.
    func sql(of value: String) -> String { "sqlitekit_date(\(value), '\(rawValue)')" }
}

extension [Int: DateForm] {
    /// The parameter of a column in a new row. It is bound to what the class stores.
    func parameter(_ index: Int) -> String {
        guard let form = self[index], form.new != .form(form.own) else { return "?" }
        return form.sql(of: "?", over: "NULL")
    }

    /// The parameter of a column that takes the place of a row's value.
    ///
    /// - Parameters:
    ///   - old: The row's value in SQL.
    ///   - parameter: The parameter, which is bound to what the class stores.
    func parameter(_ index: Int, over old: String, as parameter: String = "?") -> String {
        self[index]?.sql(of: parameter, over: old) ?? parameter
    }
}

extension DateStorage {
    /// The comment after the type of a column by which a table tells of numbers what they are. A REAL without one is
    /// seconds since 1970, as far as nothing else is known; texts tell themselves.
    var mark: Clause? {
        columnType == .text || self == .unixSeconds ? nil : Clause(.dateForm, "/* \(rawValue) */")
    }

    /// The form that a comment names.
    init?(mark: Clause?) {
        guard let mark, let form = Self.allCases.first(where: { $0.mark?.sql == mark.sql }) else { return nil }
        self = form
    }
}
