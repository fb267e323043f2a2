/// Columns on their way into an object's row, as values that may cross to the database's side.
///
/// A class, since it is handed on often and holds much.
final class Update: Sendable {
    /// The columns that are written for the caller.
    let asked: ColumnSet
    /// Those, and the ones that the library writes by itself.
    let columns: ColumnSet
    /// An image with the columns' values.
    let values: RowImage
    /// An image of the row as it will be, as far as it is known, where that is another.
    private let known: RowImage?
    let stamps: [Stamp]
    let row: KnownRow

    var table: ModelTable { row.table }

    /// Takes an object's values.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the columns are all that the object has, so that the row is known as a whole.
    ///   - images: Where to keep them; nil makes images for this object alone.
    init(
        _ object: PersistingModel, _ columns: ColumnSet, isWhole: Bool, _ row: KnownRow, in images: RowImages? = nil
    ) throws {
        let (known, mapping) = (row.known, row.table.mapping)
        // A hook may have filled the images.
        let images = images.flatMap { $0.isOpen ? $0 : nil } ?? RowImages(known.images.manager, mapping, capacity: 1)
        values = RowImage(images: images, slot: images.count)
        if known.images.isTracking {
            // What is not written stays as the row holds it.
            try images.append(known.images, known.slot, with: columns, of: object)
        } else {
            try images.append(object)
        }
        var result = values
        if known.images.isTracking || isWhole {
            self.known = nil
        } else {
            let kept = RowImages(known.images.manager, mapping, capacity: 1, tracking: false)
            try kept.append(known.images, known.slot, with: columns, of: object)
            result = RowImage(images: kept, slot: 0)
            self.known = result
        }
        asked = columns
        if mapping.keepsBooks {
            var all = columns
            stamps = try mapping.stampUpdate(of: object, row, values, result, &all)
            self.columns = all
        } else {
            stamps = []
            self.columns = columns
        }
        self.row = row
    }

    /// The UPDATE with its values, which is not run.
    func statement() throws -> SQL {
        let given = try columns.map { try table.mapping.stored($0, in: values.memory) }
        let sql = table.mapping.sql.update(columns, returning: table.generatedColumns)
        return SQL(sql.text, Arguments(given + (try row.parameters)))
    }

    /// Runs the UPDATE. The image then holds what the row does, columns that the table computes among it.
    ///
    /// - Parameter log: That of the transaction, on the thread of the object.
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when it
    ///   has another version.
    func run(_ db: Database, _ log: UndoLog? = nil) throws {
        let (mapping, prepared) = (table.mapping, try table.rowStatement(columns, db, log))
        let (statement, generated) = (prepared.statement, prepared.generated)
        defer { statement.clear() }
        try statement.bindAll {
            try row.bind(to: statement, from: mapping.bind(values.memory, columns, to: statement))
        }
        func missing() throws -> PersistenceError {
            try row.conflict(with: values.memory, asked) ?? mapping.notFound(row.key)
        }
        guard !generated.isEmpty else {
            guard try statement.run() > 0 else { throw try missing() }
            return
        }
        // A value that the table computes and the property cannot hold takes the change with it.
        try db.savepoint {
            defer { statement.clear() }
            guard try statement.step() else { throw try missing() }
            try mapping.take(generated, from: statement, intoImage: values.memory)
            while try statement.step() {}
        }
    }

    /// What is about to be done to the values of the object, beside those that were set; nil for nothing.
    ///
    /// - Parameter restore: Gives a property that was set its old value again.
    func change(of object: PersistingModel, _ restore: (() -> Void)?) throws -> UndoLog.Change? {
        let computes = !table.generatedColumns.isEmpty
        guard computes || !stamps.isEmpty || restore != nil else { return nil }
        var change = UndoLog.Change(stamps: stamps)
        // It is to hold what the row does, and not what it held.
        if computes { change.refresh = try UndoLog.Refresh(of: object, to: values.images, values.slot) }
        if let restore {
            change.restore = { [self] in
                let (mapping, values) = (table.mapping, values.memory)
                if asked.allSatisfy({ mapping.isKnown($0, object, values) }) { restore() }
            }
        }
        return change
    }

    /// Tells the object what its row holds now.
    func finish(_ object: PersistingModel) throws {
        let mapping = table.mapping
        if !stamps.isEmpty { try mapping.set(stamps, of: object, from: values.memory) }
        for index in table.generatedColumns {
            try mapping.assign(stored: mapping.stored(index, in: values.memory), to: index, of: object)
        }
        let result = known ?? values
        object.record = Record(state: .persisted, slot: Int32(clamping: result.slot), images: result.images)
    }
}
