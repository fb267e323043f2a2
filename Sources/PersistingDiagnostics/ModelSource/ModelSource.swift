internal import Foundation
public import Persisting
internal import SQLiteKit

extension PersistenceManager {
    /// Swift source of a class for an existing table, to paste into a program and change.
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
    /// Types are those of the values that are stored, of all rows; of an empty column, the declared ones. A column of
    /// several types is an ``/SQLiteKit/SQLiteValue``, with a comment. A column of dates declares the form that all of
    /// them have; where there is none, its dates are kept as they are found. In a table with the columns `Z_PK` and
    /// `Z_ENT`, which Core Data has made, dates are seconds since 2001. A column that may be NULL is Optional, and so
    /// is one whose DEFAULT is an expression, and so is what SQLite computes. Foreign keys, CHECKs, collations and
    /// indexes are declared, those for full-text search by classes too, and what is UNIQUE is an index; what a class
    /// can't declare is named in a comment. A view gets a key if a column's values are all different at the moment, so
    /// that its objects can be streamed and read by pages. A table without a primary key gives a class that is kept by
    /// ``PrimaryKey/rowID``.
    ///
    /// The class reads every row, and a plan for it has no steps. A view or a generated column that needs a function of
    /// another program can't be read, and a comment says so.
    ///
    /// - Parameter name: The name of a table or a view, without regard to the case of ASCII letters.
    /// - Throws: ``PersistenceError/Code/noTable`` when there is none.
    public func modelSource(table name: String) throws -> String {
        let source = try engine.query { db in
            try db.table(name).map { try ModelSource($0, db) }
        }
        guard let source else { throw PersistenceError(.noTable, "there is no table or view \(name)", model: name) }
        return source.text
    }

    /// The same, while the task is suspended.
    public func modelSource(table name: String) async throws -> String {
        try await onReadingSide { manager in try manager.modelSource(table: name) }
    }
}

extension EngineConnection {
    /// The tables that a table's foreign keys refer to.
    fileprivate func parents(of table: DatabaseSchema.Table) throws -> [DatabaseSchema.Table] {
        try Set(table.foreignKeys.map(\.parent)).sorted().compactMap { try self.table($0) }
    }

    /// A column of a view that no two of its rows have the same value in, as far as is known: one that has the name of
    /// a table's key, or the first of them.
    fileprivate func viewKey(of view: DatabaseSchema.Table) throws -> String? {
        guard view.kind == .view else { return nil }
        let keys = try schema().tables.filter { $0.primaryKey.count == 1 }.map { asciiLowercased($0.primaryKey[0]) }
        let names = view.columns.map(\.name).filter { !$0.isEmpty }
        let likely = names.filter { keys.contains(asciiLowercased($0)) || asciiLowercased($0) == "id" }
        guard try scalar("SELECT count(*) FROM (SELECT 1 FROM \(identifier: view.name) LIMIT 1)", as: Int.self) == 1
        else {
            return likely.first
        }
        return try (likely + names).first { name in
            try scalar(
                "SELECT count(*) = count(DISTINCT \(identifier: name)) FROM \(identifier: view.name)", as: Bool.self)
                ?? false
        }
    }
}

/// A class for a table, as Swift source.
struct ModelSource {
    struct Property {
        let column: DatabaseSchema.Column
        let key: String
        let type: String
        /// What the property begins with; nil for an Optional.
        let initial: String?
        /// What a comment says of it.
        let note: String?
        /// What the column's declaration says of its values.
        let words: [String]
        /// The kind of the column's declaration.
        let kind: String
    }

    let table: DatabaseSchema.Table
    /// The tables that foreign keys refer to.
    let parents: [DatabaseSchema.Table]
    let properties: [Property]
    let naming: (name: String, value: Naming)
    let className: String
    private let classNames: [String: String]
    let fullText: FullTextSources
    private let viewKey: String?
    /// Why the rows can't be read; nil if they can.
    private let unreadable: String?
    /// The relations to other classes, for a class that is written together with these.
    var relations = ModelRelations()

