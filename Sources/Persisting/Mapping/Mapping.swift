internal import Synchronization

/// A column and the property it stores. A class, since it is large and handed about.
package final class Column: Sendable {
    /// The column's name.
    package let name: String
    /// The property's name.
    package let key: String
    /// The property's type.
    package let type: any Any.Type
    let codec: any FieldCodec
    package let declaration: ColumnDeclaration
    let isOptional: Bool

    init(
        name: String, key: String, type: any Any.Type, codec: any FieldCodec, declaration: ColumnDeclaration = .any
    ) {
        self.name = name
        self.key = key
        self.type = type
        self.codec = codec
        self.declaration = declaration
        isOptional = Persisting.isOptional(type) || type == SQLiteValue.self
    }

    /// The type that the column is declared with.
    package var columnType: ColumnType { codec.columnType }

    /// Values to test the column with, as they are stored.
    package var testValues: [SQLiteValue] { codec.testValues }

    /// The error for a value that was given for this column's property and does not fit.
    func error(
        for value: Any?, _ code: PersistenceError.Code, _ error: any Error, _ mapping: Mapping
    ) -> PersistenceError {
        let given = flattened(value)
        let found = given.map { "a value of type \(typeOf: $0)" } ?? "nil"
        // Of a value of the right kind, the conversion knows what is wrong with it.
        let reason = (error as? SQLiteError).flatMap { $0.mismatch == nil ? $0.message : nil }
        return PersistenceError(
            code, "\(key): \(found) isn't a valid \(source: type)" + (reason.map { ": \($0)" } ?? ""),
            model: mapping.modelName, key: key, expected: type, found: given.map { Swift.type(of: $0) },
            saysTypes: true, underlying: error)
    }

    /// The column in words, with the property where that has another name.
    var place: String {
        "column \(name)" + (asciiLowercased(name) == asciiLowercased(key) ? "" : " of the property \(key)")
    }

    /// An error in converting a value of this column.
    func failure(_ error: any Error, _ mapping: Mapping, stored: StorageClass? = nil) -> PersistenceError {
        if let error = error as? PersistenceError { return error }
        if let other = error as? OtherForm {
            return PersistenceError(
                .typeMismatch, other.message(self, mapping), model: mapping.modelName, key: key, expected: type,
                stored: other.stored.storageClass, saysTypes: true)
        }
        let mismatch = (error as? SQLiteError)?.mismatch
        let isNull = stored == .null || mismatch == .stored(.null)
        let hint =
            isNull && !isOptional ? "; make the property Optional, or declare the column .onNull(.default)" : ""
        let message = StoredJSON.reason(of: error)
        return PersistenceError(
            .typeMismatch, "\(place): \(message)\(hint)", model: mapping.modelName, key: key, expected: type,
            stored: stored, saysTypes: mismatch != nil, underlying: error)
    }
}

