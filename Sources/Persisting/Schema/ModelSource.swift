internal import Foundation

extension PersistenceManager {
    /// Swift source of a class for a table that is there already, to paste into a program and change.
    ///
    /// ```swift
    /// print(try manager.modelSource(table: "batter"))
    /// // import Foundation
    /// // import Persisting
    /// //
    /// // final class Batter: PersistingModel {
    /// //     var name = ""
    /// //     var avg: Double?
    /// // …
    /// ```
    ///
    /// Types follow the declared ones. A column that may be NULL is Optional, and so is one whose DEFAULT is an
    /// expression, and so is what SQLite computes. What is UNIQUE is an index of the class's. A view, or a table
    /// without a primary key, gives a class whose objects can be fetched.
    ///
    /// - Parameter name: The name of a table or a view, without regard to the case of ASCII letters.
    /// - Throws: ``PersistenceError/Code/noTable`` when there is none.
    public func modelSource(table name: String) throws -> String {
        guard let table = try connections.query({ db in try db.table(name) }) else {
            throw PersistenceError(.noTable, "there is no table or view \(name)", model: name)
        }
        return ModelSource(table).text
    }

    /// Swift source of a class for a table that is there already, while the task is suspended.
    public func modelSource(table name: String) async throws -> String {
        try await onReadingSide { manager in try manager.modelSource(table: name) }
    }
}

extension DatabaseSchema.Column {
    fileprivate var isGenerated: Bool { [.generatedVirtual, .generatedStored].contains(kind) }
}

/// A class for a table, as Swift source.
private struct ModelSource {
    private struct Property {
        let column: DatabaseSchema.Column
        let key: String
        let type: String
        /// What the property begins with; nil for an Optional.
        let initial: String?
    }

    private let table: DatabaseSchema.Table
    private let properties: [Property]
    private let className: String
    private let naming: (name: String, value: Naming)
    /// The names of types in what is written, which the class must not take.
    private static let typeNames: Set<String> = [
        "Any", "Bool", "Columns", "Data", "Date", "Double", "Foundation", "Index", "Int64", "Naming", "Persisting",
        "PersistingModel", "PrimaryKey", "Protocol", "SQLiteValue", "Self", "String", "TableOptions", "Type", "UUID",
    ]

    init(_ table: DatabaseSchema.Table) {
        self.table = table
        let name = SwiftSource.words(table.name).upperCamelCased
        className =
            switch name {
            case _ where Self.typeNames.contains(name): name + "Row"
            case _ where name.first?.isLetter != true: "Table" + name
            default: name
            }
        var taken: Set<String> = ["hashValue"]
        properties = table.columns.filter { $0.kind != .hidden && !$0.name.isEmpty }.enumerated().map {
            position, column in
            var key = SwiftSource.words(column.name).camelCased
            if key.first?.isLetter != true { key = "column" + (key.isEmpty ? "\(position + 1)" : key) }
            while !taken.insert(key).inserted { key += "\(position + 1)" }
            let (type, initial) = Self.type(of: column, table)
            return Property(column: column, key: key, type: type, initial: initial)
        }
        let strategies: [(String, Naming)] = [
            (".upperSnakeCase", .upperSnakeCase), (".snakeCase", .snakeCase), (".identity", .identity),
        ]
        let keys = properties
        naming =
            strategies.first { strategy in keys.allSatisfy { strategy.1.column($0.key) == $0.column.name } }
            ?? strategies[0]
    }