    /// - Parameter classNames: Those of the classes that are written together, by their tables' names in lower case.
    init(_ table: DatabaseSchema.Table, _ db: any EngineConnection, _ classNames: [String: String] = [:]) throws {
        self.table = table
        parents = try db.parents(of: table)
        var contents: [String: ColumnContents] = [:]
        do {
            contents = try db.contents(of: table)
            viewKey = try db.viewKey(of: table)
            unreadable = nil
        } catch let error as SQLiteError
            where error.code == .error && (table.kind != .table || table.columns.contains { $0.kind != .ordinary })
        {
            // A view, a virtual table or a computed column of a program whose functions aren't here.
            contents = [:]
            viewKey = nil
            unreadable = error.message
        }
        self.classNames = classNames
        className = classNames[asciiLowercased(table.name)] ?? Self.className(table.name)
        fullText = try FullTextSources(of: table, db)
        let columns = table.columns.filter { $0.kind != .hidden && !$0.name.isEmpty }
        let strategies: [(name: String, value: Naming, keys: [String])] = [
            (".upperSnakeCase", .upperSnakeCase, Self.keys(columns, asWritten: false)),
            (".snakeCase", .snakeCase, Self.keys(columns, asWritten: false)),
            (".identity", .identity, Self.keys(columns, asWritten: true)),
        ]
        // That by which most names follow, so that few columns need be declared.
        var (best, most) = (strategies[0], -1)
        for strategy in strategies {
            // As they are written, names with `_` are none of Swift's.
            let isIdentity = strategy.name == ".identity"
            let count = zip(strategy.keys, columns).count {
                strategy.value.column($0) == $1.name && !(isIdentity && $1.name.contains("_"))
            }
            if count > most { (best, most) = (strategy, count) }
        }
        naming = (best.name, best.value)
        properties = try zip(best.keys, columns).map { key, column in
            try Self.property(key, column, table, PropertyType(column, table, contents[column.name], db))
        }
    }

    /// The names of the classes for tables, each its own, by the tables' names in lower case.
    static func classNames(_ tables: [DatabaseSchema.Table]) -> [String: String] {
        var taken: Set<String> = []
        var names: [String: String] = [:]
        for table in tables {
            let name = className(table.name)
            var (unique, number) = (name, 1)
            while !taken.insert(unique).inserted {
                number += 1
                unique = "\(name)\(number)"
            }
            names[asciiLowercased(table.name)] = unique
        }
        return names
    }

    private static func className(_ table: String) -> String {
        let name = NameText.upperCamelCase(SwiftSource.words(table))
        return switch name {
        case _ where TakenNames.types.contains(name): name + "Row"
        case _ where name.first?.isLetter != true: "Table" + name
        default: name
        }
    }

    /// The name of the class for another table.
    func className(of table: String) -> String {
        classNames[asciiLowercased(table)] ?? Self.className(table)
    }

    /// The names of the properties for columns.
    ///
    /// - Parameter asWritten: Whether they are the columns' own where Swift allows it.
    private static func keys(_ columns: [DatabaseSchema.Column], asWritten: Bool) -> [String] {
        var taken = TakenNames.members
        return columns.enumerated().map { position, column in
            let words = SwiftSource.words(column.name)
            let isName = words == column.name && words.first?.isLetter == true && !TakenNames.types.contains(words)
            var key = asWritten && isName ? words : NameText.camelCase(words)
            if key.first?.isLetter != true { key = "column" + (key.isEmpty ? "\(position + 1)" : key) }
            while !taken.insert(key).inserted { key += "\(position + 1)" }
            return key
        }
    }

    /// The property of a column.
    private static func property(
        _ key: String, _ column: DatabaseSchema.Column, _ table: DatabaseSchema.Table, _ type: PropertyType
    ) -> Property {
        var words = type.storage.map { ["stored(as: .\($0.form))"] } ?? []
        func property(_ initial: String?) -> Property {
            let notes = [renamed(key, column), column.isGenerated ? "SQLite computes it" : type.note]
            let note = notes.contains { $0 != nil } ? notes.compactMap { $0 }.joined(separator: "; ") : nil
            return Property(
                column: column, key: key, type: type.name, initial: initial, note: note, words: words,
                kind: type.storage?.kind ?? "any")
        }
        // A key that SQLite generates is nil until then. Other keys may be NULL, too, unless the table says NOT NULL.
        let isKeyOfRowless = table.isWithoutRowID && column.primaryKeyPosition != nil
        let isNotNull = column.isNotNull || isKeyOfRowless
        if type.name == "SQLiteValue" {
            return property(isNotNull && column.defaultSQL == nil && !column.isGenerated ? "0" : type.zero)
        }
        if column.isGenerated { return property(nil) }
        guard isNotNull, table.rowIDColumn != column.name else { return property(nil) }
        guard let sql = column.defaultSQL else { return property(type.zero) }
        if let literal = literal(sql, type.name) { return property(literal) }
        // The database fills in what a nil leaves out. The NOT NULL beside a literal has to be said.
        if ColumnDefinition(name: "", type: "", clauses: [Clause(.defaultValue, "DEFAULT \(sql)")]).hasLiteralDefault {
            words.append("notNull")
        }
        return property(nil)
    }

    /// Why a property hasn't the name of its column, if it would hide a member of all objects.
    private static func renamed(_ key: String, _ column: DatabaseSchema.Column) -> String? {
        let own = NameText.camelCase(SwiftSource.words(column.name))
        return key != own && TakenNames.members.contains(own) ? "every object has a member \(own)" : nil
    }

    /// Why a class hasn't the name of its table, if another type has it.
    private var renamedClass: String? {
        let own = NameText.upperCamelCase(SwiftSource.words(table.name))
        let isOther = className != own && !own.isEmpty && className.hasPrefix(own)
        return isOther ? "// There is another type \(own)." : nil
    }

