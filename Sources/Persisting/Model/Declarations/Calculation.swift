internal import Foundation

/// A computed property that queries know, by what it is calculated from.
///
/// ```swift
/// final class OrderLine: PersistingModel {
///     var id: Int64?
///     var price = 0.0
///     var quantity = 0
///     var total: Double { price * Double(quantity) }
///
///     override class var calculations: [Calculation] {
///         [
///             Calculation(
///                 "total", \OrderLine.total,
///                 as: OrderLine.row.price * OrderLine.row.quantity)
///         ]
///     }
/// }
///
/// let large = try manager.fetchAll(
///     OrderLine.self, where: \.total > 100, sortedBy: "total desc")
/// ```
///
/// Its name and its key path stand in conditions, orderings, formats and calculations, in SQL and in memory; there it
/// is what the expression says, and the property itself isn't asked. It has no column, so nothing stores it. The key
/// path is that of the class which declares it; of a subclass, ask by the name.
public struct Calculation: Sendable {
    let key: String
    // Of the class's own literal, and only compared.
    nonisolated(unsafe) let keyPath: AnyKeyPath?
    let content: Result<CriteriaTerm, PersistenceError>
}

/// What a mapping knows of its class's calculations. They are asked for when a key is none of a column, and not when
/// the class is mapped: their expressions need the mapping.
final class DeclaredCalculations: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    @exclusivity(unchecked) nonisolated(unsafe) private var found: [Calculation]?

    func all(_ mapping: Mapping) -> [Calculation] {
        if let found = lock.withLock({ found }) { return found }
        // Outside the lock, since it runs the class's own code, which may ask for a key that is a calculation.
        let asking = "Persisting.calculations.\(mapping.modelName)"
        guard Thread.current.threadDictionary[asking] == nil else { return [] }
        Thread.current.threadDictionary[asking] = true
        defer { Thread.current.threadDictionary[asking] = nil }
        let calculations = mapping.modelType.calculations
        lock.withLock { found = calculations }
        return calculations
    }
}

extension Mapping {
    /// The calculation of a key that is none of a column; nil for any other.
    func calculation(_ key: String) -> Calculation? {
        hasColumn(forKey: key) ? nil : declaredCalculations.all(self).first { $0.key == key }
    }

    /// The key of a calculation's property.
    func keyOfCalculation(_ keyPath: AnyKeyPath) -> String? {
        declaredCalculations.all(self).first { $0.keyPath == keyPath }?.key
    }
}
