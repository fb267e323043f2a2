internal import Foundation
public import Persisting
internal import SQLiteKit

extension ActiveRecord {
    /// Swift source that declares the class's columns, all in full, to paste into the class and change.
    ///
    /// ```swift
    /// print(try PodcastEpisode.columnTemplate())
    /// // override class var columns: Columns {
    /// //     [
    /// //         "ID": .int,
    /// //         "TITLE": .string,
    /// //     ]
    /// // }
    /// ```
    ///
    /// A column that is declared by key path or with a transform stands there as a comment: only the class knows its
    /// transform.
    ///
    /// - Throws: ``PersistenceError`` that says what is wrong with the class.
    public static func columnTemplate() throws -> String {
        let mapping = try Mapping.of(self)
        let columns = mapping.columns.indices.filter { $0 != mapping.rowID }.map { mapping.columns[$0] }
        let lines = try columns.map { column in
            let declaration = try column.declaration.source(column, naming)
            let comment = !column.declaration.isPath && !column.declaration.hasTransform ? "" : "// "
            return "        \(comment)\(SwiftSource.literal(column.name)): \(declaration),"
        }
        return (["override class var columns: Columns {", "    ["] + lines + ["    ]", "}"]).joined(separator: "\n")
    }
}

extension ColumnDeclaration {
    /// The declaration of a column as Swift writes it.
    fileprivate func source(_ column: Column, _ naming: Naming) throws -> String {
        let property = SwiftSource.identifier(column.key)
        var words = [!isPath ? ".\(kind == .any ? word(for: column) : kind.rawValue)" : ".path(\\.\(property))"]
        if !isFoundByName(column, naming) { words.append("property(\(SwiftSource.literal(column.key)))") }
        if isNotNull { words.append("notNull") }
        if isAutoincrement { words.append("autoincrement") }
        if isUnique { words.append("unique") }
        if let defaultValue { words.append("default(\(SwiftSource.literal(defaultValue)))") }
        if let check { words.append("check(\(SwiftSource.literal(try check.expandedSQL)))") }
        if let generation { words.append(try generation.source) }
        if let collation { words.append("collate(\(collation.source))") }
        if let reference { words.append(reference.source) }
        if let dateStorage { words.append("stored(as: .\(dateStorage))") }
        if let uuidStorage { words.append("stored(as: .\(uuidStorage))") }
        if isBitPattern { words.append("bitPattern") }
        if hasTransform, !isPath { words.append("transformed(by: …)") }
        if !formerNames.isEmpty {
            words.append("formerly(\(formerNames.map(SwiftSource.literal).joined(separator: ", ")))")
        }
        if let timestamp { words.append(timestamp.rawValue) }
        if isDeferred { words.append("deferred") }
        if takesDefaultForNull { words.append("onNull(.default)") }
        return words.joined(separator: ".")
    }

    /// The short form for a property's type.
    private func word(for column: Column) -> String {
        switch unwrapped(column.type) {
        case is Bool.Type: "bool"
        case is Date.Type: "date"
        case is UUID.Type: "uuid"
        case is URL.Type: "url"
        case is Decimal.Type: "decimal"
        default:
            switch column.columnType {
            case .integer: "int"
            case .real: "double"
            case .text: "string"
            case .blob: "data"
            default: "any"
            }
        }
    }

    private func isFoundByName(_ column: Column, _ naming: Naming) -> Bool {
        asciiLowercased(naming.column(column.key)) == asciiLowercased(column.name) || column.key == column.name
    }
}

extension Generation {
    fileprivate var source: String {
        get throws {
            let expression = SwiftSource.literal(try expression.expandedSQL)
            return "generated(as: \(expression)" + (storage == .stored ? ", .stored)" : ")")
        }
    }
}

extension Collation {
    /// The collation as Swift writes it.
    var source: String {
        switch self {
        case .binary: ".binary"
        case .nocase: ".nocase"
        case .rtrim: ".rtrim"
        case .decimal: ".decimal"
        default: "Collation(rawValue: \(SwiftSource.literal(rawValue)))"
        }
    }
}

extension Reference {
    fileprivate var source: String {
        var arguments = ["\(SwiftSource.name(of: type)).self"]
        if let column { arguments.append(SwiftSource.literal(column)) }
        if let onDelete { arguments.append("onDelete: .\(onDelete)") }
        if let onUpdate { arguments.append("onUpdate: .\(onUpdate)") }
        if isDeferred { arguments.append("isDeferred: true") }
        return "references(\(arguments.joined(separator: ", ")))"
    }
}
