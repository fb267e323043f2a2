internal import Foundation
internal import Synchronization

// All of Persisting's unsafe access to memory, with `ObjectMemory+Models.swift`, which knows the base class. Everything
// above it works on offsets that `LayoutProof` has proved against `Mirror` before the first use.

/// A stored property of a class as the runtime describes it.
struct StoredProperty {
    let name: String
    let type: any Any.Type
    /// Where it is in an object, in bytes from the object's start.
    let offset: Int
    /// Whether it is a `var` that holds its value strongly: neither `let` nor `weak` nor `unowned`.
    let isStrongVariable: Bool
    /// The class that adds it, and its place among those that the class adds.
    let owner: AnyClass
    let place: Int
}

// The runtime functions that Mirror itself is built on: they list the fields of a class, those of its superclasses
// first. See stdlib/public/core/ReflectionMirror.swift in the Swift repository.

private struct FieldReflectionMetadata {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVar = false
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func recursiveCount(_: any Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func recursiveChildMetadata(
    _: any Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<FieldReflectionMetadata>
) -> any Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func recursiveChildOffset(_: any Any.Type, index: Int) -> Int

/// Whether a type is an enum.
func isEnum(_ type: any Any.Type) -> Bool { kind(of: type) == kind(of: AnyEnum.self) }

private enum AnyEnum { case first, second }

/// The kind of a type, as a number of the runtime's own.
@_silgen_name("swift_getMetadataKind")
private func kind(of _: any Any.Type) -> UInt

/// A class and those above it, as far as `base`, which is not among them; the highest first.
func lineage(of type: AnyClass, below base: AnyClass) -> [AnyClass] {
    var classes: [AnyClass] = []
    var next: AnyClass? = type
    while let current = next, current != base {
        classes.append(current)
        next = _getSuperclass(current)
    }
    return classes.reversed()
}

/// The stored properties that a class adds to those of the class above it.
func storedProperties(of type: AnyClass) -> [StoredProperty] {
    let inherited = _getSuperclass(type).map { recursiveCount($0) } ?? 0
    return (inherited..<max(inherited, recursiveCount(type))).map { index in
        var metadata = FieldReflectionMetadata()
        let fieldType = recursiveChildMetadata(type, index: index, fieldMetadata: &metadata)
        defer { metadata.free?(metadata.name) }
        return StoredProperty(
            name: metadata.name.map { String(cString: $0) } ?? "", type: fieldType,
            offset: recursiveChildOffset(type, index: index), isStrongVariable: metadata.isVar && metadata.isStrong,
            owner: type, place: index - inherited)
    }
}

/// A value where it is. What cannot be copied is used without counting references to it.
///
/// Memory is taken for this by its layout: a struct of a single field has that of the field.
private struct Held<Value: BuiltInField>: ~Copyable {
    let value: Value

    @inline(__always)
    borrowing func bind<Sink: ParameterSink>(to sink: Sink, at parameter: Int) throws {
        try value.bind(to: sink, at: parameter)
    }

    @inline(__always)
    borrowing func isSame(as other: borrowing Held) -> Bool { Value.isSame(value, other.value) }
}

/// Memory that holds values at known offsets: an object's stored properties, or its tracked values.
struct Memory {
    let base: UnsafeMutableRawPointer

    @inline(__always)
    init(_ base: UnsafeMutableRawPointer) {
        self.base = base
    }

    @inline(__always)
    func read<T>(_ type: T.Type, at offset: Int) -> T {
        (base + offset).assumingMemoryBound(to: T.self).pointee
    }

    /// Binds a value, which is not copied for that.
    @inline(__always)
    func bind<T: BuiltInField, Sink: ParameterSink>(
        _ type: T.Type, at offset: Int, to sink: Sink, at parameter: Int
    ) throws {
        try (base + offset).assumingMemoryBound(to: Held<T>.self).pointee.bind(to: sink, at: parameter)
    }

    /// Whether SQLite would store the same for a value and for another, which are not copied for that.
    @inline(__always)
    func isSame<T: BuiltInField>(_ type: T.Type, at offset: Int, as other: Memory, at otherOffset: Int) -> Bool {
        (base + offset).assumingMemoryBound(to: Held<T>.self).pointee.isSame(
            as: (other.base + otherOffset).assumingMemoryBound(to: Held<T>.self).pointee)
    }

    /// Replaces a value.
    @inline(__always)
    func assign<T>(_ value: T, at offset: Int) {
        (base + offset).assumingMemoryBound(to: T.self).pointee = value
    }

    /// Puts a value where none is.
    @inline(__always)
    func initialize<T>(_ value: T, at offset: Int) {
        (base + offset).initializeMemory(as: T.self, to: value)
    }

    /// Exchanges a value for another of its type. Each place holds one before and after.
    @inline(__always)
    func exchange<T>(_ type: T.Type, at offset: Int, with other: Memory) {
        let (here, there) = (base + offset, other.base + offset)
        let value = here.assumingMemoryBound(to: T.self).move()
        here.initializeMemory(as: T.self, to: there.assumingMemoryBound(to: T.self).move())
        there.initializeMemory(as: T.self, to: value)
    }

    /// Ends a value.
    @inline(__always)
    func destroy<T>(_ type: T.Type, at offset: Int) {
        // For one value, deinitialize(count:) goes the way of an array.
        _ = (base + offset).assumingMemoryBound(to: T.self).move()
    }

    /// Whether the bytes of a field are the same as in tracked values. Equal values may have others, and a custom
    /// field, which is stored in another form, has no such bytes.
    @inline(__always)
    func hasSameBytes(as trackedValues: Memory, _ field: Field) -> Bool {
        let (here, there) = (base + field.offset, trackedValues.base + field.trackedOffset)
        guard field.isTwoWords else { return field.kind != .custom && memcmp(here, there, Int(field.size)) == 0 }
        func isSame(at place: Int) -> Bool {
            here.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == there.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        }
        return isSame(at: 0) && isSame(at: Int(field.size) - 8)
    }

    /// Whether a key path leads to a stored property at an offset. A computed one is read, and written back.
    func isAddress<Root, Value>(
        of keyPath: ReferenceWritableKeyPath<Root, Value>, in root: Root, at offset: Int
    ) -> Bool {
        MemoryLayout<Value>.size > 0
            && withUnsafeMutablePointer(to: &root[keyPath: keyPath]) { UnsafeRawPointer($0) == base + offset }
    }
}

/// Some addresses of objects that are never released, such as those of literal key paths, to be found without a lock.
struct SeenAddresses: @unchecked Sendable {  // the places are atomic, and live as long as the program
    private let places: UnsafeMutablePointer<Atomic<UInt>>
    private static let count = 1024

    /// - Note: Its memory is never given back: it is for globals.
    init() {
        places = .allocate(capacity: Self.count)
        for place in 0..<Self.count { (places + place).initialize(to: Atomic(0)) }
    }

    @inline(__always)
    private func place(of address: UInt) -> UnsafeMutablePointer<Atomic<UInt>> {
        places + Int((address >> 4 ^ address >> 14) & UInt(Self.count - 1))
    }

    @inline(__always)
    func contains(_ object: AnyObject) -> Bool {
        let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return place(of: address).pointee.load(ordering: .relaxed) == address
    }

    /// Adds an object, in the place of another if need be.
    func insert(_ object: AnyObject) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        place(of: address).pointee.store(address, ordering: .relaxed)
    }
}

/// The value of a type of one byte that is 0 or 1; nil for a type of another size, and for one that holds references.
///
/// Both are values of every such type: of an enum, since one with a single case takes no byte, of a Bool, and of a
/// number.
func oneByteValue<T>(_ byte: UInt8, as type: T.Type) -> T? {
    guard byte <= 1, _isPOD(T.self), MemoryLayout<T>.size == 1 else { return nil }
    return withUnsafeBytes(of: byte) { $0.load(as: T.self) }
}

/// Room for the tracked values of rows, one after the other.
struct TrackedMemory: @unchecked Sendable {  // the values in it are Sendable, and TrackedRows says who writes when
    /// Where the first row would begin if it had all columns.
    private let origin: UnsafeMutableRawPointer
    private let bytes: TrackedBytes

