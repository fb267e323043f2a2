/// The tracked values of several objects: copies of what their rows hold, as last read or written. An object's changes
/// are found by them.
///
/// One allocation serves all objects of a fetch. A row's tracked values are written before an object is given them.
/// From then on they are the object's alone, and go with it to another task: what the object saves changes them, by
/// whoever has the object and access to the database. Those that a snapshot shares are only read; see
/// ``Record/sharesTrackedValues``.
///
/// They hold a column's value as the property has it, or for a custom column as it is stored.
final class TrackedRows: Sendable {
    /// The manager that the rows are of; nil for objects that are in no table.
    let manager: PersistenceManager?
    let mapping: Mapping
    /// The columns whose values are held.
    let columns: ColumnSet
    /// Whether an object's changes are found by them: they hold all columns, of a row as it was read or written.
    let isTracking: Bool
    /// How the rows were fetched.
    let fetch: FetchTraits
    // In the same place as `count`.
    @exclusivity(unchecked) nonisolated(unsafe) private var isTakingObject = false
    /// The number of the schema that the rows were read under, of a class that is kept by its rows' identifiers; nil
    /// where it isn't known.
    @exclusivity(unchecked) nonisolated(unsafe) var schemaVersion: Int64?
    /// Whose copy it is, of one object's values. Written once, before the copy is given to anybody.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate(set) var origin: ObjectIdentifier?
    private let memory: TrackedMemory
    private let capacity: Int32
    // Grows while rows are added, in one place; see above.
    @exclusivity(unchecked) nonisolated(unsafe) private var committed: Int32 = 0
    /// What the objects have loaded of their relations; nil as long as there is nothing. Used by the owner of the
    /// objects, which have been fetched together, or are one.
    @exclusivity(unchecked) nonisolated(unsafe) private(set) var group: SiblingGroup?
    // Among those of the group; written with it.
    @exclusivity(unchecked) nonisolated(unsafe) private var place: Int32 = 0

    /// - Parameters:
    ///   - capacity: The number of rows.
    ///   - tracking: Whether to hold all columns; without, changes cannot be told, and the object is saved whole.
    ///   - fetch: How the rows were fetched.
    convenience init(
        _ manager: PersistenceManager?, _ mapping: Mapping, capacity: Int, tracking: Bool = true,
        fetch: FetchTraits = FetchTraits()
    ) {
        self.init(
            manager, mapping, capacity: capacity, of: tracking ? mapping.allColumns : mapping.keptColumns,
            in: tracking ? mapping.trackedBytes : mapping.keptBytes, tracking: tracking, fetch: fetch)
    }

    /// - Parameters:
    ///   - capacity: The number of rows.
    ///   - columns: The columns to hold.
    convenience init(_ manager: PersistenceManager?, _ mapping: Mapping, capacity: Int, of columns: ColumnSet) {
        self.init(
            manager, mapping, capacity: capacity, of: columns, in: mapping.bytes(of: columns), tracking: false,
            fetch: FetchTraits())
    }

    private init(
        _ manager: PersistenceManager?, _ mapping: Mapping, capacity: Int, of columns: ColumnSet,
        in bytes: TrackedBytes, tracking: Bool, fetch: FetchTraits
    ) {
        self.manager = manager
        self.mapping = mapping
        self.columns = columns
        self.capacity = Int32(capacity)
        self.fetch = fetch
        isTracking = tracking
        memory = TrackedMemory(bytes, capacity: capacity, from: mapping.spareMemory)
        if mapping.rowID != nil { schemaVersion = (manager?.engine.mine).flatMap(mapping.schemaVersion) }
    }

    deinit {
        // Before the memory is given back, which others of the group may be reading.
        group?.roster.remove(place)
        let referring = isTracking ? mapping.referring : mapping.referring.intersection(columns)
        if !referring.isEmpty {
            for slot in 0..<count { destroy(referring, of: slot) }
        }
        memory.deallocate(capacity: Int(capacity), to: mapping.spareMemory)
    }

    /// The number of rows whose values are held.
    var count: Int { Int(committed) }

    var isFull: Bool { committed == capacity }

    /// Whether another row can be added: there is room, and no object's values are being taken, which may run code of
    /// the values' types.
    var isOpen: Bool { !isFull && !isTakingObject }

    subscript(slot: Int) -> Memory { memory[slot] }

    /// The memory of the next row's values, whose fields are initialized in order until ``commit()``.
    var next: Memory { memory[count] }

    /// Adds the next row, whose values are complete now.
    func commit() {
        committed &+= 1
    }

    /// Has the rows' objects share what they load with those of other tracked rows.
    func join(_ group: SiblingGroup) {
        self.group = group
        place = group.roster.add(self)
    }

    /// Ends the first fields of a row whose values could not be completed.
    func abandon(upTo end: Int) {
        destroy(mapping.referring.intersection(columns), of: count, upTo: end)
    }

    private func destroy(_ columns: ColumnSet, of slot: Int, upTo end: Int = .max) {
        var visitor = Destroy(memory: memory[slot])
        for index in columns {
            guard index < end else { return }
            visitor.field = mapping.fields[index]
            // Ending a value has nothing to throw.
            try? visitor.field.kind.visit(&visitor)
        }
    }