    /// A DEFAULT as Swift writes it; nil for an expression, which is left to the database.
    private static func literal(_ sql: String, _ type: String) -> String? {
        switch type {
        case "Int64": Int64(sql).map { "\($0)" }
        case "Decimal":
            Int64(sql).map { "\($0)" }
                ?? Decimal(string: sql, locale: Locale(identifier: "en_US_POSIX")).flatMap { number in
                    Double(sql).map { _ in "Decimal(string: \"\(number)\") ?? 0" }
                }
        case "Double": Double(sql).flatMap { $0.isFinite ? "\($0)" : nil }
        case "Bool": ["0": "false", "false": "false", "1": "true", "true": "true"][asciiLowercased(sql)]
        // SQLite takes a DEFAULT in double quotes for a text.
        case "String" where sql.utf8.count >= 2 && ["'", "\""].contains(sql.prefix(1)) && sql.hasSuffix(sql.prefix(1)):
            SwiftSource.literal(
                String(sql.dropFirst().dropLast()).replacing("\(sql.prefix(1))\(sql.prefix(1))", with: sql.prefix(1)))
        default: nil
        }
    }

    /// The class, with what it imports.
    var text: String { "import Foundation\nimport Persisting\n\n" + classText }

    /// The class.
    var classText: String {
        var lines = [renamedClass, "final class \(className): PersistingModel {"].compactMap { $0 }
        for property in properties {
            let name = SwiftSource.identifier(property.key)
            let declaration = property.initial.map { ": \(property.type) = \($0)" } ?? ": \(property.type)?"
            let note = property.note.map { "  // \($0)" } ?? ""
            lines.append("    var \(name)\(declaration)\(note)")
        }
        if let unreadable {
            let words = "Its rows can't be read here, so that nothing tells their types: \(unreadable)"
            lines.append("    // \(SwiftSource.line(words))")
        }
        if table.columns.contains(where: \.name.isEmpty) { lines.append("    // A column without a name is left out.") }
        lines += overrides.flatMap { ["", $0] } + ["}", ""]
        return lines.joined(separator: "\n")
    }

    /// What the names and the types do not say.
    private var overrides: [String] {
        var overrides: [String] = []
        func add(_ property: String, _ value: String, note: String = "") {
            overrides.append("\(note)    override class var \(property) { \(value) }")
        }
        if naming.name != ".upperSnakeCase" { add("naming: Naming", naming.name) }
        if naming.value.table(className) != table.name { add("tableName: String", SwiftSource.literal(table.name)) }
        if let key = primaryKey {
            let isChosen = table.kind == .view && key != ".none"
            let note = isChosen ? "    // Of a view: a column whose values are all different.\n" : ""
            add("primaryKey: PrimaryKey", key, note: note)
        }
        let options: [String] = (table.isStrict ? [".strict"] : []) + (table.isWithoutRowID ? [".withoutRowID"] : [])
        if !options.isEmpty { add("tableOptions: TableOptions", "[\(options.joined(separator: ", "))]") }
        if indexes.count == 1 {
            add("indexes: [Index]", "[\(indexes[0])]")
        } else if !indexes.isEmpty {
            let list = indexes.map { "            \($0),\n" }.joined()
            overrides.append("    override class var indexes: [Index] {\n        [\n\(list)        ]\n    }")
        }
        if !declarations.isEmpty {
            overrides.append(
                (["    override class var columns: Columns {", "        var columns = super.columns"]
                    + declarations.map { "        columns[\(SwiftSource.literal($0.column))] = \($0.words)" }
                    + ["        return columns", "    }"]).joined(separator: "\n"))
        }
        overrides += relations.declarations + fullTextDeclarations
        let left = leftOut + fullTextLeftOut
        if !left.isEmpty {
            overrides.append(left.map { "    // Left out: \(SwiftSource.line($0))" }.joined(separator: "\n"))
        }
        return overrides
    }

    /// The key, where it is not the one that a class without a declaration has.
    private var primaryKey: String? {
        let names = table.kind == .view ? [viewKey].compactMap { $0 } : table.primaryKey
        let keys = names.compactMap { name in properties.first { $0.column.name == name } }
        let list = keys.map { SwiftSource.literal($0.key) }.joined(separator: ", ")
        let automatic =
            properties.first { $0.key == "id" } ?? properties.first { asciiLowercased($0.key) == "id" }
            ?? properties.first { asciiLowercased($0.column.name) == "id" }
        switch keys.count {
        // A column of the identifier's own name hides it.
        case 0 where table.kind == .table && !table.isWithoutRowID && table.column("_rowid_") == nil: return ".rowID"
        case 0: return automatic == nil ? nil : ".none"
        case 1 where table.rowIDColumn == keys[0].column.name:
            return keys[0].key == automatic?.key ? nil : ".generated(\(list))"
        case 1: return keys[0].key == automatic?.key && keys[0].type != "Int64" ? nil : ".assigned(\(list))"
        default: return ".composite(\(list))"
        }
    }
}
