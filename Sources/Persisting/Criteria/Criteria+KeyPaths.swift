/// Conditions by key path: `\.lastName == "Bluth" && \.luckyNumber > 7`. In a long chain write `\User.lastName`: the
/// compiler's errors are better.

/// The rows whose property has the value. Nil is IS NULL.
public func == <Model: PersistingModel, Value: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, value: Value
) -> Criteria<Model> {
    .keyPath(keyPath, value) { .compares($0, .equal, $1, []) }
}

/// The rows whose property does not have the value. Nil is IS NOT NULL; any other value takes the rows with NULL.
public func != <Model: PersistingModel, Value: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, value: Value
) -> Criteria<Model> {
    !(keyPath == value)
}

/// The rows whose property is less than the value.
public func < <Model: PersistingModel, Value: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, value: Value
) -> Criteria<Model> {
    .keyPath(keyPath, value) { .compares($0, .less, $1, []) }
}

/// The rows whose property is less than the value or equal to it.
public func <= <Model: PersistingModel, Value: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, value: Value
) -> Criteria<Model> {
    .keyPath(keyPath, value) { .compares($0, .lessOrEqual, $1, []) }
}

/// The rows whose property is greater than the value.
public func > <Model: PersistingModel, Value: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, value: Value
) -> Criteria<Model> {
    .keyPath(keyPath, value) { .compares($0, .greater, $1, []) }
}

/// The rows whose property is greater than the value or equal to it.
public func >= <Model: PersistingModel, Value: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, value: Value
) -> Criteria<Model> {
    .keyPath(keyPath, value) { .compares($0, .greaterOrEqual, $1, []) }
}

extension Criteria {
    /// A node for a key path's column. A key path does not cross to another task, a column's key does: so it is looked
    /// up here.
    fileprivate static func keyPath<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ value: Value, _ node: (CriteriaTerm, CriteriaTerm) -> CriteriaNode
    ) -> Criteria {
        Criteria(Self.node(of: keyPath, sample: value) { node(.key($0), .value(value)) })
    }

    private static func node(
        of keyPath: AnyKeyPath, sample: Any?, _ node: (String) -> CriteriaNode
    ) -> CriteriaNode {
        do {
            let mapping = try Mapping.of(Model.self)
            return node(try mapping.key(of: keyPath, sample: sample))
        } catch let error as PersistenceError {
            return .invalid(error)
        } catch {
            return .invalid(PersistenceError(.invalidCriteria, "\(error)", underlying: error))
        }
    }
}
