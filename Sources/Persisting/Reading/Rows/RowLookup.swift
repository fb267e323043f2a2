/// The rows of a table that are named by what identifies them: values of the primary key, or the identifiers that
/// SQLite gives the rows.
struct RowLookup: Sendable {
    let type: PersistingModel.Type
    let table: ModelTable
    /// The columns by which a row is named.
    let columns: [String]
    /// Whether it is the number that SQLite gives it.
    let isByNumber: Bool
    /// How the rows are fetched.
    var fetch = FetchTraits()
    /// Whether it is an error if several rows have one name, as in a view whose key repeats. If it isn't, the first one
    /// is taken.
    var isStrict = false

    /// How many rows are asked for in one statement.
    static let batch = 100

    /// By what a query's rows are named once it has run.
    ///
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a view, and a table without row identifiers, when the class
    ///   has no primary key.
    init(_ type: PersistingModel.Type, _ table: ModelTable, rowsOf db: any EngineConnection) throws {
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

    /// The objects of rows by their numbers, except for those that are gone.
    func objects(
        _ numbers: [Int64], _ manager: PersistenceManager, _ db: any EngineConnection, tracked: Bool
    ) throws -> ContiguousArray<PersistingModel> {
        if let first = numbers.first, let last = numbers.last, numbers.areConsecutive {
            return try objects(first...last, upTo: numbers.count, manager, db, tracked: tracked).found
        }
        let found = try objects(numbers.map { .integer($0) }[...], manager, db, tracked: tracked)
        return ContiguousArray(found.compactMap { $0 })
    }

    /// The objects of the first rows with a number in a range, in their order.
    ///
    /// - Parameter count: How many rows at most.
    /// - Returns: The objects, and the numbers that may be those of more rows.
    func objects(
        _ numbers: ClosedRange<Int64>, upTo count: Int, _ manager: PersistenceManager, _ db: any EngineConnection,
        tracked: Bool
    ) throws -> (found: ContiguousArray<PersistingModel>, rest: ClosedRange<Int64>?) {
        switch try db.statement(table.mapping.sql.select(between: columns[0])) {
        case .local(let statement): try objects(numbers, upTo: count, manager, statement, tracked: tracked)
        case .other(let statement): try objects(numbers, upTo: count, manager, statement, tracked: tracked)
        }
    }

    private func objects(
        _ numbers: ClosedRange<Int64>, upTo count: Int, _ manager: PersistenceManager,
        _ statement: some EngineStatement, tracked: Bool
    ) throws -> (found: ContiguousArray<PersistingModel>, rest: ClosedRange<Int64>?) {
        defer { statement.clear() }
        try statement.bind(int64: numbers.lowerBound, at: 1)
        try statement.bind(int64: numbers.upperBound, at: 2)
        try statement.bind(int64: Int64(count), at: 3)
        var found: ContiguousArray<PersistingModel> = []
        found.reserveCapacity(min(count, Self.batch))
        var last = numbers.upperBound
        var rows = RowObjects.selected(
            by: table.mapping, manager, tracked: tracked, expecting: min(count, TrackedRows.capacityOfFetch),
            fetch: fetch)
        while try statement.step() {
            found.append(try rows.object(from: statement))
            if found.count == count { last = statement.int64(at: statement.columnCount - 1) }
        }
        return (found, last < numbers.upperBound ? (last + 1)...numbers.upperBound : nil)
    }

    /// The objects of rows.
    ///
    /// - Parameter names: The values by which the rows are named, one row's after the other's.
    /// - Returns: An object for each row, nil where there is none.
    /// - Throws: ``PersistenceError/Code/conflict`` for several rows of one name, if ``isStrict`` says so.
    func objects(
        _ names: ArraySlice<SQLiteValue>, _ manager: PersistenceManager, _ db: any EngineConnection, tracked: Bool
    ) throws -> [PersistingModel?] {
        let count = names.count / columns.count
        var objects = [PersistingModel?](repeating: nil, count: count)
        var rows = RowObjects.selected(
            by: table.mapping, manager, tracked: tracked, expecting: min(count, TrackedRows.capacityOfFetch),
            fetch: fetch)
        func read(_ names: ArraySlice<SQLiteValue>, from first: Int, _ statement: some EngineStatement) throws {
            try forEachRow(names, statement) { place in
                guard objects[first + place] == nil else {
                    let start = names.startIndex + place * columns.count
                    if isStrict { throw table.mapping.indistinct(names[start..<(start + columns.count)]) }
                    return
                }
                objects[first + place] = try rows.object(from: statement)
            }
        }
        try forEachBatch(names, db) { first, names, statement in
            switch statement {
            case .local(let statement): try read(names, from: first, statement)
            case .other(let statement): try read(names, from: first, statement)
            }
        }
        return objects
    }

    /// The values of a column in rows, nil where there is no row. All are asked for before the first that is missing is
    /// known.
    ///
    /// - Parameter names: The values by which the rows are named, one row's after the other's.
    func values(
        of index: Int, _ names: ArraySlice<SQLiteValue>, _ db: any EngineConnection
    ) throws -> [SQLiteValue?] {
        var values = [SQLiteValue?](repeating: nil, count: names.count / columns.count)
        func read(_ names: ArraySlice<SQLiteValue>, from first: Int, _ statement: some EngineStatement) throws {
            try forEachRow(names, statement) { place in
                if values[first + place] == nil { values[first + place] = try statement.value(at: 0) }
            }
        }
        try forEachBatch(names, reading: index, db) { try read($1, from: $0, $2.any) }
        return values
    }

    /// Calls `body` with a statement for each batch of rows, the number of those before it, and the values that name
    /// them.
    private func forEachBatch(
        _ names: ArraySlice<SQLiteValue>, reading index: Int? = nil, _ db: any EngineConnection,
        _ body: (Int, ArraySlice<SQLiteValue>, PreparedStatement) throws -> Void
    ) throws {
        let count = names.count / columns.count
        for first in stride(from: 0, to: count, by: Self.batch) {
            let wanted = min(Self.batch, count - first)
            let sql = table.mapping.sql.select(index, by: columns, rows: wanted == 1 ? 1 : Self.batch)
            let start = names.startIndex + first * columns.count
            try body(first, names[start..<(start + wanted * columns.count)], db.statement(sql))
        }
    }

    /// Calls `body` on each row that is there, with its place among those of a batch.
    @inline(__always)
    private func forEachRow(
        _ names: ArraySlice<SQLiteValue>, _ statement: some EngineStatement, _ body: (Int) throws -> Void
    ) throws {
        // Parameters without a value stay NULL, which nothing is equal to.
        statement.clearBindings()
        defer { statement.clear() }
        for (position, value) in names.enumerated() { try statement.bind(value: value, at: position + 1) }
        guard try statement.step() else { return }
        let place = statement.columnCount - 1
        repeat { try body(Int(statement.int64(at: place))) } while try statement.step()
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

    /// The error for rows that are read one after the other, and whose key doesn't tell them apart.
    func indistinct(_ key: ArraySlice<SQLiteValue>) -> PersistenceError {
        PersistenceError(
            .conflict,
            "several rows may have the key \(condition(of: Array(key))), by which the query finds its rows again: use "
                + "fetchAll, or declare a primary key that no two rows share", model: modelName,
            rowKey: keyValues(Array(key)))
    }
}
