/// Where the values of updates are, and what the updates have in common: the class, and the columns that are written.
final class UpdateTarget: Sendable {
    let table: ModelTable
    let mapping: Mapping
    /// The columns that are written for the caller.
    let asked: ColumnSet
    /// Those, and the ones that the library writes by itself.
    let columns: ColumnSet
    /// The columns that the table computes, as far as is known when the values are taken.
    let generated: ColumnSet
    /// Where the values are, with room for what the table computes, and for what the library writes by itself.
    let trackedRows: TrackedRows
    /// Whether a row may get another key.
    let writesKey: Bool
    /// Whether the values become an object's tracked values: all is written of one that is not tracked.
    let isWhole: Bool

    /// Some columns of objects that are tracked.
    ///
    /// - Parameter capacity: For how many objects.
    init(_ table: ModelTable, _ columns: ColumnSet, capacity: Int) {
        let (mapping, generated) = (table.mapping, table.generatedColumns)
        let written = mapping.hasAutomaticColumns ? columns.union(mapping.columnsSetByUpdate) : columns
        self.table = table
        self.mapping = mapping
        self.generated = generated
        asked = columns
        self.columns = written
        writesKey = !columns.intersection(mapping.keySet).isEmpty
        trackedRows = TrackedRows(nil, mapping, capacity: capacity, of: written.union(generated))
        isWhole = false
    }

    /// All columns of one object that is not tracked, so that the row is known as a whole.
    ///
    /// - Parameter known: What is known of the row.
    init(whole table: ModelTable, _ columns: ColumnSet, _ known: TrackedRows) {
        self.table = table
        mapping = table.mapping
        generated = table.generatedColumns
        asked = columns
        self.columns = mapping.hasAutomaticColumns ? columns.union(mapping.columnsSetByUpdate) : columns
        writesKey = !columns.intersection(mapping.keySet).isEmpty
        trackedRows = TrackedRows(known.manager, table.mapping, capacity: 1)
        // The update is rejected if the row may have moved since.
        if let version = known.schemaVersion { trackedRows.schemaVersion = version }
        isWhole = true
    }

    /// Whether the table computes what it did.
    var isUpToDate: Bool { !table.hasGeneratedColumns && generated.isEmpty || table.generatedColumns == generated }

    /// Takes the values of an object that are to be written.
    ///
    /// - Parameter known: Tracked values of the row, which have the others.
    /// - Returns: Which of the tracked rows has them.
    @inline(never)
    func add(_ object: PersistingModel, besides known: Memory?) throws -> Int {
        let slot = trackedRows.count
        try trackedRows.append(object, asked, besides: known)
        return slot
    }

    /// Prepares the UPDATE.
    func prepare(_ db: any EngineConnection) throws -> PreparedStatement {
        try table.updateStatement(columns, returning: generated, db)
    }
}
