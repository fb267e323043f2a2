/// What keeps the rows of a table from being there twice, as far as an upsert of a class need know.
struct Uniqueness: Sendable {
    /// Whether a unique constraint is on the class's key, and no more.
    private(set) var hasKey = false
    /// Whether keys that are equal there are the same, to the byte.
    private(set) var isKeyExact = false
    /// Whether there is another that the class's columns can violate.
    private(set) var hasOthers = false
    /// The class's columns of each constraint that is on columns alone.
    private(set) var constraints: [[Int]] = []
    /// The class's columns of each partial unique index that is on columns alone, and its condition as SQL.
    private var partialIndexes: [(columns: [Int], condition: String)] = []
    /// The names of the unique indexes that are on expressions.
    private var expressionIndexes: [String] = []

    /// Of a table without any.
    init() {}

    /// Looks at a table's unique indexes.
    ///
    init(_ mapping: Mapping, _ schema: TableSchema, _ db: any EngineConnection) throws {
        let columns = mapping.columns.map { asciiLowercased($0.name) }
        let key = mapping.key.map { columns[$0] }
        if mapping.rowID != nil { add(key, key, mapping, isExact: true) }
        // The column that is the rows' identifier has no index.
        if schema.key.isRowID, let rowIDColumn = schema.key.columns.first, columns.contains(rowIDColumn) {
            add([rowIDColumn], key, mapping, isExact: true)
        }
        for index in schema.indexes where index.isUnique {
            let terms = try db.columns(ofIndex: index.name, in: mapping.database)
            // An expression has no name.
            let names = terms.map { $0.name.map(asciiLowercased) }
            guard names.contains(where: { $0.map(columns.contains) ?? true }) else { continue }
            let isExact = terms.allSatisfy { asciiLowercased($0.collation) == "binary" }
            add(index.isPartial ? [nil] : names, key, mapping, isExact: isExact)
            if names.contains(nil) {
                expressionIndexes.append(index.name)
            } else if index.isPartial, let condition = try Self.condition(ofIndex: index.name, in: mapping.database, db)
            {
                partialIndexes.append((Self.indices(of: names, mapping), condition))
            }
        }
    }

    /// The condition of a partial index, as its CREATE INDEX says it.
    private static func condition(
        ofIndex name: String, in database: String, _ db: any EngineConnection
    ) throws -> String? {
        let sql: SQL =
            "SELECT sql FROM \(identifier: database).sqlite_schema WHERE type = 'index' AND name = \(name)"
        return try db.scalar(sql, as: String.self).flatMap(SQLTokens.condition)
    }

    /// The conditions under which rows are unique by columns; empty where they always are, or never.
    func conditions(on columns: [Int]?) -> [String] {
        guard let columns, !constraints.contains(where: { Set($0) == Set(columns) }) else { return [] }
        return partialIndexes.filter { Set($0.columns) == Set(columns) }.map(\.condition)
    }

    /// Whether a change of columns may violate a constraint.
    func mayDepend(on columns: ColumnSet) -> Bool {
        !partialIndexes.isEmpty || !expressionIndexes.isEmpty
            || constraints.contains { !columns.intersection(ColumnSet($0)).isEmpty }
    }

    /// The error for columns that no unique constraint is on.
    func lacks(_ columns: [Int]?, _ mapping: Mapping, _ error: any Error) -> PersistenceError {
        let names = (columns ?? mapping.key).map { mapping.columns[$0].key }.joined(separator: ", ")
        let indexes =
            expressionIndexes.isEmpty
            ? "" : " (\(expressionIndexes.joined(separator: ", ")) is on an expression, which no property is)"
        return mapping.noUniqueConstraint(
            "no unique constraint of the table \(mapping.tableName) is just on \(names)\(indexes)", underlying: error)
    }

    private static func indices(of names: [String?], _ mapping: Mapping) -> [Int] {
        names.compactMap { name in
            name.flatMap { name in mapping.columns.firstIndex { asciiLowercased($0.name) == name } }
        }
    }

    private mutating func add(_ names: [String?], _ key: [String], _ mapping: Mapping, isExact: Bool) {
        let columns = Self.indices(of: names, mapping)
        if columns.count == names.count, !constraints.contains(columns) { constraints.append(columns) }
        if names.allSatisfy({ $0.map(key.contains) ?? false }), key.allSatisfy({ names.contains($0) }) {
            isKeyExact = isExact && (!hasKey || isKeyExact)
            hasKey = true
        } else {
            hasOthers = true
        }
    }
}
