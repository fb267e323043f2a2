internal import Foundation
internal import Synchronization

/// What a manager knows of a class's table: how the class is mapped and, once the table has been looked at, what it
/// does by itself.
package final class ModelTable: Sendable {
    package let mapping: Mapping
    /// Whose table it is; nil for one that no manager knows.
    // Not weak, which would have each reference to the manager counted apart: whoever uses the table is the manager, or
    // has it.
    unowned let manager: PersistenceManager?
    private let lock = NSLock()
    // Guarded by `lock`. Nil until the table has been looked at.
    nonisolated(unsafe) private var inspection: Inspection?
    /// Whether it is there: who asks no more takes no lock.
    private let isKnown = Atomic(false)
    // Guarded by `lock`. Not forgotten with the inspection, since a write that is under way needs it.
    nonisolated(unsafe) private var generated: ColumnSet
    /// Whether there are any of them: of most tables there are not, and no lock is taken.
    private let hasGenerated: Atomic<Bool>
    /// Whether values are stored otherwise than the class declares, or may be: of most tables they are not.
    let hasOtherForms = Atomic(false)

    // Guarded by `lock`. The columns that indexes have, a nil for an expression; nil until somebody asks.
    nonisolated(unsafe) private var indexed: [String?]?

    // Guarded by `lock`. The columns that may change what is stored in them; not forgotten with the inspection, either.
    nonisolated(unsafe) private var fits: [Int: ColumnFit] = [:]
    /// Whether there are any of them.
    private let hasFits = Atomic(false)
    /// What triggers and conflict clauses can do when rows are written; unknown before the first write.
    private let knownEffects = Atomic(ModelTable.unknownEffects)
    private static let unknownEffects = UInt16.max

    /// What a look at the table has shown.
    final class Inspection: Sendable {
        /// The table's columns.
        let columns: [DatabaseSchema.Column]
        /// The columns for which the table has a default, except for those of the key.
        let columnsWithDefault: [Int]
        /// Those of them whose property may hold nil.
        let optionalsWithDefault: [Int]
        let generatedColumns: ColumnSet
        /// The columns that may change what is stored in them.
        let fits: [Int: ColumnFit]
        let uniqueness: Uniqueness
        let isView: Bool
        let hasRowIDs: Bool
        /// Whether there are indexes, those of unique constraints among them.
        let hasIndexes: Bool
        /// A name of the rows' identifiers that no column has; nil for a table without them.
        let rowID: String?
        /// The columns of dates that may hold other forms than the class writes.
        let dates: [DateColumn]
        /// Those of them that the library writes in another form, or rejects.
        let convertedDates: [DateColumn]
        /// The affinities of columns of decimal numbers that aren't of texts, and so may hold other numbers.
        let decimals: [Int: Affinity]
        /// The columns of binary texts to which the table gives another collation.
        let collated: ColumnSet
        let isUTF16: Bool
        /// Whether VACUUM may give the rows other identifiers: those that are no column stay only by chance.
        let movesRowIDs: Bool
        /// Whether the table has columns of dates, and no rows that would tell their form.
        let isOfNoRows: Bool

        init(
            columns: [DatabaseSchema.Column] = [], hasRowIDs: Bool = false, hasIndexes: Bool = false,
            columnsWithDefault: [Int],
            optionalsWithDefault: [Int],
            generatedColumns: ColumnSet,
            fits: [Int: ColumnFit] = [:], uniqueness: Uniqueness, isView: Bool, rowID: String?,
            dates: [DateColumn] = [], decimals: [Int: Affinity] = [:],
            collated: ColumnSet = ColumnSet(), isUTF16: Bool = false, movesRowIDs: Bool = false
        ) {
            self.columns = columns
            (self.hasRowIDs, self.hasIndexes) = (hasRowIDs, hasIndexes)
            self.columnsWithDefault = columnsWithDefault
            self.optionalsWithDefault = optionalsWithDefault
            self.generatedColumns = generatedColumns
            self.fits = fits
            self.uniqueness = uniqueness
            self.isView = isView
            self.rowID = rowID
            self.dates = dates
            self.decimals = decimals
            self.collated = collated
            convertedDates = dates.filter(\.isConverted)
            isOfNoRows = !isView && dates.contains(where: \.isUnseen)
            self.isUTF16 = isUTF16
            self.movesRowIDs = movesRowIDs
        }
    }

    /// The key of a row that was inserted.
    enum InsertedKey {
        case none
        case integer(Int64)
        case values([SQLiteValue])
    }

    // What was inserted last is used by whoever has the right to use the database, one thread at a time, and no access
    // spans a call.
    @exclusivity(unchecked) nonisolated(unsafe) private var lastKey = InsertedKey.none
    /// The number of the transaction or savepoint that it was inserted in.
    @exclusivity(unchecked) nonisolated(unsafe) private var lastTransaction = 0

    init(_ mapping: Mapping, _ manager: PersistenceManager? = nil) {
        self.mapping = mapping
        self.manager = manager
        generated = mapping.generated
        hasGenerated = Atomic(!mapping.generated.isEmpty)
    }

    /// Notes the key of the object that was inserted last.
    func noteLastInsertion(_ key: InsertedKey, in transaction: Int) {
        lastKey = key
        lastTransaction = transaction
    }

    /// Forgets the object that was inserted last, if a transaction or savepoint that was rolled back inserted it. Those
    /// inside it have higher numbers.
    func forgetLastInsertion(in transaction: Int) {
        if lastTransaction >= transaction { lastKey = .none }
    }

    /// The key of the object that the manager has inserted last; nil when its transaction was rolled back, and when
    /// there is none.
    var keyOfLastInsertion: [SQLiteValue]? {
        switch lastKey {
        case .none: nil
        case .integer(let key): [.integer(key)]
        case .values(let key): key
        }
    }

    /// The columns that SQLite computes, to which nothing can be written: those that the class declares, and once the
    /// table has been looked at, those that it says.
    var generatedColumns: ColumnSet {
        hasGeneratedColumns ? lock.withLock { generated } : ColumnSet()
    }

    package func isComputed(_ index: Int) -> Bool { generatedColumns.contains(index) }

    var hasGeneratedColumns: Bool { hasGenerated.load(ordering: .acquiring) }

    /// Throws for a column that the caller cannot write.
    ///
    /// - Throws: ``PersistenceError/Code/notWritable`` for the version and for a generated column.
    func checkWritable(_ index: Int) throws {
        try mapping.checkWritable(index)
        guard hasGeneratedColumns, generatedColumns.contains(index) else { return }
        throw PersistenceError(
            .notWritable,
            "the \(mapping.columns[index].place) is generated, so it can't be written",
            model: mapping.modelName, key: mapping.columns[index].key)
    }

    /// Throws for columns that the caller cannot write.
    ///
    /// - Throws: ``PersistenceError/Code/notWritable`` for the version, the rows' identifier and a generated column.
    @inline(__always)
    func checkWritable(_ columns: ColumnSet) throws {
        if !hasGeneratedColumns, columns.intersection(mapping.notWritable).isEmpty { return }
        for index in columns { try checkWritable(index) }
    }

    /// Throws for values that the table would store as others.
    ///
    /// - Throws: ``PersistenceError/Code/schemaMismatch``.
    @inline(__always)
    func checkFit(_ columns: ColumnSet, of trackedValues: Memory) throws {
        if hasFits.load(ordering: .acquiring) {
            try checkFit(columns) { try mapping.stored($0, in: trackedValues) }
        }
    }

    /// Throws for a value that the table would store as another.
    ///
    /// - Throws: ``PersistenceError/Code/schemaMismatch``.
    func checkFit(_ value: SQLiteValue, in index: Int) throws {
        if hasFits.load(ordering: .acquiring) { try checkFit(ColumnSet(index)) { _ in value } }
    }

    /// Whether the table may store a value as another one.
    var mayChangeValues: Bool { hasFits.load(ordering: .acquiring) }

    private func checkFit(_ columns: ColumnSet, _ value: (Int) throws -> SQLiteValue) throws {
        let fits = lock.withLock { self.fits }
        for index in columns {
            guard let fit = fits[index] else { continue }
            if let error = try fit.error(value(index), mapping.columns[index], mapping) { throw error }
        }
    }

    /// Whether the table has been looked at since its schema changed.
    var isInspected: Bool { isKnown.load(ordering: .acquiring) }

    /// Whether the key is known to be the table's, for a class that takes it from there.
    var isKeyKnown: Bool { !mapping.takesKeyFromSchema || isInspected }

    /// Looks at the table, the first time: that it is there, and has the class's columns.
    ///
    /// - Throws: ``PersistenceError/Code/noTable``, ``PersistenceError/Code/missingColumn``,
    ///   ``PersistenceError/Code/invalidModel``.
    func check(_ db: any EngineConnection) throws {
        // Raw SQL may have created a temporary table, by whose name SQLite would find that one.
        if db.mayHaveNewSchema { manager?.lookForNewSchema(db) }
        // A reader's own table of the name has other rows.
        if mapping.isTemporary, db.isReader { throw mapping.noTable(db) }
        if !isKnown.load(ordering: .acquiring) { _ = try inspected(db) }
    }

    /// Compares the table with the class.
    func check(_ schema: TableSchema, _ db: any EngineConnection) throws {
        note(try Self.inspect(mapping, schema, db))
    }

    /// Looks at the table before an object is written to it.
    ///
    /// - Throws: What ``check(_:)`` throws, and ``PersistenceError/Code/invalidModel`` for a view, which tells nobody
    ///   what an INSTEAD OF trigger has made of a write.
    @discardableResult
    func checkForWriting(_ db: any EngineConnection) throws -> Inspection {
        let isKnown = isInspected
        var inspection = try inspected(db)
        if isKnown, inspection.isOfNoRows,
            try QueryLedger.ignoring({
                try db.scalar(SQL("SELECT 1 FROM \(mapping.sql.table) LIMIT 1" as String), as: Int.self) != nil
            })
        {
            // Others may have stored dates since, in their own form.
            forgetSchema()
            inspection = try inspected(db)
        }
        guard !inspection.isView else {
            throw PersistenceError(
                .invalidModel, "\(mapping.tableName) is a view: its objects are read-only",
                model: mapping.modelName)
        }
        return inspection
    }

    /// A name of the rows' identifiers; nil for a table without them.
    func rowIDIfAny(_ db: any EngineConnection) throws -> String? { try inspected(db).rowID }

    /// A name of the rows' identifiers.
    ///
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a table without them.
    func rowID(_ db: any EngineConnection) throws -> String {
        guard let rowID = try rowIDIfAny(db) else {
            throw PersistenceError(
                .invalidModel,
                "\(mapping.tableName) has no row identifiers, which blobs need: use load",
                model: mapping.modelName)
        }
        return rowID
    }

    /// The forms in which to write columns of dates to existing rows, where they are not the class's own.
    func dateForms(_ columns: ColumnSet, _ db: any EngineConnection) throws -> [Int: DateForm] {
        try inspected(db).dateForms(columns, mapping, isNew: false)
    }

    /// Forgets what was read of the table's schema.
    func forgetSchema() {
        lock.withLock {
            (inspection, indexed) = (nil, nil)
            isKnown.store(false, ordering: .releasing)
            knownEffects.store(Self.unknownEffects, ordering: .releasing)
        }
    }

    func inspected(_ db: any EngineConnection) throws -> Inspection {
        if let known = lock.withLock({ inspection }) { return known }
        let found = try mapping.naming {
            try QueryLedger.ignoring {
                guard let schema = try TableSchema(mapping, db) else { throw mapping.noTable(db) }
                return try Self.inspect(mapping, schema, db)
            }
        }
        note(found)
        return found
    }

    private func note(_ found: Inspection) {
        lock.withLock {
            inspection = found
            hasOtherForms.store(
                !found.dates.isEmpty || !found.decimals.isEmpty || !found.collated.isEmpty || found.isUTF16,
                ordering: .releasing)
            isKnown.store(true, ordering: .releasing)
            generated = found.generatedColumns
            fits = found.fits
            hasFits.store(!fits.isEmpty, ordering: .releasing)
            hasGenerated.store(!generated.isEmpty, ordering: .releasing)
        }
    }

    /// Whether an index, of a unique constraint too, has one of some columns, or may have.
    func hasIndexes(on columns: ColumnSet, _ db: any EngineConnection) throws -> Bool {
        let inspection = try inspected(db)
        guard inspection.hasIndexes else { return false }
        let found =
            try lock.withLock { indexed }
            ?? QueryLedger.ignoring {
                try db.indexes(of: mapping.tableName, in: mapping.database).flatMap { index in
                    // A partial index has any columns in its condition.
                    try index.isPartial
                        ? [nil]
                        : db.columns(ofIndex: index.name, in: mapping.database).map { $0.name.map(asciiLowercased) }
                }
            }
        lock.withLock { indexed = found }
        return found.contains(nil) || columns.contains { found.contains(asciiLowercased(mapping.columns[$0].name)) }
    }

    /// What triggers and conflict clauses can do when rows are written. It is read at the first write.
    @inline(__always)
    func effects(_ db: any EngineConnection) throws -> WriteEffects {
        let known = knownEffects.load(ordering: .acquiring)
        return known == Self.unknownEffects ? try readEffects(db) : WriteEffects(rawValue: known)
    }

    private func readEffects(_ db: any EngineConnection) throws -> WriteEffects {
        let found = try QueryLedger.ignoring { try WriteEffects(on: mapping.tableName, in: mapping.database, db) }
        knownEffects.store(found.rawValue, ordering: .releasing)
        return found
    }

    private static func inspect(
        _ mapping: Mapping, _ schema: TableSchema, _ db: any EngineConnection
    ) throws -> Inspection {
        try mapping.checkRowIDs(of: schema)
        var found = try FoundColumns(mapping, schema)
        try checkKey(mapping, schema)
        let rowID = ["_rowid_", "rowid", "oid"].first { schema.hasRowIDs && schema.column($0) == nil }
        let dates = try DateColumn.all(of: mapping, in: schema, rowID: rowID, db)
        for column in dates where column.isConverted || column.takesTexts { found.fits[column.index] = column.keyFit }
        return Inspection(
            columns: schema.columns, hasRowIDs: schema.hasRowIDs, hasIndexes: !schema.indexes.isEmpty,
            columnsWithDefault: found.withDefault,
            optionalsWithDefault: found.withDefault.filter {
                mapping.columns[$0].isOptional || mapping.fields[$0].kind == .custom
            },
            generatedColumns: found.generated, fits: found.fits,
            uniqueness: try Uniqueness(mapping, schema, db),
            isView: schema.isView, rowID: rowID,
            dates: dates, decimals: decimals(mapping, schema), collated: collated(mapping, schema),
            isUTF16: try db.rows("PRAGMA encoding", cached: false).first?.value(at: 0, as: String.self) != "UTF-8",
            movesRowIDs: schema.hasRowIDs && !schema.key.isRowID)
    }

    private static func collated(_ mapping: Mapping, _ schema: TableSchema) -> ColumnSet {
        ColumnSet(
            mapping.columns.indices.filter { index in
                guard mapping.operands[index].ownCollation == .binary,
                    let collation = schema.column(mapping.columns[index].name)?.collation
                else { return false }
                return asciiLowercased(collation) != "binary"
            })
    }

    private static func decimals(_ mapping: Mapping, _ schema: TableSchema) -> [Int: Affinity] {
        var found: [Int: Affinity] = [:]
        for (index, column) in mapping.columns.enumerated() where column.codec.columnType == .decimal {
            guard let declared = schema.column(column.name)?.declaredType else { continue }
            let affinity = Affinity(declaredType: declared, isStrict: false)
            if affinity != .text { found[index] = affinity }
        }
        return found
    }

    /// Only the identifier of the rows gets a value from SQLite. Any other column stores the NULL.
    private static func checkKey(_ mapping: Mapping, _ schema: TableSchema) throws {
        if mapping.takesKeyFromSchema, mapping.schemaKey != schema.key { throw mapping.keyHasChanged() }
        guard mapping.isKeyGenerated, mapping.rowID == nil, !schema.isView,
            let key = mapping.key.first.map({ mapping.columns[$0] })
        else {
            return
        }
        guard schema.key == SchemaKey(columns: [asciiLowercased(key.name)], isRowID: true) else {
            throw PersistenceError(
                .invalidModel,
                "SQLite generates no key for \(key.name) of the table \(mapping.tableName), because it isn't an INTEGER "
                    + "PRIMARY KEY: override primaryKey with .assigned(\"\(key.key)\")",
                model: mapping.modelName, key: key.key)
        }
    }
}

