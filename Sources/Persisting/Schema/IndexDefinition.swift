/// An index as its CREATE INDEX declares it, as a value: read from a class or from a database, and written as SQL.
package struct IndexDefinition: Sendable {
    /// What an index is sorted by.
    package struct Column: Sendable, Hashable {
        /// The column's name; nil for an expression.
        package let name: String?
        package let isDescending: Bool
        /// The collation, when it isn't the column's own.
        package let collation: String?
    }

    package private(set) var name: String
    package let columns: [Column]
    package let isUnique: Bool
    /// The condition of a partial index.
    package private(set) var condition: String?
    /// `CREATE INDEX`.
    package private(set) var sql: String
    /// Whether the name is the user's own.
    package let isNamed: Bool
    private let table: String

    /// An index on columns.
    ///
    /// - Parameters:
    ///   - name: Nil makes one of the table's and the columns', in the case of the table's own.
    ///   - isNamed: Whether the name is the user's own.
    package init(
        _ name: String?, on table: String, _ columns: [String], isUnique: Bool = false, where condition: String? = nil,
        isNamed: Bool = true
    ) {
        self.table = table
        self.isNamed = isNamed && name != nil
        let suffix = table.contains(where: \.isLowercase) ? "index" : "INDEX"
        self.name = name ?? ([table] + columns + [suffix]).joined(separator: "_")
        self.columns = columns.map { Column(name: $0, isDescending: false, collation: nil) }
        self.isUnique = isUnique
        self.condition = condition
        sql = ""
        sql = text
    }

    private var text: String {
        let list = columns.map { SQLText.identifier($0.name ?? "") }.joined(separator: ", ")
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLText.identifier(name)) "
            + "ON \(SQLText.identifier(table)) (\(list))" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// The index under a name that isn't taken: the columns' names alone may be another index's, too. The other name
    /// follows from what the index is declared to be.
    ///
    /// - Parameter taken: The names that are taken, in lower case.
    package func named(besides taken: Set<String>) -> IndexDefinition {
        guard !isNamed, taken.contains(asciiLowercased(name)) else { return self }
        var hash = StableHash()
        for part in [table] + columns.map({ $0.name ?? "" }) { hash.add(asciiLowercased(part)) }
        hash.add(isUnique ? 1 : 0 as UInt8)
        for part in SQLTokens(condition ?? "").meaning { hash.add(part) }
        let digits = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        var other = self
        let isLower = table.contains(where: \.isLowercase)
        other.name += "_" + (isLower ? digits : digits.uppercased())
        other.sql = other.text
        return other
    }

    /// An index of a database.
    init(_ index: DatabaseSchema.Index, _ table: String) {
        name = index.name
        self.table = table
        isNamed = true
        columns = index.columns.map {
            Column(name: $0.name, isDescending: $0.isDescending, collation: asciiLowercased($0.collation))
        }
        isUnique = index.isUnique
        sql = index.sql ?? ""
        condition = index.isPartial ? SQLTokens.condition(of: sql) : nil
    }

    /// The index with other names for columns, which are names in lower case.
    func renaming(_ names: [String: String]) -> IndexDefinition {
        guard !names.isEmpty else { return self }
        var other = self
        other.sql = SQLTokens.renaming(names, in: sql)
        other.condition = condition.map { SQLTokens.renaming(names, in: $0) }
        return other
    }

    /// Whether an index does what this one is declared to do, under any name.
    package func isMet(by other: IndexDefinition) -> Bool {
        other.columns.map { $0.name.map(asciiLowercased) } == columns.map { $0.name.map(asciiLowercased) }
            && (other.isUnique || !isUnique) && (other.condition == nil) == (condition == nil)
            && SQLTokens(other.condition ?? "").meaning == SQLTokens(condition ?? "").meaning
    }
}

extension [IndexDefinition] {
    /// The indexes under names of which no two are the same.
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
