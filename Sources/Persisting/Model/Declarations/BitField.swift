/// A Boolean that is kept in bits of an integer column, and goes by a key of its own.
///
/// ```swift
/// final class Podcast: PersistingModel {
///     var id: Int64?
///     var flags = 0
///
///     override class var bitFields: [BitField] {
///         [
///             BitField("autoDownload", in: "flags", mask: 1 << 0),
///             BitField("wifiOnly", in: "flags", mask: 1 << 1),
///         ]
///     }
/// }
///
/// try podcast.setValue(true, forKey: "autoDownload")
/// try manager.update(podcast, key: "wifiOnly", to: true)  // stores FLAGS
/// try manager.fetchAll(Podcast.self, where: ["autoDownload": true])  // FLAGS & 1
/// ```
///
/// The key stands wherever a property's name does: in values, conditions and orderings. It is true when all bits of its
/// mask are set; the bits of a nil are not.
public struct BitField: Sendable {
    let key: String
    let property: String
    let mask: Int64
    let keyPath: (any AnyKeyPath & Sendable)?

    /// Bits by a key.
    ///
    /// - Parameters:
    ///   - key: The key, which no property with a column has.
    ///   - property: The name of the property with the integer, an `OptionSet` among them. Its column is not deferred.
    ///   - mask: The bits, of as many as the property's type has; more than one are set and asked together.
    public init(_ key: String, in property: String, mask: some BinaryInteger) {
        self.init(key, property, Int64(truncatingIfNeeded: mask), nil)
    }

    /// Bits by a key, and by the key path of a computed property that reads them, so that conditions and orderings may
    /// use that: `\.autoDownload == true`.
    ///
    /// - Parameters:
    ///   - key: The key, which no property with a column has.
    ///   - keyPath: The computed property.
    ///   - property: The name of the property with the integer, an `OptionSet` among them. Its column is not deferred.
    ///   - mask: The bits, of as many as the property's type has; more than one are set and asked together.
    public init<Model: PersistingModel>(
        _ key: String, _ keyPath: any KeyPath<Model, Bool> & Sendable, in property: String, mask: some BinaryInteger
    ) {
        self.init(key, property, Int64(truncatingIfNeeded: mask), keyPath)
    }

    private init(_ key: String, _ property: String, _ mask: Int64, _ keyPath: (any AnyKeyPath & Sendable)?) {
        self.key = key
        self.property = property
        self.mask = mask
        self.keyPath = keyPath
    }
}
