/// A query's rows, to be made into objects a batch at a time.
///
/// What is known of each row is the number or the key that names it, so memory stays flat except for a few bytes a row;
/// of a table's rows in whatever order, it is only where they begin and end. Between batches no statement stands on a
/// row and no connection is held: whoever is given an object may do anything.
struct QueryCursor<Model: PersistingModel>: Sendable {
    private let lookup: RowLookup
    private let tracked: Bool
    /// What is loaded with the objects of each batch.
    private let loads: [RelatedLoad]
    private var names: Names
    /// Of rows that may be given other numbers between one batch and the next.
    private var places: RowPlaces?

    /// What names the rows that are still to come.
    private enum Names {
        /// All rows with a number in a range; nil is none.
        case all(ClosedRange<Int64>?)
        case numbers(RowNumbers.Iterator)
        /// Values of the key, one row's after the other's.
        case keys(ArraySlice<SQLiteValue>)
    }

    /// Runs the query.
    init(_ query: Query<Model>, _ manager: PersistenceManager, tracked: Bool) throws {
        let table = try manager.table(of: query.modelType)
        self.tracked = tracked
        loads = query.loads
        (lookup, names, places) = try manager.reading(table) { db in
            var lookup = try RowLookup(query.modelType, table, rowsOf: db)
            lookup.isStrict = true
            lookup.fetch.loading = try query.traits(table.mapping).loading
            // Else each object stands for itself: it may be all that is kept of a batch.
            lookup.fetch.isTogether = !query.loads.isEmpty
            let places = lookup.isByNumber ? try RowPlaces(table, db) : nil
            let isAll = lookup.isByNumber && query.isEveryRow
            let list = query.qualified(lookup.columns, table.mapping).joined(separator: ", ")
            let select = "SELECT \(isAll ? "max(\(list))" : list) FROM \(table.mapping.sql.table)"
            return try table.withForms(db, query.node) { forms in
                try query.sql(select, table.mapping, forms)
            } run: { sql in
                switch try db.statement(CachedSQL(sql.text)) {
                case .local(let statement): (lookup, try Self.names(statement, sql, lookup, isAll), places)
                case .other(let statement): (lookup, try Self.names(statement, sql, lookup, isAll), places)
                }
            }
        }
    }

    private static func names(
        _ statement: some EngineStatement, _ sql: CriteriaSQL, _ lookup: RowLookup, _ isAll: Bool
    ) throws -> Names {
        try sql.bind(to: statement)
        defer { statement.clear() }
        return try isAll ? all(statement) : names(statement, lookup)
    }

    private static func all(_ statement: some EngineStatement) throws -> Names {
        // An empty table has no greatest number.
        let isEmpty = try !statement.step() || statement.storageClass(at: 0) == .null
        return .all(isEmpty ? nil : .min...statement.int64(at: 0))
    }

    private static func names(_ statement: some EngineStatement, _ lookup: RowLookup) throws -> Names {
        if lookup.isByNumber {
            var numbers = RowNumbers()
            while try statement.step() { numbers.append(statement.int64(at: 0)) }
            return .numbers(numbers.makeIterator())
        }
        var keys: [SQLiteValue] = []
        while try statement.step() {
            for column in lookup.columns.indices { keys.append(try statement.value(at: column)) }
            let key = keys.suffix(lookup.columns.count)
            if key.contains(where: \.isNull) { throw lookup.table.mapping.indistinct(key) }
        }
        return .keys(keys[...])
    }

    /// The objects of the next rows, except for those that are gone.
    ///
    /// - Parameter size: How many rows at most.
    /// - Returns: Nil when there are no more.
    mutating func next(_ size: Int, _ manager: PersistenceManager) throws -> [Model]? {
        let (lookup, loads, tracked) = (lookup, loads, tracked)
        let objects: ContiguousArray<PersistingModel>
        switch names {
        case .all(let range):
            guard let range else { return nil }
            let (found, rest) = try batch(manager, isOneQuery: loads.isEmpty) { db in
                let (found, rest) = try lookup.objects(range, upTo: size, manager, db, tracked: tracked)
                return (try lookup.loading(loads, of: found, manager, db), rest)
            }
            objects = found
            names = .all(rest)
        case .numbers(var numbers):
            var taken: [Int64] = []
            while taken.count < size, let number = numbers.next() { taken.append(number) }
            names = .numbers(numbers)
            if taken.isEmpty { return nil }
            objects = try batch(manager) { db in
                let found = try lookup.objects(taken, manager, db, tracked: tracked)
                return try lookup.loading(loads, of: found, manager, db)
            }
        case .keys(let keys):
            // The size is the caller's, and the product may be no Int.
            let width = lookup.columns.count
            let count = Swift.min(size, keys.count / width) * width
            names = .keys(keys.dropFirst(count))
            if count == 0 { return nil }
            objects = try batch(manager) { db in
                let found = try lookup.objects(keys.prefix(count), manager, db, tracked: tracked)
                return try lookup.loading(loads, of: ContiguousArray(found.compactMap { $0 }), manager, db)
            }
        }
        return downcast(objects, to: Model.self)
    }

    /// Reads a batch, in a transaction where that takes more than one query.
    private mutating func batch<T>(
        _ manager: PersistenceManager, isOneQuery: Bool = false, _ body: (any EngineConnection) throws -> T
    ) throws -> T {
        if isOneQuery, places == nil { return try manager.reading(lookup.table, body) }
        return try lookup.table.mapping.naming {
            try manager.engine.read { db in
                try lookup.table.check(db)
                try places?.check(lookup.table, db)
                return try body(db)
            }
        }
    }
}

extension RowLookup {
    /// The objects, with what a query loads with them.
    fileprivate func loading(
        _ loads: [RelatedLoad], of objects: ContiguousArray<PersistingModel>, _ manager: PersistenceManager,
        _ db: any EngineConnection
    ) throws -> ContiguousArray<PersistingModel> {
        if loads.isEmpty { return objects }
        try RelationLoader(manager: manager, db: db, rollbacks: manager.rollbacksSoFar(db))
            .load(loads, of: objects, table.mapping, fetch)
        return objects
    }
}

extension Query {
    /// Whether the query is of all rows of its table, in no order of its own.
    fileprivate var isEveryRow: Bool {
        !isPartial && terms.isEmpty && node?.isEveryRow ?? true
    }
}