/// The columns of a class as its table has them.
private struct FoundColumns {
    var withDefault: [Int] = []
    var generated = ColumnSet()
    var fits: [Int: ColumnFit] = [:]

    /// - Throws: ``PersistenceError/Code/missingColumn``; ``PersistenceError/Code/invalidModel`` for a column that both
    ///   the table and the library compute; what ``ColumnFit`` says of one that can't be read.
    init(_ mapping: Mapping, _ schema: TableSchema) throws {
        for (index, column) in mapping.columns.enumerated() where index != mapping.rowID {
            guard let found = schema.column(column.name) else { throw mapping.lacks(column, schema) }
            if found.isGenerated || column.declaration.generation != nil {
                guard !mapping.automaticColumns.contains(index) else {
                    throw PersistenceError(
                        .invalidModel,
                        "the table \(mapping.tableName) computes \(column.name), which the class has the library write",
                        model: mapping.modelName, key: column.key)
                }
                generated.insert(index)
                continue
            }
            if found.hasDefault, !mapping.fields[index].isKey { withDefault.append(index) }
            guard !schema.isView else { continue }
            fits[index] = ColumnFit(column, declaredType: found.declaredType, isStrict: schema.isStrict)
            if let fit = fits[index], fit.isUnreadable { throw fit.error(column, mapping) }
        }
        guard let place = mapping.place else { return }
        for column in [place.table.kindColumn] + place.addedColumns where schema.column(column.name) == nil {
            throw mapping.lacks(column, schema)
        }
    }
}

