/// An object on its way into the table, as values that may cross to the database's side.
struct Insertion: Sendable {
    let table: ModelTable
    let images: RowImages
    let slot: Int
    /// The columns that are written whatever they hold, though the table has a default for them.
    let given: ColumnSet

    /// Takes the object's values.
    init(
        _ object: PersistingModel, _ table: ModelTable, _ images: RowImages, given: ColumnSet = ColumnSet()
    ) throws {
        self.table = table
        self.images = images
        self.given = given
        slot = images.count
        try images.append(object)
    }

    /// Runs the INSERT.
    ///
    /// - Parameter all: Whether to leave every column that was not given to the table's default, and not those alone
    ///   that hold nil.
    /// - Returns: The columns that the database filled. The image holds what it put there.
    func run(_ db: Database, leavingOutAll all: Bool = false) throws -> ColumnSet {
        let mapping = table.mapping
        let withDefault = try table.checkForWriting(db)
        let image = images[slot]
        var omitted = table.generatedColumns
        for index in withDefault where !given.contains(index) && !mapping.key.contains(index) {
            if try all || mapping.stored(index, in: image).isNull { omitted.append(index) }
        }
        if !mapping.isKeyGenerated { try checkKey(mapping, image) }

        // A value that SQLite makes and the property cannot hold takes the row with it.
        let isSure = omitted.isEmpty && (!mapping.isKeyGenerated || mapping.key.allSatisfy(mapping.holdsAnyInteger))
        return isSure ? try run(db, image, omitted) : try db.savepoint { try run(db, image, omitted) }
    }

    /// Runs the INSERT, and takes what SQLite puts into the columns left out and the key.
    private func run(_ db: Database, _ image: Memory, _ omitted: [Int]) throws -> ColumnSet {
        let mapping = table.mapping
        if omitted.isEmpty {
            let statement = try db.prepare(mapping.sql.insert)
            defer { statement.clear() }
            _ = try mapping.bind(image, mapping.columns.indices, to: statement)
            guard try statement.run() > 0 else { throw notInserted(statement) }
        } else {
            try runReturning(db, image, omitted)
        }
        var filled = ColumnSet(omitted)
        if mapping.isKeyGenerated, let key = mapping.key.first, try mapping.stored(key, in: image).isNull {
            try mapping.assign(stored: .integer(db.lastInsertRowID), to: key, ofImage: image)
            filled.insert(key)
        }
        return filled
    }

    /// Runs the INSERT of some columns, and takes what the table puts into the others.
    private func runReturning(_ db: Database, _ image: Memory, _ omitted: [Int]) throws {
        let mapping = table.mapping
        let statement = try db.prepare(mapping.sql.insert(leavingOut: omitted))
        defer { statement.clear() }
        _ = try mapping.bind(image, mapping.columns.indices.filter { !omitted.contains($0) }, to: statement)
        guard try statement.step() else { throw notInserted(statement) }
        try mapping.take(omitted, from: statement, intoImage: image)
        while try statement.step() {}
    }

    private func notInserted(_ statement: Statement) -> PersistenceError {
        PersistenceError(
            .notInserted, "the table passed over the row: a conflict clause or a trigger ignores it",
            model: table.mapping.modelName, sql: statement.sql)
    }

    /// Runs an INSERT for each of several objects.
    static func run(_ insertions: [Insertion], _ db: Database) throws -> [ColumnSet] {
        let filled = try insertions.map { insertion in
            try insertion.table.mapping.naming { try insertion.run(db) }
        }
        insertions.forEach { $0.noteAsLast() }
        return filled
    }

    /// The image, where the object is to hold what the row does and not what it held: where the table has columns that
    /// it computes.
    var imagesRead: RowImages? { table.generatedColumns.isEmpty ? nil : images }

    /// Notes that this is the last object of its class to be inserted.
    func noteAsLast() {
        table.lastInsertion = (images, slot)
    }

    private func checkKey(_ mapping: Mapping, _ image: Memory) throws {
        for key in mapping.key where try mapping.stored(key, in: image).isNull { throw mapping.missingKeyValue() }
    }

    /// Tells the object that it is in the table now. A property that has been set meanwhile keeps its value.
    ///
    /// - Parameter replacing: Whether a property takes what the table put into its column whatever it holds, as that of
    ///   a generated column does.
    func finish(_ object: PersistingModel, filled: ColumnSet, replacing: Bool = false) throws {
        let mapping = table.mapping
        try filled.forEach { index in
            guard
                try replacing || mapping.stored(index, of: object).isNull || table.generatedColumns.contains(index)
            else { return }
            try mapping.assign(stored: mapping.stored(index, in: images[slot]), to: index, of: object)
        }
        object.record = Record(state: .persisted, slot: Int32(clamping: slot), images: images)
    }
}
