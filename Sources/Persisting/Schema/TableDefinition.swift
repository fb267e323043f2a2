/// A table as its CREATE TABLE declares it, as a value: read from a class or from a database, changed, compared, and
/// written as SQL.
///
/// It keeps each clause as text, so that what a class can't say, such as `ON CONFLICT REPLACE`, survives when a table
/// is rebuilt.
package struct TableDefinition: Sendable {
    package var name: String
    package var columns: [ColumnDefinition]
    /// The constraints that stand after the columns.
    package var constraints: [Clause]
    package var isStrict: Bool
    package var isWithoutRowID: Bool
    /// The indexes that CREATE INDEX makes.
    package var indexes: [IndexDefinition]

    package init(
        name: String, columns: [ColumnDefinition], constraints: [Clause] = [], isStrict: Bool = false,
        isWithoutRowID: Bool = false, indexes: [IndexDefinition] = []
    ) {
        self.name = name
        self.columns = columns
        self.constraints = constraints
        self.isStrict = isStrict
        self.isWithoutRowID = isWithoutRowID
        self.indexes = indexes
    }

    /// `CREATE TABLE`, a column to a line.
    package var sql: String {
        "CREATE TABLE \(SQLText.identifier(name)) (\n    " + parts.list(",\n    ") + "\n)"
            + (options.isEmpty ? "" : " " + options)
    }

    /// What stands between the brackets: columns and constraints.
    package var parts: [String] { columns.map(\.sql) + constraints.map(\.sql) }

    /// What stands after them.
    package var options: String {
        [isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil].compactMap { $0 }.list(", ")
    }

    /// The place of a column, by SQLite's rule for names.
    package func index(of column: String) -> Int? { columns.firstIndex { isSameName($0.name, column) } }

    package func column(_ name: String) -> ColumnDefinition? { index(of: name).map { columns[$0] } }
}

/// A column of a ``TableDefinition``.
package struct ColumnDefinition: Sendable {
    package var name: String
    /// The type as it is declared; empty without one.
    package var type: String
    /// What follows the type, in order.
    package var clauses: [Clause]

    package init(name: String, type: String, clauses: [Clause] = []) {
        self.name = name
        self.type = type
        self.clauses = clauses
    }

    /// What follows the name in CREATE TABLE.
    package var definition: String {
        var text = type
        for clause in clauses { text += text.isEmpty ? clause.sql : " \(clause.sql)" }
        return text
    }

    /// The column's line in CREATE TABLE.
    package var sql: String {
        let definition = definition
        return definition.isEmpty ? SQLText.identifier(name) : "\(SQLText.identifier(name)) \(definition)"
    }

    /// The last clause of a kind, which is the one that counts.
    package func clause(_ kind: Clause.Kind) -> Clause? { clauses.last { $0.kind == kind } }

    package func has(_ kind: Clause.Kind) -> Bool { clauses.contains { $0.kind == kind } }

    /// Puts a clause in the place of those of its kind.
    package mutating func set(_ clause: Clause) {
        let place = clauses.firstIndex { $0.kind == clause.kind } ?? clauses.count
        clauses.insert(clause, at: place)
        clauses = clauses.enumerated().filter { $0.offset == place || $0.element.kind != clause.kind }.map(\.element)
    }

    /// Whether the default is a literal, and neither an expression nor the time.
    package var hasLiteralDefault: Bool {
        guard let value = clause(.defaultValue)?.defaultSQL else { return false }
        return !value.hasPrefix("(") && !asciiLowercased(value).hasPrefix("current_")
    }

    package mutating func remove(_ kind: Clause.Kind) { clauses.removeAll { $0.kind == kind } }
}

/// A constraint of a column or of a table.
package struct Clause: Sendable {
    package enum Kind: Hashable, Sendable {
        case primaryKey, notNull, unique, check, defaultValue, collation, foreignKey, generated
        /// A comment that names the form of dates: see ``DateStorage/mark``.
        case dateForm
        /// A NULL, which says nothing.
        case other
    }

    package let kind: Kind
    /// Its text, with the name of a CONSTRAINT that has one.
    package let sql: String
    /// Whether nobody has asked for it: the default that follows from what a property begins with.
    package var isImplied = false

    package init(_ kind: Kind, _ sql: String, isImplied: Bool = false) {
        self.kind = kind
        self.sql = sql
        self.isImplied = isImplied
    }

    static func defaultValue(_ value: SQLiteValue, isImplied: Bool = false) -> Clause {
        // In brackets, since what is written for a text with a NUL is an expression.
        let isPlain = if case .text(let text) = value { !text.utf8.contains(0) } else { true }
        return Clause(.defaultValue, isPlain ? "DEFAULT \(value)" : "DEFAULT (\(value))", isImplied: isImplied)
    }

    /// What stands between the first brackets: a CHECK's expression, a generated column's, a list of columns.
    package var inside: String? {
        let tokens = SQLTokens(sql)
        guard let open = tokens.tokens.firstIndex(where: { $0.isSymbol("(") }), let close = tokens.closing(open) else {
            return nil
        }
        return tokens.text(open + 1..<close)
    }

    /// The value of a DEFAULT, as it is written.
    package var defaultSQL: String? {
        let tokens = SQLTokens(sql)
        guard let place = tokens.tokens.firstIndex(where: { $0.isWord("DEFAULT") }) else { return nil }
        return tokens.text(place + 1..<tokens.tokens.count)
    }

    /// The name after COLLATE.
    package var collation: String? {
        let tokens = SQLTokens(sql).tokens
        return tokens.firstIndex { $0.isWord("COLLATE") }.flatMap { $0 + 1 < tokens.count ? tokens[$0 + 1].name : nil }
    }
}

