internal import Foundation

/// The columns that the library writes by itself: the times of creation and update, and the version.
struct AutomaticColumns: Sendable {
    private(set) var created: [Int] = []
    private(set) var updated: [Int] = []
    private(set) var version: Int?

    private(set) var isEmpty = true

    func contains(_ index: Int) -> Bool {
        index == version || created.contains(index) || updated.contains(index)
    }

    init() {}

    /// The columns of a class, checked.
    init(of description: ModelDescription) throws {
        for (index, column) in description.columns.enumerated() {
            guard let timestamp = column.declaration.timestamp else { continue }
            try Self.check(timestamp, index, description)
            if timestamp == .created { created.append(index) } else { updated.append(index) }
        }
        version = try description.modelType.versionKey.map { try Self.version($0, description) }
        isEmpty = created.isEmpty && updated.isEmpty && version == nil
    }

    private static func check(_ timestamp: Timestamp, _ index: Int, _ description: ModelDescription) throws {
        let column = description.columns[index]
        let isDate = unwrapped(column.type) == Date.self
        guard isDate, isPlain(index, description) else {
            throw PersistenceError(
                isDate ? .invalidModel : .unsupportedType,
                "the column \(column.name) is declared .\(timestamp.rawValue), which is for dates that are neither "
                    + "deferred nor generated nor the primary key", model: description.modelName, key: column.key,
                expected: isDate ? nil : Date.self, found: isDate ? nil : column.type)
        }
    }

    private static func version(_ key: String, _ description: ModelDescription) throws -> Int {
        let index = try description.columns.index(ofKey: key, "versionKey names", description.modelName)
        let column = description.columns[index]
        let isInteger =
            unwrapped(column.type) is any FixedWidthInteger.Type && description.kinds[index] != .custom
        guard isInteger, isPlain(index, description) else {
            throw PersistenceError(
                .invalidModel,
                "versionKey names \"\(key)\": a version is a stored property of an integer type that is neither "
                    + "deferred nor generated nor the primary key", model: description.modelName, key: key,
                found: column.type)
        }
        return index
    }

    private static func isPlain(_ index: Int, _ description: ModelDescription) -> Bool {
        let declaration = description.columns[index].declaration
        return !declaration.isDeferred && declaration.generation == nil && !description.key.contains(index)
    }
}

/// A value that a write gives a column by itself, and the property once the write has succeeded.
struct AutomaticValue: Sendable {
    let index: Int
    /// What the property held when the object's values were taken.
    let old: SQLiteValue
    let new: SQLiteValue
}

extension Mapping {
    /// Puts the times and the version of a new row into its tracked values.
    ///
    /// - Parameters:
    ///   - given: The columns whose values are stored as they are; those that get one here are added.
    /// - Returns: What the properties are to hold when the row is there.
    func addAutomaticValues(
        of object: PersistingModel, _ trackedValues: Memory, given: inout ColumnSet
    ) throws -> [AutomaticValue] {
        let now = Date()
        // What the object was last read or written with, in a row that is gone, or in another database.
        let isKnown = object.record.trackedRows?.mapping === self
        var values: [AutomaticValue] = []
        for index in automaticColumns.created + automaticColumns.updated where !given.contains(index) {
            let old = try stored(index, in: trackedValues)
            let isOld =
                try isKnown && automaticColumns.updated.contains(index)
                && object.record.trackedValues.map { try !differs(index, object, $0) } ?? true
            if columns[index].isOptional, !old.isNull, !isOld { continue }
            values.append(AutomaticValue(index: index, old: old, new: try stored(now, index)))
        }
        if let version = automaticColumns.version, !given.contains(version) {
            let old = try stored(version, in: trackedValues)
            values.append(AutomaticValue(index: version, old: old, new: try self.version(after: old)))
        }
        for value in values {
            try assign(stored: value.new, to: value.index, in: trackedValues)
            given.insert(value.index)
        }
        return values
    }

    /// The columns that an update writes by itself.
    var columnsSetByUpdate: ColumnSet {
        ColumnSet(automaticColumns.updated).union(version.map { ColumnSet($0) } ?? ColumnSet())
    }

    /// Puts the times and the version of an update into the values that are written.
    ///
    /// - Parameters:
    ///   - known: What the row held.
    ///   - columns: The columns that are written anyway.
    /// - Returns: What the properties are to hold when the row has been written.
    func addAutomaticValues(
        of object: PersistingModel, _ known: TrackedRow, _ values: Memory, besides columns: ColumnSet
    ) throws -> [AutomaticValue] {
        var automaticValues: [AutomaticValue] = []
        func add(_ index: Int, _ new: SQLiteValue, setsProperty: Bool) throws {
            try assign(stored: new, to: index, in: values)
            guard setsProperty else { return }
            automaticValues.append(AutomaticValue(index: index, old: try stored(index, of: object), new: new))
        }
        let now = Date()
        for index in automaticColumns.updated where !columns.contains(index) {
            // A change that is not written now stays to be saved.
            let isChanged = try known.trackedRows.isTracking && differs(index, object, known.memory)
            try add(index, stored(now, index), setsProperty: !isChanged)
        }
        if let version = automaticColumns.version {
            try add(version, self.version(after: self.version(in: known.memory)), setsProperty: true)
        }
        return automaticValues
    }

