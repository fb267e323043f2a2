internal import Foundation

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
            var visitor = Probe(prototype: prototype, property: property.stored)
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
}

private struct Probe: FieldVisitor {
    let prototype: PersistingModel
    let property: StoredProperty
    var isProved = true

    private var memory: Memory { Memory(prototype) }

    /// Whether a field read by offset is what Mirror reads, as far as the two can be compared.
    func isRead<T>(as type: T.Type) -> Bool {
        guard let value = property.mirroredValue(of: prototype) as? T else { return false }
        guard let value = value as? any SQLiteValueConvertible,
            let other = memory.read(type, at: property.offset) as? any SQLiteValueConvertible
        else { return true }
        // A value that cannot be stored, such as a date that is not finite, cannot be compared here either.
        guard let lhs = try? value.sqliteValue(), let rhs = try? other.sqliteValue() else { return true }
        return lhs == rhs
    }

    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        let original = memory.read(type, at: property.offset)
        let samples = try Self.samples(type.columnType).map { try T(sqliteValue: $0) }
        guard let sample = samples.first(where: { !T.isSame($0, original) }) else { return }
        memory.assign(sample, at: property.offset)
        isProved = isProved && (property.mirroredValue(of: prototype) as? T).map { T.isSame($0, sample) } ?? false
        memory.assign(original, at: property.offset)
    }

    mutating func visitCoded() {}

    /// Two values of all built-in types that a column of a type stores.
    private static func samples(_ type: ColumnType) -> [SQLiteValue] {
        switch type {
        case .integer: [.integer(0), .integer(1)]
        case .real: [.real(0.5), .real(1.5)]
        case .text: [.text("a"), .text("b")]
        default: [.blob(Data([0])), .blob(Data([1]))]
        }
    }
}
