internal import Foundation

/// The functions and collations that every connection has: `REGEXP`, `fold`, `sqlitekit_value`, `sqlitekit_date`,
/// `sqlitekit_sum`, `sqlitekit_average`, `sqlitekit_normal`, `sqlitekit_float`, `sqlitekit_uuid`,
/// `UNACCENTED_NOCASE`, `LOCALIZED`, `DECIMAL` and `UTF8`.
///
/// To add them takes a few microseconds of the opening of a connection, and a schema that uses one can then be opened
/// by any other.
extension Database {
    func addBuiltIns() throws(SQLiteError) {
        try connection.addCollation("DECIMAL", compareDecimals)
        try connection.addCollation("UNACCENTED_NOCASE", compareFolded)
        // SQLite hands texts over as UTF-8, whatever the database's encoding.
        try connection.addCollation("UTF8", compareBytes)
        try addCollation("LOCALIZED") { $0.localizedStandardCompare($1) }
        // Not innocuous: a pattern can be made to take for ever.
        try addFunction("regexp", argumentCount: 2, .deterministic) { arguments in
            guard arguments.storageClass(at: 0) != .null, let text = try arguments.text(at: 1) else { return nil }
            let pattern = try arguments.kept(for: 0) { try regularExpression(arguments.text(at: 0) ?? "") }
            return pattern.firstMatch(in: text, range: NSRange(0..<text.utf16.count)) != nil
        }
        try addFunction("fold", argumentCount: 1, [.deterministic, .innocuous]) { arguments in
            try arguments.text(at: 0).map { folded($0, caseInsensitive: true, diacriticInsensitive: true) }
        }
        try addFunction("fold", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            guard let text = try arguments.text(at: 0) else { return nil }
            switch try arguments.text(at: 1) {
            case "c": return folded(text, caseInsensitive: true, diacriticInsensitive: false)
            case "d": return folded(text, caseInsensitive: false, diacriticInsensitive: true)
            case "cd": return folded(text, caseInsensitive: true, diacriticInsensitive: true)
            case let what:
                let what = what.map(SQLText.literal) ?? "NULL"
                throw SQLiteError(.error, "fold takes 'c', 'd' or 'cd' for what not to regard, not \(what)")
            }
        }
        try addFunction("sqlitekit_value", argumentCount: 1, [.deterministic, .innocuous]) { arguments in
            guard let text = try arguments.text(at: 0) else { return nil }
            guard let value = SQLiteValue(listed: text) else {
                throw SQLiteError(
                    .error, "sqlitekit_value takes an element of a list of values, not \(SQLText.literal(text))")
            }
            return value
        }
        try addFunction("sqlitekit_date", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            return try arguments.stored(at: 0).date(as: form)
        }
        try addFunction("sqlitekit_date", argumentCount: 3, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            let new = try arguments.kept(for: 2) { try dateForm(arguments.text(at: 2)) }
            return try new.conversion(of: arguments[0], from: form)
        }
        try addFunction("sqlitekit_uuid", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            guard let uuid = try? UUID(sqliteValue: arguments[0]) else { return nil }
            switch try arguments.text(at: 1) {
            case "blob": return SQLiteValue.blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            case "lowercaseText": return SQLiteValue.text(uuid.uuidString.lowercased())
            default: return SQLiteValue.text(uuid.uuidString)
            }
        }
        try addFunction("sqlitekit_date_like", argumentCount: 4, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            let writing = try arguments.kept(for: 2) { try dateWriting(arguments.text(at: 2)) }
            let value: SQLiteValue = try arguments[0]
            return try form.replacement(value, for: arguments[3], writing) ?? value
        }
        try addRowFunctions()
        try addNormalForms()
        try addAggregate("sqlitekit_sum", argumentCount: 1, [.deterministic, .innocuous]) { DecimalSum() }
        try addAggregate("sqlitekit_average", argumentCount: 1, [.deterministic, .innocuous]) { DecimalAverage() }
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
}

extension StoredValue {
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

extension FunctionArguments {
    /// An argument as text, a number in SQLite's spelling of it; nil for NULL.
    func text(at index: Int) throws(SQLiteError) -> String? {
        storageClass(at: index) == .null ? nil : try stored(at: index).text(at: 0)
    }
}

private func regularExpression(_ pattern: String) throws(SQLiteError) -> NSRegularExpression {
    do {
        // NSRegularExpression rejects the empty pattern, which is found everywhere.
        return try NSRegularExpression(pattern: pattern.isEmpty ? "(?:)" : pattern)
    } catch {
        throw SQLiteError(.error, "REGEXP: \(pattern.debugDescription) isn't a regular expression")
    }
}

/// The collation UTF8: by the bytes of the texts in UTF-8, which BINARY takes in a database of UTF-8 alone.
@Sendable
private func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
}

/// The collation UNACCENTED_NOCASE: by the bytes of the folded texts.
@Sendable
private func compareFolded(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
    func compare(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int32 {
        left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }
    func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.allSatisfy { $0 < 0x80 } }
    func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }
    func fold(_ bytes: UnsafeRawBufferPointer) -> String {
        folded(String(decoding: bytes, as: UTF8.self), caseInsensitive: true, diacriticInsensitive: true)
    }
    if isASCII(left), isASCII(right) { return compare(left.lazy.map(lowercased), right.lazy.map(lowercased)) }
    return compare(fold(left).utf8, fold(right).utf8)
}
