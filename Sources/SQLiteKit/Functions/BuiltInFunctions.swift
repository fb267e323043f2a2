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
        // Not innocuous: a pattern can be made to take forever.
        try addFunction("regexp", argumentCount: 2, .deterministic) { arguments in
            guard arguments.storageClass(at: 0) != .null, let text = try arguments.text(at: 1) else { return nil }
            let pattern = try arguments.kept(for: 0) { try regularExpression(arguments.text(at: 0) ?? "") }
            return pattern.firstMatch(in: text, range: NSRange(0..<text.utf16.count)) != nil
        }
        try addFunction("sqlitekit_value", argumentCount: 1, [.deterministic, .innocuous]) { arguments in
            guard let text = try arguments.text(at: 0) else { return nil }
            guard let value = SQLiteValue(listed: text) else {
                throw SQLiteError(
                    .error, "sqlitekit_value takes an element of a list of values, not \(SQLText.literal(text))")
            }
            return value
        }
        try addFunction("sqlitekit_uuid", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            guard let uuid = try? UUID(sqliteValue: arguments[0]) else { return nil }
            switch try arguments.text(at: 1) {
            case "blob": return SQLiteValue.blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            case "lowercaseText": return SQLiteValue.text(uuid.uuidString.lowercased())
            default: return SQLiteValue.text(uuid.uuidString)
            }
        }
        try addFolding()
        try addDateFunctions()
        try addRowFunctions()
        try addNormalForms()
        try addAggregate("sqlitekit_sum", argumentCount: 1, [.deterministic, .innocuous]) { DecimalSum() }
        try addAggregate("sqlitekit_average", argumentCount: 1, [.deterministic, .innocuous]) { DecimalAverage() }
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
