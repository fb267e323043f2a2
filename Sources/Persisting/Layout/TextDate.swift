internal import Foundation

/// A date that is stored as text, by ``/SQLiteKit/DateStorage/iso8601``.
///
/// A struct of one property lies in memory as that does, so this is what the field of a `Date` is read and written as.
struct TextDate: BuiltInField {
    private let date: Date

    static var columnType: ColumnType { DateStorage.iso8601.columnType }

    func sqliteValue() throws -> SQLiteValue { try DateStorage.iso8601.value(for: date) }

    init(sqliteValue: SQLiteValue) throws { date = try DateStorage.iso8601.date(from: sqliteValue) }

    // A Date of its own reads the same forms as one that is stored as text.
    @inline(__always)
    init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        date = try Date(column: index, storageClass, of: source)
    }

    /// Dates that differ by less than the text shows are stored as the same.
    static func isSame(_ lhs: TextDate, _ rhs: TextDate) -> Bool {
        if Date.isSame(lhs.date, rhs.date) { return true }
        // What no text can be made of is the same as nothing.
        guard abs(lhs.date.timeIntervalSince(rhs.date)) < 0.001,
            let left = try? lhs.sqliteValue(), let right = try? rhs.sqliteValue()
        else { return false }
        return left == right
    }
}