    /// Gives a property what a write has given its column. One that has been set meanwhile, perhaps to what cannot be
    /// stored, keeps its value.
    ///
    /// - Parameter trackedValues: What the row holds, which of an upsert may be older than the object.
    func set(_ value: AutomaticValue, of object: PersistingModel, from trackedValues: Memory) throws {
        guard (try? stored(value.index, of: object)) == value.old else { return }
        try assign(stored: stored(value.index, in: trackedValues), to: value.index, of: object)
    }

    /// Gives the properties what they held before a write. One that has been set since, perhaps to what cannot be
    /// stored, keeps its value.
    func undo(_ values: [AutomaticValue], of object: PersistingModel) throws {
        for value in values where (try? stored(value.index, of: object)) == value.new {
            try assign(stored: value.old, to: value.index, of: object)
        }
    }

    /// The version in tracked values, of a class that has one: 0 where none has been counted yet.
    func version(in trackedValues: Memory) throws -> SQLiteValue {
        let known = try automaticColumns.version.map { try stored($0, in: trackedValues) } ?? .null
        return known.isNull ? .integer(0) : known
    }

    /// The columns that an update of many rows sets by itself, except for those that it names, with the time in which.
    func updateTimes(besides named: (Int) -> Bool) throws -> [(index: Int, value: SQLiteValue)] {
        if automaticColumns.updated.isEmpty { return [] }
        let now = Date()
        return try automaticColumns.updated.filter { !named($0) }.map { ($0, try stored(now, $0)) }
    }

    /// The times that an update of many rows sets in those of subclasses, in columns that the class doesn't have.
    ///
    /// - Returns: For each column the first class that has it, and where, the rows that have it, and the time.
    func updateTimesOfSubclasses() throws -> [(mapping: Mapping, index: Int, rows: String, time: SQLiteValue)] {
        guard let place else { return [] }
        return try place.addedColumns.compactMap { column in
            func index(_ mapping: Mapping) -> Int? {
                mapping.automaticColumns.updated.first { isSameName(mapping.columns[$0].name, column.name) }
            }
            let members = place.subclasses.map(\.mapping).filter { index($0) != nil }
            guard let first = members.first, let index = index(first) else { return nil }
            let rows = members.compactMap { $0.place?.ownCondition }.joined(separator: " OR ")
            return (first, index, rows, try first.stored(Date(), index))
        }
    }

    private func stored(_ time: Date, _ index: Int) throws -> SQLiteValue {
        try naming(index) { try columns[index].codec.stored(time) }
    }

    private func version(after version: SQLiteValue) throws -> SQLiteValue {
        let known: Int64 = if case .integer(let number) = version { number } else { 0 }
        let (next, overflow) = known.addingReportingOverflow(1)
        let key = automaticColumns.version.map { columns[$0].key }
        guard !overflow else {
            throw PersistenceError(
                .typeMismatch, "\(key.map { "\($0): " } ?? "")the version \(known) can't be incremented",
                model: modelName, key: key)
        }
        return .integer(next)
    }

    /// The columns that an upsert writes to an existing row by values of the object: the creation time stays, and the
    /// version counts by itself.
    ///
    /// - Parameter named: The columns that the caller has named, if any; none leave the row as it is.
    func written(over named: ColumnSet?) -> ColumnSet {
        if let named, named.isEmpty || automaticColumns.isEmpty { return named }
        let plain = named ?? allColumns.subtracting(keySet).subtracting(ColumnSet(automaticColumns.created))
        return plain.union(ColumnSet(automaticColumns.updated)).subtracting(
            automaticColumns.version.map { ColumnSet($0) } ?? ColumnSet())
    }

    /// Throws for a column that only the library writes.
    ///
    /// - Throws: ``PersistenceError/Code/notWritable`` for the version.
    func checkWritable(_ index: Int) throws {
        if index == rowID {
            throw PersistenceError(
                .notWritable, "\(columns[index].key): SQLite gives each row its identifier: don't write it",
                model: modelName, key: columns[index].key)
        }
        guard index == version else { return }
        throw PersistenceError(
            .notWritable, "\(columns[index].key): the version counts the writes of its row: don't write it",
            model: modelName, key: columns[index].key)
    }
}
