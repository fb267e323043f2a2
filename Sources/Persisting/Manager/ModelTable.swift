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
        let found = try Inspection(mapping, schema, db)
        if seesLatestSchema(db) { note(found) }
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
                return try Inspection(mapping, schema, db)
            }
        }
        if seesLatestSchema(db) { note(found) }
        return found
    }

    /// Whether what a connection finds is to be kept for others.
    private func seesLatestSchema(_ db: any EngineConnection) -> Bool { manager?.seesLatestSchema(db) ?? true }

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
        if seesLatestSchema(db) { lock.withLock { indexed = found } }
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

    /// The error of an object that was read, or a call that began, under another key than its table has now.
    func keyHasChanged() -> PersistenceError {
        PersistenceError(
            .notFound,
            "the primary key of the table \(tableName) has changed: try again, with objects that are fetched again",
            model: modelName)
    }
}