extension ModelTable.Inspection {
    /// What would be found in a table that the class's own declarations have made.
    static func declared(by mapping: Mapping) -> Self {
        let withDefault = mapping.columns.indices.filter {
            mapping.columns[$0].declaration.defaultValue != nil && !mapping.fields[$0].isKey
        }
        return Self(
            columnsWithDefault: withDefault, optionalsWithDefault: withDefault, generatedColumns: mapping.generated,
            uniqueness: Uniqueness(), isView: false, rowID: nil)
    }

    /// The forms in which to write columns of dates, where they are not the class's own.
    ///
    /// - Parameter isNew: Whether a row may be inserted.
    /// - Throws: ``PersistenceError/Code/invalidModel`` for a column of texts whose form nobody knows.
    func dateForms(_ columns: ColumnSet, _ mapping: Mapping, isNew: Bool) throws -> [Int: DateForm] {
        var forms: [Int: DateForm] = [:]
        for column in convertedDates where columns.contains(column.index) {
            forms[column.index] = try column.formToWrite(mapping, isNew: isNew)
        }
        return forms
    }
}

extension Mapping {
    /// The error of a class without its table.
    ///
    /// - Parameter db: Where it was looked for.
    func noTable(_ db: (any EngineConnection)? = nil) -> PersistenceError {
        let place = (db?.isEmptyFile == true ? db?.path : nil).map {
            ", nor any other in \($0), which is new or another file"
        }
        return PersistenceError(
            .noTable,
            "there is no table \(fullTableName)\(place ?? ""): "
                + (isTemporary && db?.isReader == true
                    ? "a temporary table belongs to one connection, and a pool reads with others. Use it inside "
                        + "transaction(_:), or open the database with a DatabaseQueue"
                    : takesKeyFromSchema
                        ? "the class takes its primary key from it, so create it with raw SQL"
                        : "createTableIfNecessary(for: \(modelName).self) makes it"),
            model: modelName)
    }