/// What two tables have to agree in.
extension TableDefinition {
    /// The columns of the primary key, in its order.
    package var primaryKey: [String] {
        for column in columns where column.has(.primaryKey) { return [column.name] }
        return constraints.first { $0.kind == .primaryKey }.map { Self.names(in: $0) } ?? []
    }

    /// Whether the key is another name of the row identifier, which SQLite generates.
    package var hasRowIDKey: Bool {
        guard !isWithoutRowID, primaryKey.count == 1, let column = column(primaryKey[0]) else { return false }
        guard asciiLowercased(column.type) == "integer" else { return false }
        // DESC after the column makes an index of its own, by an old mistake of SQLite's; after the table it doesn't.
        return column.clause(.primaryKey).map { !SQLTokens($0.sql).tokens.contains { $0.isWord("DESC") } } ?? true
    }

    package var isAutoincrement: Bool {
        let keys = columns.compactMap { $0.clause(.primaryKey) } + constraints.filter { $0.kind == .primaryKey }
        return keys.contains { SQLTokens($0.sql).tokens.contains { $0.isWord("AUTOINCREMENT") } }
    }

    /// The foreign keys of columns and of the table.
    package var foreignKeys: [ForeignKeyDefinition] {
        columns.flatMap { column in
            column.clauses.filter { $0.kind == .foreignKey }.map { ForeignKeyDefinition($0, of: column.name) }
        } + constraints.filter { $0.kind == .foreignKey }.map { ForeignKeyDefinition($0, of: nil) }
    }

    /// Whether it has any, without reading them.
    package var hasForeignKeys: Bool {
        columns.contains { $0.has(.foreignKey) } || constraints.contains { $0.kind == .foreignKey }
    }

    /// The expressions of the CHECKs, each with the column in whose definition it stands; nil for those of the table.
    package var checks: [(column: String?, expression: String)] {
        var checks: [(column: String?, expression: String)] = []
        for column in columns {
            for case (.check, let expression?) in column.clauses.map({ ($0.kind, $0.inside) }) {
                checks.append((column.name, expression))
            }
        }
        for case (.check, let expression?) in constraints.map({ ($0.kind, $0.inside) }) {
            checks.append((nil, expression))
        }
        return checks
    }

    /// Whether no two rows can have the same values in some columns.
    package func isUnique(_ names: [String]) -> Bool {
        let names = Set(names.map(asciiLowercased))
        return uniques.contains { $0.condition == nil && Set($0.columns.map(asciiLowercased)) == names }
    }

    /// The columns of each unique constraint and index, the primary key among them, and the condition of its rows. An
    /// expression has no name.
    var uniques: [(columns: [String], condition: String?)] {
        let constraints =
            columns.filter { $0.has(.unique) }.map { [$0.name] }
            + constraints.filter { $0.kind == .unique }.map(Self.names)
        return ([primaryKey] + constraints).filter { !$0.isEmpty }.map { ($0, nil) }
            + indexes.filter(\.isUnique).map { ($0.columns.map { $0.name ?? "" }, $0.condition) }
    }

    /// The names of the columns that a PRIMARY KEY or UNIQUE of a table lists.
    static func names(in clause: Clause) -> [String] {
        let tokens = SQLTokens(clause.inside ?? "").tokens
        var (names, isFirst) = ([String](), true)
        for token in tokens {
            if isFirst, let name = token.name { names.append(name) }
            isFirst = token.isSymbol(",")
        }
        return names
    }
}

/// A foreign key of a ``TableDefinition``.
package struct ForeignKeyDefinition: Hashable, Sendable {
    /// The columns that refer.
    package let columns: [String]
    package let parent: String
    /// The columns of the parent; empty for its primary key.
    package let parentColumns: [String]
    /// The words of what happens when the parent is deleted and changed.
    package let onDelete: String
    package let onUpdate: String
    package let isDeferred: Bool

    /// - Parameter column: The column in whose definition it stands; nil for one of the table. All names are in lower
    ///   case, by which SQLite knows them.
    package init(_ clause: Clause, of column: String?) {
        let text = SQLTokens(clause.sql)
        let tokens = text.tokens
        func list(_ open: Int) -> [String] {
            guard open < tokens.count, tokens[open].isSymbol("("), let close = text.closing(open) else { return [] }
            return tokens[open..<close].compactMap(\.name).map(asciiLowercased)
        }
        let place = tokens.firstIndex { $0.isWord("REFERENCES") } ?? 0
        let open = tokens.firstIndex { $0.isSymbol("(") } ?? 0
        columns = column.map { [asciiLowercased($0)] } ?? list(open)
        parent = asciiLowercased(place + 1 < tokens.count ? tokens[place + 1].name ?? "" : "")
        parentColumns = list(place + 2)
        func action(_ word: String) -> String {
            for index in tokens.indices where index + 2 < tokens.count && tokens[index].isWord("ON") {
                guard tokens[index + 1].isWord(word) else { continue }
                let first = tokens[index + 2]
                let words = first.isWord("SET") || first.isWord("NO") ? tokens[(index + 2)...].prefix(2) : [first]
                return words.compactMap(\.name).joined(separator: " ").uppercased()
            }
            return "NO ACTION"
        }
        onDelete = action("DELETE")
        onUpdate = action("UPDATE")
        isDeferred = Persisting.isDeferred(tokens)
    }
}

private func isDeferred(_ tokens: [SQLTokens.Token]) -> Bool {
    guard let place = tokens.lastIndex(where: { $0.isWord("DEFERRABLE") }), place + 2 < tokens.count else {
        return false
    }
    return !tokens[place - 1].isWord("NOT") && tokens[place + 1].isWord("INITIALLY")
        && tokens[place + 2].isWord("DEFERRED")
}
