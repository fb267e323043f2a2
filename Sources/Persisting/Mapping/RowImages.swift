/// Copies of what rows hold, as last read or written: what an object's changes are found by.
///
/// One allocation serves all objects of a fetch. An image is written once, before an object is given it, and from then
/// on only read, so an object and its image may cross to another task. It holds a column's value as the property has
/// it, or for a coded column as it is stored.
final class RowImages: Sendable {
    /// The manager that the rows are of; nil for images of objects that are in no table.
    let manager: PersistenceManager?
    let mapping: Mapping
    private let memory: ImageMemory
    private let capacity: Int
    /// Whether the images are of all columns, and not of those alone that every object's row is found by.
    let isTracking: Bool
    // Grows while the images are made, in one place; see above.
    @exclusivity(unchecked) nonisolated(unsafe) private(set) var count = 0
    // In the same place.
    @exclusivity(unchecked) nonisolated(unsafe) private var isTakingObject = false

    /// - Parameters:
    ///   - capacity: The number of rows.
    ///   - tracking: Whether to hold all columns; without, changes cannot be told, and the object is saved whole.
    init(_ manager: PersistenceManager?, _ mapping: Mapping, capacity: Int, tracking: Bool = true) {
        self.manager = manager
        self.mapping = mapping
        self.capacity = capacity
        isTracking = tracking
        memory = ImageMemory(
            stride: tracking ? mapping.imageStride : mapping.keyImageStride, capacity: capacity)
    }

    deinit {
        if !fieldsToDestroy.isEmpty {
            for slot in 0..<count { destroy(slot, upTo: mapping.fields.count) }
        }
        memory.deallocate()
    }

    private var fieldsToDestroy: [Int] { isTracking ? mapping.fieldsToDestroy : mapping.keptFieldsToDestroy }

    /// Whether a column is in the images.
    @inline(__always)
    func holds(_ field: Field) -> Bool { isTracking || field.isKept }

    var isFull: Bool { count == capacity }

    /// Whether another image can be made: there is room, and no object's values are being taken, which may run code of
    /// the values' types.
    var isOpen: Bool { !isFull && !isTakingObject }

    subscript(slot: Int) -> Memory { memory[slot] }

    /// The next image's memory, whose fields are initialized in order until ``commit()``.
    var next: Memory { memory[count] }

    /// Makes the next image one.
    func commit() {
        count += 1
    }

    /// Ends the first fields of an image that was given up half way.
    func abandon(upTo end: Int) {
        destroy(count, upTo: end)
    }

    private func destroy(_ slot: Int, upTo end: Int) {
        var visitor = Destroy(memory: memory[slot])
        for index in fieldsToDestroy {
            guard index < end else { return }
            visitor.field = mapping.fields[index]
            // Ending a value has nothing to throw.
            try? visitor.field.kind.visit(&visitor)
        }
    }

    /// Makes an image of an object's fields.
    ///
    /// - Throws: What a coded column's conversion throws.
    func append(_ object: PersistingModel) throws {
        let fields = mapping.fields
        var visitor = CopyToImage(source: Memory(object), image: next, mapping: mapping)
        isTakingObject = true
        defer { isTakingObject = false }
        do {
            while visitor.index < fields.count {
                visitor.field = fields[visitor.index]
                if holds(visitor.field) { try visitor.field.kind.visit(&visitor) }
                visitor.index += 1
            }
        } catch {
            abandon(upTo: visitor.index)
            throw mapping.columns[visitor.index].failure(error, mapping)
        }
        commit()
    }

    /// Makes an image that is a copy of another, which is of as many columns, but for those that are taken from an
    /// object.
    func append(_ images: RowImages, _ slot: Int, with columns: some Sequence<Int>, of object: PersistingModel) throws {
        let image = next
        var visitor = CopyImage(source: images[slot], image: image)
        for field in mapping.fields where holds(field) {
            visitor.field = field
            try field.kind.visit(&visitor)
        }
        commit()
        for index in columns where holds(mapping.fields[index]) {
            try mapping.copy(index, from: Memory(object), toImage: image)
        }
    }
}

/// One of several images.
struct RowImage: Sendable {
    let images: RowImages
    var slot: Int
    var memory: Memory { images[slot] }
}

private struct Destroy: FieldVisitor {
    let memory: Memory
    var field = Field.none

    mutating func visit<T: BuiltInField>(_ type: T.Type) { memory.destroy(type, at: field.imageOffset) }
    mutating func visitCoded() { memory.destroy(SQLiteValue.self, at: field.imageOffset) }
}

private struct CopyToImage: FieldVisitor {
    let source: Memory
    let image: Memory
    let mapping: Mapping
    var index = 0
    var field = Field.none

    @inline(__always)
    mutating func visit<T: BuiltInField>(_ type: T.Type) {
        image.initialize(source.read(type, at: field.offset), at: field.imageOffset)
    }

    mutating func visitCoded() throws {
        image.initialize(try mapping.columns[index].codec.stored(in: source, at: field.offset), at: field.imageOffset)
    }
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
