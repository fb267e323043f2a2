/// Conditions by key path: `\.lastName == "Bluth" && \.luckyNumber > 7`. In a long chain write `\User.lastName`: the
/// compiler's errors are better.
///
/// Each comparison takes a value, an Optional one for a property that is not, or another property's key path. The value
/// is of the property's own type, and compared as the column stores it.

/// The rows whose property is equal to the value. Nil is IS NULL.
public func == <Model, Value: Sendable>(
    keyPath: KeyPath<Model, Value>, value: Value?
) -> Criteria<Model> {
    .comparing(keyPath, .equal, value)
}

/// The rows whose property is equal to the other. NULL is equal to NULL.
@_disfavoredOverload
public func == <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, other: KeyPath<Model, Other>
) -> Criteria<Model> {
    .comparing(keyPath, .equal, other)
}

/// The rows whose property is not equal to the value. Nil is IS NOT NULL; any other value matches rows with NULL.
public func != <Model, Value: Sendable>(
    keyPath: KeyPath<Model, Value>, value: Value?
) -> Criteria<Model> {
    !(keyPath == value)
}

/// The rows whose property is not equal to the other.
@_disfavoredOverload
public func != <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, other: KeyPath<Model, Other>
) -> Criteria<Model> {
    !(keyPath == other)
}

/// The rows whose property is less than the value. No value is less than nil.
public func < <Model, Value: Sendable>(
    keyPath: KeyPath<Model, Value>, value: Value?
) -> Criteria<Model> {
    .comparing(keyPath, .less, value)
}

/// The rows whose property is less than the other.
@_disfavoredOverload
public func < <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, other: KeyPath<Model, Other>
) -> Criteria<Model> {
    .comparing(keyPath, .less, other)
}

/// The rows whose property is less than or equal to the value. No value is less than or equal to nil.
public func <= <Model, Value: Sendable>(
    keyPath: KeyPath<Model, Value>, value: Value?
) -> Criteria<Model> {
    .comparing(keyPath, .lessOrEqual, value)
}

/// The rows whose property is less than or equal to the other.
@_disfavoredOverload
public func <= <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, other: KeyPath<Model, Other>
) -> Criteria<Model> {
    .comparing(keyPath, .lessOrEqual, other)
}

/// The rows whose property is greater than the value. No value is greater than nil.
public func > <Model, Value: Sendable>(
    keyPath: KeyPath<Model, Value>, value: Value?
) -> Criteria<Model> {
    .comparing(keyPath, .greater, value)
}

/// The rows whose property is greater than the other.
@_disfavoredOverload
public func > <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, other: KeyPath<Model, Other>
) -> Criteria<Model> {
    .comparing(keyPath, .greater, other)
}

/// The rows whose property is greater than or equal to the value. No value is greater than or equal to nil.
public func >= <Model, Value: Sendable>(
    keyPath: KeyPath<Model, Value>, value: Value?
) -> Criteria<Model> {
    .comparing(keyPath, .greaterOrEqual, value)
}

/// The rows whose property is greater than or equal to the other.
@_disfavoredOverload
public func >= <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    keyPath: KeyPath<Model, Value>, other: KeyPath<Model, Other>
) -> Criteria<Model> {
    .comparing(keyPath, .greaterOrEqual, other)
}

/// The rows whose `Bool` property is false.
///
/// `&&` and `||` take no `Bool` property, but `\.isLoved == true`: with more overloads than they have, the compiler gives
/// up on conditions of eight terms.
public prefix func ! <Model>(keyPath: KeyPath<Model, Bool>) -> Criteria<Model> { !(keyPath == true) }

/// Lists, ranges and texts.
extension Criteria {
    /// The rows whose property has one of the values. Nil among them is NULL; of no values there is no row.
    ///
    /// An index is used, and any number of values is few parameters.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - values: The values.
    public static func `in`<Value: Sendable>(
        _ keyPath: KeyPath<Model, Value>, _ values: some Sequence<Value>
    ) -> Criteria {
        keyed(keyPath) { .isIn($0, values.map { .value($0) }, []) }
    }

    /// The rows whose Optional property has one of the values.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - values: The values.
    public static func `in`<Value: Sendable>(
        _ keyPath: KeyPath<Model, Value?>, _ values: some Sequence<Value>
    ) -> Criteria {
        keyed(keyPath) { .isIn($0, values.map { .value($0) }, []) }
    }