    /// - Parameter spare: What may have such a block.
    init(_ bytes: TrackedBytes, capacity: Int, from spare: SpareMemory) {
        self.bytes = bytes
        let block =
            spare.take(capacity, bytes) ?? .allocate(byteCount: max(1, bytes.count * capacity), alignment: 16)
        origin = block - bytes.start
    }

    /// Gives the room back. Its values have been destroyed.
    func deallocate(capacity: Int, to spare: SpareMemory) {
        let block = origin + bytes.start
        if !spare.keep(block, capacity, bytes) { block.deallocate() }
    }

    @inline(__always)
    subscript(slot: Int) -> Memory { Memory(origin + slot * bytes.count) }
}

/// Which bytes of a row's tracked values there is room for: those of all columns, or of some that follow each other.
struct TrackedBytes: Equatable, Sendable {
    var start = 0
    /// A multiple of 16, as the start is.
    let count: Int
}

/// Room for the tracked values of a class's rows that was given back: a block of each of the usual sizes, which the
/// next rows take.
///
/// Programs often drop the objects of one query before the next. For a block of a kilobyte or more, glibc's malloc
/// first joins the small blocks that were freed, and then divides them again for the next objects. This took a
/// twentieth of the time of a query of twenty rows.
final class SpareMemory: Sendable {
    /// The numbers of rows in the blocks of the usual sizes.
    enum Size {
        static let one = 1
        static let few = 16
        static let many = 60
    }

