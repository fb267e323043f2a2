/// The SQL that would be run for an object or a query, without running it: the text and its values.
///
/// ```swift
/// let insert = try Album.insertStatement(for: album)
/// insert.sql        // INSERT INTO ALBUM (ID, MEDIA_KEY, …) VALUES (?, ?, …)
/// insert.arguments  // the values, in order
/// // INSERT INTO ALBUM (ID, MEDIA_KEY, …) VALUES (NULL, 'a1', …)
/// try insert.expandedSQL
/// ```
///
/// A text is what the manager itself runs; run one by `execute` and the object knows nothing of it.
extension ActiveRecord {
    /// `INSERT` of an object, as `PersistenceManager.insert(_:)` runs it where the class has made its table. The
    /// columns are in the order of declaration.
    ///
    /// Left out is what is nil and has a default by the class's declaration; the statement then returns what the table
    /// puts there. `PersistenceManager.insertStatement(for:)` asks the table for its defaults instead.
    ///
    /// - Parameters:
    ///   - object: An object in any state, of this class or one below it.
    ///   - dates: The form of dates where a column does not say another, of an object that is in no table; any other's
    ///     is its manager's.
    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue``, ``PersistenceError/Code/typeMismatch`` for a value
    ///   that cannot be stored.
    public static func insertStatement(for object: Self, dates: DateStorage = .unixSeconds) throws -> SQL {
        let table = ModelTable(try Mapping.of(object, dates: dates))
        return try table.insertion(of: object).statement(ModelTable.Inspection(declaredBy: table.mapping))
    }

    /// `UPDATE` of an object's row, as `PersistenceManager.update(_:keys:)` runs it: of the columns that have changed,
    /// where the key is that under which the row is stored. Nil when nothing has changed.
    ///
    /// Of an object in no table, all columns are written, to the row with the key that it has.
    ///
    /// - Parameters:
    ///   - object: An object in any state, of this class or one below it.
    ///   - keys: The properties to write whether changed or not, bit fields and aliases among them; nil is those that
    ///     have changed.
    ///   - dates: The form of dates where a column does not say another, of an object that is in no table; any other's
    ///     is its manager's.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey``, ``PersistenceError/Code/missingPrimaryKeyValue``,
    ///   ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``;
    ///   ``PersistenceError/Code/notFound`` when the table has another primary key now.
    public static func updateStatement(
        for object: Self, keys: [String]? = nil, dates: DateStorage = .unixSeconds
    ) throws -> SQL? {
        let mapping = try Mapping.of(object, dates: dates)
        let row = try KnownRow(assumedOf: object, mapping)
        let generated = row.table.generatedColumns
        let columns: ColumnSet
        if let keys {
            columns = ColumnSet(try keys.map(mapping.index(ofKey:)))
            try row.table.checkWritable(columns)
        } else {
            let isTracked = object.isPersisted && row.known.trackedRows.isTracking
            columns = try (isTracked ? mapping.changes(object, row.trackedValues) : mapping.columnsToWrite(of: object))
                .subtracting(generated)
        }
        return columns.isEmpty ? nil : try Update.taking(object, row.table.updateTarget(columns), row).statement()
    }

    /// `DELETE` of an object's row, by the key under which it is stored.
    ///
    /// - Parameter object: An object in any state; of one in no table it is the row with the key that it has.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey``, ``PersistenceError/Code/missingPrimaryKeyValue``.
    public static func deleteStatement(for object: Self) throws -> SQL {
        let mapping = try Mapping.of(object)
        return SQL(mapping.sql.deleteByKey.text, Arguments(try KnownRow(assumedOf: object, mapping).parameters))
    }

    /// `WHERE` that finds an object's row, to append to raw SQL: a column of the key is the value under which the row
    /// is stored, with AND between the columns of a composite key.
    ///
    /// - Parameter object: An object in any state; of one in no table it is the row with the key that it has.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey``, ``PersistenceError/Code/missingPrimaryKeyValue``.
    public static func whereClause(for object: Self) throws -> SQL {
        let mapping = try Mapping.of(object)
        return SQL(mapping.sql.whereKey, Arguments(try KnownRow(assumedOf: object, mapping).key))
    }

    /// `CREATE TABLE` of the class, as `PersistenceManager.createTableIfNecessary(for:)` runs it.
    ///
    /// - Parameter dates: The form of dates where a column does not say another.
    /// - Throws: ``PersistenceError`` that says what is wrong with the class, and ``PersistenceError/Code/noTable`` for
    ///   one that takes its key from its table.
    public static func createTableStatement(dates: DateStorage = .unixSeconds) throws -> SQL {
        let mapping = try Mapping.of(self, dates: dates)
        guard !mapping.takesKeyFromSchema else { throw mapping.noTable() }
        return SQL(try ModelSchema(mapping).createTable)
    }

    /// `CREATE INDEX`, one for each of the class's indexes.
    ///
    /// - Throws: ``PersistenceError`` that says what is wrong with the class.
    public static func createIndexStatements() throws -> [SQL] {
        try ModelSchema(Mapping.of(self)).createIndexes.map { SQL($0) }
    }
}

/// The SQL of a query, without running it.
extension Query {
    /// `SELECT` of the query's objects, without deferred columns.
    ///
    /// - Parameter dates: The form of dates where a column does not say another, which a manager has too.
    /// - Throws: ``PersistenceError`` of a mistake in the query.
    public func selectStatement(dates: DateStorage = .unixSeconds) throws -> SQL {
        let mapping = try Mapping.of(modelType, dates: dates)
        return try sql(mapping.sql.select, mapping).statement
    }

    /// `SELECT count(*)` of the query's rows.
    ///
    /// - Parameter dates: The form of dates where a column does not say another.
    /// - Throws: ``PersistenceError`` of a mistake in the query.
    public func countStatement(dates: DateStorage = .unixSeconds) throws -> SQL {
        try countSQL(Mapping.of(modelType, dates: dates)).statement
    }
}

extension PersistenceManager {
    /// `INSERT` of an object as `insert(_:)` runs it on this manager's table, without running it: what is nil and has a
    /// default in the table is left out, and returned.
    ///
    /// - Parameter object: An object in any state.
    /// - Throws: ``PersistenceError/Code/noTable``, ``PersistenceError/Code/missingPrimaryKeyValue``, ….
    public func insertStatement(for object: PersistingModel) throws -> SQL {
        let table = try table(of: type(of: object))
        let known = try reading(table) { db in try table.checkForWriting(db) }
        return try table.insertion(of: object).statement(known)
    }

    /// The same, while the task is suspended.
    public func insertStatement(for object: PersistingModel) async throws -> SQL {
        let type = type(of: object)
        let table = try table(of: type)
        let known = try await onReadingSide(of: type) { manager in
            try manager.reading(table) { db in try table.checkForWriting(db) }
        }
        return try table.insertion(of: object).statement(known)
    }
}

extension CriteriaSQL {
    fileprivate var statement: SQL { SQL(text, arguments) }
}

extension ModelTable {
    fileprivate func insertion(of object: PersistingModel) throws -> Insertion {
        try Insertion.taking(object, InsertionTarget(self, TrackedRows(nil, mapping, capacity: 1)))
    }
}
