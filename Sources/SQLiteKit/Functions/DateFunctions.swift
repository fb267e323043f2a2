internal import Foundation

/// Functions that convert dates from one form to another.
extension Database {
    func addDateFunctions() throws(SQLiteError) {
        try addFunction("sqlitekit_date", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            return try arguments.stored(at: 0).date(as: form)
        }
        try addFunction("sqlitekit_date", argumentCount: 3, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            let new = try arguments.kept(for: 2) { try dateForm(arguments.text(at: 2)) }
            return try new.conversion(of: arguments[0], from: form)
        }
        try addFunction("sqlitekit_date_like", argumentCount: 4, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            let writing = try arguments.kept(for: 2) { try dateWriting(arguments.text(at: 2)) }
            let value: SQLiteValue = try arguments[0]
            return try form.replacement(value, for: arguments[3], writing) ?? value
        }
    }
}

/// A form of dates by its name.
func dateForm(_ name: String?) throws(SQLiteError) -> DateStorage {
    guard let form = name.flatMap(DateStorage.init(rawValue:)) else {
        let names = DateStorage.allCases.map(\.rawValue).joined(separator: ", ")
        throw SQLiteError(.error, "sqlitekit_date takes the name of a form of dates: \(names)")
    }
    return form
}

/// A way to write dates by its name.
private func dateWriting(_ name: String?) throws(SQLiteError) -> DateWriting {
    guard let writing = DateWriting(name: name) else {
        throw SQLiteError(.error, "sqlitekit_date_like doesn't know how to write dates as \(name ?? "NULL")")
    }
    return writing
}

extension StoredValue {
    /// The stored value that the date of this one has in a form; nil for what isn't a date. A number is one of the
    /// form's unit already.
    fileprivate func date(as form: DateStorage) -> SQLiteValue? {
        let date: Date?
        switch storageClass(at: 0) {
        case .integer where form.columnType != .text: return .integer(int64(at: 0))
        case .real where form.columnType != .text: return .real(double(at: 0))
        case .integer, .real: date = try? form.date(from: .real(double(at: 0)))
        case .text: date = withBytes(at: 0) { form.date(parsing: $0) }
        case .null, .blob: date = nil
        }
        // What the form has no value for is not a date in it.
        return date.flatMap { try? form.value(for: $0) }
    }

    /// The date that the value is in a form; nil for NULL and for what isn't a date.
    func date(in form: DateStorage) throws(SQLiteError) -> Date? {
        switch storageClass(at: 0) {
        case .integer: try form.date(from: .integer(int64(at: 0)))
        case .real: try form.date(from: .real(double(at: 0)))
        case .text: withBytes(at: 0) { form.date(parsing: $0) }
        case .null, .blob: nil
        }
    }
}
