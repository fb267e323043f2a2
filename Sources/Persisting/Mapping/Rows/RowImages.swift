/// Copies of what rows hold, as last read or written: what an object's changes are found by.
///
/// One allocation serves all objects of a fetch. An image is written before an object is given it. From then on it is
/// the object's alone, and goes with it to another task: what the object saves changes it, by whoever has the object
/// and the turn to use the database. One that a snapshot shares is only read; see ``Record/isImageShared``.
///
/// An image holds a column's value as the property has it, or for a coded column as it is stored.
final class RowImages: Sendable {
    /// The manager that the rows are of; nil for images of objects that are in no table.
    let manager: PersistenceManager?
    let mapping: Mapping
    /// The columns that the images hold.
    let columns: ColumnSet
    /// Whether an object's changes are found by them: they hold all columns, of a row as it was read or written.
    let isTracking: Bool
    /// How the rows were fetched.
    let fetch: FetchTraits
    // In the same place as `count`.
    @exclusivity(unchecked) nonisolated(unsafe) private var isTakingObject = false
    private let memory: ImageMemory
    private let capacity: Int32
    // Grows while the images are made, in one place; see above.
    @exclusivity(unchecked) nonisolated(unsafe) private var committed: Int32 = 0
    /// What the objects have loaded of their relations; nil as long as there is nothing. Used by who has the objects,
    /// which have been fetched together, or are one.
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
            stride: tracking ? mapping.imageStride : mapping.keyImageStride, tracking: tracking, fetch: fetch)
    }

    /// - Parameters:
    ///   - capacity: The number of rows.
    ///   - columns: The columns to hold.
    convenience init(_ manager: PersistenceManager?, _ mapping: Mapping, capacity: Int, of columns: ColumnSet) {
        self.init(
            manager, mapping, capacity: capacity, of: columns, stride: mapping.imageStride, tracking: false,
            fetch: FetchTraits())
    }

    private init(
        _ manager: PersistenceManager?, _ mapping: Mapping, capacity: Int, of columns: ColumnSet, stride: Int,
        tracking: Bool, fetch: FetchTraits
    ) {
        self.manager = manager
        self.mapping = mapping
        self.columns = columns
        self.capacity = Int32(capacity)
        self.fetch = fetch
        isTracking = tracking
        memory = ImageMemory(stride: stride, capacity: capacity)
    }

    deinit {
        // Before the memory is given back, which others of the group may be reading.
        group?.roster.remove(place)
        let referring = mapping.referring.intersection(columns)
        if !referring.isEmpty {
            for slot in 0..<count { destroy(referring, of: slot) }
        }
        memory.deallocate()
    }

    /// How many images there are.
    var count: Int { Int(committed) }

    var isFull: Bool { committed == capacity }

    /// Whether another image can be made: there is room, and no object's values are being taken, which may run code of
    /// the values' types.
    var isOpen: Bool { !isFull && !isTakingObject }

    subscript(slot: Int) -> Memory { memory[slot] }

    /// The next image's memory, whose fields are initialized in order until ``commit()``.
    var next: Memory { memory[count] }

    /// Makes the next image one.
    func commit() {
        committed &+= 1
    }

    /// Has the rows' objects share what they load with those of other images.
    func join(_ group: SiblingGroup) {
        self.group = group
        place = group.roster.add(self)
    }

    /// Ends the first fields of an image that was given up half way.
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

    /// Exchanges what another image holds for what one of these does of the same columns.
    func exchange(_ slot: Int, for other: RowImage) {
        var visitor = Exchange(image: memory[slot], other: other.memory)
        for index in other.images.columns where isTracking || columns.contains(index) {
            visitor.field = mapping.fields[index]
            // To exchange values has nothing to throw.
            try? visitor.field.kind.visit(&visitor)
        }
    }

    /// Makes an image that is a copy of another of the same columns.
    func append(_ known: Memory) throws {
        var visitor = CopyImage(source: known, image: next)
        for index in columns {
            visitor.field = mapping.fields[index]
            try visitor.field.kind.visit(&visitor)
        }
        commit()
    }

    /// Makes an image of an object's fields.
    ///
    /// - Parameters:
    ///   - changed: The columns whose values are taken from the object; nil is all.
    ///   - known: An image of the row, which has the others.
    /// - Throws: What a coded column's conversion throws.
    func append(_ object: PersistingModel, _ changed: ColumnSet? = nil, besides known: Memory? = nil) throws {
        isTakingObject = true
        defer { isTakingObject = false }
        let (image, object) = (next, Memory(object))
        var index = 0
        do {
            // All of an object is the rule: its fields one behind the other, and no set to go through.
            if isTracking, known == nil {
                try mapping.fields.withUnsafeBufferPointer { fields in
                    while index < fields.count {
                        try take(fields[index], index, of: object, to: image)
                        index &+= 1
                    }
                }
            } else {
                for column in columns {
                    index = column
                    let field = mapping.fields[index]
                    if let known, changed?.contains(index) == false {
                        var visitor = CopyImage(source: known, image: image, field: field)
                        try field.kind.visit(&visitor)
                    } else {
                        try take(field, index, of: object, to: image)
                    }
                }
            }
        } catch {
            abandon(upTo: index)
            throw mapping.columns[index].failure(error, mapping)
        }
        commit()
    }

    @inline(__always)
    private func take(_ field: Field, _ index: Int, of object: Memory, to image: Memory) throws {
        if field.kind == .coded {
            image.initialize(
                try mapping.columns[index].codec.stored(in: object, at: field.offset), at: field.imageOffset)
        } else {
            var visitor = CopyToImage(source: object, image: image, field: field)
            try field.kind.visit(&visitor)
        }
    }
}

/// One of several images.
struct RowImage: Sendable {
    let images: RowImages
    var slot: Int
    var memory: Memory { images[slot] }

    /// A copy, which nobody else has.
    func copy() throws -> RowImages {
        let copy = RowImages(
            images.manager, images.mapping, capacity: 1, tracking: images.isTracking,
            fetch: FetchTraits(loading: images.fetch.loading))
        try copy.append(memory)
        return copy
    }
}

private struct Destroy: FieldVisitor {
    let memory: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) { memory.destroy(type, at: field.imageOffset) }
    mutating func visitCoded() { memory.destroy(SQLiteValue.self, at: field.imageOffset) }
}

private struct Exchange: FieldVisitor {
    let image: Memory
    let other: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        image.exchange(type, at: field.imageOffset, with: other)
    }

    mutating func visitCoded() { image.exchange(SQLiteValue.self, at: field.imageOffset, with: other) }
}

private struct CopyToImage: FieldVisitor {
    let source: Memory
    let image: Memory
    let field: Field

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        image.initialize(source.read(type, at: field.offset), at: field.imageOffset)
    }

    // Whatever takes the visitor's address keeps it in memory; `RowImages.take` sees to these columns.
    @inline(__always)
    mutating func visitCoded() {}
}

private struct CopyImage: FieldVisitor {
    let source: Memory
    let image: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        image.initialize(source.read(type, at: field.imageOffset), at: field.imageOffset)
    }

    mutating func visitCoded() {
        image.initialize(source.read(SQLiteValue.self, at: field.imageOffset), at: field.imageOffset)
    }
}
