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

    /// By columns that a unique constraint is on.
    init(_ type: PersistingModel.Type, _ table: ModelTable, by columns: [Int]) {
        self.type = type
        self.table = table
        self.columns = columns.map { table.mapping.sql.columns[$0] }
        isByNumber = false
    }

    /// The objects of rows by their numbers, but for those that are gone.
    func objects(
        _ numbers: [Int64], _ manager: PersistenceManager, _ db: Database, tracked: Bool
    ) throws -> ContiguousArray<PersistingModel> {
        if let first = numbers.first, let last = numbers.last, numbers.areConsecutive {
            return try objects(first...last, upTo: numbers.count, manager, db, tracked: tracked).found
        }
        let found = try objects(numbers.map { .integer($0) }[...], manager, db, tracked: tracked)
        return ContiguousArray(found.compactMap(\.self))
    }

    /// The objects of the first rows with a number in a range, in their order.
    ///
    /// - Parameter count: How many rows at the most.
    /// - Returns: The objects, and the numbers that may be those of more rows.
    func objects(
        _ numbers: ClosedRange<Int64>, upTo count: Int, _ manager: PersistenceManager, _ db: Database, tracked: Bool
    ) throws -> (found: ContiguousArray<PersistingModel>, rest: ClosedRange<Int64>?) {
        let statement = try db.prepare(table.mapping.sql.select(between: columns[0]))
        defer { statement.clear() }
        try statement.bind(int64: numbers.lowerBound, at: 1)
        try statement.bind(int64: numbers.upperBound, at: 2)
        try statement.bind(int64: Int64(count), at: 3)
        var found: ContiguousArray<PersistingModel> = []
        found.reserveCapacity(min(count, Self.batch))
        var last = numbers.upperBound
        var rows = RowObjects(
            manager, type, table.mapping, tracked: tracked, expecting: min(count, RowImages.capacityOfFetch))
        let place = statement.columnCount - 1
        while try statement.step() {
            found.append(try rows.object(from: statement))
            if found.count == count { last = statement.int64(at: place) }
        }
        return (found, last < numbers.upperBound ? (last + 1)...numbers.upperBound : nil)
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
        try forEachRow(names, db) { place, statement in objects[place] = try rows.object(from: statement) }
        return objects
    }

    /// Calls `body` for each row that is there, with its place among those wanted. All are asked for before the first
    /// that is missing is known.
    ///
    /// - Parameters:
    ///   - names: The values by which the rows are named, one row's after the other's.
    ///   - index: The column to read; nil for those that are fetched.
    func forEachRow(
        _ names: ArraySlice<SQLiteValue>, reading index: Int? = nil, _ db: Database,
        _ body: (Int, Statement) throws -> Void
    ) throws {
        let count = names.count / columns.count
        for first in stride(from: 0, to: count, by: Self.batch) {
            let wanted = min(Self.batch, count - first)
            let sql = table.mapping.sql.select(index, by: columns, rows: wanted == 1 ? 1 : Self.batch)
            let statement = try db.prepare(sql)
            // Parameters without a value stay NULL, which nothing is equal to.
            statement.clearBindings()
            defer { statement.clear() }
            let start = names.startIndex + first * columns.count
            for (position, value) in names[start..<(start + wanted * columns.count)].enumerated() {
                try statement.bind(value: value, at: position + 1)
            }
            let place = statement.columnCount - 1
            while try statement.step() { try body(first + Int(statement.int64(at: place)), statement) }
        }
    }
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
