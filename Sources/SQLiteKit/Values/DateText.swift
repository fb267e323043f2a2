package import Foundation

/// How a program writes a date as a text: which parts it has, how many digits of the second's fraction, which zone.
///
/// A text shows only what it needs itself: `13:45:00` may be of a program that writes no fractions, or of one that
/// leaves out those that are zero. Several texts tell, see ``merge(_:)``.
package struct DateText: Hashable, Sendable {
    /// What follows the time.
    enum Zone: Hashable, Sendable {
        case none
        /// `Z` or `z`.
        case letter(UInt8)
        /// Minutes east of UTC, and what is written of them.
        case offset(minutes: Int, hasColon: Bool, hasMinutes: Bool)
    }

    /// What stands between the day and the time; nil for a day alone.
    var separator: UInt8?
    var hasSeconds = true
    /// The mark of the fraction.
    var mark = UInt8(ascii: ".")
    /// How many digits a fraction has, or at most has.
    var digits = 0
    /// Whether a fraction of zero is left out.
    var isOptional = false
    /// Whether the zeros at the end of a fraction are left out.
    var isTrimmed = false
    var isZoneSpaced = false
    var zone = Zone.none
    /// Whether it stands for texts that no one program writes.
    package private(set) var isMixed = false

    /// How a text is written; nil for a text that isn't a date of the calendar.
    package init?(of utf8: UnsafeRawBufferPointer) {
        guard CalendarTime.secondsSince1970(parsing: utf8) != nil else { return nil }
        guard utf8.count > 10 else { return }
        separator = utf8[10]
        var place = 16
        hasSeconds = place < utf8.count && utf8[place] == UInt8(ascii: ":")
        if hasSeconds { place += 3 }
        if hasSeconds, place < utf8.count, [UInt8(ascii: "."), UInt8(ascii: ",")].contains(utf8[place]) {
            mark = utf8[place]
            place += 1
            while place < utf8.count, (48...57).contains(utf8[place]) {
                place += 1
                digits += 1
            }
        }
        while place < utf8.count, utf8[place] == UInt8(ascii: " ") {
            isZoneSpaced = true
            place += 1
        }
        guard place < utf8.count else {
            isZoneSpaced = false
            return
        }
        guard utf8[place] == UInt8(ascii: "+") || utf8[place] == UInt8(ascii: "-") else {
            zone = .letter(utf8[place])
            return
        }
        let digits = utf8[(place + 1)...].filter { (48...57).contains($0) }.map { Int($0) - 48 }
        let hours = digits[0] * 10 + digits[1]
        let minutes = digits.count > 3 ? digits[2] * 10 + digits[3] : 0
        zone = .offset(
            minutes: (utf8[place] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes),
            hasColon: utf8[(place + 1)...].contains(UInt8(ascii: ":")), hasMinutes: digits.count > 3)
    }

    /// How a text is written; nil for a text that isn't a date of the calendar.
    package init?(of text: String) {
        var text = text
        guard let shape = text.withUTF8({ DateText(of: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = shape
    }

    /// That of ``DateStorage/fractionalDateTime``.
    package static let fractional = DateText(separator: " ", digits: 6)

    fileprivate init(separator: Character?, digits: Int = 0, isOptional: Bool = false, zone: Zone = .none) {
        self.separator = separator?.asciiValue
        self.digits = digits
        self.isOptional = isOptional
        self.zone = zone
    }

    /// A date in this form; nil outside the years 0 to 9999. Digits beyond the microsecond are zeros, and those that
    /// the form has no room for are cut off. A form without a fraction shows one that isn't zero all the same: texts of
    /// whole seconds don't tell that their program can't read more.
    package func text(for date: Date) -> String? {
        let offset = if case .offset(let minutes, _, _) = zone { minutes * 60 } else { 0 }
        let seconds = date.timeIntervalSince1970 + Double(offset)
        guard let time = CalendarTime(secondsSince1970: seconds) else { return nil }
        let full = Array(time.text(.fractionalDateTime).utf8)
        var text = Array(full[..<10])
        guard let separator else { return String(decoding: text, as: UTF8.self) }
        text.append(separator)
        text += full[11..<16]
        var fraction =
            exactFraction(of: seconds) ?? Array(full[20...].prefix(digits))
            + Array(repeating: 48, count: max(0, digits - 6))
        if digits == 0, full[20...].contains(where: { $0 != 48 }) { fraction = Array(full[20...]) }
        let showsSeconds =
            hasSeconds || !fraction.isEmpty && digits == 0 || full[17..<19].contains { (49...57).contains($0) }
        if showsSeconds { text += full[16..<19] }
        let isZero = fraction.allSatisfy { $0 == 48 }
        if isTrimmed { while fraction.count > 1, fraction.last == 48 { fraction.removeLast() } }
        if showsSeconds, !fraction.isEmpty, !(isOptional && isZero) { text += [mark] + fraction }
        if isZoneSpaced { text.append(UInt8(ascii: " ")) }
        switch zone {
        case .none: break
        case .letter(let letter): text.append(letter)
        case .offset(let minutes, let hasColon, let hasMinutes):
            func two(_ number: Int) -> [UInt8] { [48 + UInt8(number / 10), 48 + UInt8(number % 10)] }
            let size = abs(minutes)
            text.append(UInt8(ascii: minutes < 0 ? "-" : "+"))
            text += two(size / 60)
            if hasMinutes { text += (hasColon ? [UInt8(ascii: ":")] : []) + two(size % 60) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The digits of a fraction that the number is the nearest to; nil for one that has to be cut off. Far from 1970,
    /// the nearest number to `.629` is less than that by some microseconds.
    private func exactFraction(of seconds: Double) -> [UInt8]? {
        guard (1..<6).contains(digits) else { return nil }
        let (whole, scale) = (seconds.rounded(.down), pow(10, Double(digits)))
        let count = ((seconds - whole) * scale).rounded()
        guard count < scale, whole + count / scale == seconds else { return nil }
        let text = Array(String(Int(count)).utf8)
        return Array(repeating: 48, count: digits - text.count) + text
    }

    /// Makes it stand for the texts of another shape as well: those of a program that leaves out what is zero.
    package mutating func merge(_ other: DateText) {
        guard other != self else { return }
        let (wasDay, isDay) = (separator == nil, other.separator == nil)
        let isMixed =
            isMixed || other.isMixed
            || !wasDay && !isDay
                && (separator != other.separator || isZoneSpaced != other.isZoneSpaced || !isSameZone(other))
        if wasDay {
            self = other
        } else if !isDay {
            if hasSeconds, other.hasSeconds, digits != other.digits {
                let (least, most) = (min(digits, other.digits), max(digits, other.digits))
                isTrimmed = isTrimmed || other.isTrimmed || least > 0
                isOptional = isOptional || other.isOptional || least == 0
                digits = most
                if other.digits == most { mark = other.mark }
            } else {
                isTrimmed = isTrimmed || other.isTrimmed
                isOptional = isOptional || other.isOptional
            }
            hasSeconds = hasSeconds || other.hasSeconds
            // In the zones of several places, a new time isn't in any of them.
            if case .offset(_, let hasColon, _) = zone, zone != other.zone, !isMixed {
                zone = .offset(minutes: 0, hasColon: hasColon, hasMinutes: true)
            }
        }
        self.isMixed = isMixed
    }

    private func isSameZone(_ other: DateText) -> Bool {
        if case .offset(_, let colon, let minutes) = zone, case .offset(_, colon, minutes) = other.zone { return true }
        return zone == other.zone
    }

    /// How a row's text is written again, with as much of the time as the column has.
    ///
    /// - Parameters:
    ///   - column: How the texts of the column are written; nil where that isn't known.
    ///   - date: The date to write.
    func adapted(to column: DateText?, for date: Date) -> DateText {
        guard let column else { return self }
        var shape = self
        if separator == nil {
            guard column.separator != nil, let text = text(for: date),
                CalendarTime.secondsSince1970(of: text) != date.timeIntervalSince1970
            else { return self }
            shape = column
            shape.isMixed = false
            return shape
        }
        let isOfColumn =
            digits == 0 ? column.isOptional : digits == column.digits || column.isTrimmed && digits < column.digits
        if isOfColumn {
            shape.digits = column.digits
            shape.mark = column.mark
            shape.isOptional = column.isOptional
            shape.isTrimmed = column.isTrimmed
        }
        return shape
    }

    /// All that it says, as a word for SQL.
    package var name: String {
        func flag(_ condition: Bool) -> Int { condition ? 1 : 0 }
        let zone =
            switch zone {
            case .none: [0, 0, 0, 0]
            case .letter(let letter): [1, Int(letter), 0, 0]
            case .offset(let minutes, let hasColon, let hasMinutes): [2, minutes, flag(hasColon), flag(hasMinutes)]
            }
        let numbers =
            [
                Int(separator ?? 0), flag(hasSeconds), Int(mark), digits, flag(isOptional), flag(isTrimmed),
                flag(isZoneSpaced), flag(isMixed),
            ] + zone
        return "text:" + numbers.map { "\($0)" }.joined(separator: ",")
    }

    /// What a ``name`` says; nil for another text.
    init?(name: String) {
        guard name.hasPrefix("text:") else { return nil }
        let numbers = name.dropFirst(5).split(separator: ",").compactMap { Int($0) }
        guard numbers.count == 12, let separator = UInt8(exactly: numbers[0]), let mark = UInt8(exactly: numbers[2]),
            (0...64).contains(numbers[3]), let letter = UInt8(exactly: numbers[8] == 1 ? numbers[9] : 0)
        else { return nil }
        self.separator = separator == 0 ? nil : separator
        hasSeconds = numbers[1] == 1
        self.mark = mark
        digits = numbers[3]
        isOptional = numbers[4] == 1
        isTrimmed = numbers[5] == 1
        isZoneSpaced = numbers[6] == 1
        isMixed = numbers[7] == 1
        zone =
            switch numbers[8] {
            case 1: .letter(letter)
            case 2:
                .offset(
                    minutes: max(-1439, min(1439, numbers[9])), hasColon: numbers[10] == 1, hasMinutes: numbers[11] == 1
                )
            default: .none
            }
    }
}

extension DateStorage {
    /// How it writes texts; nil for a form of numbers.
    package var text: DateText? {
        switch self {
        case .iso8601: DateText(separator: "T", digits: 6, zone: .letter(UInt8(ascii: "Z")))
        case .iso8601Milliseconds: DateText(separator: "T", digits: 3, zone: .letter(UInt8(ascii: "Z")))
        case .dateTime: DateText(separator: " ")
        case .fractionalDateTime: .fractional
        case .pythonDateTime: DateText(separator: " ", digits: 6, isOptional: true)
        case .date: DateText(separator: nil)
        case .unixSeconds, .unixMilliseconds, .unixMicroseconds, .microsecondsSince1601, .julianDay, .referenceDate: nil
        }
    }

    /// The value that stores the date of another form's.
    ///
    /// - Parameters:
    ///   - value: A number of the other form's unit, or a text of any form.
    ///   - form: The other form.
    /// - Returns: Nil for what isn't a date, and where this form would store another time: one that differs by more
    ///   than a microsecond, or than a Julian day is precise.
    func conversion(of value: SQLiteValue, from form: DateStorage) -> SQLiteValue? {
        var date: Date? =
            switch value {
            case .text(let text): CalendarTime.secondsSince1970(of: text).map { Date(timeIntervalSince1970: $0) }
            case .integer, .real: try? form.date(from: value)
            case .null, .blob: nil
            }
        if form == .julianDay, let seconds = date?.timeIntervalSince1970 {
            // The millisecond that was meant: that is what SQLite takes from a Julian day, too.
            let rounded = (seconds * 1000).rounded() / 1000
            if abs(rounded - seconds) < 0.000_05 { date = Date(timeIntervalSince1970: rounded) }
        }
        guard let date, let converted = try? self.value(for: date), let back = try? self.date(from: converted) else {
            return nil
        }
        let tolerance = max(self == .julianDay ? 0.000_1 : 0.000_001_5, date.timeIntervalSince1970.ulp * 2)
        return abs(back.timeIntervalSince(date)) <= tolerance ? converted : nil
    }

    /// The value that is written in the place of another, by a class that stores dates in this form: in the form of the
    /// text that is there, and as that text where it is the same date.
    ///
    /// - Parameters:
    ///   - value: The new date as the class stores it.
    ///   - new: How a date is written where there was no text.
    ///   - old: What is there.
    /// - Returns: Nil for a value that stays as it is.
    func replacement(
        _ value: SQLiteValue, for old: SQLiteValue, _ new: DateWriting
    ) throws(SQLiteError) -> SQLiteValue? {
        guard !value.isNull, let date = try? self.date(from: value) else { return nil }
        if case .text(let text) = old, let shape = DateText(of: text),
            let seconds = CalendarTime.secondsSince1970(of: text)
        {
            if (try? self.value(for: Date(timeIntervalSince1970: seconds))) == value { return old }
            if let text = shape.adapted(to: new.text, for: date).text(for: date) { return .text(text) }
            throw Self.unstorable(date, "its year is not within 0 to 9999")
        }
        // A number stays one: of the class's unit, or seconds since 1970 where the class stores texts.
        if old.isNumber {
            guard !value.isNumber else { return .none }
            return try DateStorage.unixSeconds.value(for: date)
        }
        switch new {
        case .form(self): return nil
        case .form(let form): return try form.value(for: date)
        case .text(let shape):
            guard !shape.isMixed else {
                throw SQLiteError(
                    .typeMismatch, "the column holds dates as texts of several forms, and the row has none of them")
            }
            guard let text = shape.text(for: date) else {
                throw Self.unstorable(date, "its year is not within 0 to 9999")
            }
            return .text(text)
        }
    }
}

extension SQLiteValue {
    fileprivate var isNumber: Bool { storageClass == .integer || storageClass == .real }
}

/// How a date is written: by a class, or by another program.
package enum DateWriting: Hashable, Sendable {
    case form(DateStorage)
    case text(DateText)

    /// How texts are written; nil for numbers.
    package var text: DateText? {
        switch self {
        case .form(let form): form.text
        case .text(let text): text
        }
    }

    /// A word for SQL.
    package var name: String {
        switch self {
        case .form(let form): form.rawValue
        case .text(let text): text.name
        }
    }

    init?(name: String?) {
        guard let name else { return nil }
        if let form = DateStorage(rawValue: name) {
            self = .form(form)
        } else if let text = DateText(name: name) {
            self = .text(text)
        } else {
            return nil
        }
    }
}

extension CalendarTime {
    /// The time that a text says; nil when it says none.
    static func secondsSince1970(of text: String) -> Double? {
        var text = text
        return text.withUTF8 { secondsSince1970(parsing: UnsafeRawBufferPointer($0)) }
    }
}
