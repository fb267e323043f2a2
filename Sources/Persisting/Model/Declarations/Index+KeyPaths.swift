/// Indexes by key paths, which may lead to values inside of a column of JSON: conditions and orderings by the same key
/// path use them.
///
/// ```swift
/// override class var indexes: [Index] {
///     [Index(\Reader.settings.theme, \.name), .unique(\Reader.settings.email)]
/// }
/// ```
///
/// The index of a value inside of JSON is one on the expression that extracts it. See
/// [Indexes On Expressions](https://www.sqlite.org/expridx.html).
extension Index {
    /// An index on properties, or on values inside of columns of JSON, in this order.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the class. One that has no column, and isn't a value in one, throws when the class is
    ///     first used.
    ///   - more: More of them.
    ///   - condition: SQL that says which rows are in the index; nil is all. Interpolated values become literals in it.
    ///   - name: The index's name; nil makes one of the table's, the columns' and the values'.
    public init<Model: PersistingModel>(
        _ keyPath: any PartialKeyPath<Model> & Sendable, _ more: any PartialKeyPath<Model> & Sendable...,
        where condition: SQL? = nil, name: String? = nil
    ) {
        self.init(([keyPath] + more).map { .keyPath($0) }, isUnique: false, condition, name)
    }

    /// An index that lets no two rows have the same values: of one property, or of several together. NULL equals no
    /// other value, and a value that the JSON doesn't have is NULL.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the class, as for an index that isn't unique.
    ///   - more: More of them.
    ///   - condition: SQL that says which rows are in the index; nil is all. Interpolated values become literals in it.
    ///   - name: The index's name; nil makes one of the table's, the columns' and the values'.
    public static func unique<Model: PersistingModel>(
        _ keyPath: any PartialKeyPath<Model> & Sendable, _ more: any PartialKeyPath<Model> & Sendable...,
        where condition: SQL? = nil, name: String? = nil
    ) -> Index {
        Index(([keyPath] + more).map { .keyPath($0) }, isUnique: true, condition, name)
    }
}
