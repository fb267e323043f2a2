internal import Foundation
internal import Persisting
internal import SQLiteKit

/// The type of the property for a column: that of the values that are stored, as far as there are any, and otherwise
/// what the declared type says.
struct PropertyType {
    /// The type's name.
    private(set) var name: String
    /// The form of dates or UUIDs to declare.
    private(set) var storage: (kind: String, form: String)?
    /// What is to be said of it: the storage classes of a column that has several, or why it isn't what it is declared.
    private(set) var note: String?

    /// - Parameter contents: What the column holds; nil where that can't be known.
    init(
        _ column: DatabaseSchema.Column, _ table: DatabaseSchema.Table, _ contents: ColumnContents?,
        _ db: any EngineConnection
    ) throws {
        let declared = Self.declared(column)
        name = declared ?? "Double"
        let isOfCoreData = declared == "Date" && table.columns.areOfCoreData
        if isOfCoreData, contents.map({ $0.classes.isSubset(of: [.integer, .real]) }) != false {
            storage = ("date", DateStorage.referenceDate.rawValue)
            return
        }
        guard let contents, !contents.classes.isEmpty, declared != "SQLiteValue" else { return }
        if let declared,
            try readsAll(as: declared, contents, { try db.forEachValue(of: column.name, in: table.name, $0) })
        {
            return
        }
        let affinity = Affinity(declaredType: column.declaredType, isStrict: table.isStrict)
        name = Self.stored(contents, affinity, column.declaredType)
        if name == "SQLiteValue" || declared != nil { note = Self.list(contents.classes) }
    }

    /// Whether a declared type reads all values. Notes the form of dates or UUIDs that does.
    private mutating func readsAll(
        as type: String, _ contents: ColumnContents, _ forEachValue: ((SQLiteValue) -> Void) throws -> Void
    ) throws -> Bool {
        switch type {
        case "Date":
            var dates = ColumnContents.Dates()
            try forEachValue { dates.add($0) }
            guard dates.areDates else { return false }
            storage = dates.form.map { ("date", $0.rawValue) }
            if contents.classes.count > 1 { note = Self.list(contents.classes) }
            return true
        case "UUID":
            // One form has to read all.
            var forms: Set<UUIDStorage> = [.text, .lowercaseText, .blob]
            try forEachValue { value in forms = forms.filter { $0.reads(value) } }
            guard !forms.isEmpty else { return false }
            storage = forms.contains(.text) ? nil : forms.first.map { ("uuid", "\($0)") }
            return true
        case "Decimal":
            var isRead = true
            try forEachValue { isRead = isRead && (try? Decimal(sqliteValue: $0)) != nil }
            return isRead
        default: return Self.holds(type, contents)
        }
    }

    private static func list(_ classes: Set<StorageClass>) -> String {
        let names = [StorageClass.integer, .real, .text, .blob].filter(classes.contains).map { "\($0)" }
        return "holds " + names.joined(separator: " and ")
    }

    /// What the declared type says; nil where it says nothing.
    private static func declared(_ column: DatabaseSchema.Column) -> String? {
        let declared = asciiLowercased(column.declaredType)
        func has(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
        return switch declared {
        case "", "any": "SQLiteValue"
        case "uuid": "UUID"
        case "time": "String"
        case _ where has("bool"): "Bool"
        case _ where has("int"): "Int64"
        case _ where has("char", "clob", "text", "json"): "String"
        case _ where has("blob"): "Data"
        case _ where has("date", "time"): "Date"
        case _ where has("decimal", "money", "numeric("), _ where has("numeric ("): "Decimal"
        case _ where has("real", "floa", "doub", "numeric"): "Double"
        default: nil
        }
    }

    /// Whether a type reads all values, and writes them as they are.
    private static func holds(_ type: String, _ contents: ColumnContents) -> Bool {
        switch type {
        case "Bool": contents.classes == [.integer] && contents.isBits
        case "Int64": contents.classes == [.integer]
        case "Double": contents.classes.isSubset(of: [.integer, .real]) && contents.isExact
        case "String": contents.classes == [.text]
        case "Data": contents.classes == [.blob]
        default: false
        }
    }

    /// The type of what is stored. A type that the table isn't declared for would have a plan change the table.
    private static func stored(_ contents: ColumnContents, _ affinity: Affinity, _ declaredType: String) -> String {
        let isOfBytes = affinity == .blob && !declaredType.isEmpty
        if contents.classes == [.blob] { return "Data" }
        if isOfBytes { return "SQLiteValue" }
        if contents.classes == [.integer] { return affinity == .text ? "SQLiteValue" : "Int64" }
        if contents.classes.isSubset(of: [.integer, .real]), contents.isExact, affinity != .text { return "Double" }
        if contents.classes == [.text], [.text, .numeric, .blob].contains(affinity) { return "String" }
        return "SQLiteValue"
    }

    /// What a property of the type begins with.
    var zero: String {
        switch name {
        case "UUID": "UUID()"
        case "Bool": "false"
        case "Int64": "0"
        case "String": "\"\""
        case "Data": "Data()"
        case "Date": "Date(timeIntervalSince1970: 0)"
        case "Decimal": "0"
        case "SQLiteValue": ".null"
        default: "0.0"
        }
    }
}
