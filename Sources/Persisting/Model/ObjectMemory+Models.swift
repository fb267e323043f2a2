internal import Observation

@_silgen_name("swift_reflectionMirror_subscript")
private func child<T>(
    of: T, type: any Any.Type, index: Int, name: UnsafeMutablePointer<UnsafePointer<CChar>?>,
    free: UnsafeMutablePointer<(@convention(c) (UnsafePointer<CChar>?) -> Void)?>
) -> Any

extension StoredProperty {
    /// The value that Mirror reads; nil when it reads another property. Mirror itself would first ask the class whether
    /// it describes itself otherwise.
    func mirroredValue(of object: PersistingModel) -> Any? {
        var name: UnsafePointer<CChar>?
        var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
        let value = child(of: object, type: owner, index: place, name: &name, free: &free)
        defer { free?(name) }
        return name.map { String(cString: $0) } == self.name ? value : nil
    }

    /// Whether the property is the one that `@Observable` adds to a class: an object's registrar, which is where
    /// Mirror reads it.
    func isRegistrar(of prototype: PersistingModel) -> Bool {
        guard name == "_$observationRegistrar", type == ObservationRegistrar.self,
            MemoryLayout<ObservationRegistrar>.size == MemoryLayout<UInt>.size,
            let registrar = mirroredValue(of: prototype) as? ObservationRegistrar
        else { return false }
        return unsafeBitCast(registrar, to: UInt.self) == Memory(prototype).read(UInt.self, at: offset)
    }
}

extension Memory {
    /// The memory of an object. It is valid while the object lives.
    @inline(__always)
    init(_ object: PersistingModel) {
        self.init(Unmanaged.passUnretained(object).toOpaque())
    }

    /// The object whose memory it is, which is of the class.
    func object<Model: PersistingModel>(as type: Model.Type) -> Model {
        Unmanaged<Model>.fromOpaque(base).takeUnretainedValue()
    }
}

/// An object that was made by `type`, as an object of it.
func downcast<Model: PersistingModel>(_ object: consuming PersistingModel, to type: Model.Type) -> Model {
    unsafeDowncast(object, to: Model.self)
}

/// Objects that were made by `type`, as objects of it.
func downcast<Model: PersistingModel>(
    _ objects: ContiguousArray<PersistingModel>, to type: Model.Type
) -> [Model] {
    // The elements' type is the only difference: arrays of whatever class lie in memory as references after a head,
    // and to hand over the storage costs nothing, where a copy counts each reference once more and less.
    Array(unsafeBitCast(objects, to: ContiguousArray<Model>.self))
}

/// Objects of a class as objects of the base class.
func upcast<Model: PersistingModel>(_ objects: [Model]) -> [PersistingModel] {
    // As above, but that the language has a conversion of its own. On Linux it goes through the array.
    unsafeBitCast(objects, to: [PersistingModel].self)
}

/// Whether a class has another implementation of one of the base class's methods than the base class has. Initializers,
/// accessors and methods of the class itself aren't looked at.
///
/// A class begins its table of methods with those that it inherits, in their order. A class's description says where
/// they are and what each of them is: see `VTableDescriptorHeader` and `MethodDescriptor` in
/// [Metadata.h](https://github.com/swiftlang/swift/blob/main/include/swift/ABI/Metadata.h). With signed pointers, as on
/// arm64e, all differ, and every class counts as one that has. So does every class whose layout is not the one that is
/// expected, and `HookProbe` tries the answer on known classes before it is used: the layout is fixed on Apple's
/// systems, and may change with the compiler on others.
func overridesMethod(_ type: PersistingModel.Type) -> Bool {
    let base = unsafeBitCast(PersistingModel.self as AnyClass, to: UnsafeRawPointer.self)
    let other = unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
    #if canImport(ObjectiveC)
        let description = base.load(fromByteOffset: 64, as: UnsafeRawPointer.self)
    #else
        let description = base.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    #endif
    // A class, not generic, with a table of methods, that is laid out when it is compiled, and whose superclass, if
    // any, is no other library's: the table's header then follows what every class has.
    let flags = description.load(as: UInt32.self)
    let isPlain = flags & 0x1F == 16 && flags & 0x80 == 0 && flags >> 16 & 3 == 0 && flags & 0x2000_0000 == 0
    guard isPlain, flags & 0x8000_0000 != 0 else { return true }
    let offset = Int(description.load(fromByteOffset: 44, as: UInt32.self))
    let count = Int(description.load(fromByteOffset: 48, as: UInt32.self))
    guard (1..<256).contains(count), (1..<1024).contains(offset) else { return true }
    return (0..<count).contains { index in
        let method = description.load(fromByteOffset: 52 + index * 8, as: UInt32.self)
        let place = (offset + index) * MemoryLayout<UInt>.size
        // A method of instances: its kind is 0.
        guard method & 0x1F == 0x10 else { return false }
        return base.load(fromByteOffset: place, as: UInt.self) != other.load(fromByteOffset: place, as: UInt.self)
    }
}
