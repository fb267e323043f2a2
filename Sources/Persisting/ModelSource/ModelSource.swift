internal import Foundation

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
    /// Types follow the declared ones. A column that may be NULL is Optional, and so is one whose DEFAULT is an
    /// expression, and so is what SQLite computes. Foreign keys, CHECKs, collations and indexes are declared, and what
    /// is UNIQUE is an index; what a class can't declare is named in a comment. A view gets a key if a column's values
    /// are all different at the moment, so that its objects can be streamed and read by pages. A table without a
    /// primary key gives a class that is kept by ``PrimaryKey/rowID``. Columns of dates declare the form that the first
    /// and last rows of the table hold.
    ///
    /// - Parameter name: The name of a table or a view, without regard to the case of ASCII letters.
    /// - Throws: ``PersistenceError/Code/noTable`` when there is none.
    public func modelSource(table name: String) throws -> String {
        let source = try engine.query { db in
            try db.table(name).map {
                try ModelSource(
                    $0, parents: db.parents(of: $0), viewKey: db.viewKey(of: $0), dateForms: db.dateForms(of: $0))
            }
        }
        guard let source else { throw PersistenceError(.noTable, "there is no table or view \(name)", model: name) }
        return source.text
    }

    /// Swift source of a class for an existing table, while the task is suspended.
    ///
    /// - Parameter name: The name of a table or a view, without regard to the case of ASCII letters.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func modelSource(table name: String) async throws -> String {
        try await onReadingSide { manager in try manager.modelSource(table: name) }
    }
}

extension EngineConnection {
    /// The tables that a table's foreign keys refer to.
    fileprivate func parents(of table: DatabaseSchema.Table) throws -> [DatabaseSchema.Table] {
        try Set(table.foreignKeys.map(\.parent)).sorted().compactMap { try self.table($0) }
    }

    /// The forms of the columns of dates, as far as the first and last rows tell.
    fileprivate func dateForms(of table: DatabaseSchema.Table) throws -> [String: DateStorage] {
        guard table.kind == .table else { return [:] }
        let names = table.columns.filter { ModelSource.isDate($0, table) }.map(\.name)
        return try names.reduce(into: [:]) { forms, name in
            var values = try column(
                "SELECT \(identifier: name) FROM \(identifier: table.name) LIMIT 50", as: SQLiteValue.self)
            if !table.isWithoutRowID {
                values += try column(
                    "SELECT \(identifier: name) FROM \(identifier: table.name) ORDER BY _rowid_ DESC LIMIT 50",
                    as: SQLiteValue.self)
            }
            forms[name] = DateStorage.held(by: values)
        }
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
    }

    let table: DatabaseSchema.Table
    /// The tables that foreign keys refer to.
    let parents: [DatabaseSchema.Table]
    let properties: [Property]
    let naming: (name: String, value: Naming)
    /// The forms of dates to declare, by columns.
    let dateForms: [String: DateStorage]
    private let className: String
    private let viewKey: String?
    /// The names of types in what is written, which the class and its properties must not take.
    private static let typeNames: Set<String> = [
        "Any", "Bool", "Collation", "Columns", "Data", "Date", "Decimal", "Double", "Foundation", "Index", "Int64",
        "Naming",
        "Persisting", "PersistingModel", "PrimaryKey", "Protocol", "SQLiteValue", "Self", "String", "TableOptions",
        "Type",
        "UUID",
    ]

    /// - Parameters:
    ///   - parents: The tables that its foreign keys refer to.
    ///   - viewKey: What tells the rows of a view apart.
    ///   - dateForms: The forms of dates to declare, by columns.
    init(
        _ table: DatabaseSchema.Table, parents: [DatabaseSchema.Table], viewKey: String?,
        dateForms: [String: DateStorage]
    ) {
        self.dateForms = dateForms
        self.table = table
        self.parents = parents
        self.viewKey = viewKey
        className = Self.className(table.name)
        let columns = table.columns.filter { $0.kind != .hidden && !$0.name.isEmpty }
        let strategies: [(name: String, value: Naming, keys: [String])] = [
            (".upperSnakeCase", .upperSnakeCase, Self.keys(columns, asWritten: false)),
            (".snakeCase", .snakeCase, Self.keys(columns, asWritten: false)),
            (".identity", .identity, Self.keys(columns, asWritten: true)),
        ]
        // That by which most names follow, so that few columns need be declared.
        var (best, most) = (strategies[0], -1)
        for strategy in strategies {
            let count = zip(strategy.keys, columns).count { strategy.value.column($0) == $1.name }
            if count > most { (best, most) = (strategy, count) }
        }
        naming = (best.name, best.value)
        properties = zip(best.keys, columns).map { key, column in
            let (type, initial) = Self.type(of: column, table)
            return Property(column: column, key: key, type: type, initial: initial)
        }
    }

