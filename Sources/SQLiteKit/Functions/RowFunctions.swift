internal import CSystemSQLite
internal import Foundation

/// Functions that calculations of a row use where SQLite has none of its own, or one that knows ASCII alone.
extension Database {
    func addRowFunctions() throws(SQLiteError) {
        try addTextFunction()
        try addIntegerFunction()
        try addFloatFunction()
        try addDateFunction()
    }

    private func addTextFunction() throws(SQLiteError) {
        try addFunction("sqlitekit_text", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            guard let text = try arguments.text(at: 0) else { return nil }
            switch try arguments.text(at: 1) {
            case "lowercased": return text.lowercased()
            case "uppercased": return text.uppercased()
            default: throw SQLiteError(.error, "sqlitekit_text makes a text 'lowercased' or 'uppercased'")
            }
        }
    }

    /// What a property of integers is set to.
    private func addIntegerFunction() throws(SQLiteError) {
        try addFunction("sqlitekit_integer", argumentCount: 4, [.deterministic, .innocuous]) { arguments in
            let (least, most) = try (arguments.stored(at: 1).int64(at: 0), arguments.stored(at: 2).int64(at: 0))
            let value: Int64? =
                switch arguments.storageClass(at: 0) {
                case .null: nil
                case .integer: try arguments.stored(at: 0).int64(at: 0)
                default: try Int64(exactly: arguments.stored(at: 0).double(at: 0)) ?? .min
                }
            guard let value else { return nil }
            guard value >= least, value <= most, value != .min || arguments.storageClass(at: 0) == .integer else {
                throw SQLiteError(
                    .error,
                    "\(try arguments.text(at: 0) ?? "") isn't an integer from \(least) to \(most), which the property "
                        + "\(try arguments.text(at: 3) ?? "") holds")
            }
            return value
        }
    }

    /// What a property of type Float is set to.
    private func addFloatFunction() throws(SQLiteError) {
        try addFunction("sqlitekit_float", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            let value = try arguments.stored(at: 0)
            guard arguments.storageClass(at: 0) != .null else { return nil }
            let number = value.double(at: 0)
            guard Float(number).isFinite || !number.isFinite else {
                throw SQLiteError(
                    .error,
                    "\(number) is beyond the numbers that the property \(try arguments.text(at: 1) ?? "") holds")
            }
            return number
        }
    }

    private func addDateFunction() throws(SQLiteError) {
        try addFunction("sqlitekit_date", argumentCount: 4, [.deterministic, .innocuous]) { arguments in
            let form = try arguments.kept(for: 1) { try dateForm(arguments.text(at: 1)) }
            let question = try arguments.kept(for: 2) { try DateQuestion(arguments.text(at: 2)) }
            let offset = try Int(clamping: arguments.stored(at: 3).int64(at: 0))
            // What isn't a date has no part of one.
            guard let date = try? arguments.stored(at: 0).date(in: form) else { return nil }
            return question.answer(of: date, offset, form)
        }
    }
}

/// What is asked of a date, by its name in SQL: `month`, or `start of month`.
private enum DateQuestion {
    case part(DatePart)
    case start(DateUnit)

    init(_ name: String?) throws(SQLiteError) {
        if let part = name.flatMap(DatePart.init(rawValue:)) {
            self = .part(part)
        } else if let name, name.hasPrefix("start of "), let unit = DateUnit(rawValue: String(name.dropFirst(9))) {
            self = .start(unit)
        } else {
            let parts = DatePart.allCases.map(\.rawValue).joined(separator: ", ")
            let units = DateUnit.allCases.map(\.rawValue).joined(separator: ", ")
            throw SQLiteError(.error, "sqlitekit_date tells of a date its \(parts), or the start of its \(units)")
        }
    }

    func answer(of date: Date, _ offset: Int, _ form: DateStorage) -> SQLiteValue? {
        switch self {
        case .part(let part): part.value(of: date, offset: offset).map { .integer($0) }
        case .start(let unit): unit.start(of: date, offset: offset).flatMap { try? form.value(for: $0) }
        }
    }
}

extension SQLiteValue {
    /// A number rounded as SQLite's `round` does.
    ///
    /// - Parameter digits: After the point; a negative number is 0, and SQLite takes 30 at most.
    package static func rounded(_ real: Double, digits: Int64) -> Double {
        // There is no fraction beyond, and SQLite leaves the number as it is.
        guard real.magnitude <= 4_503_599_627_370_496 else { return real }
        guard digits > 0 else { return Double(Int64(real + (real < 0 ? -0.5 : 0.5))) }
        return Double(formatted("%!.*f", [Int32(min(digits, 30)), real])) ?? real
    }

    private static func formatted(_ format: String, _ values: [any CVarArg]) -> String {
        guard let text = withVaList(values, { sqlite3_vmprintf(format, $0) }) else { return "" }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}
