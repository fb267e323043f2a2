internal import Foundation

/// How rows are written that have values of the same columns: the statements, and what each parameter gets.
final class ImportPlan {
    /// What a parameter gets.
    enum Source {
        /// The row's value of a column of the import, by its place among them.
        case value(Int)
        /// The same for every row.
        case constant(SQLiteValue)
        /// What a fresh object has, of a property that each has another value of.
        case fresh
    }

    let present: ColumnSet
    /// The INSERT, which does nothing about a conflicting row where there is a second statement.
    let first: PreparedStatement
    /// What is done about a conflicting row.
    let second: PreparedStatement?
    /// What an INSERT of several rows looks like; nil where each row needs its own.
    let shape: InsertShape?
    private var several: [Int: Statement] = [:]
    let sources: [(index: Int, source: Source)]
    /// The parameters that get a value of the row.
    let values: ContiguousArray<Value>
    /// The parameters that get the same for every row.
    let constants: [(parameter: Int, value: SQLiteValue)]
    /// The parameter that gets the row's kind, of rows whose kind belongs to no class.
    let kindParameter: Int?
    let needsFreshObject: Bool
    /// Whether values are looked at before they are bound: the table may store them as others.
    let looksAtValues: Bool

    /// A parameter that gets a value of the row.
    struct Value {
        let parameter: Int
        /// The class's column, and its place among those of the import.
        let index, place: Int
        let form: ImportColumn.Form
    }

    fileprivate init(
        present: ColumnSet, first: PreparedStatement, second: PreparedStatement?, shape: InsertShape?,
        sources: [(index: Int, source: Source)],
        looksAtValues: Bool, bindsKind: Bool, _ columns: [ImportColumn]
    ) {
        kindParameter = bindsKind ? sources.count + 1 : nil
        self.present = present
        self.first = first
        self.second = second
        self.shape = shape
        self.sources = sources
        self.looksAtValues = looksAtValues
        var values: ContiguousArray<Value> = []
        var constants: [(parameter: Int, value: SQLiteValue)] = []
        for (position, (index, source)) in sources.enumerated() {
            switch source {
            case .value(let place):
                values.append(
                    Value(parameter: position + 1, index: index, place: place, form: columns[place].form))
            case .constant(let value): constants.append((position + 1, value))
            case .fresh: break
            }
        }
        (self.values, self.constants) = (values, constants)
        needsFreshObject = sources.contains { if case .fresh = $0.source { true } else { false } }
    }

    /// The INSERT of several rows.
    ///
    /// - Returns: Nil where each row needs its own.
    func statement(rows: Int, _ table: ModelTable, _ db: any EngineConnection) throws -> Statement? {
        if let known = several[rows] { return known }
        guard var shape else { return nil }
        shape.rows = rows
        guard case .local(let statement) = try db.statement(table.mapping.sql.insert(shape).sql) else { return nil }
        several[rows] = statement
        return statement
    }
}

/// Makes plans, for one transaction.
struct ImportPlanner {
    let table: ModelTable
    let conflict: InsertConflict
    private let bindsKind: Bool
    private let defaults: PersistingModel
    /// The columns of which each fresh object has another value.
    private let varying: ColumnSet

    private var mapping: Mapping { table.mapping }

    /// - Throws: What a class's mapping throws.
    init(
        _ table: ModelTable, _ conflict: InsertConflict, defaults: PersistingModel, bindsKind: Bool = false
    ) throws {
        self.bindsKind = bindsKind
        self.table = table
        self.conflict = conflict
        self.defaults = defaults
        let mapping = table.mapping
        let other = mapping.modelType.init()
        varying = ColumnSet(
            try mapping.columns.indices.filter { index in
                try index != mapping.rowID
                    && mapping.stored(index, of: defaults) != mapping.stored(index, of: other)
            })
    }

    /// The plan for rows with some columns.
    ///
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint``, ``PersistenceError/Code/missingPrimaryKeyValue``, and
    ///   what the table lacks.
    func plan(_ present: ColumnSet, _ columns: [ImportColumn], _ db: any EngineConnection) throws -> ImportPlan {
        let inspection = try table.checkForWriting(db)
        for index in mapping.key where !present.contains(index) && !mapping.isKeyGenerated && !varying.contains(index) {
            throw mapping.missingKeyValue()
        }
        var omitted = inspection.generatedColumns
        for index in inspection.columnsWithDefault where !present.contains(index) { omitted.insert(index) }
        if let rowID = mapping.rowID { omitted.insert(rowID) }
        let times = mapping.automaticColumns.created + mapping.automaticColumns.updated
        let automatic = ColumnSet(times + [mapping.version].compactMap { $0 })
        omitted = omitted.subtracting(automatic.subtracting(present))
        let dates = try inspection.dateForms(mapping.allColumns.subtracting(omitted), mapping, isNew: true)
        func shape(_ conflict: InsertConflict) -> InsertShape {
            InsertShape(
                conflict: conflict, omitted: omitted, returned: ColumnSet(), dates: dates, bindsKind: bindsKind)
        }
        var second: InsertConflict?
        switch conflict {
        case .abort, .ignore: break
        case .replace: second = .replace
        case .update(let upsert):
            guard inspection.uniqueness.hasKey || inspection.uniqueness.hasOthers else {
                throw mapping.noUniqueConstraint("the table \(mapping.tableName) has no unique constraint")
            }
            let named = present.subtracting(mapping.keySet).subtracting(ColumnSet(upsert.target ?? []))
            let written = mapping.written(over: named).subtracting(inspection.generatedColumns)
            second = .update(
                UpsertColumns(
                    target: upsert.target, conditions: inspection.uniqueness.conditions(on: upsert.target),
                    written: written))
        }
        let text = mapping.sql.insert(shape(second == nil ? conflict : .ignore))
        let other = second.map { mapping.sql.insert(shape($0)) }
        let sources = try sources(text.bound, present, columns, inspection)
        return ImportPlan(
            present: present, first: try table.prepare(text, conflict, db),
            second: try other.map { try table.prepare($0, conflict, db) },
            shape: try isPlain(sources, db) && dates.isEmpty ? text.shape : nil, sources: sources,
            looksAtValues: table.mayChangeValues, bindsKind: bindsKind, columns)
    }

    /// Whether nothing decides about a row by itself.
    private func isPlain(_ sources: [(index: Int, source: ImportPlan.Source)], _ db: any EngineConnection) throws
        -> Bool
    {
        let areFixed = sources.allSatisfy { if case .fresh = $0.source { false } else { true } }
        return try areFixed && conflict == .abort && !bindsKind && !table.mayChangeValues && !sources.isEmpty
            && !table.effects(db).contains(.decidesByRow)
            && !(table.effects(db).contains(.refers) && table.checkForWriting(db).hasIndexes)
    }

    private func sources(
        _ bound: ColumnSet, _ present: ColumnSet, _ columns: [ImportColumn], _ inspection: ModelTable.Inspection
    ) throws -> [(index: Int, source: ImportPlan.Source)] {
        let now = Date()
        return try bound.map { index in
            if present.contains(index), let place = columns.firstIndex(where: { $0.index == index }) {
                return (index, .value(place))
            }
            if mapping.automaticColumns.created.contains(index) || mapping.automaticColumns.updated.contains(index) {
                return (index, .constant(try mapping.columns[index].codec.stored(now)))
            }
            if index == mapping.version { return (index, .constant(.integer(1))) }
            return (index, varying.contains(index) ? .fresh : .constant(try mapping.stored(index, of: defaults)))
        }
    }
}
