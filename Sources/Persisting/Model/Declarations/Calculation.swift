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
    let content: @Sendable () -> Result<CriteriaTerm, PersistenceError>
}

/// What a mapping knows of its class's calculations. They are asked for when a key is none of a column, and not when
/// the class is mapped, since the class's code may ask for its own key paths.
final class DeclaredCalculations: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    @exclusivity(unchecked) nonisolated(unsafe) private var found: [Calculation]?

    func all(_ mapping: Mapping) -> [Calculation] {
        if let found = lock.withLock({ found }) { return found }
        // Outside the lock, since it runs the class's own code, which may ask for a key that is a calculation.
        let asking = AskedCalculations.ofThread
        if let place = asking.classes.firstIndex(where: { $0 === self }) {
            asking.outermost = min(asking.outermost, place)
            return []
        }
        let place = asking.classes.count
        asking.classes.append(self)
        let calculations = mapping.modelType.calculations
        asking.classes.removeLast()
        // What names a class that couldn't answer yet is made again.
        guard asking.outermost >= place else { return calculations }
        asking.outermost = .max
        lock.withLock { found = calculations }
        return calculations
    }
}

/// The classes that a thread is asking for their calculations, of which one may ask for another's.
private final class AskedCalculations {
    /// The innermost last.
    var classes: [DeclaredCalculations] = []
    /// The place of the first of them that has been asked again meanwhile.
    var outermost = Int.max

    static var ofThread: AskedCalculations {
        let (storage, key) = (Thread.current.threadDictionary, "Persisting.calculations")
        if let asked = storage[key] as? AskedCalculations { return asked }
        let asked = AskedCalculations()
        storage[key] = asked
        return asked
    }
}

extension Mapping {
    /// The calculation of a key that is none of a column; nil for any other.
    func calculation(_ key: String) -> Calculation? {
        hasColumn(forKey: key) ? nil : declaredCalculations.all(self).first { $0.key == key }
    }

    /// The key of a calculation's property.
    func keyOfCalculation(_ keyPath: AnyKeyPath) -> String? {
        declaredCalculations.all(self).first { $0.keyPath == keyPath && !hasColumn(forKey: $0.key) }?.key
    }
}
