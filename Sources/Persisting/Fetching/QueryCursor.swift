/// A query's rows, to be made into objects a batch at a time.
///
/// What is known of each row is the number or the key that names it, so memory stays flat but for a few bytes a row.
/// Between batches no statement stands on a row and no connection is held: whoever is given an object may do anything.
struct QueryCursor<Model: PersistingModel>: Sendable {
    private let lookup: RowLookup
    private let tracked: Bool
    private var names: Names

    /// What names the rows that are still to come.
    private enum Names {
        case numbers(RowNumbers.Iterator)
        /// Values of the key, one row's behind the other's.
        case keys(ArraySlice<SQLiteValue>)
    }

    /// Runs the query.
    init(_ query: Query<Model>, _ manager: PersistenceManager, tracked: Bool) throws {
        let table = try manager.table(of: query.modelType)
        self.tracked = tracked
        (lookup, names) = try manager.reading(table) { db in
            let lookup = try RowLookup(query.modelType, table, rowsOf: db)
            let list = lookup.columns.joined(separator: ", ")
            let sql = try query.sql("SELECT \(list) FROM \(table.mapping.sql.table)", table.mapping)
            let statement = try db.prepare(CachedSQL(sql.text))
            try statement.bind(sql.arguments)
            defer { statement.clear() }
            return (lookup, try Self.names(statement, lookup))
        }
    }

    private static func names(_ statement: Statement, _ lookup: RowLookup) throws -> Names {
        if lookup.isByNumber {
            var numbers = RowNumbers()
            while try statement.step() { numbers.append(statement.int64(at: 0)) }
            return .numbers(numbers.makeIterator())
        }
        var keys: [SQLiteValue] = []
        while try statement.step() {
            for column in lookup.columns.indices { keys.append(try statement.value(at: column)) }
        }
        return .keys(keys[...])
    }

    /// Takes what names the next rows.
    ///
    /// - Parameter size: How many rows at the most.
    /// - Returns: Nil when there are no more.
    mutating func next(_ size: Int) -> RowNames? {
        switch names {
        case .numbers(var numbers):
            var taken: [Int64] = []
            while taken.count < size, let number = numbers.next() { taken.append(number) }
            names = .numbers(numbers)
            return taken.isEmpty ? nil : .numbers(taken)
        case .keys(let keys):
            // The size is the caller's, and the product may be no Int.
            let width = lookup.columns.count
            let count = Swift.min(size, keys.count / width) * width
            names = .keys(keys.dropFirst(count))
            return count == 0 ? nil : .keys(keys.prefix(count))
        }
    }

    /// The objects of some of the rows, but for those that are gone.
    func objects(_ names: RowNames, _ manager: PersistenceManager) throws -> [Model] {
        let table = lookup.table
        return try table.mapping.naming {
            let objects = try manager.database.read { db in
                try table.check(db)
                return try lookup.objects(names, manager, db, tracked: tracked)
            }
            return downcast(objects, to: Model.self)
        }
    }
}
