internal import Foundation

/// A column of a table whose affinity may change what a class stores in it, or which holds something else.
///
/// See [Type Affinity](https://www.sqlite.org/datatype3.html#type_affinity).
struct ColumnFit: Sendable {
    /// The type that the table declares.
    let declaredType: String
    let affinity: Affinity
    /// Whether no value but NULL fits. Otherwise it depends on the value.
    let isMisfit: Bool
    /// Whether what is read makes no sense either: numbers that aren't said to be dates.
    let isUnreadable: Bool
    /// Why the column takes texts alone; nil for any other.
    private let reasonForTexts: String?

    /// A key of dates that holds texts in a form that nobody knows: an object keeps the one that it has.
    init(textsAloneFor reason: String, _ affinity: Affinity) {
        (declaredType, self.affinity, isMisfit, isUnreadable) = ("", affinity, false, false)
        reasonForTexts = reason
    }

    /// - Returns: Nil for a column that stores the class's values as they are.
    init?(_ column: Column, declaredType: String, isStrict: Bool) {
        let type = column.codec.columnType
        let (own, affinity) = (Affinity(type), Affinity(declaredType: declaredType, isStrict: isStrict))
        let isDate = unwrapped(column.type) == Date.self
        reasonForTexts = nil
        self.declaredType = declaredType
        self.affinity = affinity
        isUnreadable =
            isDate && column.codec.keepsSums && column.declaration.dateStorage == nil
            && (own == .real && affinity == .integer || own == .integer && affinity == .real)
        switch (own, affinity) {
        case _ where isUnreadable: isMisfit = true
        // SQLite never converts a blob.
        case (.blob, _) where type == .blob && !isStrict: return nil
        case (_, .blob), (.text, .text): return nil
        case _ where type == .decimal || type == .any || own == .numeric, (.text, .numeric): isMisfit = false
        case (.integer, .numeric), (.real, .numeric), (.real, .integer), (.blob, .numeric): return nil
        // Dates of others may be texts in any form.
        case (_, .text) where isDate: isMisfit = false
        default:
            if own == affinity { return nil }
            isMisfit = true
        }
    }

    /// What is wrong with the column.
    func reason(_ column: Column) -> String {
        // A column without a type takes any value.
        let type = column.codec.columnType.rawValue
        return
            "\(column.name) is declared \(declaredType), which has \(affinity.rawValue) affinity, and "
            + "\(source: column.type) is "
            + (type.isEmpty ? "stored as it comes" : "stored as \(type)")
    }

    /// The error of a column with the values of another one.
    func error(_ column: Column, _ mapping: Mapping, _ change: String = "") -> PersistenceError {
        PersistenceError(
            .schemaMismatch,
            "in the table \(mapping.tableName), \(reason(column))\(change). \(SchemaRemedy.column(column, mapping))",
            model: mapping.modelName, key: column.key)
    }

    /// The error for a value that the column would not store as it is; nil for one that it would.
    func error(_ value: SQLiteValue, _ column: Column, _ mapping: Mapping) -> PersistenceError? {
        if value.isNull { return nil }
        if let reasonForTexts {
            if value.storageClass == .text { return nil }
            return PersistenceError(
                .invalidModel, reasonForTexts, model: mapping.modelName, key: column.key, expected: Date.self)
        }
        let converted = affinity.converted(value)
        if !isMisfit {
            if converted == value { return nil }
            // A number in the place of its digits is the same Decimal, unless it has more than a REAL holds.
            if unwrapped(column.type) == Decimal.self, column.codec.keepsSums,
                (try? column.codec.canonical(converted)) == value
            {
                return nil
            }
        }
        let change =
            converted.storageClass == value.storageClass
            ? "" : ": a value of \(value.storageClass) would become \(converted.storageClass)"
        return error(column, mapping, change)
    }
}

/// What to do about a table that differs from its class, in words for errors.
enum SchemaRemedy {
    /// About a column.
    static func column(_ column: Column, _ mapping: Mapping) -> String {
        "Change the property's type, or the table: \(plan(mapping))"
            + (unwrapped(column.type) == Date.self
                ? "; numbers that are dates are declared by .date.stored(as: …)" : "")
    }

    /// About all that is said to differ.
    static func table(_ mapping: Mapping) -> String { "Change the class, or the table: \(plan(mapping))" }

    private static func plan(_ mapping: Mapping) -> String {
        "updateSchema(for: [\(mapping.modelName).self]) makes it match, with all classes of the program in the list, and "
            + "schemaPlan(for:) shows the steps first"
    }
}
