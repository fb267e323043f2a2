extension Index {
    /// An index on a property, or on a value inside of a column of JSON. Conditions and orderings by the same key path
    /// use it.
    ///
    /// ```swift
    /// override class var indexes: [Index] { [Index(\Reader.settings.theme)] }
    /// ```
    ///
    /// The index of a value is one on the expression that extracts it. See
    /// [Indexes On Expressions](https://www.sqlite.org/expridx.html).
    ///
    /// - Parameters:
    ///   - keyPath: The property of the class. One that has no column, and isn't a value in one, throws when the class
    ///     is first used.
    ///   - condition: SQL that says which rows are in the index; nil is all. Interpolated values become literals in it.
    ///   - name: The index's name; nil makes one of the table's, the column's and the value's.
    public init<Model: PersistingModel, Value>(
        _ keyPath: any KeyPath<Model, Value> & Sendable, where condition: SQL? = nil, name: String? = nil
    ) {
        self.init([.keyPath(keyPath)], isUnique: false, condition, name)
    }
}
