internal import Foundation

/// What the numbers of a column are as dates, as far as their magnitude tells.
///
/// The ranges of dates from 1973 to 2300 in the usual units are far apart. What lies between them is uncertain.
enum NumberUnit: Hashable, CaseIterable {
    /// 0, which is the beginning of 1970 in most units, and what many programs write for nothing.
    case zero
    /// Less than those of any unit: the first years after 1970 as seconds, or days, or digits such as 20240501.
    case small
    case julianDay, seconds, milliseconds, microseconds, microsecondsSince1601
    /// More than those of any unit.
    case large

    init(_ number: Double) {
        let size = number.magnitude
        self =
            switch number {
            case 0: .zero
            case 1_721_059.5..<5_373_484.5: .julianDay
            default:
                size < 1e8
                    ? .small
                    : size < 1e11
                        ? .seconds
                        : size < 1e14
                            ? .milliseconds
                            : size < 1.1e16 ? .microseconds : size < 2e16 ? .microsecondsSince1601 : .large
            }
    }

    /// The form whose values are of this magnitude.
    var storage: DateStorage? {
        switch self {
        case .zero, .small, .large: nil
        case .julianDay: .julianDay
        case .seconds: .unixSeconds
        case .milliseconds: .unixMilliseconds
        case .microseconds: .unixMicroseconds
        case .microsecondsSince1601: .microsecondsSince1601
        }
    }

    /// The unit in words.
    fileprivate var words: String? {
        switch self {
        case .zero, .small, .seconds, .large: nil
        case .julianDay: "Julian days"
        case .milliseconds: "milliseconds since 1970"
        case .microseconds: "microseconds since 1970"
        case .microsecondsSince1601: "microseconds since 1601"
        }
    }
}

/// The numbers of a column of dates that were seen.
package struct DateNumbers {
    /// A number of each unit.
    private(set) var examples: [NumberUnit: Double] = [:]

    package init() {}

    package mutating func add(_ number: Double) {
        let unit = NumberUnit(number)
        if examples[unit] == nil { examples[unit] = number }
    }

    package var isEmpty: Bool { examples.isEmpty }

    /// Whether none of them leaves in doubt what unit all have.
    package var isCertain: Bool { units.isEmpty || storage != nil }

    var units: Set<NumberUnit> { Set(examples.keys).subtracting([.zero]) }

    /// The form of all numbers; nil where they are none, and where that is uncertain.
    package var storage: DateStorage? { units.count == 1 ? units.first?.storage : nil }

    /// Why the numbers aren't seconds since 1970 in a table of Core Data, whose numbers have the same size; nil where
    /// there are none.
    var doubtOfCoreData: String? {
        guard let example = examples.values.first else { return nil }
        return
            "holds numbers such as \(SQLiteValue.text(of: example)), and the table has the columns Z_PK and Z_ENT of "
            + "Core Data, which stores seconds since 2001: declare it .date.stored(as: .referenceDate) or "
            + ".date.stored(as: .unixSeconds)"
    }

    /// Why the numbers aren't certain to be seconds since 1970; nil where they are.
    ///
    /// - Parameter affinity: That of the column. A column of REALs, which is what the library declares, may hold any
    ///   time near 1970.
    func doubt(_ affinity: Affinity) -> String? {
        guard !isEmpty else { return nil }
        let units = units
        let isNear = units.isSubset(of: [.seconds, .small])
        let isCertain =
            affinity == .real
            ? units.isEmpty || !units.isDisjoint(with: [.seconds, .small]) : isNear && units != [.small]
        guard !isCertain, !units.isEmpty,
            let unit = NumberUnit.allCases.last(where: { units.contains($0) && $0 != .seconds }),
            let example = examples[unit]
        else { return nil }
        let date = try? DateStorage.unixSeconds.date(from: .real(example))
        let text = (try? date.map(DateStorage.iso8601Milliseconds.value))?.map { "\($0)" }
        let number = SQLiteValue.text(of: example)
        let declarations =
            unit.storage.map { [$0] } ?? [.unixMilliseconds, .unixMicroseconds, .microsecondsSince1601, .julianDay]
        return "holds numbers such as \(number), which "
            + (unit.words.map { "look like \($0)" } ?? "may be of any unit")
            + " and as seconds since 1970 would be \(text ?? "no date of the calendar"): declare it "
            + (declarations + [.unixSeconds]).map { ".date.stored(as: .\($0.rawValue))" }.joined(separator: " or ")
    }
}
