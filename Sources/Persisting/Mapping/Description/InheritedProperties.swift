internal import Foundation

/// The stored properties of classes that others inherit from. What is found out about them is so in each class below.
final class InheritedProperties: Sendable {
    static let shared = InheritedProperties()

    private struct Owned {
        let properties: [StoredProperty]
        /// The sizes of those that have been proved to be where the runtime says, in bytes, by the properties' places.
        var provedSizes: [Int?]
    }

    private let lock = NSLock()
    nonisolated(unsafe) private var owned = ByClass<Owned>()  // guarded by `lock`

    /// The properties that a class adds.
    func properties(of type: AnyClass) -> [StoredProperty] {
        lock.withLock {
            if let known = owned[type] { return known.properties }
            let found = storedProperties(of: type)
            owned[type] = Owned(properties: found, provedSizes: Array(repeating: nil, count: found.count))
            return found
        }
    }

    /// The size of a property that a class has inherited, if another has proved where it is.
    func provedSize(of property: StoredProperty) -> Int? {
        lock.withLock { owned[property.owner]?.provedSizes[property.place] }
    }

    /// Notes that a property is where the runtime says, if it can be inherited.
    func noteProof(of property: StoredProperty, size: Int) {
        lock.withLock { owned[property.owner]?.provedSizes[property.place] = size }
    }
}