    /// The name of the class for a table.
    static func className(_ table: String) -> String {
        let name = NameText.upperCamelCase(SwiftSource.words(table))
        return switch name {
        case _ where typeNames.contains(name): name + "Row"
        case _ where name.first?.isLetter != true: "Table" + name
        default: name
        }
    }

    /// The names of the properties for columns.
    ///
    /// - Parameter asWritten: Whether they are the columns' own where Swift allows it.
    private static func keys(_ columns: [DatabaseSchema.Column], asWritten: Bool) -> [String] {
        var taken: Set<String> = ["hashValue"]
        return columns.enumerated().map { position, column in
            let words = SwiftSource.words(column.name)
            let isName = words == column.name && words.first?.isLetter == true && !typeNames.contains(words)
            var key = asWritten && isName ? words : NameText.camelCase(words)
            if key.first?.isLetter != true { key = "column" + (key.isEmpty ? "\(position + 1)" : key) }
            while !taken.insert(key).inserted { key += "\(position + 1)" }
            return key
        }
    }

    /// Whether the property of a column is a date.
    static func isDate(_ column: DatabaseSchema.Column, _ table: DatabaseSchema.Table) -> Bool {
        type(of: column, table).0 == "Date"
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
            case _ where has("decimal", "money", "numeric("), _ where has("numeric ("): ("Decimal", "0")
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
        case "Decimal":
            Int64(sql).map { "\($0)" }
                ?? Decimal(string: sql, locale: Locale(identifier: "en_US_POSIX")).flatMap { number in
                    Double(sql).map { _ in "Decimal(string: \"\(number)\") ?? 0" }
                }
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
        if let key = primaryKey {
            let note =
                table.kind == .view && key != ".none"
                ? "    // Of a view: a column whose values are all different.\n" : ""
            overrides.append("\(note)    override class var primaryKey: PrimaryKey { \(key) }")
        }
        let options = [table.isStrict ? ".strict" : nil, table.isWithoutRowID ? ".withoutRowID" : nil].compactMap(
            \.self)
        if !options.isEmpty {
            overrides.append(
                "    override class var tableOptions: TableOptions { [\(options.joined(separator: ", "))] }")
        }
        if !indexes.isEmpty {
            let list = indexes.map { "        \($0)," }.joined(separator: "\n")
            overrides.append(
                indexes.count == 1
                    ? "    override class var indexes: [Index] { [\(indexes[0])] }"
                    : "    override class var indexes: [Index] {\n        [\n\(list.replacing("        ", with: "            "))\n        ]\n    }"
            )
        }
        if !declarations.isEmpty {
            overrides.append(
                (["    override class var columns: Columns {", "        var columns = super.columns"]
                    + declarations.map { "        columns[\(SwiftSource.literal($0.column))] = \($0.words)" }
                    + ["        return columns", "    }"]).joined(separator: "\n"))
        }
        let left = leftOut
        if !left.isEmpty { overrides.append(left.map { "    // Left out: \($0)" }.joined(separator: "\n")) }
        return overrides
    }

    /// The key, where it is not the one that a class without a declaration has.
    private var primaryKey: String? {
        let names = table.kind == .view ? [viewKey].compactMap(\.self) : table.primaryKey
        let keys = names.compactMap { name in properties.first { $0.column.name == name } }
        let list = keys.map { SwiftSource.literal($0.key) }.joined(separator: ", ")
        let automatic =
            properties.first { $0.key == "id" } ?? properties.first { asciiLowercased($0.key) == "id" }
            ?? properties.first { asciiLowercased($0.column.name) == "id" }
        switch keys.count {
        case 0 where table.kind == .table && !table.isWithoutRowID: return ".rowID"
        case 0: return automatic == nil ? nil : ".none"
        case 1 where table.rowIDColumn == keys[0].column.name:
            return keys[0].key == automatic?.key ? nil : ".generated(\(list))"
        case 1: return keys[0].key == automatic?.key && keys[0].type != "Int64" ? nil : ".assigned(\(list))"
        default: return ".composite(\(list))"
        }
    }
}
