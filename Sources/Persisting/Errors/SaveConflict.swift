/// Both sides of a conflict about a row: the object to save, and the row that somebody else has written since the
/// object was read.
///
/// ```swift
/// do {
///     try manager.save(article)
/// } catch let error as PersistenceError where error.code == .conflict {
///     print(error.conflict?.overlap)              // ["text"]
///     try manager.merge(article, preferring: .mine)
///     try manager.save(article)
/// }
/// ```
///
/// Values are stored ones, by the names of properties. The key, the version and deferred columns that are not loaded
/// are in none.
public struct SaveConflict: Sendable, Hashable {
    /// What the object was read with, of all properties that either side has changed. Empty for an object that is not
    /// tracked.
    public let base: [String: SQLiteValue]
    /// What the object would write; for `PersistenceManager.merge(_:preferring:)`, its changes.
    public let mine: [String: SQLiteValue]
    /// What the row holds, of the properties that somebody else has changed. For an object that is not tracked, of
    /// those of ``mine`` in which it differs.
    public let theirs: [String: SQLiteValue]

    /// The names of the properties that both have changed, to different values, in alphabetical order.
    public var overlap: [String] {
        mine.filter { key, value in theirs[key].map { $0 != value } ?? false }.keys.sorted()
    }
}