    /// The rows whose property lies in a range: `1...5`, `1..<5`, `1...`, `..<5` or `...5`. NULL lies in none.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - range: The range.
    public static func between<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ range: some RangeExpression<Value>
    ) -> Criteria {
        keyed(keyPath) { node(range, contains: $0) }
    }

    /// The rows whose Optional property lies in a range.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - range: The range.
    public static func between<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value?>, _ range: some RangeExpression<Value>
    ) -> Criteria {
        keyed(keyPath) { node(range, contains: $0) }
    }

    /// The rows whose property is the text.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func equals<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ text: String, _ options: TextOptions = []
    ) -> Criteria {
        keyed(keyPath) { .compares($0, .equal, .value(text), options) }
    }

    /// The rows whose property, by its name, is the text.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func equals(_ key: String, _ text: String, _ options: TextOptions = []) -> Criteria {
        Criteria(.compares(.key(key), .equal, .value(text), options))
    }

    /// The rows whose property contains the text. Every text contains the empty one.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func contains<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ text: String, _ options: TextOptions = []
    ) -> Criteria {
        keyed(keyPath) { .matches($0, .contains, .value(text), options) }
    }

    /// The rows whose property, by its name, contains the text.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func contains(_ key: String, _ text: String, _ options: TextOptions = []) -> Criteria {
        Criteria(.matches(.key(key), .contains, .value(text), options))
    }

    /// The rows whose property begins with the text. An index is used, unless there are options.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func hasPrefix<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ text: String, _ options: TextOptions = []
    ) -> Criteria {
        keyed(keyPath) { .matches($0, .hasPrefix, .value(text), options) }
    }

    /// The rows whose property, by its name, begins with the text.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func hasPrefix(_ key: String, _ text: String, _ options: TextOptions = []) -> Criteria {
        Criteria(.matches(.key(key), .hasPrefix, .value(text), options))
    }

    /// The rows whose property ends with the text.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func hasSuffix<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ text: String, _ options: TextOptions = []
    ) -> Criteria {
        keyed(keyPath) { .matches($0, .hasSuffix, .value(text), options) }
    }

    /// The rows whose property, by its name, ends with the text.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public static func hasSuffix(_ key: String, _ text: String, _ options: TextOptions = []) -> Criteria {
        Criteria(.matches(.key(key), .hasSuffix, .value(text), options))
    }

    /// The rows whose property matches a pattern. In the pattern, `*` stands for any number of characters, and `?` for
    /// one Unicode scalar. After a backslash they are literal. It is NSPredicate's LIKE, not SQL's.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - pattern: The pattern.
    ///   - options: How texts are compared; by default by their bytes.
    public static func like<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ pattern: String, _ options: TextOptions = []
    ) -> Criteria {
        keyed(keyPath) { .matches($0, .like, .value(pattern), options) }
    }

    /// The rows whose property, by its name, matches a pattern.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - pattern: The pattern.
    ///   - options: How texts are compared; by default by their bytes.
    public static func like(_ key: String, _ pattern: String, _ options: TextOptions = []) -> Criteria {
        Criteria(.matches(.key(key), .like, .value(pattern), options))
    }

    /// The rows whose property matches a regular expression as a whole. The notation is that of Foundation's
    /// `NSRegularExpression`. It is NSPredicate's MATCHES.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - pattern: The pattern.
    ///   - options: How texts are compared; by default by their bytes.
    public static func matches<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ pattern: String, _ options: TextOptions = []
    ) -> Criteria {
        keyed(keyPath) { .matches($0, .regularExpression, .value(pattern), options) }
    }

    /// The rows whose property, by its name, matches a regular expression as a whole.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - pattern: The pattern.
    ///   - options: How texts are compared; by default by their bytes.
    public static func matches(_ key: String, _ pattern: String, _ options: TextOptions = []) -> Criteria {
        Criteria(.matches(.key(key), .regularExpression, .value(pattern), options))
    }
}

extension Criteria {
    fileprivate static func comparing(
        _ keyPath: PartialKeyPath<Model>, _ comparison: CriteriaNode.Comparison, _ value: (any Sendable)?
    ) -> Criteria {
        keyed(keyPath, sample: value) { .compares($0, comparison, .value(value), []) }
    }

    fileprivate static func comparing(
        _ keyPath: PartialKeyPath<Model>, _ comparison: CriteriaNode.Comparison, _ other: PartialKeyPath<Model>
    ) -> Criteria {
        keyed(keyPath) { term in keyed(other) { .compares(term, comparison, $0, []) }.node }
    }

    /// A condition on a key path's column. A key path does not cross to another task, a column's key does: so it is
    /// looked up here.
    static func keyed(
        _ keyPath: PartialKeyPath<Model>, sample: Any? = nil, _ node: (CriteriaTerm) -> CriteriaNode
    ) -> Criteria {
        Criteria(catching: {
            guard let model = Model.self as? PersistingModel.Type else {
                return node(.json(try JSONElementPaths.shared.term(of: keyPath, sample: sample)))
            }
            return node(try Mapping.of(model).term(of: keyPath, sample: sample))
        })
    }

    private static func node(_ range: some RangeExpression, contains term: CriteriaTerm) -> CriteriaNode {
        if let range = range as? any CriteriaRange { return range.contains(term) }
        return .invalid(
            PersistenceError(
                .invalidCriteria, "\(typeOf: range) isn't a range",
                model: ModelDescription.name(of: Model.self)))
    }
}
