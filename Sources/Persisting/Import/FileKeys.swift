/// What the fields of a CSV file, or the keys of a JSON file, are called.
///
/// An export and an import with the same keys are each other's opposite. ``remote``, the default of both, leaves out
/// what the class's ``PersistingModel/remoteMapping`` doesn't name. For a complete copy, pass ``properties`` to both:
///
/// ```swift
/// try manager.exportJSON(Query(Episode.self), to: url, keys: .properties)
/// try manager.importJSON(Episode.self, contentsOf: url, keys: .properties)
/// ```
public enum FileKeys: Sendable, Hashable {
    /// By the properties' names.
    case properties
    /// By the columns' names.
    case columns
    /// By the keys of the class's ``PersistingModel/remoteMapping``, and only what it names: in JSON, in objects inside
    /// each other, with its root. A class without one has its properties' names, and a header of CSV that is imported
    /// may also have those of its columns.
    ///
    /// What an object in the file contains is the property's that the mapping names for the whole object: an export
    /// writes that one, and another property that an import takes from inside of the object isn't written by itself.
    case remote
}
