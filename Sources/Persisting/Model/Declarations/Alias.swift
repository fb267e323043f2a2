/// Another key for what a column stores: a second name of its property, or a computed property that is kept in it.
///
/// ```swift
/// final class Podcast: PersistingModel {
///     var id: Int64?
///     var flags = 0
///     var wasDeleted: Bool {
///         get { flags & 4 != 0 }
///         set { flags = newValue ? flags | 4 : flags & ~4 }
///     }
///
///     override class var aliases: [Alias] {
///         [
///             Alias("marks", for: "flags"),
///             Alias("wasDeleted", \Podcast.wasDeleted, in: "flags"),
///         ]
///     }
/// }
///
/// // runs the setter, and stores FLAGS
/// try manager.update(podcast, \.wasDeleted, to: true)
/// ```
///
/// A second name stands wherever the property's name does. A computed property is read, set and stored by its key and
/// its key path; conditions and orderings ask for its column, since SQLite does not know what is computed.
public struct Alias: Sendable {
    let key: String
    let property: String
    let path: PathColumn?

    /// A second name of a property.
    ///
    /// - Parameters:
    ///   - key: The key, which no property with a column has.
    ///   - property: The name of the property.
    public init(_ key: String, for property: String) {
        self.key = key
        self.property = property
        path = nil
    }

    /// A computed property that is kept in another one's column.
    ///
    /// - Parameters:
    ///   - key: The key, the computed property's name.
    ///   - keyPath: The computed property.
    ///   - property: The name of the property that it is computed from. Its column is not deferred.
    public init<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ key: String, _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, in property: String
    ) {
        self.key = key
        self.property = property
        path = PathColumn(keyPath)
    }
}