    /// A property's type, and what it begins with unless it is Optional.
    fileprivate static func type(of column: DatabaseSchema.Column, _ table: DatabaseSchema.Table) -> (String, String?) {
        let declared = asciiLowercased(column.declaredType)
        func has(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
        let (type, zero) =
            switch declared {
            case "", "any": ("SQLiteValue", ".null")
            case "uuid": ("UUID", "UUID()")
            case _ where has("bool"): ("Bool", "false")
            case _ where has("int"): ("Int64", "0")
            case _ where has("char", "clob", "text", "json"): ("String", "\"\"")
            case _ where has("blob"): ("Data", "Data()")
            case _ where has("date", "time"): ("Date", "Date(timeIntervalSince1970: 0)")
            default: ("Double", "0.0")
            }
        if type == "SQLiteValue" { return (type, zero) }
        if column.isGenerated { return (type, nil) }
        // A key that SQLite generates is nil until then. Other keys may be NULL, too, unless the table says NOT NULL.
        let isKeyOfRowless = table.isWithoutRowID && column.primaryKeyPosition != nil
        guard column.isNotNull || isKeyOfRowless, table.rowIDColumn != column.name else { return (type, nil) }
        guard let sql = column.defaultSQL else { return (type, zero) }
        return (type, literal(sql, type))
    }

    /// A DEFAULT as Swift writes it; nil for an expression, which is left to the database.
    private static func literal(_ sql: String, _ type: String) -> String? {
        switch type {
        case "Int64": Int64(sql).map { "\($0)" }
        case "Double": Double(sql).flatMap { $0.isFinite ? "\($0)" : nil }
        case "Bool": ["0": "false", "false": "false", "1": "true", "true": "true"][asciiLowercased(sql)]
        case "String" where sql.utf8.count >= 2 && sql.hasPrefix("'") && sql.hasSuffix("'"):
            SwiftSource.literal(String(sql.dropFirst().dropLast()).replacing("''", with: "'"))
        default: nil
        }
    }

    var text: String {
        var lines = ["import Foundation", "import Persisting", "", "final class \(className): PersistingModel {"]
        for property in properties {
            let name = SwiftSource.identifier(property.key)
            let declaration = property.initial.map { ": \(property.type) = \($0)" } ?? ": \(property.type)?"
            let note = property.column.isGenerated ? "  // SQLite computes it" : ""
            lines.append("    var \(name)\(declaration)\(note)")
        }
        if table.columns.contains(where: \.name.isEmpty) { lines.append("    // A column without a name is left out.") }
        lines += overrides.flatMap { ["", $0] } + ["}", ""]
        return lines.joined(separator: "\n")
    }

    /// What the names and the types do not say.
    private var overrides: [String] {
        var overrides: [String] = []
        if naming.name != ".upperSnakeCase" {
            overrides.append("    override class var naming: Naming { \(naming.name) }")
        }
        if naming.value.table(className) != table.name {
            overrides.append("    override class var tableName: String { \(SwiftSource.literal(table.name)) }")
        }
        if let key = primaryKey { overrides.append("    override class var primaryKey: PrimaryKey { \(key) }") }
        let options = [table.isStrict ? ".strict" : nil, table.isWithoutRowID ? ".withoutRowID" : nil].compactMap(
            \.self)
        if !options.isEmpty {
            overrides.append(
                "    override class var tableOptions: TableOptions { [\(options.joined(separator: ", "))] }")
        }
        if !uniqueIndexes.isEmpty {
            overrides.append(
                "    override class var indexes: [Index] { [\(uniqueIndexes.joined(separator: ", "))] }")
        }
        let renamed = properties.filter { naming.value.column($0.key) != $0.column.name }
        if !renamed.isEmpty {
            overrides.append(
                ([
                    "    override class var columns: Columns {", "        var columns = super.columns",
                ]
                    + renamed.map {
                        "        columns[\(SwiftSource.literal($0.column.name))] = .any.property(\(SwiftSource.literal($0.key)))"
                    } + ["        return columns", "    }"]).joined(separator: "\n"))
        }
        return overrides
    }

    /// What no two rows have the same values in, beside the key.
    private var uniqueIndexes: [String] {
        let indexes = table.indexes.filter { $0.isUnique && $0.origin != .primaryKey && !$0.isPartial }
        return indexes.reversed().compactMap { index in
            let keys = index.columns.compactMap { column in properties.first { $0.column.name == column.name }?.key }
            guard keys.count == index.columns.count else { return nil }
            return ".unique(\(keys.map(SwiftSource.literal).joined(separator: ", ")))"
        }
    }

    /// The key, where it is not the property `id` by itself.
    private var primaryKey: String? {
        let keys = table.primaryKey.compactMap { name in properties.first { $0.column.name == name } }
        let list = keys.map { SwiftSource.literal($0.key) }.joined(separator: ", ")
        let hasID = properties.contains { $0.key == "id" }
        switch keys.count {
        case 0: return hasID ? ".none" : nil
        case 1 where table.rowIDColumn == keys[0].column.name:
            return keys[0].key == "id" ? nil : ".generated(\(list))"
        case 1: return keys[0].key == "id" && keys[0].type != "Int64" ? nil : ".assigned(\(list))"
        default: return ".composite(\(list))"
        }
    }
}