/// How a class is stored: its table, its columns in order, its key, and the SQL for them. Made once for each class and
/// form of dates.
package final class Mapping: Sendable {
    package let modelType: PersistingModel.Type
    package let modelName: String
    /// The table's name, not quoted.
    package let tableName: String
    /// The database that the class names: `temp` or an attached one; nil for `main`.
    let schemaName: String?
    let dates: DateStorage
    package let columns: [Column]
    /// What whole rows are read and written by, a field for each column.
    let fields: ContiguousArray<Field>
    /// The columns whose tracked values hold references.
    let referring: ColumnSet
    /// Those of a whole row's tracked values.
    let trackedBytes: TrackedBytes
    let spareMemory: SpareMemory
    /// As much of the tracked values as holds the key and the version.
    let keptBytes: TrackedBytes
    /// The columns of the primary key, in its order; none for a class without one.
    package let key: [Int]
    /// The same as a set, and all columns as one.
    let keySet: ColumnSet
    let allColumns: ColumnSet
    /// Whether part of a composite key may be NULL.
    let mayHaveNullInKey: Bool
    /// The columns that all tracked values of a row have: what the row is found by.
    let keptColumns: ColumnSet
    /// The columns that are left out when objects are fetched.
    let deferred: [Int]
    /// How many columns are not.
    let fetchedCount: Int
    /// The column of the rows' identifiers, for a class that is kept by them.
    package let rowID: Int?
    /// The key, where it is one column of dates, which a row may hold in another form than the class writes.
    let keyOfDates: Column?
    /// Whether SQLite makes the key's value while it is nil.
    package let isKeyGenerated: Bool
    /// Whether the key is what the table says.
    let takesKeyFromSchema: Bool
    /// The key that the table says; nil while no table has been looked at, and for a class that declares its key.
    let schemaKey: SchemaKey?
    /// The columns that the class declares to be computed by SQLite.
    let generated: ColumnSet
    private let plainSQL: MappingSQL
    /// The text that names `main`, once the table's name alone means another one somewhere.
    private let qualifiedSQL = AtomicLazyReference<MappingSQL>()
    /// Whether there is such a text. The reference itself takes long to read: its `load` is not specialized.
    private let isQualified = Atomic(false)
    /// What the class is among those that share its table; nil for a class that has a table of its own.
    let place: HierarchyPlace?
    /// Whether there are classes below it, whose objects are its too.
    let hasSubclasses: Bool
    let keyPaths: KeyPathColumns
    let rowLayouts = RowLayouts()
    private let indicesByKey: NameIndex
    /// The columns as conditions have them.
    let operands: [ColumnOperand]
    private let indexes: [IndexDefinition]
    let virtualKeys: [VirtualKey]
    let automaticColumns: AutomaticColumns
    /// Whether the library writes any column by itself.
    let hasAutomaticColumns: Bool
    /// The column that counts the writes of its row, if any.
    package let version: Int?
    /// The columns that the caller can't write, besides generated ones: the version and the rows' identifier.
    let notWritable: ColumnSet
    /// Whether the class may have hooks or validation, which are to be called.
    let hasHooks: Bool
    /// Whether the table is temporary, which one connection has for itself.
    let isTemporary: Bool
    /// Whether an object's stored values are its own: no property's depends on another object, which a write before may
    /// have changed.
    let isOfOwnValuesAlone: Bool
    /// Nil for a class that isn't `@Observable`.
    let observedColumns: ObservedColumns?
    let declaredRelations = DeclaredRelations()
    let declaredCalculations = DeclaredCalculations()
    /// What ``schemaHash`` has found; 0 before it has been asked for.
    let knownSchemaHash = Atomic<UInt64>(0)

    init(_ description: ModelDescription, _ place: HierarchyPlace? = nil) {
        self.place = place
        hasSubclasses = place?.subclasses.isEmpty == false
        modelType = description.modelType
        modelName = description.modelName
        tableName = description.tableName
        schemaName = description.schemaName
        dates = description.dates
        columns = description.columns
        key = description.key
        keySet = ColumnSet(key)
        mayHaveNullInKey = key.count > 1 && key.contains { description.columns[$0].isOptional }
        allColumns = ColumnSet(columns.indices)
        deferred = columns.indices.filter { description.columns[$0].declaration.isDeferred }
        fetchedCount = columns.count - deferred.count
        keyOfDates = key.count == 1 && columns[key[0]].codec.dateForm != nil ? columns[key[0]] : nil
        isKeyGenerated = description.isKeyGenerated
        rowID = description.modelType.primaryKey.kind == .rowID ? description.key.first : nil
        takesKeyFromSchema = description.modelType.primaryKey.kind == .fromSchema
        schemaKey = description.schemaKey
        generated = ColumnSet(columns.indices.filter { description.columns[$0].declaration.generation != nil })
        indicesByKey = description.indicesByKey
        virtualKeys = description.virtualKeys
        automaticColumns = description.automaticColumns
        hasAutomaticColumns = !automaticColumns.isEmpty
        version = automaticColumns.version
        isOfOwnValuesAlone = columns.indices.allSatisfy {
            description.kinds[$0] != .custom || description.columns[$0].codec.isOfBytesAlone
        }
        hasHooks = description.modelType.hasHooks
        isTemporary = schemaName.map { isSameName($0, "temp") } ?? false
        observedColumns = description.isObservable ? ObservedColumns(description.modelType.init()) : nil
        notWritable = ColumnSet([version, rowID].compactMap { $0 })
        keyPaths = KeyPathColumns(declared: description.declaredKeyPaths)

        let layout: TrackedLayout
        (fields, layout) = description.fields
        trackedBytes = TrackedBytes(count: layout.stride)
        spareMemory = SpareMemory(trackedBytes)
        keptBytes = TrackedBytes(count: layout.keyStride)
        referring = layout.referring
        keptColumns = ColumnSet(fields.indices.filter { [fields] in fields[$0].isKept })
        indexes = description.indexes
        plainSQL = MappingSQL(
            table: description.tableName, in: description.schemaName, columns: columns,
            definitions: description.definitions, key: key, indexes: description.indexes,
            options: description.modelType.tableOptions, version: automaticColumns.version, rowID: rowID, place: place)
        operands = zip(plainSQL.columns, columns).enumerated().map { ColumnOperand($1.0, $1.1, index: $0) }
    }

    /// The class's SQL.
    var sql: MappingSQL { isQualified.load(ordering: .acquiring) ? qualifiedSQL.load() ?? plainSQL : plainSQL }

    /// The database that the table is in.
    package var database: String { schemaName ?? "main" }

    /// The table's name as SQL has it.
    package var tableText: String { sql.table }

    package func isDeferred(_ index: Int) -> Bool { fields[index].isDeferred }

    /// Whether the library writes the column by itself.
    package func isAutomatic(_ index: Int) -> Bool { automaticColumns.contains(index) }

    /// The table's name for messages, with its database where that isn't `main`.
    var fullTableName: String { schemaName.map { "\($0).\(tableName)" } ?? tableName }

    /// The number of the schema of the class's database; nil where it can't be read.
    func schemaVersion(_ db: any EngineConnection) -> Int64? {
        guard let schemaName else { return db.schemaVersion }
        return try? db.scalar("PRAGMA \(identifier: schemaName).schema_version", as: Int64.self)
    }

    /// What the table is called among those that were changed or read: its key, of `tableKey(_:in:)`.
    var recordedName: String { tableKey(tableName, in: schemaName) }

    /// Has the class's SQL name `main` from now on, which is right everywhere.
    func qualify() {
        guard schemaName == nil, qualifiedSQL.load() == nil else { return }
        _ = qualifiedSQL.storeIfNil(
            MappingSQL(
                table: tableName, in: "main", columns: columns, definitions: plainSQL.definitions, key: key,
                indexes: indexes, options: modelType.tableOptions, version: version, rowID: rowID, place: place))
        isQualified.store(true, ordering: .releasing)
    }

    /// The column of a key, which may be one of several that are kept in it.
    func index(ofKey key: String) throws -> Int {
        guard let index = indicesByKey[key] ?? virtualKeys[key]?.index else {
            let known = (columns.map(\.key) + virtualKeys.map(\.key).sorted()).joined(separator: ", ")
            let column = columns.first { asciiLowercased($0.name) == asciiLowercased(key) }
            let hint = column.map { ", and the column \($0.name) is the property \($0.key)" } ?? ""
            throw PersistenceError(
                .unknownKey,
                "there is no column for the key \"\(key)\": a key is a property's name\(hint); there is: \(known)",
                model: modelName, key: key)
        }
        return index
    }

    /// What a key stands for in SQL, as a column: for bits, an expression of theirs.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey`` for a computed property.
    func operand(ofKey key: String) throws -> (sql: String, column: Column) {
        guard let virtual = virtualKeys[key] else {
            let index = try index(ofKey: key)
            return (sql.columns[index], columns[index])
        }
        guard virtual.kind != .computed else {
            let stored = columns[virtual.index]
            throw PersistenceError(
                .unknownKey,
                "SQLite does not know what is computed: ask for \(stored.key), whose column \(stored.name) it is kept in, "
                    + "or by SQL", model: modelName, key: key)
        }
        let column = virtual.column(in: self)
        return (column.name, column)
    }

    /// The column of a key path; see ``KeyPathColumns``.
    func index(of keyPath: AnyKeyPath, sample: @autoclosure () -> Any? = nil) throws -> Int {
        try keyPaths.answer(keyPath, in: self, sample: sample()).index
    }

    /// The column of a property that is to be set, and whether it is stored as it is.
    func answer<Model: PersistingModel, Value>(
        setting keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value
    ) throws -> KeyPathColumns.Answer {
        try keyPaths.answer(setting: keyPath, to: value, in: self)
    }

    /// The key of a key path's property; see ``KeyPathColumns``.
    func key(of keyPath: AnyKeyPath, sample: @autoclosure () -> Any? = nil) throws -> String {
        do {
            return try keyPaths.answer(keyPath, in: self, sample: sample()).key
        } catch let error as PersistenceError {
            guard let key = keyOfCalculation(keyPath) else { throw error }
            return key
        }
    }

    /// Whether a key is one of a column, by whatever name.
    func hasColumn(forKey key: String) -> Bool { indicesByKey[key] != nil || virtualKeys[key] != nil }

    /// The value that an object has for a key.
    func value(forKey key: String, of object: PersistingModel) throws -> Any? {
        if let virtual = virtualKeys[key] { return flattened(try virtual.value(of: object, self)) }
        return value(try index(ofKey: key), of: object)
    }

    /// Gives an object a value for a key.
    ///
    /// - Returns: The column that the key is kept in.
    func assign(_ value: Any?, toKey key: String, of object: PersistingModel) throws -> Int {
        if let virtual = virtualKeys[key] {
            try virtual.assign(value, to: object, self)
            return virtual.index
        }
        let index = try index(ofKey: key)
        try assign(value, to: index, of: object)
        return index
    }

    /// Values by key as they are to be assigned: what is kept in another's column comes after that, whatever the
    /// dictionary's order.
    func inOrder<Value>(_ values: [String: Value]) -> [(key: String, value: Value)] {
        if virtualKeys.isEmpty { return values.map { ($0, $1) } }
        func place(_ key: String) -> (Int, String) { (virtualKeys[key] == nil ? 0 : 1, key) }
        return values.sorted { place($0.key) < place($1.key) }
    }

    /// Whether a column's property holds any integer that SQLite makes.
    func holdsAnyInteger(_ index: Int) -> Bool {
        fields[index].kind == .optionalInt64 || fields[index].kind == .optionalInt
    }

    /// Throws for what needs a key for a class without one.
    ///
    /// - Throws: ``PersistenceError/Code/noPrimaryKey``.
    func requireKey() throws {
        guard key.isEmpty else { return }
        let reason =
            !takesKeyFromSchema
            ? "the class has no primary key: name a property id, or override primaryKey; .fromSchema takes the table's, "
                + "and .rowID the identifier that SQLite gives each row"
            : schemaKey == nil
                ? "the class uses .fromSchema, so only a manager knows its primary key"
                : "the table \(tableName) has no primary key, which the class takes from it: override primaryKey with "
                    + ".rowID, or declare properties that are different in each row as .assigned or .composite"
        throw PersistenceError(.noPrimaryKey, reason, model: modelName)
    }
}

