/// The rows of SQLite's pragmas as values. The queries of ``SchemaReader`` have their columns in the same places.
extension DatabaseSchema {
    /// What `table_list` says of a table.
    package struct Header: Sendable {
        package let database: String
        package let kind: Kind
        package let isStrict: Bool
        package let isWithoutRowID: Bool

        init(_ row: RowSnapshot) throws(SQLiteError) {
            database = try row[0]
            kind = try row[2]
            isWithoutRowID = try row[4]
            isStrict = try row[5]
        }
    }

    /// What `index_list` says of an index.
    package struct IndexHeader: Sendable {
        package let name: String
        package let isUnique: Bool
        package let origin: Index.Origin
        package let isPartial: Bool

        init(_ row: RowSnapshot) throws(SQLiteError) {
            name = try row[1]
            isUnique = try row[2]
            origin = try row[3]
            isPartial = try row[4]
        }
    }
}

extension DatabaseSchema.Column {
    /// What `table_xinfo` says of a column.
    init(_ row: RowSnapshot, collation: String? = nil, isAutoincrement: Bool = false) throws(SQLiteError) {
        let position: Int = try row[5]
        self.init(
            name: try row[1], declaredType: try row[2], isNotNull: try row[3], defaultSQL: try row[4],
            primaryKeyPosition: position == 0 ? nil : position, kind: try row[6], collation: collation,
            isAutoincrement: isAutoincrement)
    }
}

extension DatabaseSchema.Index.Column {
    /// What `index_xinfo` says of a column.
    init(_ row: RowSnapshot, from first: Int) throws(SQLiteError) {
        self.init(name: try row[first], isDescending: try row[first + 1], collation: try row[first + 2])
    }
}
