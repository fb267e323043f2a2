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
            var probe = Probe(prototype: prototype, property: property.stored)
            try kind.visit(&probe)
            guard probe.isProved else { throw failure(property) }
            ends.append((property.stored.offset, property.stored.offset + probe.size))
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
    private(set) var size = 0
    private(set) var isProved = false

    private var memory: Memory { Memory(prototype) }

    mutating func visit<T: BuiltInField>(_ type: T.Type) throws {
        size = MemoryLayout<T>.size
        let original = memory.read(type, at: property.offset)
        // A date that is no number is not the same as itself.
        isProved = mirrors(original) || !T.isSame(original, original)
        let samples = try Self.samples(type.columnType).map { try T(sqliteValue: $0) }
        guard isProved, let sample = samples.first(where: { !T.isSame($0, original) }) else { return }
        memory.assign(sample, at: property.offset)
        isProved = mirrors(sample)
        memory.assign(original, at: property.offset)
    }

    private func mirrors<T: BuiltInField>(_ value: T) -> Bool {
        (property.mirroredValue(of: prototype) as? T).map { T.isSame($0, value) } ?? false
    }

    mutating func visitCoded() {
        func probe<T>(_ type: T.Type) -> (Int, Bool) { (MemoryLayout<T>.size, isRead(as: type)) }
        (size, isProved) = _openExistential(property.type, do: probe)
    }

    /// Whether a field read by offset is what Mirror reads, as far as the two can be compared.
    private func isRead<T>(as type: T.Type) -> Bool {
        guard let value = property.mirroredValue(of: prototype) as? T else { return false }
        guard let value = value as? any SQLiteValueConvertible,
            let other = memory.read(type, at: property.offset) as? any SQLiteValueConvertible
        else { return true }
        // A value that cannot be stored, such as a date that is not finite, cannot be compared here either.
        guard let lhs = try? value.sqliteValue(), let rhs = try? other.sqliteValue() else { return true }
        return lhs == rhs
    }

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