extension ModelDescription {
    /// The fields of the columns, with their places in tracked values.
    fileprivate var fields: (ContiguousArray<Field>, TrackedLayout) {
        var (layout, fetched) = (TrackedLayout(), Int32(0))
        let fields = ContiguousArray(
            columns.indices.map { index in
                let isKey = key.contains(index)
                let kind = columns[index].kind(describedAs: kinds[index], isKey: isKey)
                layout.isKept = isKey || index == automaticColumns.version
                // Placing a field has nothing to throw.
                try? kind.visit(&layout)
                let isDeferred = columns[index].declaration.isDeferred
                defer { fetched += isDeferred ? 0 : 1 }
                return Field(
                    offset: offsets[index], trackedOffset: layout.offset, kind: kind, size: layout.size,
                    isTwoWords: kind != .custom && 8...16 ~= layout.size,
                    keepsDefaultOnNull: keepsDefaultOnNull[index], isKey: isKey, isKept: layout.isKept,
                    isDeferred: isDeferred, position: isDeferred ? Field.nowhere : fetched)
            })
        return (fields, layout)
    }
}

/// Gives each field its place in tracked values.
private struct TrackedLayout: FieldVisitor {
    private(set) var offset = 0
    private(set) var size: UInt8 = 0
    private(set) var referring = ColumnSet()
    var isKept = false
    private var end = 0
    private var keyEnd = 0
    private var count = 0

    var stride: Int { (end + 15) & ~15 }
    var keyStride: Int { (keyEnd + 15) & ~15 }

    private mutating func place<T>(_ type: T.Type) {
        let alignment = MemoryLayout<T>.alignment
        offset = (end + alignment - 1) & ~(alignment - 1)
        size = UInt8(clamping: MemoryLayout<T>.size)
        end = offset + MemoryLayout<T>.size
        if isKept { keyEnd = end }
        if !_isPOD(T.self) { referring.insert(count) }
        count += 1
    }

    mutating func visit<T: BuiltInField>(_ type: T.Type) { place(type) }
    mutating func visitCustom() { place(SQLiteValue.self) }
}
