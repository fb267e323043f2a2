/// The definition of an index, read from a class or a database, which can be written as CREATE INDEX.
package struct IndexDefinition: Sendable {
    /// A column or an expression that the index is sorted by.
    package struct Column: Sendable, Hashable {
        /// The column's name; nil for an expression.
        package let name: String?
        package let isDescending: Bool
        /// The collation, if it differs from the column's.
        package let collation: String?
        /// The expression as SQL; nil for a column.
        fileprivate(set) var expression: String?

        /// The column or the expression as SQL.
        var text: String { name.map(SQLText.identifier) ?? expression ?? "" }

        /// A canonical form: equal for two columns of indexes that mean the same.
        fileprivate var meaning: [String] {
            name.map { [asciiLowercased($0)] } ?? SQLTokens(expression ?? "").meaning
        }
    }

    package private(set) var name: String
    package private(set) var columns: [Column]
    package let isUnique: Bool
    /// The condition of a partial index.
    package private(set) var condition: String?
    /// `CREATE INDEX`.
    package private(set) var sql: String
    /// Whether the user chose the name.
    package let isNamed: Bool
    private let table: String

    /// An index on columns.
    ///
    /// - Parameters:
    ///   - name: Nil makes a name from the table's and the columns', in the table's case.
    ///   - isNamed: Whether the user chose the name.
    package init(
        _ name: String?, on table: String, _ columns: [String], isUnique: Bool = false, where condition: String? = nil,
        isNamed: Bool = true
    ) {
        self.init(
            name, on: table, parts: columns.map { ($0, nil) }, isUnique: isUnique, where: condition, isNamed: isNamed)
    }

    /// An index on columns and expressions.
    ///
    /// - Parameters:
    ///   - name: Nil makes a name from the table's and the titles, in the table's case.
    ///   - parts: Each is a column's name, or an expression as SQL with the title for the index's name.
    ///   - isNamed: Whether the user chose the name.
    package init(
        _ name: String?, on table: String, parts: [(title: String, expression: String?)], isUnique: Bool,
        where condition: String?, isNamed: Bool = true
    ) {
        self.table = table
        self.isNamed = isNamed && name != nil
        let suffix = table.contains(where: \.isLowercase) ? "index" : "INDEX"
        self.name = name ?? ([table] + parts.map(\.title) + [suffix]).joined(separator: "_")
        columns = parts.map { title, expression in
            Column(
                name: expression == nil ? title : nil, isDescending: false, collation: nil, expression: expression)
        }
        self.isUnique = isUnique
        self.condition = condition
        sql = ""
        sql = text
    }

    private var text: String {
        let list = columns.map(\.text).joined(separator: ", ")
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLText.identifier(name)) "
            + "ON \(SQLText.identifier(table)) (\(list))" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// The index with a name that isn't taken, since another index may have a name from the same columns. The new name
    /// depends only on the definition.
    ///
    /// - Parameter taken: The names that are taken, in lower case.
    package func named(besides taken: Set<String>) -> IndexDefinition {
        guard !isNamed, taken.contains(asciiLowercased(name)) else { return self }
        var hash = StableHash()
        for part in [table] + columns.map(\.text) { hash.add(asciiLowercased(part)) }
        hash.add(isUnique ? 1 : 0 as UInt8)
        for part in SQLTokens(condition ?? "").meaning { hash.add(part) }
        let digits = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        var other = self
        let isLower = table.contains(where: \.isLowercase)
        other.name += "_" + (isLower ? digits : digits.uppercased())
        other.sql = other.text
        return other
    }

    /// Creates the definition of an index in a database.
    init(_ index: DatabaseSchema.Index, _ table: String) {
        name = index.name
        self.table = table
        isNamed = true
        sql = index.sql ?? ""
        let expressions = index.columns.contains { $0.name == nil } ? SQLTokens.indexedTerms(of: sql) : []
        columns = index.columns.enumerated().map { position, column in
            Column(
                name: column.name, isDescending: column.isDescending, collation: asciiLowercased(column.collation),
                expression: column.name == nil && position < expressions.count ? expressions[position] : nil)
        }
        isUnique = index.isUnique
        condition = index.isPartial ? SQLTokens.condition(of: sql) : nil
    }

    /// The index with renamed columns. The names are in lower case.
    func renaming(_ names: [String: String]) -> IndexDefinition {
        guard !names.isEmpty else { return self }
        var other = self
        other.sql = SQLTokens.renaming(names, in: sql)
        other.condition = condition.map { SQLTokens.renaming(names, in: $0) }
        for index in columns.indices {
            let column = columns[index]
            other.columns[index] = Column(
                name: column.name.map { names[asciiLowercased($0)] ?? $0 }, isDescending: column.isDescending,
                collation: column.collation, expression: column.expression.map { SQLTokens.renaming(names, in: $0) })
        }
        return other
    }

    /// Whether another index does what this one is defined to do, whatever its name.
    package func isMet(by other: IndexDefinition) -> Bool {
        other.columns.map(\.meaning) == columns.map(\.meaning)
            && (other.isUnique || !isUnique) && (other.condition == nil) == (condition == nil)
            && SQLTokens(other.condition ?? "").meaning == SQLTokens(condition ?? "").meaning
    }
}

extension [IndexDefinition] {
    /// The indexes with distinct names.
    func distinctlyNamed() -> [IndexDefinition] {
        guard count > 1 else { return self }
        var taken: Set<String> = []
        return map { index in
            let named = index.named(besides: taken)
            taken.insert(asciiLowercased(named.name))
            return named
        }
    }
}
