/// Columns on their way into an object's row, as values that may cross to the database's side.
struct Update: Sendable {
    let table: ModelTable
    /// The columns that are written for the caller.
    let asked: [Int]
    /// Those, and behind them the ones that the library writes by itself.
    let columns: [Int]
    /// An image with the columns' values.
    let values: RowImages
    /// An image of the row as it will be, as far as it is known.
    let result: RowImages
    let stamps: [Stamp]
    let row: KnownRow

    /// Takes an object's values.
    ///
    /// - Parameter isWhole: Whether the columns are all that the object has, so that the row is known as a whole.
    init(_ object: PersistingModel, _ columns: [Int], isWhole: Bool, _ row: KnownRow) throws {
        let (manager, mapping) = (row.images.manager, row.table.mapping)
        values = RowImages(manager, mapping, capacity: 1)
        if row.images.isTracking {
            // What is not written stays as the row holds it.
            try values.append(row.images, row.slot, with: columns, of: object)
        } else {
            try values.append(object)
        }
        if row.images.isTracking || isWhole {
            result = values
        } else {
            result = RowImages(manager, mapping, capacity: 1, tracking: false)
            try result.append(row.images, row.slot, with: columns, of: object)
        }
        table = row.table
        asked = columns
        var all = columns
        stamps = try mapping.stampUpdate(of: object, row, values, result, &all)
        self.columns = all
        self.row = row
    }

    /// Runs the UPDATE.
    ///
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when it has
    ///   another version.
    func run(_ db: Database) throws {
        let mapping = table.mapping
        try table.checkForWriting(db)
        let statement = try db.prepare(mapping.sql.update(columns))
        defer { statement.clear() }
        var parameter = try mapping.bind(values[0], columns, to: statement)
        for value in row.parameters {
            try statement.bind(value: value, at: parameter)
            parameter += 1
        }
        guard try statement.run() > 0 else { throw try row.conflict(with: values[0], asked) ?? mapping.notFound(row.key) }
    }

    /// Tells the object what its row holds now.
    func finish(_ object: PersistingModel) throws {
        try table.mapping.set(stamps, of: object)
        object.record = Record(state: .persisted, slot: 0, images: result)
    }
}