    /// The largest block that is kept, in bytes.
    private static let limit = 1 << 14
    private let bytes: TrackedBytes
    // The addresses of the blocks; 0 is none.
    private let one = Atomic<UInt>(0)
    private let few = Atomic<UInt>(0)
    private let many = Atomic<UInt>(0)

    /// - Parameter bytes: Those of a row's that the blocks are for.
    init(_ bytes: TrackedBytes) {
        self.bytes = bytes
    }

    deinit {
        for rows in [Size.one, Size.few, Size.many] { take(rows, bytes)?.deallocate() }
    }

    /// A block for some bytes of some rows, if one is kept.
    @inline(__always)
    func take(_ rows: Int, _ bytes: TrackedBytes) -> UnsafeMutableRawPointer? {
        guard bytes == self.bytes else { return nil }
        return switch rows {
        case Size.one: UnsafeMutableRawPointer(bitPattern: one.exchange(0, ordering: .acquiring))
        case Size.few: UnsafeMutableRawPointer(bitPattern: few.exchange(0, ordering: .acquiring))
        case Size.many: UnsafeMutableRawPointer(bitPattern: many.exchange(0, ordering: .acquiring))
        default: nil
        }
    }

    /// Keeps a block for some bytes of some rows, unless there is one already.
    ///
    /// - Returns: Whether it is kept.
    @inline(__always)
    func keep(_ block: UnsafeMutableRawPointer, _ rows: Int, _ bytes: TrackedBytes) -> Bool {
        guard bytes == self.bytes, rows &* bytes.count <= Self.limit else { return false }
        let address = UInt(bitPattern: block)
        return switch rows {
        case Size.one: one.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged
        case Size.few: few.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged
        case Size.many: many.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged
        default: false
        }
    }
}

/// A value of a type that the library makes by itself, somewhere in a struct.
///
/// To make a struct of such values, and of nothing else, without its initializer is sound: a struct is its stored
/// properties, one after the other, the runtime lists all of them or, without reflection metadata, none, and each is
/// initialized here by its own type. What it holds may be what no initializer would allow: it serves to tell key paths
/// apart, on objects of the library's own. A runtime that stops listing properties leaves such structs without
/// samples; one without these functions does not link.
struct Leaf {
    let offset: Int
    let codec: any FieldCodec

    /// What a struct consists of; nil for another kind of type, and for a struct that holds one.
    static func all(in type: any Any.Type) -> [Leaf]? {
        if let codec = ownCodec(for: type) { return [Leaf(offset: 0, codec: codec)] }
        // Of the same kind as a struct of the library's own, whatever number a runtime has for it.
        guard kind(of: type) == kind(of: Leaf.self) else { return nil }
        // Those of the system trap on values that their own code would not make: a Substring on indices that it lacks.
        let name = _typeName(type, qualified: true)
        guard !name.hasPrefix("Swift."), !name.hasPrefix("Foundation") else { return nil }
        let fields = (0..<recursiveCount(type)).map { index in
            var metadata = FieldReflectionMetadata()
            let fieldType = recursiveChildMetadata(type, index: index, fieldMetadata: &metadata)
            metadata.free?(metadata.name)
            let offset = recursiveChildOffset(type, index: index)
            return all(in: fieldType)?.map { Leaf(offset: offset + $0.offset, codec: $0.codec) }
        }
        guard !fields.isEmpty, !fields.contains(where: { $0 == nil }) else { return nil }
        return fields.flatMap { $0 ?? [] }
    }

    /// A struct with samples in its leaves: no initializer of its own is called.
    static func value<T>(_ type: T.Type, _ leaves: [Leaf], sample: Int) -> T {
        withUnsafeTemporaryAllocation(of: T.self, capacity: 1) { room in
            let base = UnsafeMutableRawBufferPointer(room)
            base.initializeMemory(as: UInt8.self, repeating: 0)
            for leaf in leaves {
                if let start = base.baseAddress { leaf.codec.place(sample: sample, at: Memory(start), leaf.offset) }
            }
            return room.moveElement(from: 0)
        }
    }

    /// What the leaves of a struct hold; nil when one of them cannot be stored.
    static func stored<T>(in value: T, _ leaves: [Leaf]) -> [SQLiteValue]? {
        var value = value
        return withUnsafeMutableBytes(of: &value) { bytes in
            guard let base = bytes.baseAddress.map({ Memory($0) }) else { return nil }
            let stored = leaves.compactMap { try? $0.codec.stored(in: base, at: $0.offset) }
            return stored.count == leaves.count ? stored : nil
        }
    }
}

extension FieldCodec {
    /// Puts one of the type's samples where no value is.
    fileprivate func place(sample: Int, at memory: Memory, _ offset: Int) {
        let samples = samples
        if !samples.isEmpty { memory.initialize(samples[sample % samples.count], at: offset) }
    }
}
