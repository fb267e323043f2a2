internal import Foundation

/// Columns whose values have several stored forms: a plan gives them the class's, or says what prevents it.
extension TableDraft {
    /// What the numbers of a column of dates are.
    enum DateSource {
        case form(DateStorage)
        /// Nobody knows.
        case unknown
    }

    /// Has a column of dates hold them in the class's form.
    ///
    /// - Returns: Whether the type of the column needs no other look.
    mutating func fitDates(
        _ column: ColumnDefinition, _ property: Column, _ current: ColumnDefinition, isMisfit: Bool
    ) throws -> Bool {
        guard let own = property.codec.dateForm else { return false }
        let affinity = Affinity(declaredType: current.type, isStrict: target.isStrict)
        let mark = DateStorage(mark: current.clause(.dateForm))
        // What the class doesn't say is kept as it is found.
        let isDeclared = property.declaration.dateStorage != nil || unwrapped(property.type) != Date.self
        switch affinity {
        case .numeric, .blob: return false
        case .text:
            guard own.columnType != .text, isDeclared else { return false }
            differ(
                "\(current.name) holds dates as texts, and \(property.key) is stored as \(own.rawValue)", property.key,
                isRelied: isMisfit)
            convertDates(current.name, from: .form(own), to: own, column)
            return true
        case .real, .integer:
            let isOfType = own.columnType.rawValue == affinity.rawValue
            // The numbers of another type that aren't said to be dates are an error.
            guard mark != nil || isOfType || own.columnType == .text || isDeclared else { return false }
            guard mark != nil || !isOfType else {
                guard let source = try unmarkedSource(of: current, for: own) else { return true }
                differ(
                    "the numbers of \(current.name) aren't said to be \(own.rawValue)", property.key,
                    isRelied: isMisfit)
                convertDates(current.name, from: source, to: own, column)
                return true
            }
            guard let source = try dateSource(of: current, for: own) else { return true }
            differ(
                "\(current.name) holds dates of another form, and \(property.key) is stored as \(own.rawValue)",
                property.key, isRelied: isMisfit)
            convertDates(current.name, from: source, to: own, column)
            return true
        }
    }

    /// What the numbers of a column are that are to be dates of a form; nil if they are that already, or are taken for
    /// it.
    func dateSource(of current: ColumnDefinition, for form: DateStorage) throws -> DateSource? {
        let affinity = Affinity(declaredType: current.type, isStrict: target.isStrict)
        if let mark = DateStorage(mark: current.clause(.dateForm)) { return mark == form ? nil : .form(mark) }
        switch affinity {
        case .numeric, .blob: return nil
        case .text: return form.columnType == .text ? nil : .form(form)
        case .real where form.columnType == .real, .integer where form.columnType == .integer: return nil
        case .real:
            // The library's own form, unless they look like another's.
            let units = try numbers(current.name).units
            return units == [.julianDay] || units.contains(.large) ? .unknown : .form(.unixSeconds)
        case .integer:
            let numbers = try numbers(current.name)
            return numbers.units.isEmpty ? .form(.unixMilliseconds) : numbers.storage.map { .form($0) } ?? .unknown
        }
    }

    /// What the numbers of a column are that are of a form's type, and may be of its unit or of another; nil if they
    /// are of that form as far as their size tells.
    private func unmarkedSource(of current: ColumnDefinition, for form: DateStorage) throws -> DateSource? {
        let numbers = try numbers(current.name)
        let units = numbers.units
        switch form {
        case .julianDay:
            if numbers.examples.isEmpty || units == [.julianDay] { return nil }
            return units == [.seconds] ? .form(.unixSeconds) : .unknown
        case .referenceDate:
            // Seconds since 1970, which the library's tables don't say, are numbers of the same size.
            return numbers.examples.isEmpty ? nil : .unknown
        case .unixMicroseconds, .microsecondsSince1601:
            if !units.contains(.milliseconds), !units.contains(.seconds) { return nil }
            return units == [.milliseconds] ? .form(.unixMilliseconds) : .unknown
        default: return nil
        }
    }

    /// Gives a column the type of a form of dates, and its values that form.
    mutating func convertDates(
        _ column: String, from source: DateSource, to form: DateStorage, _ wanted: ColumnDefinition
    ) {
        retype(column, wanted.type, default: wanted.clause(.defaultValue))
        if let mark = form.mark { change(column) { $0.clauses.insert(mark, at: 0) } }
        let name = SQLText.identifier(column)
        switch source {
        case .unknown:
            checkFound(
                "have numbers in \(column) of which the table doesn't say what dates they are, and their size doesn't "
                    + "tell: alterTable with change(\"\(column)\", to: .date.stored(as: …)) says it",
                where: "typeof(\(name)) IN ('integer', 'real')")
        case .form(let source):
            convert(
                column, by: "sqlitekit_date(\(name), '\(source.rawValue)', '\(form.rawValue)')",
                "can't be converted in \(column), where dates are to be stored as \(form.rawValue): they aren't dates, or "
                    + "would be other times in that form: change them first")
        }
    }

    /// Has a column of UUIDs hold them as texts or as bytes.
    ///
    /// - Parameter declared: The form that is declared. Letters of the other case stay where none is.
    /// - Returns: Whether anything changes. A column that takes any value without changing it stays.
    @discardableResult
    mutating func convertUUIDs(
        _ current: ColumnDefinition, _ wanted: ColumnDefinition, _ declared: UUIDStorage?
    ) throws -> Bool {
        let (old, new) = (
            Affinity(declaredType: current.type, isStrict: target.isStrict),
            Affinity(declaredType: wanted.type, isStrict: target.isStrict)
        )
        if old == .text, new == .text {
            guard let declared, try holdsOtherLetters(current.name, declared) else { return false }
        } else {
            guard new != .blob || old == .text || target.isStrict && old != .blob, old != new, !current.type.isEmpty,
                old != .numeric
            else { return false }
        }
        let form: UUIDStorage = new == .blob ? .blob : declared ?? .text
        retype(current.name, wanted.type, default: wanted.clause(.defaultValue))
        convert(
            current.name,
            by: "sqlitekit_uuid(\(SQLText.identifier(current.name)), '\(form)')",
            "have a value in \(current.name) that isn't a UUID: change them first")
        return true
    }
}

extension EngineConnection {
    /// What the numbers of a column are as dates, with an example of each unit.
    ///
    /// - Parameter table: The table as SQL finds it.
    func dateNumbers(_ column: String, of table: String) throws -> DateNumbers {
        let name = SQLText.identifier(column)
        let units =
            "CASE WHEN \(name) = 0 THEN 0 WHEN \(name) >= 1721059.5 AND \(name) < 5373484.5 THEN 1 "
            + [1e8, 1e11, 1e14, 1.1e16, 2e16].enumerated().map {
                "WHEN \(name) > -\($1) AND \(name) < \($1) THEN \($0 + 2) "
            }.joined() + "END"
        let rows = try rows(
            SQL(
                "SELECT min(\(name)) FROM \(table) WHERE typeof(\(name)) IN ('integer', 'real') "
                    + "GROUP BY \(units)" as String), cached: false)
        var numbers = DateNumbers()
        for row in rows {
            switch try row.value(at: 0, as: SQLiteValue.self) {
            case .integer(let number): numbers.add(Double(number))
            case .real(let number): numbers.add(number)
            case .null, .text, .blob: break
            }
        }
        return numbers
    }
}
