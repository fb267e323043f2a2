/// The form in which a column of dates is written, where that is not the class's own.
enum DateForm: Hashable, Sendable {
    case stored(DateStorage)
    /// The form that the row has. A new row gets the class's own.
    case asInRow(own: DateStorage)
}

extension DateStorage {
    /// A value that may be a date in any form, as the stored value of this one.
    func sql(of value: String) -> String { "sqlitekit_date(\(value), '\(rawValue)')" }
}

extension [Int: DateForm] {
    /// The parameter of a column in a new row. It is bound to what the class stores.
    func parameter(_ index: Int) -> String {
        if case .stored(let form)? = self[index] { form.sql(of: "?") } else { "?" }
    }

    /// The parameter of a column that takes the place of a row's value.
    ///
    /// - Parameter old: The row's value in SQL.
    func parameter(_ index: Int, over old: String) -> String { value(parameter(index), index, over: old) }

    /// What a new row would have, for the place of a row's value.
    func value(_ new: String, _ index: Int, over old: String) -> String {
        guard case .asInRow(let own)? = self[index] else { return new }
        // Texts by their lengths, as SQLite and other libraries write them; numbers, and texts that are none, as ever.
        return "sqlitekit_date(\(new), CASE "
            + "WHEN typeof(\(old)) <> 'text' OR \(old) NOT GLOB '[0-9][0-9][0-9][0-9]-*' THEN '\(own.rawValue)' "
            + "WHEN \(old) GLOB '*T*' THEN '\(DateStorage.iso8601.rawValue)' "
            + "WHEN length(\(old)) <= 10 THEN '\(DateStorage.date.rawValue)' "
            + "WHEN length(\(old)) <= 19 THEN '\(DateStorage.dateTime.rawValue)' "
            + "ELSE '\(DateStorage.fractionalDateTime.rawValue)' END)"
    }
}
