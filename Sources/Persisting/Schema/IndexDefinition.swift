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

    package let name: String
    package let columns: [Column]
    package let isUnique: Bool
    /// The condition of a partial index.
    package let condition: String?
    /// `CREATE INDEX`.
    package let sql: String

    /// An index on columns.
    ///
    /// - Parameter name: Nil makes one of the table's and the columns', in the case of the table's own.
    package init(
        _ name: String?, on table: String, _ columns: [String], isUnique: Bool = false, where condition: String? = nil
    ) {
        let suffix = table.contains(where: \.isLowercase) ? "index" : "INDEX"
        let name = name ?? ([table] + columns + [suffix]).joined(separator: "_")
        self.name = name
        self.columns = columns.map { Column(name: $0, isDescending: false, collation: nil) }
        self.isUnique = isUnique
        self.condition = condition
        let list = columns.map(SQLText.identifier).joined(separator: ", ")
        sql =
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLText.identifier(name)) "
            + "ON \(SQLText.identifier(table)) (\(list))" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// An index of a database.
    init(_ index: DatabaseSchema.Index, _ table: String) {
        name = index.name
        columns = index.columns.map {
            Column(name: $0.name, isDescending: $0.isDescending, collation: asciiLowercased($0.collation))
        }
        isUnique = index.isUnique
        sql = index.sql ?? ""
        condition = index.isPartial ? SQLTokens.condition(of: sql) : nil
    }

    /// Whether an index does what this one is declared to do, under any name.
    package func isMet(by other: IndexDefinition) -> Bool {
        other.columns.map { $0.name.map(asciiLowercased) } == columns.map { $0.name.map(asciiLowercased) }
            && (other.isUnique || !isUnique) && (other.condition == nil) == (condition == nil)
            && SQLTokens(other.condition ?? "").meaning == SQLTokens(condition ?? "").meaning
    }
}