    /// Exchanges the values of another tracked row for those of one of these, in the same columns.
    func exchange(_ slot: Int, for other: TrackedRows, _ otherSlot: Int) {
        var visitor = Exchange(trackedValues: memory[slot], other: other[otherSlot])
        for index in other.columns where isTracking || columns.contains(index) {
            visitor.field = mapping.fields[index]
            // To exchange values has nothing to throw.
            try? visitor.field.kind.visit(&visitor)
        }
    }

    /// Adds a copy of a row's tracked values, which hold the same columns.
    func append(_ known: Memory) throws {
        var visitor = CopyFromTracked(source: known, trackedValues: next)
        for index in columns {
            visitor.field = mapping.fields[index]
            try visitor.field.kind.visit(&visitor)
        }
        commit()
    }

    /// Adds a row with the values of an object's fields.
    ///
    /// - Parameters:
    ///   - changed: The columns whose values are taken from the object; nil is all.
    ///   - known: Tracked values of the row, which have the others.
    /// - Throws: What a custom column's conversion throws.
    func append(_ object: PersistingModel, _ changed: ColumnSet? = nil, besides known: Memory? = nil) throws {
        isTakingObject = true
        defer { isTakingObject = false }
        let (trackedValues, source) = (next, Memory(object))
        var index = 0
        do {
            // All of an object is the rule: its fields one after the other, and no set to go through.
            if isTracking, known == nil {
                try mapping.fields.withUnsafeBufferPointer { fields in
                    while index < fields.count {
                        try take(fields[index], index, of: source, to: trackedValues)
                        index &+= 1
                    }
                }
            } else {
                for column in columns {
                    index = column
                    let field = mapping.fields[index]
                    if let known, changed?.contains(index) == false {
                        var visitor = CopyFromTracked(source: known, trackedValues: trackedValues, field: field)
                        try field.kind.visit(&visitor)
                    } else {
                        try take(field, index, of: source, to: trackedValues)
                    }
                }
            }
        } catch {
            abandon(upTo: index)
            throw mapping.columns[index].failure(error, mapping).adding(rowOf: object)
        }
        commit()
    }

    @inline(__always)
    private func take(_ field: Field, _ index: Int, of object: Memory, to trackedValues: Memory) throws {
        if field.kind == .custom {
            trackedValues.initialize(
                try mapping.columns[index].codec.stored(in: object, at: field.offset), at: field.trackedOffset)
        } else {
            var visitor = CopyFromObject(source: object, trackedValues: trackedValues, field: field)
            try field.kind.visit(&visitor)
        }
    }
}

extension Mapping {
    /// The bytes of tracked values from the first of some columns to the last.
    fileprivate func bytes(of columns: ColumnSet) -> TrackedBytes {
        guard let first = columns.first(where: { _ in true }) else { return trackedBytes }
        let start = fields[first].trackedOffset & ~15
        var end = start
        for index in columns { end = fields[index].trackedOffset + Int(fields[index].size) }
        return TrackedBytes(start: start, count: (end + 15 & ~15) - start)
    }
}

/// The tracked values of one row.
struct TrackedRow: Sendable {
    let trackedRows: TrackedRows
    var slot: Int
    var memory: Memory { trackedRows[slot] }

    /// A copy, which nobody else has.
    func copy() throws -> TrackedRows {
        let copy = TrackedRows(
            trackedRows.manager, trackedRows.mapping, capacity: 1, tracking: trackedRows.isTracking,
            fetch: FetchTraits(
                loading: trackedRows.fetch.loading, unread: trackedRows.fetch.unread, past: trackedRows.fetch.past))
        try copy.append(memory)
        copy.schemaVersion = trackedRows.schemaVersion
        copy.origin = ObjectIdentifier(trackedRows)
        return copy
    }
}

private struct Destroy: FieldVisitor {
    let memory: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) { memory.destroy(type, at: field.trackedOffset) }
    mutating func visitCustom() { memory.destroy(SQLiteValue.self, at: field.trackedOffset) }
}

private struct Exchange: FieldVisitor {
    let trackedValues: Memory
    let other: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        trackedValues.exchange(type, at: field.trackedOffset, with: other)
    }

    mutating func visitCustom() { trackedValues.exchange(SQLiteValue.self, at: field.trackedOffset, with: other) }
}

private struct CopyFromObject: FieldVisitor {
    let source: Memory
    let trackedValues: Memory
    let field: Field

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        trackedValues.initialize(source.read(type, at: field.offset), at: field.trackedOffset)
    }

    // Whatever takes the visitor's address keeps it in memory; `TrackedRows.take` sees to these columns.
    @inline(__always)
    mutating func visitCustom() {}
}

private struct CopyFromTracked: FieldVisitor {
    let source: Memory
    let trackedValues: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        trackedValues.initialize(source.read(type, at: field.trackedOffset), at: field.trackedOffset)
    }

    mutating func visitCustom() {
        trackedValues.initialize(source.read(SQLiteValue.self, at: field.trackedOffset), at: field.trackedOffset)
    }
}
