/// The proof that a class's fields are where the runtime says.
///
/// Before a class is used by offsets, every field must read by its offset as Mirror reads it, a value written by offset
/// must be what Mirror then reads, and no two fields may overlap. What fails is refused, not risked.
struct LayoutProof {
    private let modelName: String
    private let prototype: PersistingModel

    init(_ modelName: String, _ prototype: PersistingModel) {
        self.modelName = modelName
        self.prototype = prototype
    }

    func check(_ properties: [(property: ModelProperty, kind: FieldKind)]) throws {
        var ends: [(start: Int, end: Int)] = []
        for (property, kind) in properties {
            var visitor = Probe(memory: Memory(prototype), property: property.stored, mirrored: mirrored)
            func visitAny<T>(_ type: T.Type) -> (size: Int, isProved: Bool) {
                (MemoryLayout<T>.size, visitor.isRead(as: type))
            }
            let coded = _openExistential(property.stored.type, do: visitAny)
            visitor.isProved = coded.isProved
            try kind.visit(&visitor)
            ends.append((property.stored.offset, property.stored.offset + coded.size))
            guard visitor.isProved else { throw failure(property) }
        }
        let sorted = ends.sorted { $0.start < $1.start }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.end > next.start {
            throw PersistenceError(.invalidModel, "the fields of the class overlap in memory", model: modelName)
        }
    }

    private func failure(_ property: ModelProperty) -> PersistenceError {
        PersistenceError(
            .invalidModel,
            "the property is not where Swift's reflection says, so it cannot be stored: list it in transientKeys",
            model: modelName, key: property.key)
    }

    /// What Mirror reads; nil where a class describes itself otherwise.
    private func mirrored(_ name: String) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: prototype)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == name }) { return child.value }
            mirror = current.superclassMirror
        }
        return nil
    }
}

private struct Probe: FieldVisitor {
    let memory: Memory
    let property: StoredProperty
    let mirrored: (String) -> Any?
    var isProved = true

    /// Whether a field read by offset is what Mirror reads, as far as the two can be compared.
    func isRead<T>(as type: T.Type) -> Bool {
        guard let value = mirrored(property.name) as? T else { return false }
        guard let value = value as? any SQLiteValueConvertible,
            let other = memory.read(type, at: property.offset) as? any SQLiteValueConvertible
        else { return true }
        // A value that cannot be stored, such as a date that is not finite, cannot be compared here either.
        guard let lhs = try? value.sqliteValue(), let rhs = try? other.sqliteValue() else { return true }
        return lhs == rhs
    }

    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        let original = memory.read(type, at: property.offset)
        for sample in ConvertibleCodec<T>().samples where !T.isSame(sample, original) {
            memory.assign(sample, at: property.offset)
            let isSeen = (mirrored(property.name) as? T).map { T.isSame($0, sample) } ?? false
            memory.assign(original, at: property.offset)
            isProved = isProved && isSeen
            return
        }
    }

    mutating func visitCoded() {}
}
