/// A day of the Gregorian calendar. Its number counts from 1 January 1970.
///
/// The conversion is Howard Hinnant's, which holds for all years. It counts days of years that begin in March, of which
/// 400 have 146,097: [chrono-Compatible Low-Level Date
/// Algorithms](https://howardhinnant.github.io/date_algorithms.html).
struct CivilDay {
    let year: Int64
    let month: Int64
    let day: Int64

    init(year: Int64, month: Int64, day: Int64 = 1) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(_ number: Int64) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var number: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The number of the year's first day.
    var firstOfYear: Int64 { CivilDay(year: year, month: 1).number }

    /// 0 is Sunday.
    static func weekday(_ number: Int64) -> Int64 { ((number + 4) % 7 + 7) % 7 }
}
