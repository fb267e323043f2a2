/// A query's rows, to be made into objects a batch at a time.
///
/// What is known of each row is the number or the key that names it, so memory stays flat but for a few bytes a row.
/// Between batches no statement stands on a row and no connection is held: whoever is given an object may do anything.
struct QueryCursor<Model: PersistingModel>: Sendable {
    private let lookup: RowLookup
    /// What names the rows, one row's behind the other's.
    private let names: [SQLiteValue]
    private let tracked: Bool

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
            var names: [SQLiteValue] = []
            while try statement.step() {
                for column in lookup.columns.indices { names.append(try statement.value(at: column)) }
            }
            return (lookup, names)
        }
    }

    /// The number of rows that the query had when it ran.
    var count: Int { names.count / lookup.columns.count }

    /// The objects of some of the rows, but for those that are gone.
    func objects(_ rows: Range<Int>, _ manager: PersistenceManager) throws -> [Model] {
        let width = lookup.columns.count
        let names = names[(rows.lowerBound * width)..<(rows.upperBound * width)]
        let table = lookup.table
        return try table.mapping.naming {
            let objects = try manager.database.read { db in
                try table.check(db)
                return try lookup.objects(names, manager, db, tracked: tracked)
            }
            return objects.compactMap { object in object.map { downcast($0, to: Model.self) } }
        }
    }

    /// The rows in batches of a size.
    func batches(of size: Int) -> some Sequence<Range<Int>> {
        stride(from: 0, to: count, by: size).lazy.map { [count] in $0..<Swift.min($0 + size, count) }
    }
}
