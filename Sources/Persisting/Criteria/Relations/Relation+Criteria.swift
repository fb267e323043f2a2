/// Conditions on a to-one relation's row.
extension ToOne {
    /// The rows whose related row matches a condition. A row without a related one isn't among them, whatever the
    /// condition; `!` matches it.
    ///
    /// ```swift
    /// try manager.fetchAll(
    ///     Episode.self,
    ///     where: \.seconds > 60 && Episode.show.matches(\.title == "News"))
    /// ```
    ///
    /// - Parameter criteria: The condition of the related row; `.all` asks only that there is one.
    public func matches(_ criteria: Criteria<Target>) -> Criteria<Source> {
        Criteria(.related(.declared(declaration), criteria.node))
    }

    /// A property of the related row; nil without one.
    ///
    /// - Parameter keyPath: The related class's property.
    public subscript<Value: SQLiteValueConvertible>(
        keyPath: KeyPath<Target, Value>
    ) -> RelatedValue<Source, Value.NonOptional?> {
        RelatedValue(reference: .declared(declaration), leaf: RelatedLeaf(keyPath) { .term($0) })
    }

    /// The rows of a subclass whose related row matches a condition, where a superclass declares the relation:
    /// `Book.where(Book.place.matches(\.name == "attic"))`. A relation of another class throws when the condition is used.
    ///
    /// - Parameter criteria: The condition of the related row; `.all` asks only that there is one.
    @_disfavoredOverload
    public func matches<Model: PersistingModel>(_ criteria: Criteria<Target>) -> Criteria<Model> {
        Criteria(matches(criteria).tree)
    }

    /// A property of the row that is related to one of a subclass; nil without one. A relation of another class throws
    /// when the value is used.
    ///
    /// - Parameter keyPath: The related class's property.
    @_disfavoredOverload
    public subscript<Model: PersistingModel, Value: SQLiteValueConvertible>(
        keyPath: KeyPath<Target, Value>
    ) -> RelatedValue<Model, Value.NonOptional?> {
        RelatedValue(reference: .declared(declaration), leaf: RelatedLeaf(keyPath) { .term($0) })
    }
}

/// Conditions on a to-many relation's rows.
extension ToManyRelation {
    /// The rows with at least one related row that matches a condition.
    ///
    /// - Parameter criteria: The condition of the related row; `.all` asks only that there is one.
    public func contains(_ criteria: Criteria<Target>) -> Criteria<Source> {
        Criteria(.related(.declared(declaration), criteria.node))
    }

    /// The rows of a subclass with at least one related row that matches a condition, where a superclass declares the
    /// relation. A relation of another class throws when the condition is used.
    ///
    /// - Parameter criteria: The condition of the related row; `.all` asks only that there is one.
    @_disfavoredOverload
    public func contains<Model: PersistingModel>(_ criteria: Criteria<Target>) -> Criteria<Model> {
        Criteria(contains(criteria).tree)
    }

    /// The rows whose related rows all match a condition, including rows without any.
    ///
    /// - Parameter criteria: The condition of the related rows.
    public func allSatisfy(_ criteria: Criteria<Target>) -> Criteria<Source> {
        !contains(!criteria)
    }

    /// The rows that have no related row.
    public var isEmpty: Criteria<Source> { !contains(.all) }

    /// How many related rows there are. One that is reached in several ways counts once.
    public var count: RelatedValue<Source, Int> {
        RelatedValue(reference: .declared(declaration), leaf: .count)
    }

    /// The sum of a property of the related rows. NULL counts for nothing; a sum of no values is nil.
    ///
    /// Integers are added as such, and a sum beyond Int64 is an error of the query. Decimals are added as
    /// floating-point numbers, as SQLite adds them.
    ///
    /// - Parameter keyPath: The related class's property, a number.
    public func sum<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Target, Value>
    ) -> RelatedValue<Source, Value.NonOptional?> {
        RelatedValue(reference: .declared(declaration), leaf: RelatedLeaf(keyPath) { .aggregate(.sum, $0) })
    }

    /// The average of a property of the related rows. NULL counts for nothing; an average of no values is nil.
    ///
    /// - Parameter keyPath: The related class's property, a number.
    public func average<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Target, Value>
    ) -> RelatedValue<Source, Double?> {
        RelatedValue(reference: .declared(declaration), leaf: RelatedLeaf(keyPath) { .aggregate(.average, $0) })
    }

    /// The least value of a property of the related rows, in its column's order; nil of no values.
    ///
    /// - Parameter keyPath: The related class's property.
    public func min<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Target, Value>
    ) -> RelatedValue<Source, Value.NonOptional?> {
        RelatedValue(reference: .declared(declaration), leaf: RelatedLeaf(keyPath) { .aggregate(.least, $0) })
    }

    /// The greatest value of a property of the related rows, in its column's order; nil of no values.
    ///
    /// - Parameter keyPath: The related class's property.
    public func max<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Target, Value>
    ) -> RelatedValue<Source, Value.NonOptional?> {
        RelatedValue(reference: .declared(declaration), leaf: RelatedLeaf(keyPath) { .aggregate(.greatest, $0) })
    }
}
