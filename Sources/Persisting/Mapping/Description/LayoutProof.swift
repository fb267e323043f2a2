internal import Foundation

/// The proof that a class's fields are where the runtime says.
///
/// Before a class is used by offsets, a value written by a field's offset must be what Mirror then reads, a field of a
/// type that is not built in must read by its offset as Mirror reads it, and no two fields may overlap. What fails is
/// rejected, not risked.
struct LayoutProof {
    private let modelName: String
    private let prototype: PersistingModel
    /// Where the fields are that have been proved.
    private var places: [(start: Int, end: Int)] = []

    init(_ modelName: String, _ prototype: PersistingModel) {
        self.modelName = modelName
        self.prototype = prototype
    }

    mutating func check(_ property: ModelProperty, _ kind: FieldKind) throws {
        let stored = property.stored
        // Of a custom field, values are compared as far as they can be: each class does what it can.
        if kind != .custom, let size = InheritedProperties.shared.provedSize(of: stored) {
            places.append((stored.offset, stored.offset + size))
            return
        }
        var probe = Probe(prototype: prototype, property: stored)
        try kind.visit(&probe)
        guard probe.isProved else { throw failure(property) }
        places.append((stored.offset, stored.offset + probe.size))
        if kind != .custom { InheritedProperties.shared.noteProof(of: stored, size: probe.size) }
    }

    /// Throws for fields that overlap, once all have been checked.
    func checkPlaces() throws {
        let sorted = places.sorted { $0.start < $1.start }
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
        defer { memory.assign(original, at: property.offset) }
        isProved = try Self.samples(type.columnType, size: size).allSatisfy { stored in
            let sample = try T(sqliteValue: stored)
            memory.assign(sample, at: property.offset)
            return (property.mirroredValue(of: prototype) as? T).map { T.isSame($0, sample) } ?? false
        }
    }

    mutating func visitCustom() {
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

    /// What another field is not likely to hold: a value of all built-in types that a column of a type stores; both
    /// values for one so small that only two are in all of them.
    private static func samples(_ type: ColumnType, size: Int) -> [SQLiteValue] {
        switch type {
        case .integer: size < 4 ? [.integer(0), .integer(1)] : [.integer(1_562_311_237)]
        case .real: [.real(1_430_000.625)]
        case .text: [.text("1562311237 ≠ 1430000")]
        default: [.blob(Data("1562311237 ≠ 1430000".utf8))]
        }
    }
}