    /// The columns of the class's table as the database has them; none without the table.
    ///
    /// - Throws: ``PersistenceError/Code/noTable`` for a database that isn't attached.
    func foundColumns(_ db: any EngineConnection) throws -> [DatabaseSchema.Column] {
        do throws(SQLiteError) {
            return try db.columns(of: tableName, in: database)
        } catch {
            guard schemaName != nil, try !db.databaseNames.contains(where: { isSameName($0, database) }) else {
                throw error
            }
            throw PersistenceError(
                .noTable,
                "no database is attached as \(database), where the class keeps its table \(tableName): attach it in "
                    + "DatabaseConfiguration.prepare", model: modelName, underlying: error)
        }
    }

    /// The error of a table without a column.
    fileprivate func lacks(_ column: Column, _ schema: TableSchema) -> PersistenceError {
        let names = schema.columns.map(\.name).joined(separator: ", ")
        return PersistenceError(
            .missingColumn,
            "the table \(tableName) has no column \(column.name); it has: \(names)"
                + (schema.isView ? "" : ". \(SchemaRemedy.table(self))"),
            model: modelName, key: column.key)
    }

    /// The error of an object that was read, or a call that began, under another key than its table has now.
    func keyHasChanged() -> PersistenceError {
        PersistenceError(
            .notFound,
            "the primary key of the table \(tableName) has changed: try again, with objects that are fetched again",
            model: modelName)
    }
}
