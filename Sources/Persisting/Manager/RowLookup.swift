/// The rows of a table that are named by what identifies them: values of the primary key, or the identifiers that
/// SQLite gives the rows.
struct RowLookup: Sendable {
    let type: PersistingModel.Type
    let table: ModelTable
    /// The columns by which a row is named.
    let columns: [String]

    /// How many rows are asked for at once.
    static let batch = 100

    /// By what a query's rows are named once it has run.
    ///
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a view, and a table without row identifiers, when the class
    ///   has no primary key.
    init(_ type: PersistingModel.Type, _ table: ModelTable, rowsOf db: Database) throws {
        let rowID = try table.rowIDIfAny(db)
        if rowID == nil { try table.mapping.requireKey() }
        self.type = type
        self.table = table
        columns = rowID.map { [$0] } ?? table.mapping.keyColumns
    }

    /// By the primary key.
    init(_ type: PersistingModel.Type, keyOf table: ModelTable) {
        self.type = type
        self.table = table
        columns = table.mapping.keyColumns
    }

    /// The objects of rows.
    ///
    /// - Parameter names: The values by which the rows are named, one row's behind the other's.
    /// - Returns: An object for each row, nil where there is none.
    func objects(
        _ names: ArraySlice<SQLiteValue>, _ manager: PersistenceManager, _ db: Database, tracked: Bool
    ) throws -> [PersistingModel?] {
        let count = names.count / columns.count
        var objects = [PersistingModel?](repeating: nil, count: count)
        var rows = RowObjects(
            manager, type, table.mapping, tracked: tracked, expecting: min(count, RowImages.capacityOfFetch))
        for first in stride(from: 0, to: count, by: Self.batch) {
            let wanted = min(Self.batch, count - first)
            let statement = try db.prepare(table.mapping.sql.select(by: columns, rows: wanted == 1 ? 1 : Self.batch))
            // Parameters without a value stay NULL, which nothing is equal to.
            statement.clearBindings()
            defer { statement.clear() }
            let start = names.startIndex + first * columns.count
            for (position, value) in names[start..<(start + wanted * columns.count)].enumerated() {
                try statement.bind(value: value, at: position + 1)
            }
            let place = statement.columnCount - 1
            while try statement.step() {
                let position = first + Int(statement.int64(at: place))
                objects[position] = try rows.object(from: statement)
            }
        }
        return objects
    }
}

extension Mapping {
    fileprivate var keyColumns: [String] { key.map { sql.columns[$0] } }
}
