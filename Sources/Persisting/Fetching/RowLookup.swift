/// The rows of a table that are named by what identifies them: values of the primary key, or the identifiers that
/// SQLite gives the rows.
struct RowLookup: Sendable {
    let type: PersistingModel.Type
    let table: ModelTable
    /// The columns by which a row is named.
    let columns: [String]
    /// Whether it is the number that SQLite gives it.
    let isByNumber: Bool

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
        isByNumber = rowID != nil
    }

    /// By the primary key.
    init(_ type: PersistingModel.Type, keyOf table: ModelTable) {
        self.type = type
        self.table = table
        columns = table.mapping.keyColumns
        isByNumber = false
    }

    /// The objects of rows, but for those that are gone.
    func objects(
        _ names: RowNames, _ manager: PersistenceManager, _ db: Database, tracked: Bool
    ) throws -> ContiguousArray<PersistingModel> {
        let found: [PersistingModel?]
        switch names {
        case .numbers(let numbers):
            if let first = numbers.first, let last = numbers.last, numbers.areConsecutive {
                return try objects(first...last, manager, db, tracked: tracked)
            }
            found = try objects(numbers.map { .integer($0) }[...], manager, db, tracked: tracked)
        case .keys(let keys): found = try objects(keys, manager, db, tracked: tracked)
        }
        return ContiguousArray(found.compactMap(\.self))
    }

    /// The objects of all the rows with a number in a range, in their order.
    private func objects(
        _ numbers: ClosedRange<Int64>, _ manager: PersistenceManager, _ db: Database, tracked: Bool
    ) throws -> ContiguousArray<PersistingModel> {
        let statement = try db.prepare(table.mapping.sql.select(between: columns[0]))
        try statement.bind(value: .integer(numbers.lowerBound), at: 1)
        try statement.bind(value: .integer(numbers.upperBound), at: 2)
        return try manager.objects(type, table.mapping, statement, tracked: tracked)
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

/// What names some rows.
enum RowNames: Sendable {
    case numbers([Int64])
    /// Values of the key, one row's behind the other's.
    case keys(ArraySlice<SQLiteValue>)
}

extension [Int64] {
    /// Whether each number follows the one before.
    fileprivate var areConsecutive: Bool {
        zip(self, dropFirst()).allSatisfy { $0.addingReportingOverflow(1) == ($1, false) }
    }
}

extension Mapping {
    fileprivate var keyColumns: [String] { key.map { sql.columns[$0] } }
}
